"""The home page, and the pages that explain the site."""

import re

import pytest
from django.test import Client
from pytest_django import Settings

from leaderboard.queries import front_release
from portal.board_version import raise_board_version
from portal.models import Original, Release, Submission, SubmissionState, User
from scoring.catalog import TASKS
from scoring.metrics import METRIC_SETS
from tests.support.factories import ALL, published, release_of_all_tasks, reported
from tests.support.html import templates_of


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return " ".join(response.content.decode().partition("<body>")[2].split())


@pytest.fixture
def made_up(db: None) -> Release:
    return release_of_all_tasks("made-up", official=False)


def test_the_first_page_is_the_board(alice: User, official: Release, client: Client) -> None:
    published(alice, official, "Model A", ALL)
    text = page(client, "/")
    assert text.count("<h1>") == 1
    assert "<h1>InfiniteBench leaderboard</h1>" in text
    assert "<h1><bdi>Release hf</bdi></h1>" in page(client, "/board/hf/")
    assert 'href="/models/model-a/"' in text


def test_a_printed_page_has_its_address_and_date(official: Release, client: Client) -> None:
    (said,) = re.findall(r'<p class="on-paper">(.*?)</p>', page(client, "/tasks/?a=1"))
    assert re.fullmatch(r"∞Bench, http://testserver/tasks/\?a=1, \d{4}-\d\d-\d\d", said)


def test_all_models_by_name_are_the_first_page(
    alice: User, official: Release, client: Client
) -> None:
    published(alice, official, "Model A", ALL)
    response = client.get("/models/", follow=True)
    assert response.redirect_chain == [("/?sort=model", 302)]
    assert "Model A" in response.content.decode()


def test_it_can_be_sorted_and_searched_like_the_board(
    alice: User, official: Release, client: Client
) -> None:
    published(alice, official, "Model A", ALL)
    published(alice, official, "Model B", ALL | {"passkey": 90.0})
    sorted_back = page(client, "/?sort=passkey&dir=back&set=strict")
    assert sorted_back.index("Model A") < sorted_back.index("Model B")
    assert "Model A" not in page(client, "/?q=model+b").partition("<table")[2]


def test_without_entries_the_first_page_explains_how_to_begin(
    alice: User, official: Release, client: Client
) -> None:
    published(alice, official, "Secret", ALL, state=SubmissionState.IN_REVIEW)
    text = page(client, "/")
    assert "pages/welcome.html" in templates_of(client.get("/"))
    assert "Release hf" in text
    assert "Secret" not in text


def test_a_published_entry_is_on_the_first_page_at_once(
    alice: User, official: Release, client: Client
) -> None:
    assert "pages/welcome.html" in templates_of(client.get("/"))
    found = published(alice, official, "Model A", ALL)
    assert "Model A" in page(client, "/")
    Submission.objects.filter(pk=found.pk).update(state=SubmissionState.WITHDRAWN)
    raise_board_version()
    assert "pages/welcome.html" in templates_of(client.get("/"))


def test_an_official_board_goes_before_any_other(
    alice: User, official: Release, made_up: Release
) -> None:
    published(alice, made_up, "Model A", ALL)
    assert front_release() == "made-up"
    published(alice, official, "Model B", ALL)
    assert front_release() == "hf"


def test_the_first_page_prefers_the_official_release_with_the_most_entries(
    alice: User, official: Release
) -> None:
    reported("Model A", ALL)  # on every official board
    paper = release_of_all_tasks("paper")
    assert front_release() == "hf"
    published(alice, paper, "Model B", ALL)
    assert front_release() == "paper"


def test_without_official_entries_the_newest_release_with_entries_comes_first(
    alice: User, made_up: Release
) -> None:
    assert front_release() is None
    newer, newest = (release_of_all_tasks(name, official=False) for name in ("newer", "newest"))
    for release in (newer, made_up):
        published(alice, release, "Model A", ALL)
    assert front_release() == newer.slug
    assert newest.slug == "newest"


def test_the_tasks_are_listed_with_what_they_ask_and_their_sizes(client: Client, db: None) -> None:
    text = page(client, "/tasks/")
    for task in TASKS.values():
        assert f'<a href="/tasks/{task.id}/">{task.title}</a>' in text
        assert f'<td class="number">{task.examples}</td>' in text


