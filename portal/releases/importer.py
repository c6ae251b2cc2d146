"""Import releases, all or nothing."""

import logging
import time
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from portal.board_version import raise_board_version
from portal.errors import ReleaseError
from portal.models import Example, Release, TaskDataSet
from portal.releases.answers import count_answers, find_answers
from portal.releases.benchmark import join_benchmark, number_questions
from portal.releases.context_store import ContextStore
from portal.releases.reader import (
    DraftRow,
    HashedLabel,
    TaskDraft,
    TaskReader,
    draft_row,
    hashed_label,
)
from scoring.catalog import TASKS
from scoring.keys import Key
from scoring.labels import Label
from scoring.releases.check import facets_of_labels
from scoring.releases.facets import NO_FACETS, Facets
from scoring.releases.floors import floors_document, read_floors
from scoring.releases.gold import ReleaseRow, TaskGold, release_files
from scoring.releases.manifest import read_origin
from scoring.text.counting import PROCESSES, CountError

# What a known release may still get.
_FACTS = ("generator", "floors", "text_licence", "dials", "unanswerable_of")
_TEXTS = ("title", "description")
_UNPRINTABLE = ("Cc", "Cs")  # control characters and surrogates
_BATCH = 100  # rows at once: labels of Math.Calc are long
_CONTEXT_FIELDS = ("context", "tokens", "tokens_estimated")
_FACET_FIELDS = ("target_tokens", "ladder", "depth", "hops", "kind", "evidence", "facts")
_MEGABYTE = 1_000_000

FacetsByTask = Mapping[str, Mapping[Key, Facets]]

log = logging.getLogger(__name__)


def import_release(
    directory: Path,
    *,
    slug: str,
    title: str,
    description: str = "",
    hidden: bool = False,
    official: bool = False,
    facets: FacetsByTask | None = None,
    unanswerable_of: Release | None = None,
    processes: int = PROCESSES,
    report: Callable[[str], None] = log.info,
) -> Release:
    """Import a directory of ``{task}.jsonl``. Importing it again changes nothing.

    ``facets`` is for tasks without a facets file.

    Contexts are stored as they are read, while ``processes`` processes count their tokens; an
    import that was killed and is run again stores and counts none of them twice. Everything else
    is written in one transaction at the end.

    A task data set is known by its hashes and not stored again; facets may be added to it. A known
    release may become official, and get other descriptions. Raises ``GoldError`` or
    ``ReleaseError``; nothing becomes visible then.
    """
    draft = Release(
        slug=slug,
        title=title,
        description=description,
        hidden=hidden,
        official=official,
        unanswerable_of=unanswerable_of,
    )
    check_texts(draft)
    origin = read_origin(directory)
    draft.generator, draft.text_licence = origin.generator, origin.licence
    draft.dials = origin.dials or None
    draft.floors = floors_document(read_floors(directory).values()) or None

    def report_line(line: str) -> None:
        report(f"{slug}: {line}")

    report_line("reading")
    with ContextStore(processes) as store, ExitStack() as opened:
        try:
            files = release_files(directory)
            size = sum(file.stat().st_size for file in files.values())
            progress = ImportProgress(size, store, report_line)
            tasks = []
            for task, file in files.items():
                progress.start_task(task)
                reader = TaskReader(task, file, store, opened, (facets or {}).get(task, {}))
                tasks.append(reader.read(hidden=hidden, on_row=progress.row_read))
            store.finish()
            release, is_new = _store_release(draft, tasks, store, report_line)
            count_answers(release)
            find_answers(release)
        except CountError as error:
            raise ReleaseError(f"{error} Import it once more.") from error
    report_line(f"{len(tasks)} tasks" + (", new" if is_new else ", as it was"))
    return release


def label_drafts(gold: Iterable[TaskGold], source: Path) -> list[TaskDraft]:
    """Labels without questions, as in released result files. Where they are those of the official
    data, depth, hops and kind of question follow from the ids. Raises ``ReleaseError``."""
    tasks = []
    for one in gold:
        facets = facets_of_labels(one)
        rows = [
            draft_row(example, str(source), facets=facets.get(example.key, NO_FACETS))
            for example in one.examples
        ]
        questions_hash = one.questions_hash or ""
        tasks.append(
            TaskDraft(one.task, len(rows), one.labels_hash, questions_hash, rows=rows.copy)
        )
    return tasks


def import_tasks(
    draft: Release, tasks: Sequence[TaskDraft], report: Callable[[str], None] = log.info
) -> Release:
    """A release without contexts. Raises ``ReleaseError``; nothing is stored then."""
    with ContextStore() as store, transaction.atomic():
        release, _ = _store_release(draft, tasks, store, report)
        for data_set in release.data_sets.all():
            number_questions(data_set)
    return release


