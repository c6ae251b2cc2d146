"""The released results as figures: every score, and what is known about its question, without any
text. They are part of this repository, so that the board of ∞Bench exists in every copy.

``make_figures`` makes the file from the released files, and ``import_figures`` fills a database
with it. The released files can be imported before or after that (``portal.entries.historical``):
the same releases and entries then have their texts.
"""

import gzip
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from portal.entries.historical import (
    Historical,
    archive_name,
    import_its_labels,
    new_submission,
    packed_files,
)
from portal.entries.released import LABEL_VERSIONS, LABELS, RELEASED_FILES, RESULTS
from portal.evaluations.leases import claim_evaluation
from portal.evaluations.results import store_outcome
from portal.models import Action, Evaluation, Example, Release
from portal.releases.importer import fill_labels, import_tasks
from portal.releases.reader import DraftRow, TaskDraft, hashed_label
from portal.states import change_submission
from scoring.embedded_gold import embedded_gold
from scoring.keys import Key
from scoring.limits import LIMITS
from scoring.metrics import METRIC_SETS, Verdict
from scoring.predictions.archive import open_stream
from scoring.predictions.versions import Upload, read_version
from scoring.releases.check import TaskCheck, facets_of_labels
from scoring.releases.facets import NO_FACETS, Facets
from scoring.releases.gold import TaskGold, read_gold, read_release, release_files
from scoring.report import report_json
from scoring.sandbox.results_file import Example as ScoredExample
from scoring.score import score

Json = dict[str, Any]

FILE = Path(__file__).parents[1] / "data" / "released_figures.json.gz"
_FACETS = ("depth", "hops", "kind")

log = logging.getLogger(__name__)


def make_figures(data: Path) -> bytes:
    """The content of ``FILE``, made from a folder with the released files. Raises ``GoldError`` and
    ``OSError``."""
    data_sets: list[Json] = []

    def place_of(data_set: Json) -> int:
        if data_set not in data_sets:
            data_sets.append(data_set)
        return data_sets.index(data_set)

    versions = {
        slug: [place_of(data_set) for data_set in _label_version(data / LABELS / slug)]
        for slug in LABEL_VERSIONS
    }
    entries = []
    for name, model in RELEASED_FILES.items():
        folder = data / RESULTS / name
        for run in model.runs_in(folder):
            gold, entry = _scored(folder, run)
            for task, scores in entry["tasks"].items():
                data_set = _data_set(gold[task], "", facets_of_labels(gold[task]))
                scores["data_set"] = place_of(data_set)
            entries.append({"folder": name, "run": run.run, **entry})
    document = {"data_sets": data_sets, "label_versions": versions, "entries": entries}
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return gzip.compress(text.encode(), mtime=0)


def _label_version(folder: Path) -> Iterator[Json]:
    """Its data sets as ``import_checked_release`` stores them."""
    files = release_files(folder)
    for task, gold in read_gold(folder).items():
        check = TaskCheck(task)
        for row in read_release(task, files[task]):
            check.check_row(row)
        yield _data_set(gold, gold.questions_hash or "", check.facets())


def _data_set(gold: TaskGold, questions_hash: str, facets: Mapping[Key, Facets]) -> Json:
    known = [facets.get(example.key, NO_FACETS) for example in gold.examples]
    return {
        "task": gold.task,
        "labels_hash": gold.labels_hash,
        "questions_hash": questions_hash,
        "keys": gold.keys,
        "labels": [hashed_label(example.label)["hash"] for example in gold.examples],
        **{name: [getattr(facet, name) for facet in known] for name in _FACETS},
    }


def _scored(folder: Path, run: Historical) -> tuple[dict[str, TaskGold], Json]:
    """The labels that the files of a run carry, and its scores against them."""
    name = archive_name(folder, run)
    with packed_files(folder, run.run) as stream:
        upload = Upload(name, lambda log: open_stream(name, stream, LIMITS, log))
        predictions, contents = read_version(upload)
    labelled, gold = embedded_gold(predictions)
    report: Json = report_json(score(labelled, gold, align="id", drop_first=run.drop_first))
    problems = [*report["problems"]]
    tasks = {}
    for task, scored in report["tasks"].items():
        problems += scored["problems"]
        empty = {row.key for row in labelled.tasks[task].rows if row.prediction == ""}
        keys = scored["examples"].pop("keys")
        tasks[task] = {
            "unknown": scored["unknown"],
            "scores": scored["examples"],
            "empty": [index for index, key in enumerate(keys) if key in empty],
        }
    entry = {"signature": report["signature"], "contents": contents, "problems": problems}
    return gold, {**entry, "tasks": tasks}


