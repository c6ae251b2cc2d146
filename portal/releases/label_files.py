"""The labels of a release as files for the scorer: made from the database, and kept under their
hashes where they may be deleted at any time."""

import json
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from portal.atomic_files import write_whole
from portal.errors import ReleaseError
from portal.models import Example, Release, TaskDataSet
from scoring.catalog import TASKS
from scoring.keys import canonical_key
from scoring.labels import canonical_label
from scoring.releases.gold import GoldExample, task_gold


class Labels(NamedTuple):
    files: dict[str, Path]  # ``{task}.jsonl`` without questions and contexts, by task
    questions: dict[str, str]  # hashes of the questions that they answer, where these are known


def labels_of(release: Release) -> Labels:
    """The files for the scorer's second stage. Raises ``ReleaseError``."""
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
        write_whole(folder / name, map(_label_row, examples))
    return folder / name


def _gold_example(example: Example) -> GoldExample:
    key, options = canonical_key(example.key), tuple(example.options)
    if key is None:
        raise ReleaseError(f"The example {example} has no key.")
    task = TASKS[example.data_set.task]
    return GoldExample(key, canonical_label(task, example.label, options), options)


def _label_row(example: GoldExample) -> bytes:
    row = {"id": example.key, "answer": example.label, "options": example.options}
    return json.dumps(row).encode() + b"\n"
