"""Labels in files for a hidden release are ignored: reporting agreement would reveal labels."""

import json
from pathlib import Path
from typing import Any

import pytest

from portal.evaluations.tasks import score_evaluation
from portal.models import Evaluation, EvaluationState, Release, User
from portal.releases.importer import import_release
from tests.support.factories import make_submission, only_evaluation, packed
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db

EXAMPLES = 40
CANARIES = {key: f"canary-{key:03}" for key in range(EXAMPLES)}  # no text of the site has these
LABELS: dict[str, dict[int, Any]] = {
    "right": CANARIES,
    "wrong": {key: f"another-{key:03}" for key in CANARIES},
    "those of another row": {key: CANARIES[(key + 1) % EXAMPLES] for key in CANARIES},
    "half of them right": {key: label if key % 2 else "another" for key, label in CANARIES.items()},
    "of another kind": {key: {"a": []} for key in CANARIES},
}


def imported(folder: Path, *, hidden: bool) -> Release:
    rows = [{"id": key, "answer": [label]} for key, label in CANARIES.items()]
    write_rows(folder / "gold" / "longbook_qa_eng.jsonl", rows)
    return import_release(folder / "gold", slug="release", title="Release", hidden=hidden)


def ids(known: bool) -> list[int]:
    """The ids of the release, or others for the last tenth, so that the author has to be asked."""
    return [key if known or key < EXAMPLES * 0.7 else key + 1_000 for key in CANARIES]


def evaluated(alice: User, release: Release, rows: list[dict[str, Any]]) -> Evaluation:
    lines = "\n".join(map(json.dumps, rows)).encode()
    upload = packed({"preds_longbook_qa_eng.jsonl": lines})
    evaluation = only_evaluation(make_submission(alice, release, upload))
    score_evaluation(evaluation.pk)
    evaluation.refresh_from_db()
    return evaluation


def stored(evaluation: Evaluation) -> str:
    """Everything that may be disclosed to an author, and a little more."""
    scores = evaluation.task_scores.values_list("task", "metric_set", "mean", "answered", "unknown")
    disclosed = {
        name: getattr(evaluation, name)
        for name in ("state", "question", "problems", "signature", "failure", "failure_details")
    }
    return json.dumps([disclosed, list(scores)])


def with_labels(labels: dict[int, Any], *, known: bool) -> list[dict[str, Any]]:
    numbered = zip(ids(known), labels.values(), strict=True)
    return [{"id": key, "prediction": "x", "label": label} for key, label in numbered]


@pytest.mark.parametrize("known", [True, False])
def test_stored_results_do_not_depend_on_labels_in_a_file(
    alice: User, tmp_path: Path, known: bool
) -> None:
    release = imported(tmp_path, hidden=True)
    found = [
        evaluated(alice, release, with_labels(labels, known=known)) for labels in LABELS.values()
    ]
    state = EvaluationState.SCORED if known else EvaluationState.NEEDS_ANSWER
    assert {evaluation.state for evaluation in found} == {state}
    assert len(set(map(stored, found))) == 1
    assert "canary" not in stored(found[0])


@pytest.mark.parametrize("known", [True, False])
def test_labels_in_a_file_make_no_difference(alice: User, tmp_path: Path, known: bool) -> None:
    """Except for the note that the files have a key of this name."""
    release = imported(tmp_path, hidden=True)
    without = evaluated(alice, release, [{"id": key, "prediction": "x"} for key in ids(known)])
    carried = evaluated(alice, release, with_labels(CANARIES, known=known))
    [note] = [problem for problem in carried.problems if problem["code"] == "keys_known"]
    carried.problems.remove(note)
    assert stored(carried) == stored(without)


def test_label_agreement_is_shown_for_public_releases(alice: User, tmp_path: Path) -> None:
    """Shows that the tests above can fail."""
    release = imported(tmp_path, hidden=False)
    right, wrong = (
        evaluated(alice, release, with_labels(LABELS[which], known=False))
        for which in ("right", "wrong")
    )
    assert right.question
    [asked] = right.question["alignment"]
    assert (asked["labelled"], asked["by_order"]) == (EXAMPLES, EXAMPLES)
    assert stored(right) != stored(wrong)
