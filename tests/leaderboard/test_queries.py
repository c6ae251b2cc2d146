"""What is on a board, and how few database queries it takes."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.entries import Mark
from leaderboard.pages.models import public_model
from leaderboard.queries import BoardRelease, entries_of, releases_with_boards
from portal.models import Release, Submission, SubmissionState, User
from tests.support.factories import ALL, add_scores, published, release_of_all_tasks, reported
from tests.support.openings import LATER

SET = "official-2024-06"


def board_of(slug: str = "hf") -> BoardRelease:
    return next(release for release in releases_with_boards() if release.slug == slug)


def historical(name: str) -> Submission:
    files = release_of_all_tasks(f"historical-{name.lower()}", official=False)
    return published(None, files, name, ALL, origin=Submission.Origin.HISTORICAL)


@pytest.mark.parametrize("state", [state for state in SubmissionState if state != "published"])
def test_only_published_entries_are_on_the_board(
    alice: User, official: Release, state: SubmissionState
) -> None:
    published(alice, official, "Seen", ALL)
    published(alice, official, "Not seen", ALL, state=state, publish_on=LATER)
    assert [entry.model.name for entry in entries_of(board_of(), SET)] == ["Seen"]


def test_the_newest_scores_of_a_submission_count(alice: User, official: Release) -> None:
    submission = published(alice, official, "A", ALL)
    add_scores(submission, {"passkey": 75.0})
    (entry,) = entries_of(board_of(), SET)
    assert {task: score.percent for task, score in entry.scores.items()} == {"passkey": 75.0}


def test_an_entry_has_the_scores_of_one_metric_set(alice: User, official: Release) -> None:
    published(alice, official, "A", ALL)
    (entry,) = entries_of(board_of(), "strict")
    assert {score.percent for score in entry.scores.values()} == {25.0}


def test_the_boards_of_the_official_data_have_historical_and_reported_entries(
    official: Release,
) -> None:
    historical("GPT-4")
    reported("Claude 2", ALL)
    assert {(entry.model.name, entry.mark) for entry in entries_of(board_of(), SET)} == {
        ("GPT-4", Mark.HISTORICAL),
        ("Claude 2", Mark.REPORTED),
    }


def test_other_boards_have_neither(official: Release) -> None:
    release_of_all_tasks("other", official=False)
    historical("GPT-4")
    reported("Claude 2", ALL)
    assert entries_of(board_of("other"), SET) == []


@pytest.mark.parametrize("metric_set", ["official-2024-09", "strict"])
def test_reported_numbers_appear_under_the_papers_metrics_only(
    official: Release, metric_set: str
) -> None:
    reported("Claude 2", ALL)
    assert entries_of(board_of(), metric_set) == []


def test_historical_files_have_a_release_but_no_board(official: Release) -> None:
    historical("GPT-4")
    assert [release.slug for release in releases_with_boards()] == ["hf"]


@pytest.mark.parametrize("entries", [1, 100])
def test_a_board_takes_five_queries_however_many_entries_it_has(
    alice: User,
    official: Release,
    django_assert_num_queries: DjangoAssertNumQueries,
    entries: int,
) -> None:
    for number in range(entries):
        published(alice, official, f"Model {number}", {"passkey": 1.0})
        reported(f"Reported {number}", ALL)
    with django_assert_num_queries(5):
        assert len(entries_of(board_of(), SET)) == 2 * entries


@pytest.mark.parametrize("entries", [2, 20])
def test_the_page_of_a_model_takes_eight_queries_however_many_entries_it_has(
    alice: User,
    official: Release,
    django_assert_num_queries: DjangoAssertNumQueries,
    entries: int,
) -> None:
    for number in range(entries):
        published(alice, official, "Model", {"passkey": 1.0})
        reported("Model", ALL, source=f"Paper {number}")
    with django_assert_num_queries(8):
        found = public_model("model")
        assert found
        assert len(found[1]) == 2 * entries


def test_the_ranks_of_an_entry_are_read_once_for_every_reader(
    alice: User,
    official: Release,
    client: Client,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    entries = [published(alice, official, f"Model {number}", ALL) for number in range(2)]
    client.get(f"/entries/{entries[0].entry_id}/")
    # The entry, what it was chosen from, who is behind it, its scores, whether they
    # are of a part, doubts, label versions, repeated runs, what its breakdowns are made from, its
    # scores and questions under every metric, its best and worst answers; which of
    # its examples have a page, and what truncation has left out of them; the version of the board;
    # how many pages this address has asked for. No controls: no model has any.
    with django_assert_num_queries(18):
        client.get(f"/entries/{entries[1].entry_id}/")


@pytest.mark.parametrize(
    "address", ["/tasks/passkey/", "/board/hf/", "/board/hf/board.csv", "/board/hf/board.json"]
)
def test_a_cached_board_takes_one_query(
    alice: User,
    official: Release,
    client: Client,
    django_assert_num_queries: DjangoAssertNumQueries,
    address: str,
) -> None:
    published(alice, official, "Model", ALL)
    client.get(address)
    with django_assert_num_queries(1):
        assert client.get(address).status_code == 200
