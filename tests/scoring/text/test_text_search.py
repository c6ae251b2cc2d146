"""A search in pieces finds what a search through the whole text finds."""

import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.text import text_search
from scoring.text.text_search import Needle, find_in, tally, telling_words

Span = tuple[int, int]

# Few, so that they match; some change length in UTF-8 or have more than one lower case.
ALPHABET = "aAbkKéÉжЖßẞſSȺⱥǅǆ中文𝄞\n \u212a\u0301"
texts = st.text(ALPHABET, max_size=40)
queries = st.text(ALPHABET, min_size=1, max_size=4)


def finds(character: str, other: str) -> bool:
    """Whether a character of a query matches this one of a text."""
    if character.isascii() or other.isascii():
        return character.isascii() and other.isascii() and character.lower() == other.lower()
    return other in (character, character.lower(), character.upper(), character.title())


def naive(query: str, text: str) -> list[Span]:
    """Positions in bytes, found by comparing characters at every position."""
    found, place = [], 0
    while place + len(query) <= len(text):
        part = text[place : place + len(query)]
        if all(map(finds, query, part)):
            start = len(text[:place].encode())
            found.append((start, start + len(part.encode())))
            place += len(query)
        else:
            place += 1
    return found


def found_in(text: str, query: str) -> list[Span]:
    return list(Needle(query).find(io.BytesIO(text.encode())))


@given(queries, texts, st.integers(1, 12))
@example("aa", "aaaaa", 1)
@example("ȺA", "ⱥaȺⱥa", 3)
@example("文文", "文文文文", 2)
def test_every_size_of_pieces_finds_the_same(query: str, text: str, piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_search, "PIECE", piece)
        assert found_in(text, query) == naive(query, text)


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=5), texts)
def test_any_string_finds_itself(query: str, before: str) -> None:
    assert found_in(query, query) == [(0, len(query.encode()))]
    assert found_in(before + query, query)


@pytest.mark.parametrize(
    ("query", "text", "count"),
    [
        ("Straße", "STRAßE straße", 2),
        ("Straße", "STRASSE", 0),
        ("МОСКВА", "Москва", 1),
        ("ÉTÉ", "été e\u0301te\u0301", 1),
        ("k", "\u212a K", 1),
        ("他的", "他的书，他的", 2),
        ("a.c", "abc a.c", 1),
    ],
)
def test_case_does_not_count(query: str, text: str, count: int) -> None:
    assert len(found_in(text, query)) == count


def test_nothing_is_no_query() -> None:
    with pytest.raises(ValueError, match="nothing"):
        Needle("")


@given(st.lists(st.integers(0, 99), unique=True).map(sorted), st.integers(0, 99))
def test_occurrences_are_told_apart_by_a_place(starts: list[int], place: int) -> None:
    spans = [(start, start + 1) for start in starts]
    found = tally(spans, place, 2, [30, 60])
    earlier = [span for span in spans if span[0] < place]
    assert (found.total, found.earlier) == (len(spans), len(earlier))
    assert list(found.before) == earlier[-2:]
    assert found.after == spans[len(earlier) :][:2]
    thirds = [(0, 30), (30, 60), (60, 100)]
    assert found.bins == [sum(a <= start < b for start in starts) for a, b in thirds]


@given(queries, texts)
def test_places_in_a_short_text_are_characters(query: str, text: str) -> None:
    data = text.encode()
    found = [
        (len(data[:start].decode()), len(data[:end].decode())) for start, end in naive(query, text)
    ]
    assert find_in(text, query) == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The pass key is 71432, the PASS key!", ["pass", "71432"]),
        ("It is in the old oak", []),
        ("他住在北京", ["他住", "住在", "在北", "北京"]),
        ("王先生 met Mr. Wang in 1998", ["王先生", "Wang", "1998"]),
        ("", []),
    ],
)
def test_words_worth_a_search(text: str, words: list[str]) -> None:
    assert telling_words(text, 20) == words
    assert telling_words(text, 1) == words[:1]