def check_texts(draft: Release) -> None:
    """Raises ``ReleaseError`` for an invalid slug, and for a title or description that is too long
    or holds characters that no page can show."""
    for name in _TEXTS:
        text = getattr(draft, name)
        if odd := next((sign for sign in text if unicodedata.category(sign) in _UNPRINTABLE), None):
            raise ReleaseError(
                f"{_option(name)}: it contains {odd!a}, which cannot be displayed. Leave it out."
            )
    try:
        draft.clean_fields()
    except ValidationError as error:
        faults = (f"{_option(name)}: {' '.join(why)}" for name, why in error.message_dict.items())
        raise ReleaseError(" ".join(faults)) from error


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


class ImportProgress:
    """Reports speed and remaining time every few seconds while rows are read."""

    def __init__(
        self,
        size: int,
        store: ContextStore,
        report: Callable[[str], None],
        *,
        interval: float = 5.0,
    ) -> None:
        """``size``: bytes of all files; ``interval``: seconds between two lines."""
        self._size, self._store, self._report, self._interval = size, store, report, interval
        self._started = self._reported = time.monotonic()
        self._bytes_read = self._examples = 0
        self._task = ""

    def start_task(self, task: str) -> None:
        self._task, self._examples = TASKS[task].title, 0

    def row_read(self, row: ReleaseRow) -> None:
        self._bytes_read += row.size
        self._examples += 1
        now = time.monotonic()
        if now - self._reported < self._interval:
            return
        self._reported = now
        seconds = now - self._started
        speed = self._bytes_read / seconds
        minutes, rest = divmod(round((self._size - self._bytes_read) / speed), 60)
        self._report(
            f"{self._task}: {self._examples:,} examples; "
            f"{self._bytes_read / _MEGABYTE:,.0f} of {self._size / _MEGABYTE:,.0f} MB in all, "
            f"{speed / _MEGABYTE:.1f} MB and {self._store.counted / seconds:,.0f} tokens a second, "
            f"{minutes}:{rest:02} min left"
        )


def _store_release(
    draft: Release, tasks: Sequence[TaskDraft], store: ContextStore, report: Callable[[str], None]
) -> tuple[Release, bool]:
    """The release, and whether it is new. Raises ``ReleaseError``; nothing is stored then."""
    with transaction.atomic():
        stored = [_store_data_set(task, store, report) for task in tasks]
        of_benchmark = draft.official or not draft.accepts_submissions
        if of_benchmark and not draft.hidden:
            for task in tasks:
                fill_labels(task.task, (row.label for row in task.rows()))
        data_sets = [data_set for data_set, _ in stored]
        known = Release.objects.filter(slug=draft.slug).first()
        if known is None:
            _check_secrecy(draft, data_sets)
            draft.save(force_insert=True)
            draft.data_sets.set(data_sets)
        elif (draft.hidden, set(data_sets)) != (known.hidden, set(known.data_sets.all())):
            raise ReleaseError(
                f"There already is another release “{draft.slug}”. Scores refer to their release, "
                "so it cannot be changed: choose another --slug."
            )
        is_changed = known is None or _update_release(known, draft)
        release = known or draft
        if release.official and not release.hidden:
            is_changed |= join_benchmark(release)
            for data_set in data_sets:
                number_questions(data_set)
        # Boards also show lengths and downloadable files of data sets.
        if is_changed or any(has_news for _, has_news in stored):
            raise_board_version()
    return release, known is None