@pytest.mark.django_db
def test_the_tasks_are_listed_before_there_is_any_release(client: Client) -> None:
    for address in ("/tasks/", "/about/"):
        assert "Retrieve.PassKey" in page(client, address)


def test_about_names_every_metric_set_and_where_they_differ(
    official: Release, client: Client
) -> None:
    response = client.get("/about/")
    assert [one.name for one in response.context["metric_sets"]] == list(METRIC_SETS)
    for name in METRIC_SETS:
        assert f">{name}</code>" in response.content.decode()
    assert response.context["lenient"] == ["Retrieve.KV", "Code.Debug", "En.MC", "En.Dia"]
    assert len(response.context["degrees"]) == 4


def test_the_command_for_reproducing_a_score_works(official: Release, client: Client) -> None:
    for address in ("/about/", "/releases/hf/"):
        assert "python -m scoring score PREDICTIONS --gold DIR" in page(client, address)


def test_the_source_code_is_linked_if_configured(
    official: Release, client: Client, settings: Settings
) -> None:
    settings.SOURCE_URL = "https://code.example/board"
    assert '<a href="https://code.example/board">' in page(client, "/about/")


def test_hidden_labels_come_without_a_command_to_score_with_them(
    official: Release, client: Client
) -> None:
    Release.objects.update(hidden=True)
    text = page(client, "/releases/hf/")
    assert "--gold DIR" not in text


def test_an_entry_says_how_to_get_its_scores(
    alice: User, official: Release, client: Client
) -> None:
    found = published(alice, official, "Model A", ALL)
    Submission.objects.update(drop_first=True)
    original = Original.objects.create(
        submission=found, name="alice at home.zip", size=1, file_tasks={"alice.jsonl": "passkey"}
    )
    found.files.create(original=original, position=0)
    found.evaluations.update(
        align="order",
        signature={
            "gold": {"passkey": {"labels": "1234abcd" * 8, "questions": "5678efab" * 8}},
            "aligned": {"passkey": "order"},
        },
    )
    text = page(client, f"/entries/{found.entry_id}/")
    assert "score PREDICTIONS --gold DIR --align order --drop-first" in text
    assert "by order" in text
    assert "1234abcd1234abcd" in text
    assert "alice at home" not in text
    assert "alice.jsonl" not in text
    assert "4 / 4" in text


def test_an_entry_shows_its_rank(alice: User, official: Release, client: Client) -> None:
    published(alice, official, "Model A", ALL)
    second = published(alice, official, "Model B", ALL | {"passkey": 10.0})
    text = page(client, f"/entries/{second.entry_id}/")
    assert text.count("2 of 2") == len(METRIC_SETS)
    assert 'href="/board/hf/"' in text


def test_an_incomplete_entry_has_no_rank(alice: User, official: Release, client: Client) -> None:
    found = published(alice, official, "Model A", {"passkey": 10.0})
    assert not re.search(r"\d of \d", page(client, f"/entries/{found.entry_id}/"))


def test_an_entry_behind_a_better_one_of_its_model_links_to_all(
    alice: User, official: Release, client: Client
) -> None:
    published(alice, official, "Model A", ALL)
    worse = published(alice, official, "Model A", ALL | {"passkey": 10.0})
    text = page(client, f"/entries/{worse.entry_id}/")
    assert not re.search(r"\d of \d", text)
    assert 'href="/board/hf/?entries=all"' in text
    assert worse.entry_id in page(client, "/board/hf/?entries=all")


def test_an_entry_of_an_official_board_does_not_link_to_another_board(
    alice: User, made_up: Release, client: Client
) -> None:
    published(alice, made_up, "Model A", ALL)
    found = reported("Model B", ALL)
    assert front_release() == "made-up"
    text = page(client, f"/entries/{found.entry_id}/")
    assert "/board/made-up/" not in text
    assert "data-on-board" not in text


def test_a_reported_entry_stands_on_the_first_page(official: Release, client: Client) -> None:
    found = reported("Model A", ALL)
    text = page(client, f"/entries/{found.entry_id}/")
    assert text.count("1 of 1") == 1  # under the rules of the papers only
    assert text.count('data-missing="not shown"') == 2
