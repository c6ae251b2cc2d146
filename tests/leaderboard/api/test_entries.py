"""The entries of a board as JSON: the same numbers as on the page, with pagination."""

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from leaderboard.api import views
from leaderboard.api.serializers import EntrySerializer
from leaderboard.board import board as board_module
from leaderboard.board.board import read_board
from leaderboard.board.filters import Filters
from leaderboard.queries import releases_with_boards
from portal.models import Release, User
from portal.scores.comparison.separations import update_separations
from portal.web import throttle
from tests.support.factories import ALL, add_examples, published, release_of_all_tasks, reported

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/entries/"


@pytest.fixture(autouse=True)
def board(alice: User, official: Release) -> None:
    published(alice, official, "Better", ALL)
    published(alice, official, "Worse", dict.fromkeys(ALL, 25.0))
    published(alice, official, "Half", {"passkey": 75.0})
    reported("Paper", {"passkey": 90.0})


def answer(**query: str) -> Any:
    response = Client().get(ADDRESS, query)
    assert response.status_code == 200, response.content
    return response.json()


def by_model(**query: str) -> dict[str, Any]:
    return {entry["model"]: entry for entry in answer(**query)["entries"]}


def test_entries_come_in_the_order_of_the_board() -> None:
    assert list(by_model()) == ["Better", "Worse", "Half", "Paper"]
    assert [entry["rank"] for entry in by_model().values()] == [1, 2, None, None]


def test_ranks_have_ranges_once_entries_are_compared(official: Release) -> None:
    add_examples(official)
    assert by_model()["Better"]["rank_low"] is None
    update_separations()
    entry = by_model()["Better"]
    assert entry["rank_low"] <= entry["rank"] <= entry["rank_high"]
    assert by_model()["Half"]["rank_low"] is None


def test_scores_are_those_of_the_board() -> None:
    board = read_board(releases_with_boards()[0], Filters())
    for line, entry in zip(board.lines, answer()["entries"], strict=True):
        shown = {"overall": entry["overall"], **entry["domains"], **entry["scores"]}
        for column, score in zip(board.columns, line.scores, strict=True):
            found = shown.get(column.id)
            assert (found and found["mean"]) == (score and score.percent)
            if found and score and score.interval:
                ends = (found["low"], found["high"], found["method"])
                assert ends == (score.interval.low, score.interval.high, score.interval.method)


def test_an_entry_has_every_documented_field() -> None:
    assert all(set(entry) == set(EntrySerializer().fields) for entry in answer()["entries"])


def test_kinds_and_gaps() -> None:
    entries = by_model()
    assert (entries["Better"]["kind"], entries["Paper"]["kind"]) == ("submitted", "reported")
    assert set(entries["Half"]["scores"]) == {"passkey"}
    assert entries["Half"]["overall"] is entries["Half"]["domains"]["retrieval"] is None
    assert entries["Paper"]["submitted"] is entries["Paper"]["settings"] is None
    assert entries["Paper"]["source"] == "A paper"


def test_another_metric_set_has_its_own_scores() -> None:
    entries = by_model(metric_set="strict")
    assert "Paper" not in entries
    assert entries["Better"]["overall"]["mean"] == 25.0


def test_numbered_pages_follow_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (board_module, views):
        monkeypatch.setattr(module, "PAGE_ROWS", 3)
    first = answer(metric_set="official-2024-06", page="1")
    assert (first["count"], len(first["entries"]), first["previous"]) == (4, 3, None)
    second = Client().get(first["next"]).json()
    assert [entry["model"] for entry in second["entries"]] == ["Paper"]
    assert second["next"] is None
    assert Client().get(second["previous"]).json() == first


def test_a_label_version_means_its_labels_on_the_board(alice: User) -> None:
    whole = release_of_all_tasks("infinitebench")
    Release.objects.filter(slug="hf").update(part_of=whole)
    found = answer(release="hf")
    assert (found["release"], found["labels"]) == ("infinitebench", "hf")
    assert found["entries"] == answer(release="infinitebench", labels="hf")["entries"]


def test_degrees_of_trust_choose_entries_as_on_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    reported = answer(trust="reported")
    assert ([entry["model"] for entry in reported["entries"]], reported["count"]) == (["Paper"], 1)
    assert answer(trust="run")["entries"] == []
    monkeypatch.setattr(views, "PAGE_ROWS", 1)
    first = Client().get(f"{ADDRESS}?trust=scored&trust=re-scored").json()
    assert first["trust"] == ["re-scored", "scored"]
    assert first["count"] == 3
    second = Client().get(first["next"]).json()
    assert (second["trust"], second["count"]) == (first["trust"], 3)
    assert [page["entries"][0]["model"] for page in (first, second)] == ["Better", "Worse"]


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("release=nothing", 404, "unknown_release"),
        ("metric_set=bleu", 400, "unknown_metric_set"),
        ("labels=nothing", 400, "unknown_labels"),
        ("entries=worst", 400, "unknown_entries"),
        ("trust=run&trust=much", 400, "unknown_trust"),
        ("metricset=strict", 400, "unknown_parameter"),
        ("page=2", 404, "unknown_page"),
        ("page=0", 404, "unknown_page"),
        ("page=x", 404, "unknown_page"),
    ],
)
def test_what_is_not_known_is_refused_with_a_code(query: str, status: int, code: str) -> None:
    response = Client().get(f"{ADDRESS}?{query}")
    assert response.status_code == status
    assert response.json()["code"] == code
    assert response.json()["detail"]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_nothing_can_be_written(method: str) -> None:
    response = Client().generic(method, ADDRESS)
    assert response.status_code == 405
    assert response.json()["code"] == "method_not_allowed"


def test_an_unchanged_answer_is_not_sent_again(alice: User, official: Release) -> None:
    tag = Client().get(ADDRESS)["ETag"]
    again = Client().get(ADDRESS, headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")


def test_any_site_may_read_it_and_no_cookie_counts(bob: User) -> None:
    client = Client()
    client.force_login(bob)
    response = client.get(ADDRESS)
    assert response["Access-Control-Allow-Origin"] == "*"
    assert response["Cache-Control"] == "public, no-cache"
    assert "Cookie" not in response["Vary"]
    assert response.content == Client().get(ADDRESS).content


def test_what_is_made_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "MOST_EACH_MINUTE", 1)
    cache.clear()
    assert [Client().get(ADDRESS).status_code for _ in range(3)] == [200] * 3
    response = Client().get(ADDRESS, {"entries": "all"})
    assert (response.status_code, response.json()["code"]) == (429, "throttled")
    assert 1 <= int(response["Retry-After"]) <= 60
    assert response["Access-Control-Allow-Origin"] == "*"


def test_a_hidden_release_shows_what_its_board_shows(official: Release) -> None:
    Release.objects.update(hidden=True)
    assert by_model().keys() == {"Paper", "Better", "Worse", "Half"}
    assert not any(entry["scores"] for model, entry in by_model().items() if model != "Paper")


def test_the_documentation_lists_every_field() -> None:
    page = Client().get("/api/v1/docs/leaderboards/").content.decode()
    assert all(f"<code>{name}</code>" in page for name in EntrySerializer().fields)
