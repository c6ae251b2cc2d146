"""The labels of a release as files for the scorer, made from the database and cached by hash: they
may be deleted at any time."""

import hashlib
import json
import logging
from pathlib import Path

from django.conf import settings

from portal.errors import ReleaseError
from portal.models import Release, TaskDataSet
from portal.storage.folder import write_atomically
from scoring.catalog import TASKS
from scoring.keys import canonical_key
from scoring.labels import canonical_label
from scoring.plot_facts import FACT_TASKS
from scoring.releases.gold import GoldExample, task_gold
from scoring.sandbox.run import LabelSet

log = logging.getLogger(__name__)

_MOST_OTHERS = 12  # releases of up to two dozen files: a box takes 256


def labels_of(release: Release) -> list[LabelSet]:
    """Every task of a release in all its label versions, the newest first, for the scorer's second
    stage. Raises ``ReleaseError``."""
    found: dict[tuple[str, str], LabelSet] = {}
    for version in release.label_versions.order_by("-created", "-pk") or [release]:
        for data_set in version.data_sets.filter(figures_only=False):
            key = data_set.task, data_set.labels_hash
            known = found.get(key)
            # Of two data sets with the same labels, take the one whose questions are known.
            if known is None or (data_set.questions_hash and not known.questions):
                questions = data_set.questions_hash or None
                found[key] = LabelSet(data_set.task, _label_file(data_set), questions)
            releases = (*(known.releases if known else ()), version.slug)
            found[key] = found[key]._replace(releases=releases)
    return list(found.values())


def labels_of_others(release: Release) -> list[LabelSet]:
    """The labels of other public releases, to tell whether predictions were made for one of them.

    One with damaged labels is left out: that is no reason not to score on this release.
    """
    public = Release.objects.open_for_submissions().filter(hidden=False)
    found: list[LabelSet] = []
    for other in public.exclude(pk=release.pk).order_by("-created", "-pk")[:_MOST_OTHERS]:
        try:
            labels = labels_of(other)
        except ReleaseError:
            log.exception("not compared with %s", other.slug)
            continue
        found += [one._replace(releases=(other.slug,), other=True) for one in labels]
    return found


def _label_file(data_set: TaskDataSet) -> Path:
    hashes = f"{data_set.labels_hash}-{data_set.questions_hash}{_facts_suffix(data_set)}"
    file = Path(settings.CACHE_DIR) / "labels" / f"{data_set.task}-{hashes}.jsonl"
    if file.is_file():
        return file
    gold, rows = [], []
    for example in data_set.examples.order_by("index"):
        key, options = canonical_key(example.key), tuple(example.options)
        if key is None:
            raise ReleaseError(f"The example {example} has no key.")
        label = canonical_label(TASKS[data_set.task], example.label, options)
        gold.append(GoldExample(key, label, options, answer_type=example.answer_type))
        row: dict[str, object] = {"id": key, "answer": label, "options": options}
        if example.answer_type:
            row["answer_type"] = example.answer_type
        if example.facts:
            row["facts"] = example.facts
        rows.append(json.dumps(row).encode() + b"\n")
    if task_gold(data_set.task, gold).labels_hash != data_set.labels_hash:
        raise ReleaseError(f"The labels of {data_set} in the database are not as imported.")
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(file, rows)
    return file


def _facts_suffix(data_set: TaskDataSet) -> str:
    """Part of the file's name, since facts of plots may become known later; empty without any."""
    if data_set.task not in FACT_TASKS:
        return ""
    known = data_set.examples.exclude(facts=None).order_by("index").values_list("facts", flat=True)
    digest = hashlib.sha256(json.dumps(list(known)).encode()).hexdigest()
    return f"-{digest[:16]}" if known else ""