def import_figures(report: Callable[[str], None] = log.info) -> None:
    """Store the label versions and the entries that are missing. Raises ``ReleaseError`` and
    ``LanguageModelError``."""
    document = json.loads(gzip.decompress(FILE.read_bytes()))
    drafts = [_task_draft(data_set) for data_set in document["data_sets"]]
    for slug, texts in LABEL_VERSIONS.items():
        if not Release.objects.filter(slug=slug).exists():
            draft = Release(slug=slug, official=True, accepts_submissions=False, **texts._asdict())
            import_tasks(draft, [drafts[place] for place in document["label_versions"][slug]])
            report(f"{slug}: labels of {draft.title}, as figures")
    for entry in document["entries"]:
        model = RELEASED_FILES[entry["folder"]]
        run = next(run for run in model.all_runs if run.run == entry["run"])
        if run.entry() is None:
            _import_entry(run, entry, drafts)
            report(f"{run.title}: {len(entry['tasks'])} tasks, as figures")
    # Without statistics PostgreSQL takes the new tables for empty, and compares each example with
    # every other one: pages that are read at once would wait for minutes.
    with connection.cursor() as cursor:
        cursor.execute(
            "ANALYZE portal_release, portal_release_data_sets, portal_taskdataset, portal_example"
        )
    for task in {draft.task for draft in drafts}:  # of which only some files may be here
        public = Example.objects.filter(data_set__task=task, data_set__releases__hidden=False)
        known = public.filter(question_number__isnull=False)
        fill_labels(task, known.values_list("label", flat=True))


def _task_draft(data_set: Json) -> TaskDraft:
    rows = [
        DraftRow(str(key), {"hash": digest}, (), facets=Facets(depth=depth, hops=hops, kind=kind))
        for key, digest, depth, hops, kind in zip(
            *(data_set[name] for name in ("keys", "labels", *_FACETS)), strict=True
        )
    ]
    hashes = data_set["labels_hash"], data_set["questions_hash"]
    return TaskDraft(data_set["task"], len(rows), *hashes, rows=rows.copy, figures_only=True)


@transaction.atomic
def _import_entry(run: Historical, entry: Json, drafts: list[TaskDraft]) -> None:
    used = [drafts[scores["data_set"]] for scores in entry["tasks"].values()]
    submission = new_submission(run)
    submission.release = import_its_labels(run, submission.language_model, used)
    submission.save(force_insert=True)
    evaluation = Evaluation.objects.create(submission=submission, align="id", figures_only=True)
    lease = claim_evaluation(evaluation.pk)
    if lease is None:
        raise RuntimeError(f"{evaluation} is new, and was claimed by somebody else")
    tasks = {
        task: {"problems": [], "unknown": scores["unknown"], "examples": scores["scores"]}
        for task, scores in entry["tasks"].items()
    }
    document = {"signature": entry["signature"], "problems": entry["problems"], "tasks": tasks}
    examples = _scored_examples(entry["tasks"], drafts)
    store_outcome(lease, document, examples, level="", contents=entry["contents"])
    change_submission(submission, Action.PUBLISH_HISTORICAL, by=None)


def _scored_examples(tasks: Json, drafts: list[TaskDraft]) -> Iterator[ScoredExample]:
    """A score without a prediction says that the text of the answer is not here."""
    for task, scores in tasks.items():
        rows, empty = drafts[scores["data_set"]].rows(), set(scores["empty"])
        columns = zip(*(scores["scores"][name] for name in METRIC_SETS), strict=True)
        for index, (row, by_set) in enumerate(zip(rows, columns, strict=True)):
            verdicts = None
            if None not in by_set:
                verdicts = {
                    name: Verdict(fraction, None, "")
                    for name, fraction in zip(METRIC_SETS, by_set, strict=True)
                }
            text = "" if index in empty else None
            yield ScoredExample(task, row.key, index, text, verdicts)
