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
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse

from portal.evaluations.ladder import apply_ladder
from portal.evaluations.tasks import score_evaluation
from portal.models import (
    BestDisclosedScore,
    Evaluation,
    LanguageModel,
    Release,
    ReleaseAdmission,
    ReleaseLadder,
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


@pytest.fixture
def admitted(hidden: Release, alice: User, bob: User) -> Release:
    """A hidden release, with two authors who may see scores before publication."""
    for account in (alice, bob):
        ReleaseAdmission.objects.create(release=hidden, account=account)
    return hidden


def queued(owner: User, release: Release, right: Collection[int], rows: int = SIZE) -> Evaluation:
    """Submit a file with this many rows, of which these are right."""
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


def test_a_sample_of_the_questions_discloses_nothing(admitted: Release, alice: User) -> None:
    """As few as the run of an endpoint has asked: each of their answers would show."""
    evaluation = scored(alice, admitted, range(SIZE)).evaluations.get()
    rows = list(evaluation.task_scores.select_related("data_set"))
    assert {row.public_percent for row in rows} != {None}
    TaskScore.objects.update(public_percent=None)
    for row in rows:
        row.public_percent, row.asked = None, 5
    with transaction.atomic():
        apply_ladder(evaluation, rows, {})
    assert {row.public_percent for row in rows} == {None}


def disclosed(submission: Submission) -> float | None:
    """What the newest scores disclose, under the only metric set of which anything is disclosed."""
    return newest(submission).get(metric_set="strict").public_percent


def newest(submission: Submission) -> QuerySet[TaskScore]:
    return TaskScore.objects.filter(evaluation=submission.evaluations.scored()[0])


def test_scores_are_disclosed_to_nobody_who_is_not_admitted(alice: User, hidden: Release) -> None:
    for right in (7, 20):
        assert disclosed(scored(alice, hidden, range(right))) is None
    assert not BestDisclosedScore.objects.exists()
    assert not ReleaseLadder.objects.exists()


def test_the_first_score_is_a_band_and_a_later_one_is_disclosed_if_it_is_significant(
    alice: User, admitted: Release
) -> None:
    files = [range(7), range(8), range(12), range(3), range(17), range(20)]
    found = [newest(scored(alice, admitted, right)).get(metric_set="strict") for right in files]
    seen = [(one.public_percent, one.public_width, one.is_previous_best) for one in found]
    again = (30, 10, True)
    assert seen == [(30, 10, False), again, again, again, (85, 0, False), (85, 0, True)]


def test_only_one_metric_set_is_disclosed(alice: User, admitted: Release) -> None:
    known = newest(scored(alice, admitted, range(7))).filter(public_percent__isnull=False)
    assert list(known.values_list("metric_set", flat=True)) == ["strict"]


def test_deleting_a_submission_keeps_the_disclosed_score(alice: User, admitted: Release) -> None:
    first, second = scored(alice, admitted, range(7)), scored(alice, admitted, range(17))
    delete_submission(first, by=alice)
    withdraw_submission(second, by=alice)
    assert disclosed(scored(alice, admitted, range(3))) == 85


def test_files_of_two_accounts_that_differ_by_chance_show_the_same_band(
    alice: User, bob: User, admitted: Release
) -> None:
    scored(alice, admitted, range(7))
    assert disclosed(scored(bob, admitted, range(3))) == 30


def test_files_of_two_accounts_that_differ_by_more_show_their_own_bands(
    alice: User, bob: User, admitted: Release
) -> None:
    scored(alice, admitted, range(3))
    assert disclosed(scored(bob, admitted, range(17))) == 80


def test_a_score_has_to_beat_what_others_have_seen_too(
    alice: User, bob: User, admitted: Release
) -> None:
    scored(bob, admitted, range(12))
    scored(bob, admitted, range(3))
    assert disclosed(scored(alice, admitted, range(2))) == 10
    assert disclosed(scored(alice, admitted, range(12))) == 10  # beats 2 of 20, but is nothing new
    assert disclosed(scored(alice, admitted, range(20))) == 10  # nor significantly better than 12


def test_an_account_that_is_admitted_later_sees_scores_when_they_are_computed_again(
    alice: User, hidden: Release
) -> None:
    submission = scored(alice, hidden, range(7))
    ReleaseAdmission.objects.create(release=hidden, account=alice)
    score_evaluation(score_again(submission, by=alice).pk)
    assert disclosed(submission) == 30


def test_a_task_with_too_few_answers_discloses_nothing(alice: User, admitted: Release) -> None:
    assert disclosed(scored(alice, admitted, range(10), rows=10)) is None
    assert disclosed(scored(alice, admitted, range(3))) == 10


def test_scored_again_it_discloses_the_same(alice: User, admitted: Release) -> None:
    first, second = scored(alice, admitted, range(3)), scored(alice, admitted, range(4))
    scored(alice, admitted, range(17))
    for submission in (first, second):
        score_evaluation(score_again(submission, by=alice).pk)
        assert disclosed(submission) == 10


def test_public_releases_have_no_disclosed_scores(alice: User, tmp_path: Path) -> None:
    scored(alice, imported(tmp_path, hidden=False), range(3))
    assert not BestDisclosedScore.objects.exists()


def document(client: Client, submission: Submission) -> dict[str, Any]:
    response = client.get(reverse("submission-report", args=[submission.pk]))
    found: dict[str, Any] = json.loads(response.content)["tasks"]["passkey"]
    return found


def test_the_author_sees_that_the_score_is_the_best_so_far(
    client: Client, alice: User, rita: User, admitted: Release
) -> None:
    scored(alice, admitted, range(7))
    worse = scored(alice, admitted, range(3))
    shown = submission_html(client, alice, worse)
    assert "30–40<span" in shown
    listed = html_of(client.get(reverse("submissions"))).replace(" ", "")
    assert "30–40<span" in listed
    assert "15<span" not in listed
    report = document(client, worse)
    assert report["scores"] == dict.fromkeys(METRIC_SETS) | {"strict": 30}
    assert report["stderr"] == dict.fromkeys(METRIC_SETS)
    assert report["band"] == dict.fromkeys(METRIC_SETS) | {"strict": 10}
    assert report["best_so_far"] == dict.fromkeys(METRIC_SETS, False) | {"strict": True}
    seen = submission_html(client, rita, worse)
    assert "15.00" in seen


def test_a_published_entry_has_its_own_score(
    client: Client, alice: User, rita: User, admitted: Release
) -> None:
    """Otherwise a weaker model would be on the board with the score of a stronger one."""
    scored(alice, admitted, range(17))
    weaker = scored(alice, admitted, range(3))
    other = LanguageModel.objects.create(name="Weaker", slug="weaker", owner=alice)
    Submission.objects.filter(pk=weaker.pk).update(language_model=other)
    requested(weaker, by=alice)
    assert disclosed(weaker) == 80
    publish_submission(weaker, by=rita, reason="Looked at.")
    assert disclosed(weaker) == 15
    [entry] = json.loads(client.get("/board/hidden/board.json").content)["entries"]
    assert entry["tasks"]["passkey"]["percent"] == 15
    assert entry["tasks"]["passkey"]["stderr"] is None
    score_evaluation(score_again(weaker, by=rita).pk)
    assert disclosed(weaker) == 15
    assert disclosed(scored(alice, admitted, range(4))) == 80


def test_a_published_score_becomes_the_best_so_far(
    alice: User, rita: User, admitted: Release
) -> None:
    scored(alice, admitted, range(7))
    better = scored(alice, admitted, range(12))
    requested(better, by=alice)
    publish_submission(better, by=rita, reason="Looked at.")
    assert disclosed(scored(alice, admitted, range(17))) == 60


def test_publication_discloses_every_metric_set_to_an_author_who_is_not_admitted(
    alice: User, rita: User, hidden: Release
) -> None:
    submission = scored(alice, hidden, range(7))
    requested(submission, by=alice)
    publish_submission(submission, by=rita, reason="Looked at.")
    assert set(newest(submission).values_list("public_percent", "public_width")) == {(35, 0)}
    assert disclosed(scored(alice, hidden, range(20))) is None


def test_random_files_of_several_accounts_reveal_no_labels(
    alice: User, bob: User, client: Client, admitted: Release
) -> None:
    """The same files revealed all labels when every score was disclosed."""
    random = Random(3)
    seen = set()
    for _ in range(6):
        for account in (alice, bob):
            client.force_login(account)
            right = [key for key in LABELS if random.random() < 0.25]
            scores = document(client, scored(account, admitted, right))["scores"]
            seen.add(tuple(scores.items()))
    assert len(seen) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("messages")
def test_concurrent_evaluations_disclose_one_after_the_other(
    alice: User, admitted: Release
) -> None:
    first = queued(alice, admitted, range(7))
    second = queued(alice, admitted, range(8))
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
    assert [disclosed(first.submission), disclosed(second.submission)] == [30, 30]
    assert BestDisclosedScore.objects.count() == 1
