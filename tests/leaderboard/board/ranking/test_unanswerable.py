"""Questions without an answer: imported with their release as a release of their own, and shown
next to its scores without being part of them."""

import json
from pathlib import Path

import pytest
from django.test import Client

from leaderboard.queries import front_release
from portal.models import Release, User
from portal.releases.official import import_checked_release
from tests.support import html
from tests.support.factories import published
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db

TASK = "longbook_qa_eng"


def row(key: int, answer: str) -> dict[str, object]:
    return {"id": key, "context": "A book.", "input": f"Who {key}?", "answer": [answer]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A release as written by ``generate --unanswerable``."""
    release, silences = tmp_path / "made", tmp_path / "made" / "controls" / "unanswerable"
    write_rows(release / f"{TASK}.jsonl", [row(key, f"Ann {key}") for key in range(4)])
    write_rows(silences / f"{TASK}.jsonl", [row(key, "the book does not say") for key in range(4)])
    write_rows(silences / "facets" / f"{TASK}.jsonl", [{"id": 0, "kind": "unanswerable"}])
    for one in (release, silences):
        (one / "release.json").write_text(json.dumps({"generator": 4, "files": {}}))
    return release


@pytest.fixture
def made(folder: Path) -> Release:
    return import_checked_release(folder, slug="made", title="Made").release


def test_they_are_a_release_of_their_own(made: Release) -> None:
    silences = Release.objects.get(slug="made-unanswerable")
    assert silences.unanswerable_of == made
    assert silences.data_sets.get().size == 4
    assert made.data_sets.get().size == 4


def test_importing_again_changes_nothing(made: Release, folder: Path) -> None:
    import_checked_release(folder, slug="made", title="Made")
    assert Release.objects.count() == 2


def test_those_of_a_hidden_release_are_hidden(folder: Path) -> None:
    import_checked_release(folder, slug="made", title="Made", hidden=True)
    assert Release.objects.get(slug="made-unanswerable").hidden


def test_the_board_has_a_column_that_is_in_no_score(
    alice: User, made: Release, client: Client
) -> None:
    entry = published(alice, made, "Reader", {TASK: 40.0})
    published(alice, made, "Other", {TASK: 30.0})
    silent = published(alice, Release.objects.get(slug="made-unanswerable"), "Reader", {TASK: 75.0})
    page = html.page(client.get("/board/made/"))
    cells = [html.text(one) for one in page.select('td[data-label="No answer"]')]
    assert cells == ["75.0", "–"]
    link = page.select('td[data-label="No answer"] a')[0]
    assert link["href"] == f"/entries/{silent.pk}/"
    for ending in ("tex", "md"):
        table = client.get(f"/board/made/board.{ending}").content.decode()
        assert "No answer" in table
        assert "75.0" in table
    exported = client.get("/board/made/board.json").json()["entries"]
    assert [(one["overall"]["percent"], one["unanswerable"]) for one in exported] == [
        (40.0, 75.0),
        (30.0, None),
    ]
    lines = client.get("/board/made/board.csv").content.decode().splitlines()
    assert [line.rsplit(",", 1)[1] for line in lines] == ["unanswerable", "75.0", ""]
    found = client.get("/api/v1/entries/?release=made").json()["entries"]
    assert [one["unanswerable"] for one in found] == [75.0, None]
    own = client.get(f"/entries/{entry.pk}/").content.decode()
    assert 'data-unanswerable="75.00"' in own


def test_other_boards_have_no_such_column(alice: User, made: Release, client: Client) -> None:
    silences = Release.objects.get(slug="made-unanswerable")
    published(alice, silences, "Reader", {TASK: 75.0})
    assert "No answer" not in client.get("/board/made-unanswerable/").content.decode()
    [entry] = client.get("/board/made-unanswerable/board.json").json()["entries"]
    assert "unanswerable" not in entry
    assert (
        client.get("/releases/made-unanswerable/")
        .content.decode()
        .count('data-unanswerable-of="made"')
        == 1
    )
    assert front_release() is None
