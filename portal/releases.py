"""Bring releases into the database, and hand their labels to the scorer."""

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import orjson
from django.conf import settings
from django.db import transaction

from portal.board_version import raise_board_version
from portal.models import KEY_CAP, Example, Release, TaskDataSet
from scoring.catalog import TASKS
from scoring.gold import GoldExample, TaskGold, read_gold, task_gold
from scoring.keys import canonical_key
from scoring.labels import canonical_label

_BATCH = 500  # rows of one INSERT: labels of Math.Calc are long


class ReleaseError(Exception):
    """The release cannot be imported; the message says why, and what to do."""


class Labels(NamedTuple):
    files: dict[str, Path]  # ``{task}.jsonl`` without questions and contexts, by task
    questions: dict[str, str]  # hashes of the questions that they answer, where these are known


def import_release(
    directory: Path,
    *,
    slug: str,
    title: str,
    description: str = "",
    hidden: bool = False,
    official: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Release:
    """Import a directory of ``{task}.jsonl``; done twice, the second time changes nothing.

    A task data set that is known already, by its hashes, is not stored again. A release that is
    known already can be called official later, and described anew. Raises ``GoldError`` or
    ``ReleaseError``; nothing is stored then.
    """
    tell(f"{slug}: reading {directory}")
    gold = read_gold(directory)
    with transaction.atomic():
        data_sets = [
            _data_set(one, _questions(file), file, lambda line: tell(f"{slug}: {line}"))
            for one in gold.values()
            for file in [directory / f"{one.task}.jsonl"]
        ]
        draft = Release(
            slug=slug, title=title, description=description, hidden=hidden, official=official
        )
        release, is_new = _kept_release(draft, data_sets)
    tell(f"{release.slug}: {len(data_sets)} tasks" + (", new" if is_new else ", as it was"))
    return release


def import_labels(
    gold: Iterable[TaskGold],
    *,
    slug: str,
    title: str,
    source: Path,
    tell: Callable[[str], None] = lambda _: None,
) -> Release:
    """A release of labels without questions, as released files carry them; nobody submits to it.

    Raises ``ReleaseError``; nothing is stored then.
    """
    with transaction.atomic():
        data_sets = [_data_set(one, [""] * len(one.examples), source, tell) for one in gold]
        draft = Release(slug=slug, title=title, accepts_submissions=False)
        return _kept_release(draft, data_sets)[0]


def _kept_release(draft: Release, data_sets: Iterable[TaskDataSet]) -> tuple[Release, bool]:
    """The release of this name, and whether it is new. Raises ``ReleaseError`` for another one."""
    known = Release.objects.filter(slug=draft.slug).first()
    if known is None:
        draft.save(force_insert=True)
        draft.data_sets.set(data_sets)
        raise_board_version()
        return draft, True
    if (draft.hidden, set(data_sets)) != (known.hidden, set(known.data_sets.all())):
        raise ReleaseError(
            f"There is a release “{draft.slug}” already, and it is another one. Scores name their "
            "release, so it cannot be changed: choose another --slug."
        )
    official = known.official or draft.official
    description = draft.description or known.description
    if (official, description) != (known.official, known.description):
        known.official, known.description = official, description
        known.save(update_fields=["official", "description"])
        raise_board_version()
    return known, False


def _data_set(
    gold: TaskGold, questions: Iterable[str], source: Path, tell: Callable[[str], None]
) -> TaskDataSet:
    data_set, is_new = TaskDataSet.objects.get_or_create(
        task=gold.task,
        labels_hash=gold.labels_hash,
        questions_hash=gold.questions_hash or "",
        defaults={"size": len(gold.examples)},
    )
    if is_new:
        tell(f"storing {len(gold.examples)} examples of {TASKS[gold.task].title}")
        examples = _examples(data_set, gold, questions, source)
        Example.objects.bulk_create(examples, batch_size=_BATCH)
    return data_set


def _examples(
    data_set: TaskDataSet, gold: TaskGold, questions: Iterable[str], source: Path
) -> Iterator[Example]:
    rows = zip(gold.examples, questions, strict=True)
    for index, (example, question) in enumerate(rows):
        key = str(example.key)
        if "\0" in f"{key}{question}{example.label}{example.options}":
            raise ReleaseError(f"{source}: the example {key!r} holds a NUL: it cannot be stored.")
        if len(key) > KEY_CAP or canonical_key(key) != example.key:
            raise ReleaseError(f"{source}: the id {key[:50]!r} is too long.")
        yield Example(
            data_set=data_set,
            index=index,
            key=key,
            label=example.label,
            options=example.options,
            question=question,
        )


def _questions(file: Path) -> Iterator[str]:
    """The questions in a file that ``read_gold`` has read."""
    with file.open("rb") as lines:
        for line in lines:
            if line.strip():
                yield str(orjson.loads(line).get("input", ""))


def labels_of(release: Release) -> Labels:
    """The files for the scorer's second stage; they are made from the database where they are not
    there yet, and kept under their hashes. Raises ``ReleaseError``."""
    data_sets = list(release.data_sets.all())
    files = {data_set.task: _label_file(data_set) for data_set in data_sets}
    known = [data_set for data_set in data_sets if data_set.questions_hash]
    return Labels(files, {data_set.task: data_set.questions_hash for data_set in known})


def _label_file(data_set: TaskDataSet) -> Path:
    folder = Path(settings.CACHE_DIR) / "labels"
    name = f"{data_set.task}-{data_set.labels_hash}-{data_set.questions_hash}.jsonl"
    if not (folder / name).is_file():
        examples = [_gold_example(example) for example in data_set.examples.order_by("index")]
        if task_gold(data_set.task, examples).labels_hash != data_set.labels_hash:
            raise ReleaseError(f"The labels of {data_set} in the database are not as imported.")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(folder / name, map(_label_row, examples))
    return folder / name


def _gold_example(example: Example) -> GoldExample:
    key, options = canonical_key(example.key), tuple(example.options)
    if key is None:
        raise ReleaseError(f"The example {example} has no key.")
    task = TASKS[example.data_set.task]
    return GoldExample(key, canonical_label(task, example.label, options), options)


def _label_row(example: GoldExample) -> str:
    row = {"id": example.key, "answer": example.label, "options": example.options}
    return json.dumps(row) + "\n"


def _write(place: Path, lines: Iterable[str]) -> None:
    """The whole file or none, readable only by us, whoever else writes it at the same time."""
    with tempfile.NamedTemporaryFile("w", dir=place.parent, delete=False) as draft:
        try:
            draft.writelines(lines)
            draft.flush()
            os.fsync(draft.fileno())
            Path(draft.name).rename(place)
        except BaseException:
            Path(draft.name).unlink(missing_ok=True)
            raise
