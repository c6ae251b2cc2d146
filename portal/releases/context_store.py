"""Store the contexts of releases, each once."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, Self

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models.functions import Now

from portal.models import Context
from portal.storage.folder import is_stored
from scoring.text.counting import PROCESSES, CountingPool
from scoring.text.text_index import TextSize, size_of

CONTEXTS = "contexts"  # the folder in the storage


class StoredContext(NamedTuple):
    pk: int
    tokens: int
    estimated: bool


class _Files(NamedTuple):
    text_file: str
    index_file: str
    size: TextSize


class ContextStore:
    """Stores contexts and counts their tokens and those of questions, in the background.

    Threads wait for the counting processes and write files. Rows are written by the caller's
    thread, each as soon as its files are complete. At most ``processes + 1`` contexts are held in
    memory.
    """

    def __init__(self, processes: int = PROCESSES) -> None:
        self._max_pending = processes
        self._counting = CountingPool(processes)
        self._threads = ThreadPoolExecutor(processes, thread_name_prefix="contexts")
        self._stored: dict[str, StoredContext] = {}  # by SHA-256
        self._pending: dict[str, Future[_Files]] = {}  # by SHA-256, the oldest first
        self._questions: dict[str, Future[TextSize]] = {}
        self._estimates = False  # whether the vocabulary has turned out to be unavailable
        self.counted = 0  # tokens of contexts, so far

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._threads.shutdown(cancel_futures=True)
        self._counting.close()

    def add(self, sha256: str, text: str) -> None:
        """Store a context unless it is stored already; waits while enough others are pending."""
        if sha256 in self._stored or sha256 in self._pending or self._find(sha256):
            return
        while len(self._pending) > self._max_pending:
            self._finish_oldest()
        self._pending[sha256] = self._threads.submit(self._write_files, sha256, text.encode())

    def count(self, question: str) -> None:
        """Start counting the tokens of a question."""
        if question not in self._questions:
            data = question.encode()
            self._questions[question] = self._threads.submit(
                lambda: size_of(self._counting.index(data))
            )

    def finish(self) -> None:
        """Wait until every context is stored and every question is counted."""
        while self._pending:
            self._finish_oldest()
        for counted in self._questions.values():
            counted.result()

    def context(self, sha256: str) -> StoredContext:
        """A context that was added; call ``finish`` first."""
        return self._stored[sha256]

    def question(self, question: str) -> TextSize:
        """The size of a question that is being counted; waits for it."""
        return self._questions[question].result()

    def _find(self, sha256: str) -> bool:
        """Whether it is in the database; if so, its row is marked as used.

        A context with estimated tokens is counted again, unless the vocabulary is unavailable; one
        whose files were lost is stored again.
        """
        row = Context.objects.filter(sha256=sha256)
        if not row.update(last_used=Now()):
            return False
        context = row.get()
        if context.tokens_estimated and not self._estimates:
            return False
        if not (_has_text(context) and _has_index(context)):
            return False
        self._stored[sha256] = _stored(context)
        return True

    def _write_files(self, sha256: str, data: bytes) -> _Files:
        """Runs in a thread."""
        index_file = self._counting.index(data)
        text = default_storage.save(f"{CONTEXTS}/{sha256}.txt", ContentFile(data))
        index = default_storage.save(f"{CONTEXTS}/{sha256}.index", ContentFile(index_file))
        return _Files(text, index, size_of(index_file))

    def _finish_oldest(self) -> None:
        sha256, pending = next(iter(self._pending.items()))
        files = pending.result()
        self._stored[sha256] = _store_row(sha256, files)
        del self._pending[sha256]
        self._estimates = self._estimates or files.size.estimated
        self.counted += files.size.tokens


def _store_row(sha256: str, files: _Files) -> StoredContext:
    """The row, new or known. A known row takes the new files if its own were lost or damaged, or
    its tokens were estimated; files that it does not take are deleted."""
    counted = {
        "tokens": files.size.tokens,
        "tokens_estimated": files.size.estimated,
        "index": files.index_file,
    }
    draft = Context(
        sha256=sha256,
        characters=files.size.characters,
        size=files.size.size,
        text=files.text_file,
        **counted,
    )
    Context.objects.bulk_create([draft], ignore_conflicts=True)
    row = Context.objects.get(sha256=sha256)
    changes: dict[str, object] = {} if _has_text(row) else {"text": files.text_file}
    if not _has_index(row) or (row.tokens_estimated and not files.size.estimated):
        changes |= counted
    if changes:
        Context.objects.filter(sha256=sha256).update(**changes)
        row.refresh_from_db()
    for new, used in ((files.text_file, row.text), (files.index_file, row.index)):
        if new != used.name:
            default_storage.delete(new)
    return _stored(row)


def _stored(context: Context) -> StoredContext:
    return StoredContext(context.pk, context.tokens, context.tokens_estimated)


def _has_text(context: Context) -> bool:
    return is_stored(context.text.name, context.size)


def _has_index(context: Context) -> bool:
    size = TextSize(context.characters, context.size, context.tokens, context.tokens_estimated)
    return is_stored(context.index.name, size.index_size)
