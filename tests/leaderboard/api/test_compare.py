"""The comparison of two entries, as JSON."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from leaderboard.api.comparisons import DifferenceSerializer
from portal.models import Action, AuditEntry, Release, Submission, User
from portal.review.services import withdraw_submission
from tests.leaderboard.comparison.conftest import (
    STRONG,
    answered,
    data,
    imported,
    strong,
    weak,
)
from tests.support.factories import ALL, published, reported

__all__ = ["data", "strong", "weak"]

ADDRESS = "/api/v1/compare/"
OF_RIGHT_OR_WRONG = {"both", "only_a", "only_b", "none"}
OF_PARTIAL = {"a_higher", "b_higher", "equal"}
ABOUT = {
    *("attempts_a", "attempts_b", "a", "b"),
    *("release", "metric_set", "task"),
}


def answer(a: object, b: object, **query: str) -> Any:
    response = Client().get(ADDRESS, {"a": str(a), "b": str(b), **query})
    assert response.status_code == 200, response.content
    return response.json()


def test_right_and_wrong_answers_are_counted(strong: Submission, weak: Submission) -> None:
    found = answer(strong.entry_id, weak.entry_id, task="passkey")
    assert set(found) == ABOUT | set(DifferenceSerializer().fields) | OF_RIGHT_OR_WRONG
    assert [found[name] for name in ("n", "both", "only_a", "only_b", "none")] == [40, 20, 18, 0, 2]
    assert (found["difference"], found["test"], found["unpaired"]) == (45.0, "mcnemar-exact", 0)
    assert found["low"] < 45 < found["high"]
    assert found["p"] == pytest.approx(2 * 0.5**18)


def test_partial_scores_are_counted_by_who_is_higher(strong: Submission, weak: Submission) -> None:
    found = answer(strong.entry_id, weak.entry_id, task="longbook_qa_eng")
    assert set(found) == ABOUT | set(DifferenceSerializer().fields) | OF_PARTIAL
    assert (found["a_higher"], found["test"]) == (30, "paired-t")


def test_a_withdrawn_entry_is_gone_and_another_one_unknown(
    strong: Submission, weak: Submission, bob: User
) -> None:
    AuditEntry.objects.create(
        submission=weak, action=Action.PUBLISH, before="in review", after="published"
    )
    withdraw_submission(weak, by=bob)
    for other, expected in ((weak.entry_id, (410, "entry_gone")), ("no", (404, "unknown_entry"))):
        response = Client().get(ADDRESS, {"a": strong.entry_id, "b": other})
        assert (response.status_code, response.json()["code"]) == expected


def test_without_a_task_it_is_the_overall_mean(strong: Submission, weak: Submission) -> None:
    found = answer(strong.entry_id, weak.entry_id)
    assert found["task"] == "overall"
    assert set(found) == ABOUT | set(DifferenceSerializer().fields)
    means = [answer(strong.entry_id, weak.entry_id, task=task)["difference"] for task in STRONG]
    assert found["difference"] == pytest.approx(sum(means) / 3)


def test_exchanging_the_entries_mirrors_the_answer(strong: Submission, weak: Submission) -> None:
    found, mirrored = answer(strong.entry_id, weak.entry_id), answer(weak.entry_id, strong.entry_id)
    assert found["difference"] == -mirrored["difference"]
    assert found["p"] == mirrored["p"]
    assert found["low"] == -mirrored["high"]


def test_a_reported_entry_has_no_test(alice: User, official: Release) -> None:
    here = published(alice, official, "Here", ALL)
    there = reported("There", {"passkey": 10.0})
    found = answer(here.entry_id, there.entry_id, task="passkey")
    assert (found["n"], found["p"], found["claim"]) == (0, None, "reported")
    assert not (OF_RIGHT_OR_WRONG | OF_PARTIAL) & set(found)


@pytest.fixture
def ids(alice: User, strong: Submission, weak: Submission, tmp_path: Path) -> dict[str, str]:
    other = answered(alice, imported(tmp_path, "other"), "Elsewhere", STRONG)
    return {"STRONG": strong.entry_id, "WEAK": weak.entry_id, "OTHER": other.entry_id}


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ({}, 400, "missing_entry"),
        ({"a": "STRONG"}, 400, "missing_entry"),
        ({"a": "STRONG", "b": "STRONG"}, 400, "missing_entry"),
        ({"a": "STRONG", "b": "nothing"}, 404, "unknown_entry"),
        ({"a": "STRONG", "b": "OTHER"}, 400, "different_leaderboards"),
        ({"a": "STRONG", "b": "WEAK", "task": "chess"}, 400, "unknown_task"),
        ({"a": "STRONG", "b": "WEAK", "task": "code_run"}, 400, "unknown_task"),
        ({"a": "STRONG", "b": "WEAK", "metric_set": "bleu"}, 400, "unknown_metric_set"),
    ],
)
def test_errors_have_a_code(
    ids: dict[str, str], query: dict[str, str], status: int, code: str
) -> None:
    sent = {name: ids.get(value, value) for name, value in query.items()}
    response = Client().get(ADDRESS, sent)
    assert (response.status_code, response.json()["code"]) == (status, code)
