"""The best and worst answers of an entry."""

from pathlib import Path

import pytest
from django.test import Client

from portal.entries.historical import Historical, import_historical
from portal.models import Evaluation, ExampleResult, Release, Submission
from portal.scores.questions.extremes import Extremes, best_and_worst
from scoring.metrics import PAPER_SET
from tests.support import html
from tests.support.example_results import change_results
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db(transaction=True)

ROWS: dict[str, list[tuple[str, object]]] = {
    "passkey": [("71432", "71432"), ("No idea", "11111"), ("22222", "22222")],
    "longbook_qa_eng": [
        ("the red hat", ["the red hat"]),
        ("a green hat", ["the red hat"]),
        ("nothing", ["the red hat"]),
        ("red", ["the red hat"]),
    ],
    "code_run": [("4", 4), ("5", 5)],
}


@pytest.fixture
def entry(tmp_path: Path) -> Submission:
    for task, rows in ROWS.items():
        lines = [
            {"id": 10 + number, "prediction": prediction, "ground_truth": label}
            for number, (prediction, label) in enumerate(rows)
        ]
        write_rows(tmp_path / "files" / f"preds_{task}.jsonl", lines)
    return import_historical(tmp_path / "files", Historical("Model"))


def extremes_of(entry: Submission) -> dict[str, Extremes]:
    evaluation = Evaluation.objects.select_related("submission").get(submission=entry)
    return {one.task.id: one for one in best_and_worst(evaluation, PAPER_SET)}


def test_they_are_told_apart_by_their_scores(entry: Submission) -> None:
    found = extremes_of(entry)
    assert found.keys() == {"passkey", "longbook_qa_eng"}  # all of Code.Run is right
    [right], [wrong] = found["passkey"].best, found["passkey"].worst
    assert (right.key, right.percent, wrong.key, wrong.percent) == (10, 100, 11, 0)
    summary = found["longbook_qa_eng"]
    assert [one.key for one in summary.best] == [10, 13]
    assert [one.key for one in summary.worst] == [12, 11]
    assert [one.percent for one in summary.answers] == sorted(
        (one.percent for one in summary.answers), reverse=True
    )


def test_each_has_its_reason(entry: Submission) -> None:
    found = extremes_of(entry)
    assert all(answer.reason for one in found.values() for answer in one.answers)
    assert "71432" in found["passkey"].best[0].reason


def test_a_reason_is_not_given_for_another_verdict(entry: Submission) -> None:
    """As when another version of the scorer has scored it."""
    change_results(ExampleResult.objects.filter(task="passkey", index=0), prediction="99999")
    assert extremes_of(entry)["passkey"].best[0].reason == ""


def test_a_missing_answer_is_not_the_worst(entry: Submission) -> None:
    change_results(ExampleResult.objects.filter(task="longbook_qa_eng", index=2), prediction=None)
    found = extremes_of(entry)["longbook_qa_eng"]
    assert [one.key for one in found.answers] == [10, 13, 11]


def test_the_page_of_the_entry_shows_them(entry: Submission, client: Client) -> None:
    page = html.page(client.get(f"/entries/{entry.entry_id}/"))
    shown = [str(row["data-example"]) for row in page.select("[data-extremes] tr[data-example]")]
    assert shown == ["10", "11", "10", "13", "11", "12"]


def test_of_a_hidden_release_there_are_none(entry: Submission, client: Client) -> None:
    Release.objects.update(hidden=True)
    assert extremes_of(entry) == {}
    assert not html.page(client.get(f"/entries/{entry.entry_id}/")).select("[data-extremes]")
