"""Searching by index or by walking through questions finds what reading every text would find."""

import random
import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.http import QueryDict
from django.test import Client

from leaderboard.examples.example_filter import read_words
from leaderboard.examples.listing import search
from leaderboard.examples.listing.forms import ExampleFilterForm
from leaderboard.examples.listing.neighbours import neighbours
from leaderboard.examples.listing.rows import list_examples
from leaderboard.examples.listing.selection import Selection
from leaderboard.examples.queries import find_question_set
from portal.models import Example, ExampleResult, Release, Submission, User
from tests.leaderboard.examples.conftest import KEYS, LABELS, QUESTIONS, TASK, answered
from tests.support.example_results import change_results

pytestmark = pytest.mark.django_db

# fmt: off
PIECES = [
    "The", "answer", "ANSWER", "他的", "书", "pass", "key", "-", "_", "1e5x", "x", "3.14", "é",
    "他", "naïve", "，", "\n", "  ", "don't", "a/b.txt", "100%", "\\d", "(", "stone",
]
QUERIES = [
    "the", '"the answer"', "answer the", "他的", '"他 书"', "他", "pass", '"pass key"', "x",
    "key 他", "3.14", "14", "é", "naïve", "don't", '"a/b"', "txt", "100%", "stone", "1e5x",
]
# fmt: on
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")


def spelled(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.lower()))} "


def has(text: str, words: tuple[str, ...]) -> bool:
    return all(spelled(word) in spelled(text) for word in words)


@pytest.fixture
def entries(alice: User, board: Release) -> list[Submission]:
    rng = random.Random(1)

    def text() -> str | None:
        return "".join(rng.choice([" ", ""]) + rng.choice(PIECES) for _ in range(rng.randrange(9)))

    return [
        answered(alice, board, f"M{number}", [1.0, 0.0, 0.5, 1.0], [text() for _ in range(4)])
        for number in range(6)
    ]


