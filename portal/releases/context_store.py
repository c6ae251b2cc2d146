"""Store contexts, each once; their tokens are counted in processes of their own meanwhile."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, Self

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models.functions import Now

from portal.models import Context
from portal.storage import is_stored
from scoring.text.counting import PROCESSES, CountingPool
from scoring.text.text_index import TextSize, size_of

CONTEXTS = "contexts"  # the folder in the storage


class Known(NamedTuple):
    """A context that is stored."""

    pk: int
    tokens: int
    estimated: bool


class _Files(NamedTuple):
    text_file: str
    index_file: str
    size: TextSize


class ContextStore:
    """Contexts and questions on their way in. Only so many contexts are held as are counted.

    Threads wait for the counting processes and write the files; rows are written here, each as soon
    as its files are whole.
    """

    def __init__(self, processes: int = PROCESSES) -> None:
        self._most = processes
        self._counting = CountingPool(processes)
        self._threads = ThreadPoolExecutor(processes, thread_name_prefix="contexts")
        self._known: dict[str, Known] = {}  # by SHA-256
        self._coming: dict[str, Future[_Files]] = {}  # likewise; the oldest is first
        self._questions: dict[str, Future[TextSize]] = {}
        self._estimates = False  # whether the vocabulary is found to be out of reach
        self.counted = 0  # tokens of contexts, so far

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._threads.shutdown(cancel_futures=True)
        self._counting.close()

    def add(self, sha256: str, text: str) -> None:
        """Store a context that is not stored yet; waits where enough others are on their way."""
        if sha256 in self._known or sha256 in self._coming or self._is_stored(sha256):
            return
        while len(self._coming) > self._most:
            self._finish_oldest()
        self._coming[sha256] = self._threads.submit(self._store, sha256, text.encode())

    def count(self, question: str) -> None:
        """Have the tokens of a question counted."""
        if question not in self._questions:
            self._questions[question] = self._threads.submit(self._size_of, question.encode())

    def finish(self) -> None:
        """Wait until everything that was added is stored, and every question is counted."""
        while self._coming:
            self._finish_oldest()
        for counted in self._questions.values():
            counted.result()

    def context(self, sha256: str) -> Known:
        """One that was added, and is stored."""
        return self._known[sha256]

    def question(self, question: str) -> TextSize:
        """The size of one that was given to count; waits for it before ``finish``."""
        return self._questions[question].result()

    def _is_stored(self, sha256: str) -> bool:
        """Whether it is; then it is known from now on, and not forgotten for a while.

        One whose tokens were only estimated is counted once more, unless there is no hope; one
        whose files were lost is stored once more.
        """
        row = Context.objects.filter(sha256=sha256)
        if not row.update(last_used=Now()):
            return False
        context = row.get()
        if context.tokens_estimated and not self._estimates:
            return False
        if not (_has_text(context) and _has_index(context)):
            return False
        self._known[sha256] = _known(context)
        return True

    # In a thread

    def _store(self, sha256: str, data: bytes) -> _Files:
        index_file = self._counting.index(data)
        text = default_storage.save(f"{CONTEXTS}/{sha256}.txt", ContentFile(data))
        index = default_storage.save(f"{CONTEXTS}/{sha256}.index", ContentFile(index_file))
        return _Files(text, index, size_of(index_file))

    def _size_of(self, data: bytes) -> TextSize:
        return size_of(self._counting.index(data))

    # And here again

    def _finish_oldest(self) -> None:
        sha256, coming = next(iter(self._coming.items()))
        files = coming.result()
        self._known[sha256] = _kept(sha256, files)
        del self._coming[sha256]
        self._estimates = self._estimates or files.size.estimated
        self.counted += files.size.tokens


def _kept(sha256: str, files: _Files) -> Known:
    """Its row; where there is one already, that one, and our files go as far as it has its own.

    Files of its own that were lost or damaged are replaced by ours.
    """
    counted = {
        "tokens": files.size.tokens,
        "tokens_estimated": files.size.estimated,
        "index": files.index_file,
    }
    row = Context(
        sha256=sha256,
        characters=files.size.characters,
        size=files.size.size,
        text=files.text_file,
        **counted,
    )
    Context.objects.bulk_create([row], ignore_conflicts=True)
    kept = Context.objects.get(sha256=sha256)
    news: dict[str, object] = {} if _has_text(kept) else {"text": files.text_file}
    if not _has_index(kept) or (kept.tokens_estimated and not files.size.estimated):
        news |= counted
    if news:
        Context.objects.filter(sha256=sha256).update(**news)
        kept.refresh_from_db()
    for ours, named in ((files.text_file, kept.text), (files.index_file, kept.index)):
        if ours != named.name:
            default_storage.delete(ours)
    return _known(kept)


def _known(context: Context) -> Known:
    return Known(context.pk, context.tokens, context.tokens_estimated)


def _has_text(context: Context) -> bool:
    return is_stored(context.text.name, context.size)


def _has_index(context: Context) -> bool:
    size = TextSize(context.characters, context.size, context.tokens, context.tokens_estimated)
    return is_stored(context.index.name, size.index_size)
