"""The text of a window as HTML: complete, and nothing but text."""

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.examples.context.text import Mark, html_of
from scoring.text.text_index import Window

texts = st.text("ab<>&\"'\n\u202e\u200b\0\ufeff中𝄞", max_size=30)
places = st.integers(0, 30)
marks = st.lists(st.tuples(places, places, st.sampled_from(["hit", "evidence"])), max_size=4)


def window(text: str, start: int = 0) -> Window:
    return Window(text, (start, start + len(text)), (0, 1), estimated=False)


def parsed(text: str, *marked: Mark, line: int | None = None) -> BeautifulSoup:
    html = html_of(window(text), marked, 0, line, begins_line=True)
    return BeautifulSoup(html, "html.parser")


@given(texts, marks, places, st.booleans())
def test_it_is_the_text_and_nothing_else(
    text: str, spans: list[tuple[int, int, str]], place: int, is_numbered: bool
) -> None:
    marked = [Mark((min(a, b), max(a, b)), kind) for a, b, kind in spans]
    html = html_of(window(text), marked, place, 7 if is_numbered else None, begins_line=True)
    page = BeautifulSoup(f"<pre>{html}</pre>", "html.parser").pre  # which keeps white space
    assert page
    assert {tag.name for tag in page.find_all()} <= {"mark", "i", "span"}
    for sign in page.select("i.control"):
        sign.replace_with(chr(int(str(sign["data-code"]), 16)))
    assert page.get_text() == text
    covered = {place for a, b, _ in spans for place in range(min(a, b), min(max(a, b), len(text)))}
    assert len("".join(mark.get_text() for mark in page.select("mark"))) == len(covered)


def test_marks_that_overlap_are_all_named() -> None:
    page = parsed("abcdef", Mark((0, 4), "evidence"), Mark((2, 6), "hit"))
    found = [(mark["class"], mark.get_text()) for mark in page.select("mark")]
    assert found == [(["evidence"], "ab"), (["evidence", "hit"], "cd"), (["hit"], "ef")]


def test_each_line_is_numbered_where_it_begins() -> None:
    page = parsed("one\n\nthree\n", Mark((0, 9), "hit"), line=9)
    assert [str(one["data-line"]) for one in page.select("i.line")] == ["9", "10", "11"]
    before = [one.next_element for one in page.select("i.line")]
    assert [str(one)[:2] for one in before] == ["on", "\n", "th"]


def test_a_line_that_began_before_has_no_number() -> None:
    html = html_of(window("e\ntwo", 2), [], 2, 1, begins_line=False)
    lines = BeautifulSoup(html, "html.parser").select("i.line")
    assert [str(one["data-line"]) for one in lines] == ["2"]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("a\u202eb", ["202E"]),
        ("\ufeffa\u2066", ["FEFF", "2066"]),
        ("a\0\x1b\x9f", ["0000", "001B", "009F"]),
        ("\U000e0041", ["E0041"]),
        ("a\rb", ["000D"]),
        ("a\r\nb\tc", []),
        ("👩\u200d👧 \u0645\u06cc\u200c\u062e", []),  # joiners of emoji, and of Persian
    ],
)
def test_characters_that_nobody_sees_are_shown(text: str, codes: list[str]) -> None:
    assert [str(one["data-code"]) for one in parsed(text).select("i.control")] == codes
