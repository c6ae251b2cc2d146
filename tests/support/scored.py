"""Evaluations that are scored without a box, where a test is about what comes after."""

import io
import json
from typing import Any, NamedTuple

from portal.evaluations.leases import claim_evaluation
from portal.evaluations.results import store_outcome
from portal.models import EvaluationState, Submission
from scoring.predictions.reader import Predictions
from scoring.report import report_json
from scoring.sandbox.results_file import Example, read_examples, write_examples
from scoring.score import score
from tests.support.worlds import file_of, gold_of, row


class Outcome(NamedTuple):
    document: dict[str, Any]
    examples: list[Example]


def outcome() -> Outcome:
    """What the box says of the right answer to the one example of Code.Run in the small world."""
    gold = {"code_run": gold_of("code_run", {0: 4})}
    predictions = Predictions({"code_run": file_of("code_run", [row(0, "4")])}, [], "0" * 64)
    report = score(predictions, gold)
    stream = io.BytesIO()
    write_examples(report, predictions, gold, stream)
    stream.seek(0)
    document = json.loads(json.dumps(report_json(report)))
    return Outcome(document, list(read_examples(stream)))


def as_if_scored(submission: Submission) -> Submission:
    waiting = submission.evaluations.get(state=EvaluationState.QUEUED)
    lease = claim_evaluation(waiting.pk)
    assert lease
    store_outcome(lease, *outcome(), level="strong")
    return submission