def _check_secrecy(draft: Release, data_sets: Sequence[TaskDataSet]) -> None:
    """Raises ``ReleaseError`` where one release would disclose what another one hides.

    The data sets are locked, since another import may be about to use them too.
    """
    ids = [data_set.pk for data_set in data_sets]
    list(TaskDataSet.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk"))
    others = Release.objects.filter(data_sets__in=ids).exclude(hidden=draft.hidden)
    if other := others.first():
        shared = other.data_sets.filter(pk__in=ids).order_by("task")
        tasks = ", ".join(TASKS[data_set.task].title for data_set in shared)
        state, way = ("hidden", "with") if other.hidden else ("public", "without")
        raise ReleaseError(
            f"The same data of {tasks} is in the release “{other.slug}”, which is {state}. What "
            f"one release hides must not be public in another one: import this one {way} "
            "--hidden, or without these tasks."
        )


def _update_release(known: Release, draft: Release) -> bool:
    """Take over the fields that may change from the draft. Returns whether any did."""
    changed = []
    for name in ("official", "description", *_FACTS):
        value = getattr(draft, name)
        if value and value != getattr(known, name):
            setattr(known, name, value)
            changed.append(name)
    if changed:
        known.save(update_fields=changed)
    return bool(changed)


def _store_data_set(
    draft: TaskDraft, store: ContextStore, report: Callable[[str], None]
) -> tuple[TaskDataSet, bool]:
    """The data set with these hashes, and whether anything about it is new.

    The data of a known one stay as they are. Facts about them are added: contexts that were not
    stored yet, other facets, downloadable files.
    """
    data_set, is_new = TaskDataSet.objects.get_or_create(
        task=draft.task,
        labels_hash=draft.labels_hash,
        questions_hash=draft.questions_hash,
        defaults={"size": draft.size, "figures_only": draft.figures_only, **draft.files},
    )
    if is_new:
        report(f"storing {draft.size} examples of {TASKS[draft.task].title}")
        _create_examples(data_set, draft, store)
        return data_set, True
    fields: list[str] = []
    without_length = Q(context=None) | Q(tokens_estimated=True)
    if draft.has_contexts and data_set.examples.filter(without_length).exists():
        fields += _CONTEXT_FIELDS
    if draft.facets_file and draft.facets_file.pk != data_set.facets_file_id:
        fields += _FACET_FIELDS
    elif draft.has_facts and not data_set.examples.exclude(facts=None).exists():
        fields += ("facts",)  # which earlier versions did not store
    if fields:
        _update_examples(data_set, draft, store, fields)
    files = {
        name: file
        for name, file in draft.files.items()
        if getattr(data_set, f"{name}_id") != file.pk
    }
    if files:
        TaskDataSet.objects.filter(pk=data_set.pk).update(**files)
    return data_set, bool(fields or files)


@transaction.atomic
def fill_labels(task: str, labels: Iterable[Label | HashedLabel]) -> None:
    """Give the labels to those examples of the task that are known by the hash of their label. An
    official release that has all its labels then takes submissions."""
    waiting = TaskDataSet.objects.filter(task=task, figures_only=True)
    if not waiting.exists():
        return
    whole = (label for label in labels if not isinstance(label, dict))
    known = {hashed_label(label)["hash"]: label for label in whole}
    hashed = Example.objects.filter(label__has_key="hash")
    examples = list(hashed.filter(data_set__in=waiting, label__hash__in=known).only("label"))
    for example in examples:
        example.label = known[example.label["hash"]]
    Example.objects.bulk_update(examples, ["label"], batch_size=_BATCH)
    waiting.exclude(Exists(hashed.filter(data_set=OuterRef("pk")))).update(figures_only=False)
    if examples:
        filled = Release.objects.filter(official=True, data_sets__task=task)
        filled.exclude(data_sets__figures_only=True).update(accepts_submissions=True)
        raise_board_version()


def _create_examples(data_set: TaskDataSet, draft: TaskDraft, store: ContextStore) -> None:
    rows = enumerate(draft.rows())
    while batch := list(islice(rows, _BATCH)):
        Example.objects.bulk_create(
            Example(
                data_set=data_set,
                index=index,
                key=row.key,
                label=row.label,
                options=row.options,
                answer_type=row.answer_type,
                question=row.question,
                **_facts(row, store),
            )
            for index, row in batch
        )


def _update_examples(
    data_set: TaskDataSet, draft: TaskDraft, store: ContextStore, fields: Sequence[str]
) -> None:
    keys = data_set.examples.order_by("index").values_list("pk", flat=True)
    rows = zip(list(keys), draft.rows(), strict=True)
    while batch := list(islice(rows, _BATCH)):
        examples = Example.objects.only(*fields).in_bulk([pk for pk, _ in batch])
        for pk, row in batch:
            facts = _facts(row, store)
            for field in fields:
                name = "context_id" if field == "context" else field
                if facts.get(name) not in (None, ""):  # a fact that is missing now stays known
                    setattr(examples[pk], name, facts[name])
        Example.objects.bulk_update(examples.values(), fields)


def _facts(row: DraftRow, store: ContextStore) -> dict[str, Any]:
    """The columns of an example that are not part of the data: facets, context and length."""
    columns = row.facets._asdict()
    if not row.context:
        return columns
    context = store.context(row.context)
    tokens, estimated = row.tokens, False
    if tokens is None:
        question = store.question(row.question)
        tokens = context.tokens + question.tokens
        estimated = context.estimated or question.estimated
    return columns | {"context_id": context.pk, "tokens": tokens, "tokens_estimated": estimated}
