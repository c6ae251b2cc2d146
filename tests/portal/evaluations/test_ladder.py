"""On a hidden release a new score is disclosed only if it is better by more than chance."""

import json
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from portal.evaluations.tasks import score_evaluation
from portal.models import (
    BestDisclosedScore,
    Evaluation,
    LanguageModel,
    Release,
    Submission,
    TaskScore,
    User,
)
from portal.releases.importer import import_release
from portal.review.services import publish_submission, withdraw_submission
from portal.submissions.services import delete_submission, score_again
from scoring.metrics import METRIC_SETS
from tests.support.clients import html_of, submission_html
from tests.support.factories import make_submission, packed, requested
from tests.support.processes import eventually
from tests.support.worlds import write_rows
from tests.system.test_fault_people import in_a_thread, waits_for_a_lock

pytestmark = pytest.mark.django_db

SIZE = 20
LABELS = {key: str(10_000 + 7 * key) for key in range(SIZE)}


def imported(folder: Path, *, hidden: bool = True) -> Release:
    rows = [{"id": key, "answer": label} for key, label in LABELS.items()]
    write_rows(folder / "hidden" / "passkey.jsonl", rows)
    return import_release(folder / "hidden", slug="hidden", title="Hidden", hidden=hidden)


@pytest.fixture
def hidden(db: None, tmp_path: Path) -> Release:
    return imported(tmp_path)


def queued(owner: User, release: Release, right: Collection[int], rows: int = SIZE) -> Evaluation:
    """A file with so many rows, of which these are right."""
    predictions = [
        {"id": key, "prediction": label if key in right else "99999"}
        for key, label in list(LABELS.items())[:rows]
    ]
    lines = "\n".join(map(json.dumps, predictions)).encode()
    submission = make_submission(owner, release, packed({"preds_passkey.jsonl": lines}))
    return submission.evaluations.get()


def scored(owner: User, release: Release, right: Collection[int], rows: int = SIZE) -> Submission:
    evaluation = queued(owner, release, right, rows)
    score_evaluation(evaluation.pk)
    return evaluation.submission


def disclosed(submission: Submission) -> list[float | None]:
    """By the newest scores, under each metric set."""
    evaluation = submission.evaluations.scored()[0]
    rows = TaskScore.objects.filter(evaluation=evaluation).order_by("metric_set")
    return list(rows.values_list("public_percent", flat=True))


def same(percent: float | None) -> list[float | None]:
    return [percent] * len(METRIC_SETS)


def test_a_better_score_is_disclosed_only_if_it_is_significant(
    alice: User, hidden: Release
) -> None:
    files = [range(7), range(8), range(12), range(3), range(17), range(20)]
    found = [disclosed(scored(alice, hidden, right)) for right in files]
    assert found == list(map(same, [35, 35, 35, 35, 85, 85]))


def test_deleting_a_submission_keeps_the_disclosed_score(alice: User, hidden: Release) -> None:
    first, second = scored(alice, hidden, range(7)), scored(alice, hidden, range(17))
    delete_submission(first, by=alice)
    withdraw_submission(second, by=alice)
    assert disclosed(scored(alice, hidden, range(3))) == same(85)


def test_the_best_of_others_does_not_count(alice: User, bob: User, hidden: Release) -> None:
    scored(alice, hidden, range(17))
    assert disclosed(scored(bob, hidden, range(3))) == same(15)


def test_a_task_with_too_few_answers_discloses_nothing(alice: User, hidden: Release) -> None:
    assert disclosed(scored(alice, hidden, range(10), rows=10)) == same(None)
    assert disclosed(scored(alice, hidden, range(3))) == same(15)


def test_scored_again_it_discloses_the_same(alice: User, hidden: Release) -> None:
    first, second = scored(alice, hidden, range(3)), scored(alice, hidden, range(4))
    scored(alice, hidden, range(17))
    for submission in (first, second):
        score_evaluation(score_again(submission, by=alice).pk)
        assert disclosed(submission) == same(15)