@pytest.fixture(params=["index", "walk"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(search, "_SAMPLE", 1)
    monkeypatch.setattr(search, "_FIRST", 2)
    monkeypatch.setattr(search, "_MOST_FOUND", 10**9 if request.param == "index" else -1)
    return str(request.param)


def selected(words: str, more: str = "") -> Selection:
    questions = find_question_set(AnonymousUser(), "hf", TASK)
    query = QueryDict(f"{urlencode({'words': words})}&{more}")
    form = ExampleFilterForm(AnonymousUser(), questions, query)
    assert form.is_valid(), form.errors
    return form.selection


def found(words: str, more: str = "") -> list[int]:
    listing = list_examples(selected(words, more), 0)
    assert (listing.next, listing.is_exact) == (None, True)
    assert listing.total == len(listing.rows)
    return [KEYS.index(row.key) for row in listing.rows]


def scanned(query: str) -> Iterator[int]:
    words = read_words(query)
    for index, texts in enumerate(zip(QUESTIONS, LABELS, strict=True)):
        results = ExampleResult.objects.filter(index=index, prediction__isnull=False)
        predictions = map(str, results.values_list("prediction", flat=True))
        if any(has(text, words) for text in (" ".join(texts), *predictions)):
            yield index


@pytest.mark.usefixtures("entries", "way")
def test_both_ways_find_what_a_scan_finds() -> None:
    for query in QUERIES:
        assert found(query) == list(scanned(query)), query


@pytest.mark.usefixtures("way")
def test_words_apart_are_not_one_word(entries: list[Submission]) -> None:
    change_results(ExampleResult.objects.all(), prediction="nothing")
    change_results(ExampleResult.objects.filter(index__in=(1, 2)), prediction="1e5 x")
    last = ExampleResult.objects.filter(evaluation__submission=entries[-1])
    change_results(last.filter(index=1), prediction="or 1e5x?")
    assert found("1e5x") == [1]


def test_what_holds_of_an_answer_holds_of_the_one_with_the_words(
    entries: list[Submission], way: str
) -> None:
    change_results(
        ExampleResult.objects.filter(evaluation__submission=entries[4]), prediction="emerald"
    )
    assert found("emerald", "is=wrong") == [1]
    assert found("emerald", f"entry={entries[4].entry_id}") == [0, 1, 2, 3]
    assert found("emerald", f"entry={entries[3].entry_id}") == []


@pytest.mark.usefixtures("way")
def test_neighbours_stay_within_the_filter(entries: list[Submission]) -> None:
    change_results(ExampleResult.objects.filter(index__in=(0, 1, 3)), prediction="emerald")

    def around(query: str, key: str) -> tuple[str | None, str | None]:
        questions = find_question_set(AnonymousUser(), "hf", TASK)
        nearest = neighbours(AnonymousUser(), questions, query, key)
        assert nearest
        return nearest[:2]

    assert around("words=emerald", KEYS[1]) == (KEYS[0], KEYS[3])
    assert around("words=emerald&sort=-tokens", KEYS[0]) == (KEYS[1], KEYS[3])
    assert around("words=emerald", KEYS[0]) == (None, KEYS[1])
    assert around("", KEYS[1]) == (KEYS[0], KEYS[2])
    assert around("", KEYS[3]) == (KEYS[2], None)
    assert around("hops=2", KEYS[0]) == (None, KEYS[2])
    assert around("words=emerald&is=wrong", KEYS[3]) == (None, KEYS[1])


def test_a_long_prediction_is_stored_and_its_beginning_is_searched(
    alice: User, board: Release
) -> None:
    """A word of a megabyte, a megabyte of words, and one of different Chinese characters."""
    many = " ".join(f"w{number}" for number in range(150_000))
    chinese = "".join(chr(0x4E00 + number % 20_000) for number in range(340_000))
    texts = [
        "first " + "x" * (1 << 20),
        f"second {many} last",
        f"third {chinese}",
        "\U0001f600" * 250_000,
    ]
    answered(alice, board, "Long", [1.0, 1.0, 1.0, 1.0], texts)
    assert [found(word) for word in ("first", "second", "w2000", "third", "last")] == [
        [0], [1], [1], [2], [],
    ]  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(
            "SELECT DISTINCT block FROM portal_exampleresult"
            f" WHERE words @> portal_result_words('{TASK}', ARRAY['second'])"
        )
        assert cursor.fetchall() == [(0,)]


def test_a_page_that_is_not_full_is_followed_by_the_rest(
    entries: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "PATIENCE", 0.0)
    monkeypatch.setattr(search, "_CHUNK", 1)
    change_results(ExampleResult.objects.filter(index=3), prediction="emerald")
    selection = selected("emerald")
    pages = [list_examples(selection, 0)]
    while (start := pages[-1].next) is not None:
        pages.append(list_examples(selection, start))
    assert [[row.key for row in page.rows] for page in pages] == [[], [], [], [KEYS[3]]]
    assert not any(page.is_exact for page in pages)


def test_a_word_without_a_letter_of_the_database_is_refused(entries: list[Submission]) -> None:
    """To Python “²” is a digit, but to the database it is not a letter."""
    questions = find_question_set(AnonymousUser(), "hf", TASK)
    form = ExampleFilterForm(AnonymousUser(), questions, QueryDict("words=²"))
    assert form.has_error("words", "no_word")


def test_options_are_part_of_the_question(entries: list[Submission]) -> None:
    Example.objects.filter(key=KEYS[2]).update(options=["emerald\ngreen", "sky"])
    assert found("green") == [2]
    assert found('"green sky"') == [2]


def test_beyond_the_last_example_there_is_no_next_page(client: Client, good: Submission) -> None:
    found = client.get(f"/examples/hf/{TASK}.json?words=answer&from=999999").json()
    assert (found["examples"], found["next"]) == ([], None)
