"""Controls are listed on a board below the entries, without a rank, whoever made them."""

from typing import Any

import pytest
from django.test import Client

from leaderboard.board.board import Board, read_board
from leaderboard.board.filters import Filters
from leaderboard.queries import find_release, releases_with_boards
from portal.models import Release, Submission, User
from portal.scores.controls import Control
from scoring.catalog import TASKS
from scoring.endpoint.templates import Strategy
from tests.support import html
from tests.support.factories import endpoint_run, published


def entry(owner: User, release: Release, percent: float, **columns: Any) -> Submission:
    return published(owner, release, "Model", dict.fromkeys(TASKS, percent), **columns)


def board(**filters: Any) -> Board:
    release = find_release(releases_with_boards(), "hf")
    assert release
    return read_board(release, Filters(**filters))


@pytest.fixture
def whole(alice: User, official: Release) -> Submission:
    return entry(alice, official, 40.0)


@pytest.fixture
def evidence(alice: User, official: Release, whole: Submission) -> Submission:
    """A control made by a run of the site."""
    found = entry(alice, official, 90.0, prompt_strategy="evidence-only")
    endpoint_run(alice, official, settings={"strategy": Strategy.EVIDENCE_ONLY}, submission=found)
    return found


@pytest.fixture
def closed(alice: User, official: Release, whole: Submission) -> Submission:
    """A control from files, declared as such by its author."""
    return entry(alice, official, 60.0, prompt_strategy="Closed book")


def test_they_have_no_rank_and_take_no_entrys_place(
    whole: Submission, evidence: Submission, closed: Submission
) -> None:
    first, *others = board().lines
    assert (first.entry.id, first.rank) == (whole.entry_id, 1)
    assert {(line.entry.control, line.rank) for line in others} == {
        (Control.EVIDENCE_ONLY, None),
        (Control.NO_CONTEXT, None),
    }
    assert board().systems == 1
    assert board().ranked_count == 1


def test_only_the_newest_of_each_is_shown_with_the_best_entries(
    alice: User, official: Release, closed: Submission
) -> None:
    newer = entry(alice, official, 5.0, prompt_strategy="no context")
    shown = [line.entry.id for line in board().lines if line.entry.control]
    assert shown == [newer.entry_id]
    assert len([one for one in board(entries="all").lines if one.entry.control]) == 2


def test_the_board_has_a_section_for_them_with_links_to_the_entry(
    client: Client, whole: Submission, evidence: Submission, closed: Submission
) -> None:
    page = html.page(client.get("/board/hf/"))
    assert len(page.select("[data-controls]")) == 1
    links = page.select("[data-whole]")
    assert [one["data-whole"] for one in links] == [whole.entry_id] * 2
    best = page.select("td.overall.best")
    assert [html.text(one) for one in best] == ["40.00"]


def test_the_pages_of_both_lead_to_each_other(
    client: Client, whole: Submission, evidence: Submission, closed: Submission
) -> None:
    def related(submission: Submission) -> list[str]:
        page = html.page(client.get(f"/entries/{submission.entry_id}/"))
        return [str(one["data-control"]) for one in page.select("#controls [data-control]")]

    assert related(whole) == ["no-context", "evidence-only"]
    assert related(evidence) == ["", "no-context"]
    assert related(closed) == ["", "evidence-only"]


def test_an_entry_without_controls_says_nothing_of_them(client: Client, whole: Submission) -> None:
    assert 'id="controls"' not in client.get(f"/entries/{whole.entry_id}/").content.decode()


def test_files_and_the_api_say_what_they_are(
    client: Client, whole: Submission, evidence: Submission
) -> None:
    exported = client.get("/board/hf/board.json").json()["entries"]
    assert [one["control"] for one in exported] == [None, "evidence-only"]
    found = client.get("/api/v1/entries/?release=hf").json()["entries"]
    assert [(one["control"], one["rank"]) for one in found] == [(None, 1), ("evidence-only", None)]
    assert client.get(f"/api/v1/entries/{evidence.entry_id}/").json()["control"] == "evidence-only"
