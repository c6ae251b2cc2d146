"""On a hidden release only disclosed scores are compared: nothing else that is known about two
entries changes a byte of the response."""

from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest
from django.test import Client

from portal.models import (
    ExampleResult,
    Release,
    ScoreVector,
    Submission,
    SubmissionState,
    TaskScore,
    User,
)
from portal.scores.comparison.separations import update_separations
from portal.scores.estimates import pack_scores
from tests.leaderboard.comparison.conftest import (
    QUESTIONS,
    STRONG,
    WEAK,
    answered,
    canary,
    imported,
)
from tests.support import html
from tests.support.clients import signed_in
from tests.support.example_results import change_results
from tests.support.kept_pages import forget_kept_pages

ADDRESSES = (
    "/compare/?a={a}&b={b}",
    "/compare/?a={a}&b={b}&metric_set=strict",
    "/claims/?a={a}&b={b}",
    "/claims/?a={a}&b={b}&task=passkey",
    "/api/v1/compare/?a={a}&b={b}",
    "/api/v1/compare/?a={a}&b={b}&task=passkey",
    "/api/v1/compare/?a={a}&b={b}&task=longbook_qa_eng&metric_set=strict",
    "/board/secret/?baseline={a}",
    "/board/secret/?focus={a}",
    "/api/v1/entries/?release=secret&entries=all",
)
COMPARISONS = ADDRESSES[:-3]
DISCLOSED = {"passkey": 50.0, "kv_retrieval": 30.0, "longbook_qa_eng": 20.0}


@pytest.fixture
def secret(db: None, tmp_path: Path) -> Release:
    return imported(tmp_path, "secret", hidden=True)


@pytest.fixture
def entries(alice: User, bob: User, secret: Release) -> tuple[Submission, Submission]:
    """Published entries with disclosed scores."""
    found = answered(alice, secret, "Strong", STRONG), answered(bob, secret, "Weak", WEAK)
    for row in TaskScore.objects.all():
        row.public_percent = DISCLOSED[row.task] + (row.evaluation.submission == found[0]) * 10
        row.save()
    return found


def responses(entries: tuple[Submission, Submission], user: User | None) -> Mapping[str, bytes]:
    forget_kept_pages()
    client = signed_in(user) if user else Client()
    a, b = entries
    found = {}
    for address in ADDRESSES:
        response = client.get(address.format(a=a.entry_id, b=b.entry_id))
        assert response.status_code == 200, address
        page = html.page(response)
        for token in page.select("[name=csrfmiddlewaretoken]"):
            token.decompose()
        found[address] = str(page).encode()
    return found


def other_verdicts(random: Random) -> None:
    """Change everything that is stored about answers, but not what is disclosed."""
    for row in TaskScore.objects.select_related("vector"):
        scores = [float(random.random() < 0.5) for _ in range(QUESTIONS[row.task])]
        ScoreVector.objects.filter(task_score=row).update(scores=pack_scores(scores))
        mean = 100 * sum(scores) / len(scores)
        TaskScore.objects.filter(pk=row.pk).update(mean=mean, low=mean / 2, high=mean, stderr=1.0)
    change_results(
        ExampleResult.objects.all(), official_2024_06=1.0, official_2024_09=0.0, strict=0.5
    )


@pytest.mark.parametrize("who", ["anonymous", "owner", "other"])
def test_no_answer_depends_on_a_verdict(
    entries: tuple[Submission, Submission], adam: User, who: str
) -> None:
    user = {"anonymous": None, "owner": entries[0].owner, "other": adam}[who]
    before = responses(entries, user)
    for seed in range(3):
        other_verdicts(Random(seed))
        update_separations()
        assert responses(entries, user) == before


def test_no_label_and_no_count_is_in_any_answer(entries: tuple[Submission, Submission]) -> None:
    labels = [canary(task, number) for task, size in QUESTIONS.items() for number in range(size)]
    for address, content in responses(entries, None).items():
        text = content.decode()
        assert not [label for label in labels if label in text], address
        assert "data-part" not in text
        assert "data-needed" not in text
        assert "p = " not in text
        assert "p &lt; " not in text


def test_the_difference_is_that_of_disclosed_scores(
    entries: tuple[Submission, Submission],
) -> None:
    a, b = (entry.entry_id for entry in entries)
    found = Client().get("/api/v1/compare/", {"a": a, "b": b, "task": "passkey"}).json()
    assert (found["difference"], found["claim"]) == (10.0, "hidden")
    assert found["n"] == 0
    assert {found[name] for name in ("low", "high", "p", "test")} == {None}
    assert not {"both", "only_a", "only_b", "none"} & set(found)


def test_what_is_not_disclosed_is_missing(entries: tuple[Submission, Submission]) -> None:
    TaskScore.objects.filter(task="passkey").update(public_percent=None)
    a, b = (entry.entry_id for entry in entries)
    found = Client().get("/api/v1/compare/", {"a": a, "b": b, "task": "passkey"}).json()
    assert (found["difference"], found["claim"]) == (None, "missing")


def test_own_private_submissions_cannot_be_compared(
    alice: User, secret: Release, entries: tuple[Submission, Submission]
) -> None:
    """By comparing versions that differ in one answer, one could climb without using quota."""
    private = [answered(alice, secret, "Strong", WEAK, SubmissionState.PRIVATE) for _ in range(2)]
    client = signed_in(alice)
    for a, b in (private, (private[0], entries[0]), (entries[0], private[0])):
        for address in COMPARISONS:
            assert client.get(address.format(a=a.entry_id, b=b.entry_id)).status_code == 404, (
                address
            )
