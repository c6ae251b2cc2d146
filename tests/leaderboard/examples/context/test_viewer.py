"""What the context viewer shows, and where it opens."""

from typing import Any
from urllib.parse import parse_qs, urljoin

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import AnonymousUser
from django.core.files.storage import default_storage
from django.http import QueryDict
from django.template.loader import render_to_string
from django.test import Client

from leaderboard.examples.context.places import Spot
from leaderboard.examples.context.viewer import LEAD, WINDOW, ContextViewer, Cut, viewer_of
from leaderboard.examples.queries import find_example, find_question_set
from portal.models import Context, Release, User
from portal.permissions.access import Reader
from portal.scores.titles import SettingsLine
from tests.support.contexts import BYTES_OF_A_TOKEN, release_with_contexts, store_context

pytestmark = pytest.mark.django_db

# 10,000 tokens, 1,000 lines.
TEXT = "".join(f"Line {number:04} has forty characters with it.\n" for number in range(1, 1_001))
NEEDLE = "Line 0700"
SPAN = TEXT.index(NEEDLE), TEXT.index(NEEDLE) + len(NEEDLE)
TOKEN = SPAN[0] // BYTES_OF_A_TOKEN
STATE = [("entry", "a&b"), ("q", '"')]
NOBODY = AnonymousUser()


@pytest.fixture
def context(db: None) -> Context:
    context = store_context(TEXT)
    for task in ("longbook_qa_eng", "code_run"):
        contexts = {"one": context, "none": None}
        release_with_contexts(task.replace("_", "-"), task, contexts, evidence=[SPAN])
    return context


def viewer(
    query: str = "", *, reader: Reader = NOBODY, task: str = "longbook_qa_eng", **more: Any
) -> ContextViewer:
    questions = find_question_set(reader, task.replace("_", "-"), task)
    found = viewer_of(questions, find_example(questions, "one"), QueryDict(query), STATE, **more)
    assert found
    return found


def page_of(shown: ContextViewer) -> BeautifulSoup:
    html = render_to_string("examples/_context.html", {"viewer": shown})
    return BeautifulSoup(html, "html.parser")


def following(spot: Spot | None) -> str:
    """The query string of a link."""
    assert spot
    return spot.address.removeprefix("?").partition("#")[0]


def test_it_opens_at_the_evidence(context: Context) -> None:
    shown = viewer()
    assert shown.at == TOKEN
    assert shown.window.tokens == (TOKEN - LEAD, TOKEN - LEAD + WINDOW)
    assert [spot.token for spot in shown.evidence] == [TOKEN]
    html = BeautifulSoup(shown.html, "html.parser")
    assert [mark.get_text() for mark in html.select("mark.evidence")] == [NEEDLE]
    [anchor] = html.select("[data-anchor]")
    assert anchor.next_sibling == html.select_one("mark.evidence")


def test_of_a_hidden_release_only_reviewers_see_where_the_evidence_is(
    context: Context, alice: User, rita: User
) -> None:
    Release.objects.update(hidden=True)
    for reader in (NOBODY, alice):
        shown = viewer(reader=reader)
        assert (shown.at, shown.evidence, shown.evidence_spans) == (0, [], [])
        assert shown.minimap.evidence == []
        assert "evidence" not in str(page_of(shown)).replace('data-evidence=""', "")
    assert viewer(reader=rita).at == TOKEN


def test_a_hidden_release_looks_the_same_wherever_the_evidence_is(context: Context) -> None:
    Release.objects.update(hidden=True)
    before = str(page_of(viewer("find=line")))
    context.examples.update(evidence=[[5, 9]], depth=0.9)
    assert str(page_of(viewer("find=line"))) == before


