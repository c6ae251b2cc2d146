"""For a hidden release every public address shows disclosed scores and nothing else: whatever is
known about answers and labels can change without changing a byte."""

from pathlib import Path
from random import Random

import pytest
from django.core.cache import caches
from django.test import Client

from leaderboard.board.ranking import standings
from portal.models import (
    Example,
    ExampleResult,
    Release,
    ScoreVector,
    Submission,
    TaskDataSet,
    TaskScore,
    User,
)
from portal.scores.comparison.separations import update_separations
from portal.scores.estimates import pack_scores
from portal.web import throttle
from tests.leaderboard.comparison.conftest import (
    QUESTIONS,
    STRONG,
    WEAK,
    answered,
    canary,
    imported,
)
from tests.support import html
from tests.support.example_results import change_results
from tests.support.public_addresses import public_addresses

DISCLOSED = {"passkey": 50.0, "kv_retrieval": 30.0, "longbook_qa_eng": 20.0}


@pytest.fixture
def entries(db: None, tmp_path: Path, alice: User, bob: User) -> tuple[Submission, Submission]:
    """Published entries of a hidden release, with disclosed scores."""
    release = imported(tmp_path, "secret", hidden=True)
    found = answered(alice, release, "Strong", STRONG), answered(bob, release, "Weak", WEAK)
    for row in TaskScore.objects.all():
        row.public_percent = DISCLOSED[row.task] + (row.evaluation.submission == found[0]) * 10
        row.save()
    change_results(ExampleResult.objects.all(), prediction="a secret answer")
    return found


@pytest.fixture(autouse=True)
def without_throttle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "MOST_EACH_MINUTE", 10**6)


def responses(
    entries: tuple[Submission, Submission], reader: User | None = None
) -> dict[str, bytes]:
    for cache in caches.all(initialized_only=True):  # including counts of this minute's requests
        cache.clear()
    standings.forget()
    client, found = Client(), {}
    if reader:
        client.force_login(reader)
    first, second = (entry.entry_id for entry in entries)
    about = {"entry_id": first, "other": second, "release": "secret", "model": "strong"}
    for address in public_addresses(**about):
        response = client.get(address)
        assert response.status_code in (200, 302, 400, 403, 404), address
        page = html.page(response) if response["Content-Type"].startswith("text/html") else None
        for token in page.select("[name=csrfmiddlewaretoken]") if page else ():
            token.decompose()
        content = str(page).encode() if page else b"".join(response)
        content = content.replace(response["X-Request-ID"].encode(), b"REQUEST")
        found[address] = b"%d %s" % (response.status_code, content)
    return found


def other_answers(random: Random, *, predictions: bool = True) -> None:
    """Change everything that is stored about answers and labels, but not what is disclosed;
    predictions may stay."""
    for row in TaskScore.objects.select_related("vector"):
        scores = [float(random.random() < 0.5) for _ in range(QUESTIONS[row.task])]
        ScoreVector.objects.filter(task_score=row).update(scores=pack_scores(scores))
        mean = 100 * sum(scores) / len(scores)
        TaskScore.objects.filter(pk=row.pk).update(mean=mean, low=mean / 2, high=mean, stderr=1.0)
    change_results(
        ExampleResult.objects.all(),
        official_2024_06=random.random(),
        official_2024_09=0.0,
        strict=0.5,
    )
    if predictions:
        change_results(ExampleResult.objects.all(), prediction="x" * random.randrange(100, 999))
    secret = Release.objects.get(slug="secret")
    for example in Example.objects.filter(data_set__releases=secret):
        example.label = [f"other{random.random()}"]
        example.depth, example.hops = random.random(), random.randrange(9)
        example.kind = random.choice(["one", "two"])
        example.save()
    TaskDataSet.objects.filter(releases=secret).update(
        answer_tokens=random.randrange(999), answer_tokens_estimated=random.random() < 0.5
    )
    update_separations()


def test_no_address_depends_on_answers_or_labels(
    entries: tuple[Submission, Submission],
) -> None:
    before = responses(entries)
    other_answers(Random(1))
    after = responses(entries)
    assert [address for address in before if before[address] != after[address]] == []


def test_no_address_tells_authors_whether_their_own_answers_are_right(
    entries: tuple[Submission, Submission], alice: User
) -> None:
    before = responses(entries, alice)
    own = [address for address, content in before.items() if b"a secret answer" in content]
    assert [address for address in own if entries[0].entry_id not in address] == []
    assert {address.partition("?")[0].rpartition(".")[2] for address in own} >= {"json", "md"}
    other_answers(Random(1), predictions=False)
    after = responses(entries, alice)
    assert [address for address in before if before[address] != after[address]] == []


def test_no_address_shows_a_label_or_an_answer(entries: tuple[Submission, Submission]) -> None:
    labels = [canary(task, number) for task, size in QUESTIONS.items() for number in range(size)]
    for address, content in responses(entries).items():
        text = content.decode(errors="replace")
        assert "a secret answer" not in text, address
        assert not [label for label in labels if label in text], address
