"""English and Simplified Chinese: who gets which, and that nothing is left half translated."""

import re
from collections.abc import Iterable, Iterator, Sequence
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import pytest
from django.test import Client

from portal.board_version import raise_board_version
from portal.evaluations.failures import FAILURES
from portal.models import (
    Evaluation,
    EvaluationState,
    LanguageModel,
    Release,
    Submission,
    SubmissionState,
    User,
)
from tests.support.addresses import site_addresses
from tests.support.clients import ACTORS, Answer, Cast, asked, cast_around
from tests.support.factories import as_if_scored, make_submission, packed_folder
from tests.support.openings import LATER

pytestmark = pytest.mark.django_db

CHINESE = "zh-CN,zh;q=0.9,en;q=0.8"  # what a browser in China requests


def lang(answer: Answer) -> str:
    found = re.search('<html lang="([^"]+)"', answer.text)
    assert found
    assert answer.headers["Content-Language"] == found[1]
    return found[1]


def choose(client: Client, language: str, page: str = "/about/") -> str:
    """Press the button. Returns where it leads."""
    answer = client.post("/language/", {"language": language, "next": page})
    assert answer.status_code == 302
    return answer.headers["Location"]


# Choice of the language


@pytest.mark.parametrize(
    ("asks_for", "gets"),
    [
        ("", "en"),
        ("en-GB,en;q=0.9", "en"),
        ("fr-FR,fr;q=0.9", "en"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh-hans"),
        ("zh-Hans", "zh-hans"),
        ("zh-TW,zh;q=0.9", "zh-hans"),
        ("fr,zh;q=0.5,en;q=0.2", "zh-hans"),
        ("en-US,en;q=0.9,zh-CN;q=0.8", "en"),
        ("zh\0", "en"),
        (9_999 * "zh-", "en"),
    ],
)
def test_the_language_follows_the_browser(client: Client, asks_for: str, gets: str) -> None:
    assert lang(client.get("/about/", headers={"Accept-Language": asks_for})) == gets


def test_a_chosen_language_overrides_the_browser_and_redirects_back(client: Client) -> None:
    assert choose(client, "zh-hans", "/tasks/?x=1") == "/tasks/?x=1"
    assert lang(client.get("/about/")) == "zh-hans"
    choose(client, "en")
    assert lang(client.get("/about/", headers={"Accept-Language": CHINESE})) == "en"


@pytest.mark.parametrize("language", ["", "fr", "zh", "../../en"])
def test_an_unknown_language_means_the_browser_s(client: Client, language: str) -> None:
    choose(client, "zh-hans")
    choose(client, language)
    assert lang(client.get("/about/")) == "en"


def test_an_invalid_cookie_is_ignored(client: Client) -> None:
    client.cookies["django_language"] = "../x"
    assert lang(client.get("/about/")) == "en"


@pytest.mark.parametrize("page", ["https://example.org/", "//example.org/", "home", ""])
def test_the_choice_leads_nowhere_else(client: Client, page: str) -> None:
    assert choose(client, "zh-hans", page) == "/"


def test_each_language_is_offered_in_its_own_words(client: Client) -> None:
    button = 'value="{}" lang="{}">{}</button>'
    assert button.format("zh-hans", "zh-hans", "中文") in client.get("/about/").text
    chinese = client.get("/about/", headers={"Accept-Language": CHINESE}).text
    assert button.format("en", "en", "English") in chinese


def test_early_refusals_are_in_the_reader_s_language(client: Client) -> None:
    """A thread still has the language of its previous request."""
    assert lang(client.get("/about/?q=%00", headers={"Accept-Language": CHINESE})) == "zh-hans"
    assert lang(client.get("/about/?q=%00")) == "en"


def test_the_admin_is_in_english(cast: Cast) -> None:
    page = cast.doors["admin"].get("/admin/", headers={"Accept-Language": CHINESE})
    assert lang(page) == "en"


# Cached pages


@pytest.mark.parametrize("address", ["/about/", "/tasks/", "/board/small/", "/releases/small/"])
def test_pages_in_different_languages_are_not_mixed_up_by_caches(
    client: Client, release: Release, address: str
) -> None:
    english = client.get(address)
    again = client.get(
        address, headers={"Accept-Language": CHINESE, "If-None-Match": english.headers["ETag"]}
    )
    assert again.status_code == 200
    assert again.headers["ETag"] != english.headers["ETag"]
    assert {"Accept-Language", "Cookie"} <= set(re.split(", *", again.headers["Vary"]))


def test_a_board_is_cached_for_each_language(client: Client, release: Release) -> None:
    chinese = {"Accept-Language": CHINESE}
    pages = [client.get("/board/small/", headers=headers).text for headers in ({}, chinese) * 2]
    assert ["本排行榜还没有" in page for page in pages] == [False, True, False, True]
    assert ["Nothing is published" in page for page in pages] == [True, False, True, False]


# What is for programs


def test_files_are_the_same_in_both_languages(cast: Cast) -> None:
    names = (
        "board-csv", "board-json", "board-latex", "board-markdown", "board-metrics-csv",
        "board-metrics-json", "submission-report", "submission-examples-csv",
        "submission-examples-jsonl", "release-composition", "release-coverage", "healthz", "readyz",
    )  # fmt: skip
    found = {
        address.name: [asked(cast, "admin", "GET", address, **headers).getvalue() for headers in
                       ({}, {"Accept-Language": CHINESE})]
        for address in site_addresses()
        if address.name in names
    }  # fmt: skip
    assert len(found) == len(names)
    assert [name for name, (english, chinese) in found.items() if english != chinese] == []


# Completeness of the translation


# Names, and what is the same in every language.
KNOWN = {
    "API", "Apache", "Atom", "Bench", "ACL", "CORS", "Code", "Content-Length", "Cookie", "CSV",
    "Croissant", "DIR", "Debug", "ETag", "English", "HELMET", "HTML", "InfiniteBench", "InfLLM",
    "GitHub", "HTTPS", "JavaScript",
    "JSON", "LaTeX", "License", "Lines", "MInference", "Markdown", "MiB", "OpenAI", "OpenAPI",
    "OpenCompass",
    "PassKey", "RAG", "README", "RFC", "Retrieve", "Run", "SGLang", "SVG", "Small", "TokenSelect",
    "UTC", "Zhang", "Grep", "Kendall", "cookie", "null", "small", "strict", "tar", "token", "zip",
    "Hub", "Hugging", "Face", "Space", "YAML", "commit", "main",
}  # fmt: skip
NAMES = re.compile(
    r"https?://\S+|[\w.+-]+@[\w.-]+|\w+(?:[_.=/-]\w+)+|--\w+|\{\w+\}|[0-9a-f]{7,}"
    r"|/\w+/|[“（(]\w+[”）)]"  # parts of addresses; fields and methods
    r"|\w+[:<>]\S+|\"pass key\""  # terms of filters
)
ENGLISH = re.compile(r"[A-Za-z]{3,}")
UNREAD = {"bdi", "code", "pre", "script", "style"}  # what people wrote, commands, files
SCRIPTED = ("data-say", "data-label")  # said by a script, or by a stylesheet
SHOWN = ("title", "aria-label", "placeholder", "alt", "label")


class Said(HTMLParser):
    """What a page says: its texts, and attributes that are shown or read aloud."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._within: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        is_nested = self._within[-1:] == [tag]
        if tag in UNREAD or ("lang", "en") in attrs or is_nested:
            self._within.append(tag)
        shown = (value for name, value in attrs if name in SHOWN or name.startswith(SCRIPTED))
        self.texts += filter(None, shown)

    def handle_endtag(self, tag: str) -> None:
        if self._within and self._within[-1] == tag:
            self._within.pop()

    def handle_data(self, data: str) -> None:
        if not self._within:
            self.texts.append(data)


def english_in(page: str) -> list[str]:
    """The texts of a page with an English word that is not known to stay untranslated."""
    return [
        " ".join(text.split())
        for text in Said(page.replace("<wbr>", "")).texts  # within the titles of tasks
        if set(ENGLISH.findall(NAMES.sub("·", text))) - KNOWN
    ]


def left_in(answers: Iterable[Answer]) -> set[str]:
    pages = (one.text for one in answers if "html" in one.headers.get("Content-Type", ""))
    return {text for page in pages for text in english_in(page)}


@pytest.fixture
def cast(alice: User, release: Release, world: Path) -> Cast:
    found = cast_around(
        as_if_scored(make_submission(alice, release, packed_folder(world / "preds")))
    )
    LanguageModel.objects.update(name="千问")  # what users typed is not translated
    Submission.objects.update(prompt_strategy="如论文所述")
    for client in found.doors.values():
        client.cookies.pop("messages", None)  # of their sign-in, which was in English
    return found


def test_no_page_says_anything_in_english(cast: Cast, subtests: pytest.Subtests) -> None:
    for actor, method in product(ACTORS, ("GET", "POST")):
        answers = (
            asked(cast, actor, method, address, Accept_Language=CHINESE)
            for address in site_addresses()
        )
        with subtests.test(actor=actor, method=method):
            assert left_in(answers) == set()


def test_no_state_is_shown_in_english(cast: Cast, subtests: pytest.Subtests) -> None:
    for state in SubmissionState:
        Submission.objects.update(state=state, publish_on=LATER)
        raise_board_version()  # no earlier page is cached
        with subtests.test(state=state):
            assert left_in(pages_about(cast)) == set()


def test_no_failure_is_shown_in_english(cast: Cast) -> None:
    shown = ("submissions", "submission", "review-submission")  # none of which is cached
    for code in FAILURES:
        Evaluation.objects.update(state=EvaluationState.FAILED, failure=code)
        assert left_in(pages_about(cast, shown)) == set(), code


def test_a_form_says_in_chinese_what_is_wrong(client: Client) -> None:
    data = {"username": "a", "email": "x", "password1": "9"}
    answer = client.post("/accounts/signup/", data, headers={"Accept-Language": CHINESE})
    assert "密码太短，至少需要 8 个字符。" in answer.text
    assert english_in(answer.text) == []


ABOUT_SUBMISSIONS = (
    "submissions", "submission", "submission-withdraw", "submission-delete",
    "review", "review-submission", "entry", "language-model", "board",
)  # fmt: skip


def pages_about(cast: Cast, names: Sequence[str] = ABOUT_SUBMISSIONS) -> Iterator[Answer]:
    """The pages on which a submission is shown."""
    for address in site_addresses():
        if address.name in names:
            for actor in ("owner", "reviewer", "admin"):
                yield asked(cast, actor, "GET", address, Accept_Language=CHINESE)