@pytest.mark.parametrize(
    ("query", "at"),
    [
        ("at=5000", 5_000),
        ("at=99999999", len(TEXT) // 4),
        ("at=-1", TOKEN),
        ("at=x", TOKEN),
        ("go=50&unit=percent", len(TEXT) // 8),
        ("go=12.5%25&unit=percent&at=7", len(TEXT) // 32),
        ("go=1,000", 1_000),
        ("go=2K&unit=token", 2_000),
        ("go=100&unit=line", 990),
        ("find=line 0300", TEXT.index("Line 0300") // 4),
        ("find=line 0300&at=40", 40),
        ("find=nothing like it", 0),
    ],
)
def test_it_opens_where_it_is_asked_to(context: Context, query: str, at: int) -> None:
    shown = viewer(query)
    assert shown.at == at
    assert not shown.asked.problem


@pytest.mark.parametrize("query", ["go=x", "go=101&unit=percent", "go=9K&unit=line", "go=1M"])
def test_a_place_that_is_not_there_is_said_to_be_none(context: Context, query: str) -> None:
    shown = viewer(query)
    assert shown.asked.problem
    assert shown.at == TOKEN
    assert page_of(shown).select_one("[data-problem]")


def test_the_parts_of_the_text_join(context: Context) -> None:
    """Checked by following the links forwards and back."""
    shown, parts = viewer("at=0"), []
    while shown.following:
        parts.append(shown.window.text)
        shown = viewer(following(shown.following))
    assert "".join([*parts, shown.window.text]) == TEXT
    starts = {shown.window.tokens[0]}
    while shown.previous:
        shown = viewer(following(shown.previous))
        starts.add(shown.window.tokens[0])
    assert len(starts) == len(parts) + 1


def test_links_keep_what_else_the_address_says(context: Context) -> None:
    shown = viewer("find=has forty&at=900")
    assert shown.found
    for spot in (shown.here, shown.following, shown.found.following, *shown.links):
        query = parse_qs(following(spot))
        assert (query["entry"], query["q"], query["find"]) == (["a&b"], ['"'], ["has forty"])
    assert shown.pairs == [("at", "900"), ("find", "has forty")]


def test_a_search_counts_and_leads_on(context: Context) -> None:
    shown = viewer("find=has+forty")
    assert shown.found
    assert (shown.found.total, shown.found.listed[0][0].number) == (1_000, 1)
    assert shown.found.previous is None
    second = viewer(following(shown.found.following))
    assert second.found
    assert second.found.listed[0][0].number == 2
    assert second.found.previous
    assert second.found.previous.token == shown.at
    marks = BeautifulSoup(second.html, "html.parser").select("mark.hit")
    assert {mark.get_text() for mark in marks[:-1]} == {"has forty"}
    assert len([mark for mark in marks if "current" in mark["class"]]) == 1
    assert sum(second.found.bins) == 1_000
    assert second.minimap.hits


def test_only_code_has_numbers_of_lines(context: Context) -> None:
    assert viewer().lines is None
    shown = viewer("go=500&unit=line", task="code_run")
    assert shown.lines == 1_001
    numbers = [int(str(one["data-line"])) for one in page_of(shown).select("i.line")]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    first = page_of(shown).select("i.line")[0].next_element
    assert str(first).startswith(f"Line {numbers[0]:04}")


def test_words_that_tell_something_are_counted(context: Context) -> None:
    shown = viewer(words=["0700", "characters", "absent"])
    assert [(word.text, word.total) for word in shown.words] == [("0700", 1)]
    assert parse_qs(shown.words[0].address[1:].partition("#")[0])["find"] == ["0700"]
    assert shown.minimap.words.startswith("M")
    assert viewer().minimap.words == ""


@pytest.mark.parametrize(
    ("truncation", "limit", "cut"),
    [
        ("middle", 401, (200, 799)),
        ("end", 400, (400, 1_000)),
        ("start", 400, (0, 600)),
        ("none", 400, None),
        ("unknown", 400, None),
        ("middle", 1_000, None),
        ("middle", None, None),
    ],
)
def test_a_run_leaves_out_what_its_limit_does_not_admit(
    truncation: str, limit: int | None, cut: tuple[int, int] | None
) -> None:
    assert SettingsLine("", truncation, limit).cut_of(1_000) == cut
    assert cut is None or 1_000 - (cut[1] - cut[0]) == limit


def test_a_cut_is_drawn_where_it_is(context: Context) -> None:
    shown = viewer(cuts=[Cut("GPT-4", 2_500, 5_000)])
    [cut] = shown.minimap.cuts
    assert cut.y == pytest.approx(250, abs=1)
    assert cut.height == pytest.approx(250, abs=1)
    assert "GPT-4" in page_of(shown).select(".context-legend")[0].get_text()


def test_without_a_text_there_is_no_viewer(context: Context) -> None:
    questions = find_question_set(NOBODY, "longbook-qa-eng", "longbook_qa_eng")
    assert viewer_of(questions, find_example(questions, "none"), QueryDict("")) is None
    default_storage.delete(str(context.text.name))
    assert viewer_of(questions, find_example(questions, "one"), QueryDict("")) is None


def test_whatever_is_typed_stays_text(context: Context) -> None:
    evil = '"><script>alert(1)</script>'
    shown = viewer(f"find={evil}&go={evil}", words=[evil], cuts=[Cut(evil, 1, 2)])
    page = page_of(shown)
    assert not page.select("script")
    field = page.select_one("#context-find")
    assert field
    assert field["value"] == evil
    assert evil in page.select(".context-legend")[0].get_text()


@pytest.mark.parametrize("key", ["a/../b", "../b", "a//b", "?#%2F"])
def test_its_windows_have_addresses_that_browsers_keep(db: None, key: str) -> None:
    context = store_context(TEXT)
    release_with_contexts("steps", "longbook_qa_eng", {key: context})
    questions = find_question_set(NOBODY, "steps", "longbook_qa_eng")
    shown = viewer_of(questions, find_example(questions, key), QueryDict(""))
    assert shown
    assert urljoin("http://x/", shown.address) == f"http://x{shown.address}"
    assert Client().get(f"{shown.address}context").json()["total"] == context.tokens
