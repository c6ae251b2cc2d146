"""The labels of a release as files for the scorer: made from the database and cached by hash, so
that they may be deleted at any time."""

import json
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from portal.errors import ReleaseError
from portal.models import Release, TaskDataSet
from portal.storage import write_atomically
from scoring.catalog import TASKS
from scoring.keys import canonical_key
from scoring.labels import canonical_label
from scoring.releases.gold import GoldExample, task_gold


class Labels(NamedTuple):
    files: dict[str, Path]  # ``{task}.jsonl`` without questions and contexts, by task
    questions: dict[str, str]  # by task: the hash of its questions, where these are known


def labels_of(release: Release) -> Labels:
    """The files for the scorer's second stage. Raises ``ReleaseError``."""
    data_sets = list(release.data_sets.all())
    files = {data_set.task: _label_file(data_set) for data_set in data_sets}
    known = [data_set for data_set in data_sets if data_set.questions_hash]
    return Labels(files, {data_set.task: data_set.questions_hash for data_set in known})


def _label_file(data_set: TaskDataSet) -> Path:
    name = f"{data_set.task}-{data_set.labels_hash}-{data_set.questions_hash}.jsonl"
    file = Path(settings.CACHE_DIR) / "labels" / name
    if file.is_file():
        return file
    gold, rows = [], []
    for example in data_set.examples.order_by("index"):
        key, options = canonical_key(example.key), tuple(example.options)
        if key is None:
            raise ReleaseError(f"The example {example} has no key.")
        label = canonical_label(TASKS[data_set.task], example.label, options)
        gold.append(GoldExample(key, label, options))
        row = {"id": key, "answer": label, "options": options}
        rows.append(json.dumps(row).encode() + b"\n")
    if task_gold(data_set.task, gold).labels_hash != data_set.labels_hash:
        raise ReleaseError(f"The labels of {data_set} in the database are not as imported.")
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(file, rows)
    return file
