"""Bring releases into the database: a release stands there when all of it is there."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from django.core.exceptions import ValidationError
from django.db import transaction

from portal.board_version import raise_board_version
from portal.errors import ReleaseError
from portal.models import Release, TaskDataSet
from portal.releases.context_store import ContextStore
from portal.releases.data_sets import store_data_set
from portal.releases.import_progress import Progress
from portal.releases.reader import TaskDraft, TaskReader, draft_row
from portal.telling import Tell, silence
from scoring.catalog import TASKS
from scoring.keys import Key
from scoring.releases.facets import Facets
from scoring.releases.gold import TaskGold, release_files
from scoring.text.counting import PROCESSES, CountError

_TEXTS = ("title", "title_zh", "description", "description_zh")
_UNSEEN = ("Cc", "Cs")  # control characters, and halves of characters

FoundFacets = Mapping[str, Mapping[Key, Facets]]  # by task


def import_release(
    directory: Path,
    *,
    slug: str,
    title: str,
    title_zh: str = "",
    description: str = "",
    description_zh: str = "",
    hidden: bool = False,
    official: bool = False,
    facets: FoundFacets | None = None,
    processes: int = PROCESSES,
    tell: Tell = silence,
) -> Release:
    """Import a directory of ``{task}.jsonl``; done twice, the second time changes nothing.

    ``facets``: for the tasks that have no file of them.

    Contexts are stored as they are read, and their tokens counted in so many processes. Ended at
    any moment and started again, it stores and counts none of them twice. All else is written in
    one transaction at the end.

    A task data set that is known already, by its hashes, is not stored again; facets may be added
    to it. A release that is known already can be called official later, and described anew. Raises
    ``GoldError`` or ``ReleaseError``; nothing can be seen then.
    """
    draft = Release(
        slug=slug,
        title=title,
        title_zh=title_zh,
        description=description,
        description_zh=description_zh,
        hidden=hidden,
        official=official,
    )
    check_texts(draft)
    told = partial(_tell, tell, slug)
    told("reading")
    with ContextStore(processes) as store, ExitStack() as opened:
        try:
            tasks = _read(directory, store, opened, facets or {}, hidden=hidden, tell=told)
            release, is_new = _stored(draft, tasks, store, told)
        except CountError as error:
            raise ReleaseError(f"{error} Import it once more.") from error
    told(f"{len(tasks)} tasks" + (", new" if is_new else ", as it was"))
    return release


def check_texts(draft: Release) -> None:
    """Raises ``ReleaseError`` for an invalid slug, and for a title or description that is too long
    or holds characters that no page can show."""
    for name in _TEXTS:
        text = getattr(draft, name)
        if odd := next((sign for sign in text if unicodedata.category(sign) in _UNSEEN), None):
            raise ReleaseError(
                f"{_option(name)}: it holds {odd!a}, which cannot be shown. Leave it out."
            )
    try:
        draft.clean_fields()
    except ValidationError as error:
        faults = (f"{_option(name)}: {' '.join(why)}" for name, why in error.message_dict.items())
        raise ReleaseError(" ".join(faults)) from error


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def import_labels(
    gold: Iterable[TaskGold],
    *,
    slug: str,
    title: str,
    title_zh: str = "",
    source: Path,
    tell: Tell = silence,
) -> Release:
    """A release of labels without questions, as released files carry them; nobody submits to it.

    Raises ``ReleaseError``; nothing is stored then.
    """
    draft = Release(slug=slug, title=title, title_zh=title_zh, accepts_submissions=False)
    tasks = [_labels_draft(one, source) for one in gold]
    with ContextStore() as store:
        return _stored(draft, tasks, store, tell)[0]


def _tell(tell: Tell, slug: str, line: str) -> None:
    tell(f"{slug}: {line}")


def _read(
    directory: Path,
    store: ContextStore,
    opened: ExitStack,
    facets: FoundFacets,
    *,
    hidden: bool,
    tell: Tell,
) -> list[TaskDraft]:
    files = release_files(directory)
    progress = Progress(sum(file.stat().st_size for file in files.values()), store, tell)
    drafts = []
    for task, file in files.items():
        progress.begin(task)
        reader = TaskReader(task, file, store, opened, facets.get(task, {}))
        drafts.append(reader.read(hidden=hidden, passed=progress.passed))
    store.finish()
    return drafts


def _labels_draft(gold: TaskGold, source: Path) -> TaskDraft:
    rows = [draft_row(example, str(source)) for example in gold.examples]
    return TaskDraft(
        gold.task, len(rows), gold.labels_hash, gold.questions_hash or "", rows=lambda: rows
    )


def _stored(
    draft: Release, tasks: Iterable[TaskDraft], store: ContextStore, tell: Tell
) -> tuple[Release, bool]:
    """The release, and whether it is new. Raises ``ReleaseError``; nothing is stored then."""
    with transaction.atomic():
        stored = [store_data_set(task, store, tell) for task in tasks]
        release, is_new = _kept_release(draft, [data_set for data_set, _ in stored])
        is_told_otherwise = _describe_anew(release, draft)
        # Pages also tell of lengths, and of files to take away.
        if is_new or is_told_otherwise or any(has_news for _, has_news in stored):
            raise_board_version()
    return release, is_new


def _check_secrecy(draft: Release, data_sets: Sequence[TaskDataSet]) -> None:
    """Raises ``ReleaseError`` where one release would give away what another one hides.

    The data sets are locked: another import may be about to name them too.
    """
    ids = [data_set.pk for data_set in data_sets]
    list(TaskDataSet.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk"))
    others = Release.objects.filter(data_sets__in=ids).exclude(hidden=draft.hidden)
    if other := others.first():
        shared = other.data_sets.filter(pk__in=ids).order_by("task")
        tasks = ", ".join(TASKS[data_set.task].title for data_set in shared)
        state, way = ("hidden", "with") if other.hidden else ("public", "without")
        raise ReleaseError(
            f"The same data of {tasks} are in the release “{other.slug}”, which is {state}. What "
            "one release hides must not be public in another one: import this one "
            f"{way} --hidden, or without these tasks."
        )


def _kept_release(draft: Release, data_sets: Sequence[TaskDataSet]) -> tuple[Release, bool]:
    """The release of this name, and whether it is new. Raises ``ReleaseError`` for another one."""
    known = Release.objects.filter(slug=draft.slug).first()
    if known is None:
        _check_secrecy(draft, data_sets)
        draft.save(force_insert=True)
        draft.data_sets.set(data_sets)
        return draft, True
    if (draft.hidden, set(data_sets)) != (known.hidden, set(known.data_sets.all())):
        raise ReleaseError(
            f"There is a release “{draft.slug}” already, and it is another one. Scores name their "
            "release, so it cannot be changed: choose another --slug."
        )
    return known, False


def _describe_anew(known: Release, draft: Release) -> bool:
    """Take over what may change later, as far as the draft has it. Returns whether it differs."""
    changed = []
    for name in ("official", "title_zh", "description", "description_zh"):
        value = getattr(draft, name)
        if value and value != getattr(known, name):
            setattr(known, name, value)
            changed.append(name)
    if changed:
        known.save(update_fields=changed)
    return bool(changed)