def test_public_releases_have_no_disclosed_scores(alice: User, tmp_path: Path) -> None:
    scored(alice, imported(tmp_path, hidden=False), range(3))
    assert not BestDisclosedScore.objects.exists()


def document(client: Client, submission: Submission) -> dict[str, Any]:
    response = client.get(reverse("submission-report", args=[submission.pk]))
    found: dict[str, Any] = json.loads(response.content)["tasks"]["passkey"]
    return found


def test_the_author_sees_that_the_score_is_the_best_so_far(
    client: Client, alice: User, rita: User, hidden: Release
) -> None:
    scored(alice, hidden, range(7))
    worse = scored(alice, hidden, range(3))
    shown = submission_html(client, alice, worse)
    assert "35<span" in shown
    listed = html_of(client.get(reverse("submissions"))).replace(" ", "")
    assert "35<span" in listed
    assert "15<span" not in listed
    report = document(client, worse)
    assert report["scores"] == dict.fromkeys(METRIC_SETS, 35)
    assert report["stderr"] == dict.fromkeys(METRIC_SETS)
    assert report["best_so_far"] == dict.fromkeys(METRIC_SETS, True)
    seen = submission_html(client, rita, worse)
    assert "15.00" in seen


def test_a_published_entry_has_its_own_score(
    client: Client, alice: User, rita: User, hidden: Release
) -> None:
    """Or else a weaker model would stand on the board with the score of a stronger one."""
    scored(alice, hidden, range(17))
    weaker = scored(alice, hidden, range(3))
    other = LanguageModel.objects.create(name="Weaker", slug="weaker", owner=alice)
    Submission.objects.filter(pk=weaker.pk).update(language_model=other)
    requested(weaker, by=alice)
    assert disclosed(weaker) == same(85)
    publish_submission(weaker, by=rita, reason="Looked at.")
    assert disclosed(weaker) == same(15)
    [entry] = json.loads(client.get("/board/hidden/board.json").content)["entries"]
    assert entry["tasks"]["passkey"]["percent"] == 15
    assert entry["tasks"]["passkey"]["stderr"] is None
    score_evaluation(score_again(weaker, by=rita).pk)
    assert disclosed(weaker) == same(15)
    assert disclosed(scored(alice, hidden, range(4))) == same(85)


def test_a_published_score_becomes_the_best_so_far(
    alice: User, rita: User, hidden: Release
) -> None:
    scored(alice, hidden, range(7))
    better = scored(alice, hidden, range(12))
    requested(better, by=alice)
    publish_submission(better, by=rita, reason="Looked at.")
    assert disclosed(scored(alice, hidden, range(17))) == same(60)


def test_random_files_reveal_no_labels(alice: User, client: Client, hidden: Release) -> None:
    """Those that revealed all of them when every score was disclosed."""
    random = Random(3)
    client.force_login(alice)
    seen = set()
    for _ in range(12):
        right = [key for key in LABELS if random.random() < 0.25]
        seen.add(document(client, scored(alice, hidden, right))["scores"]["strict"])
    assert len(seen) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("messages")
def test_concurrent_evaluations_disclose_one_after_the_other(alice: User, hidden: Release) -> None:
    first = queued(alice, hidden, range(7))
    second = queued(alice, hidden, range(8))
    scored_first, go_on = Event(), Event()

    def slowly() -> None:
        with transaction.atomic():
            score_evaluation(first.pk)
            scored_first.set()
            go_on.wait(30)

    with ThreadPoolExecutor(2) as pool:
        one = in_a_thread(pool, slowly)
        assert scored_first.wait(30)
        other = in_a_thread(pool, lambda: score_evaluation(second.pk))
        eventually(waits_for_a_lock, "the second waits for the first")
        go_on.set()
        one.result()
        other.result()
    assert [disclosed(first.submission), disclosed(second.submission)] == [same(35), same(35)]
    assert BestDisclosedScore.objects.count() == len(METRIC_SETS)
