"""The filter of a list of examples prints itself back, and defaults are not part of it."""

import pytest
from django.http import QueryDict
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.examples.choice import Choice
from leaderboard.examples.example_filter import ExampleFilter, Range, print_words, read_words


def test_the_filter_of_everything_is_empty() -> None:
    assert str(ExampleFilter()) == ""


def test_a_filter_prints_its_conditions_in_a_fixed_order() -> None:
    chosen = ExampleFilter(
        words=("pass key", "他的"), solved=("a", "b"), higher=(("a", "b"),),
        score=Range(high=50.0), tokens=Range(131_072, 1_500_000), depth=Range(0.2, 0.4), hops=0,
        kinds=("x & y", "z"), states=("wrong",), sort="-tokens",
    )  # fmt: skip
    assert list(QueryDict(str(chosen)).lists()) == [
        ("words", ['"pass key" 他的']), ("solved", ["a,b"]), ("higher", ["a,b"]),
        ("score_to", ["50"]), ("tokens_from", ["131072"]), ("tokens_to", ["1.5M"]),
        ("depth_from", ["0.2"]), ("depth_to", ["0.4"]), ("hops", ["0"]), ("kind", ["x & y", "z"]),
        ("is", ["wrong"]), ("sort", ["-tokens"]),
    ]  # fmt: skip


@settings(max_examples=50)
@given(st.text(max_size=60))
def test_words_are_read_as_they_are_printed(text: str) -> None:
    words = read_words(text)
    assert read_words(print_words(words)) == words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("is=wrong", "is=wrong"),
        ("solved=a,b&words=a+b#c", "solved=a,b&words=a+b%23c"),
        ("&" * 5_000, ""),
        ("words=" + "x" * 10_000, ""),
    ],
)
def test_the_list_of_an_example_page_can_follow_any_address(text: str, expected: str) -> None:
    query = QueryDict(mutable=True)
    query["list"] = text
    assert Choice.from_query(query).list_query == expected
