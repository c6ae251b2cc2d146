"""Windows of a text through its index equal slices of the whole text."""

import io
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.text.text_index import (
    CHARACTERS,
    TOKENS,
    IndexedText,
    WindowError,
    build_index,
    size_of,
)

# Long enough for several pieces, with characters of one to four bytes.
LONG = "".join("aé中𝄞"[(index * 7 + index // 3) % 4] for index in range(3 * CHARACTERS + 5))


def cut(size: int, step: int) -> bytes:
    """Tokens of this many bytes each, as if there were such a vocabulary."""
    return bytes([step] * (size // step) + ([size % step] if size % step else []))


def indexed(text: str, lengths: bytes | None, tokens: int = 0) -> IndexedText:
    index = build_index(text, tokens if lengths is None else len(lengths), lengths)
    return IndexedText(io.BytesIO(text.encode()), io.BytesIO(index))


texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60).map(lambda text: text * 40)
shares = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted)


@given(texts, st.integers(1, 9), shares)
def test_characters_are_those_of_the_text(text: str, step: int, share: list[float]) -> None:
    start, end = (round(part * len(text)) for part in share)
    lengths = cut(len(text.encode()), step)
    window = indexed(text, lengths).by_characters(start, end)
    assert (window.text, window.characters) == (text[start:end], (start, end))
    if window.text:
        ends = list(accumulate(lengths))
        first, last = len(text[:start].encode()), len(text[:end].encode())
        covering = [i for i, n in enumerate(ends) if n > first and n - lengths[i] < last]
        assert window.tokens == (covering[0], covering[-1] + 1)


@given(texts, st.integers(1, 9), shares)
def test_tokens_are_whole_characters_and_none_is_lost_between(
    text: str, step: int, share: list[float]
) -> None:
    lengths = cut(len(text.encode()), step)
    read = indexed(text, lengths)
    start, end = (round(part * len(lengths)) for part in share)
    parts = [read.by_tokens(*span) for span in ((0, start), (start, end), (end, len(lengths)))]
    assert "".join(part.text for part in parts) == text
    for part in parts:
        assert text[slice(*part.characters)] == part.text


@pytest.mark.parametrize("characters", [1, CHARACTERS - 1, CHARACTERS, CHARACTERS + 1, len(LONG)])
def test_pieces_end_where_they_should(characters: int) -> None:
    text = LONG[:characters]
    read = indexed(text, cut(len(text.encode()), 1))
    for place in range(characters):
        assert read.by_characters(place, place + 1).text == text[place]


@pytest.mark.parametrize("tokens", [1, TOKENS - 1, TOKENS, TOKENS + 1, 2 * TOKENS, 2 * TOKENS + 1])
def test_tokens_begin_where_they_should(tokens: int) -> None:
    text = "ab" * tokens
    read = indexed(text, bytes([2] * tokens))
    for place in (0, tokens // 2, tokens - 1):
        assert read.by_tokens(place, place + 1) == (
            "ab",
            (2 * place, 2 * place + 2),
            (place, place + 1),
            False,
        )
        assert read.by_characters(2 * place + 1, 2 * place + 2).tokens == (place, place + 1)


def test_estimated_tokens_are_a_share_of_the_text_and_say_so() -> None:
    window = indexed("x" * 1_000, None, tokens=100).by_tokens(10, 20)
    assert (len(window.text), window.characters, window.estimated) == (100, (100, 200), True)
    assert indexed("é" * 500, None, tokens=7).by_tokens(0, 7).text == "é" * 500


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 1), (0, 6), (6, 6)])
def test_a_window_outside_the_text_is_refused(start: int, end: int) -> None:
    read = indexed("abcde", bytes([1] * 5))
    for window in (read.by_characters, read.by_tokens):
        with pytest.raises(WindowError, match="the text has 5"):
            window(start, end)


def damaged(text: str, keep_text: int | None = None, keep_index: int | None = None) -> IndexedText:
    """A text of several pieces, in tokens of two bytes, with one of its files cut short."""
    data = text.encode()
    lengths = cut(len(data), 2)
    index = build_index(text, len(lengths), lengths)
    return IndexedText(io.BytesIO(data[:keep_text]), io.BytesIO(index[:keep_index]))


@pytest.mark.parametrize("text", [LONG * 3, "ab" * 3 * TOKENS], ids=["any", "ASCII"])
def test_a_text_or_an_index_that_ends_too_early_is_an_error(text: str) -> None:
    for cut_short in (damaged(text, keep_text=100), damaged(text, keep_index=34)):
        tokens = cut_short.size.tokens
        with pytest.raises(WindowError, match="damaged"):
            cut_short.by_characters(len(text) - 10, len(text) - 5)
        with pytest.raises(WindowError, match="damaged"):
            cut_short.by_tokens(tokens - 10, tokens - 5)


def test_an_index_that_names_places_beyond_the_text_is_an_error() -> None:
    index = bytearray(build_index(LONG, 10, None))
    index[-8:] = b"\xff" * 8
    read = IndexedText(io.BytesIO(LONG.encode()), io.BytesIO(index))
    with pytest.raises(WindowError, match="damaged"):
        read.by_characters(len(LONG) - 2, len(LONG) - 1)


def test_a_text_with_another_length_than_its_index_says_is_an_error() -> None:
    """It has as many bytes, but fewer characters."""
    index = build_index("abcdef", 3, bytes([2] * 3))
    with pytest.raises(WindowError, match="damaged"):
        IndexedText(io.BytesIO("ab中f".encode()), io.BytesIO(index)).by_characters(0, 6)


@pytest.mark.parametrize("text", ["", "a", LONG, "ab" * 2 * TOKENS])
@pytest.mark.parametrize("counted", [True, False])
def test_the_head_of_an_index_gives_its_length(text: str, counted: bool) -> None:
    lengths = cut(len(text.encode()), 2)
    index = build_index(text, len(lengths), lengths if counted else None)
    assert size_of(index).index_size == len(index)


def test_other_files_are_no_index() -> None:
    for data in (b"", b"windows", b"x" * 100):
        with pytest.raises(WindowError):
            size_of(data)


class Counted(io.BytesIO):
    """A file that counts how much of it was read."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.taken += len(data)
        return data


@pytest.mark.parametrize("piece", ["a", "中", "𝄞b"])
def test_only_a_small_part_of_a_long_text_is_read(piece: str) -> None:
    text = piece * 500_000
    data = text.encode()
    lengths = cut(len(data), 3)
    files = Counted(data), Counted(build_index(text, len(lengths), lengths))
    read = IndexedText(*files)
    read.by_tokens(len(lengths) // 2, len(lengths) // 2 + 100)
    read.by_characters(len(text) - 100, len(text))
    assert sum(file.taken for file in files) < 40_000


@given(texts, st.integers(1, 9), shares, st.booleans())
def test_bytes_are_whole_characters(
    text: str, step: int, share: list[float], is_estimated: bool
) -> None:
    data = text.encode()
    lengths = cut(len(data), step)
    read = indexed(text, None if is_estimated else lengths, len(lengths))
    start, end = (round(part * len(data)) for part in share)
    parts = [read.by_bytes(*span) for span in ((0, start), (start, end), (end, len(data)))]
    assert "".join(part.text for part in parts) == text
    for part in parts:
        assert text[slice(*part.characters)] == part.text


@given(texts, st.integers(1, 9), st.booleans())
def test_a_byte_is_in_the_last_token_that_begins_before_it(
    text: str, step: int, is_estimated: bool
) -> None:
    size = len(text.encode())
    lengths = cut(size, step)
    read = indexed(text, None if is_estimated else lengths, len(lengths))
    begins = [read.byte_of_token(token) for token in range(len(lengths) + 1)]
    for place in (0, size // 3, size // 2, size - 1, size):
        assert read.token_with_byte(place) == sum(begin <= place for begin in begins) - 1
