"""The filter language: printing and parsing round-trip, and errors say where they are."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.examples.filter_language import parse_filter
from leaderboard.examples.filters import RANGES, SORTS, STATES, Filter, FilterError, Range
from scoring.metrics import METRIC_SETS

words = st.text(st.characters(categories=("L", "N", "P", "Zs"), exclude_characters='"“”„＂')).map(
    lambda text: " ".join(text.split())
)
searched = words.filter(lambda text: any(one.isalnum() for one in text) and len(text) < 40)
values = st.from_regex(r"[a-z0-9]{1,6}( [a-z0-9(/%#]{1,6})?", fullmatch=True)


@st.composite
def ranges(draw: st.DrawFn, name: str) -> Range:
    integers = name in ("tokens", "length", "hops")
    number = st.integers(0, 3_000_000) if integers else st.integers(0, 1000).map(lambda n: n / 1000)
    low, high = sorted([draw(number), draw(number)])
    ends = draw(st.sampled_from([(low, None), (None, high), (low, high), (low, low)]))
    is_point = ends[0] == ends[1]
    above, below = (draw(st.booleans()) and not is_point and end is not None for end in ends)
    return Range(_float(ends[0]), _float(ends[1]), above, below)


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)


@st.composite
def filters(draw: st.DrawFn) -> Filter:
    def some(of: st.SearchStrategy[str], most: int = 2) -> tuple[str, ...]:
        return tuple(draw(st.lists(of, max_size=most, unique=True)))

    names = draw(st.lists(st.sampled_from(list(RANGES)), unique=True, max_size=2))
    return Filter(
        words=tuple(draw(st.lists(searched.map(_typed), max_size=3, unique=True))),
        ranges=tuple((name, draw(ranges(name))) for name in RANGES if name in names),
        kinds=some(values),
        entries=some(values),
        solved=some(values, 1),
        states=some(st.sampled_from(list(STATES))),
        metric_set=draw(st.sampled_from(list(METRIC_SETS))),
        sort=draw(st.sampled_from([*SORTS, "-difficulty"])),
    )


def _typed(word: str) -> str:
    """The text as the parser sees it: Chinese punctuation counts as its ASCII counterpart."""
    return parse_filter(f'"{word}"').words[0]


@settings(max_examples=50)
@given(filters())
def test_what_is_printed_is_read_as_the_same(one: Filter) -> None:
    if len(str(one)) <= 500:
        assert parse_filter(str(one)) == one


@settings(max_examples=50)
@given(st.text(max_size=60))
def test_any_text_is_a_filter_or_an_error_with_a_place(text: str) -> None:
    found = _outcome(text)
    if isinstance(found, FilterError):
        start, end = found.place
        assert 0 <= start < end <= len(text)
        assert "".join(found.parts) == text
        assert found.sentence
        assert found.fix
    else:
        assert parse_filter(str(found)) == found


def _outcome(text: str) -> Filter | FilterError:
    try:
        return parse_filter(text)
    except FilterError as error:
        return error


def test_the_example_of_the_help_is_read() -> None:
    query = 'score<0.5 model:gpt-4 tokens>100k depth:0.2..0.4 "pass  key" 他的'
    assert parse_filter(query) == Filter(
        words=("pass key", "他的"),
        ranges=(
            ("tokens", Range(low=100_000, above=True)),
            ("depth", Range(0.2, 0.4)),
            ("score", Range(high=0.5, below=True)),
        ),
        models=("gpt-4",),
    )


@pytest.mark.parametrize(
    ("query", "code", "part"),
    [
        ("one colour:red", "unknown_field", "colour:red"),
        ("depth:deep", "no_number", "depth:deep"),
        ("kind>3", "no_number", "kind>3"),
        ("tokens:", "no_number", "tokens:"),
        ("kind:", "no_value", "kind:"),
        ("is:green", "unknown_value", "is:green"),
        ("set:strict set:official-2024-06", "twice", "set:official-2024-06"),
        ("tokens>9 tokens<5", "no_overlap", "tokens<5"),
        ("depth:0.4..0.2", "no_overlap", "depth:0.4..0.2"),
        ('a "b c', "open_quote", '"b c'),
        ('kind:"b c', "open_quote", 'kind:"b c'),
        ("… a", "no_word", "…"),
        (" ".join(f"w{number}" for number in range(13)), "too_many_words", "w12"),
        ("x" * 501, "too_long", "x"),
    ],
)
def test_an_error_says_where_it_is(query: str, code: str, part: str) -> None:
    with pytest.raises(FilterError) as found:
        parse_filter(query)
    assert (found.value.code, found.value.parts[1]) == (code, part)


def test_ranges_of_one_field_are_intersected() -> None:
    assert str(parse_filter("tokens>1K tokens<=5K tokens>2K")) == "tokens>2K tokens<=5K"
