"""Word-by-word differences of two texts: complete, readable, and in bounded time."""

import time
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.explanations.differences import LONGEST, Segment, shortened, word_differences
from scoring.explanations.text_alignment import common_passages, common_words


def marked(a: str, b: str) -> str:
    """Both texts merged, with [-what only a has-] and {+what only b has+}."""
    signs = {"equal": ("", "", ""), "only_a": ("[-", "", "-]"), "only_b": ("{+", "+}", "")}
    parts = []
    for kind, part_a, part_b in word_differences(a, b):
        text = b[slice(*part_b)] if kind == "only_b" else a[slice(*part_a)]
        parts.append(f"{signs[kind][0]}{text}{signs[kind][1]}{signs[kind][2]}")
    return "".join(parts)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("The key is 12345.", "12345", "[-The key is -]12345[-.-]"),
        ("in the garden", "in the old garden", "in the {+old +}garden"),
        ("the catalogue", "the cat", "the [-catalogue-]{+cat+}"),
        ("a cat ran", "a dog ran", "a [-cat-]{+dog+} ran"),
        ("the  red cat", "the red cat", "the [- -]red cat"),
        ("the cat \n", "the cat\n", "the cat[- -]\n"),
        ("他在北京大学。", "他在上海大学", "他在[-北京-]{+上海+}大学[-。-]"),
        ("学了Python3", "学了Python", "学了[-Python3-]{+Python+}"),
        # A shared article is a coincidence.
        ("who the man is", "that the sky fell", "[-who the man is-]{+that the sky fell+}"),
        ("", "x", "{+x+}"),
        ("same", "same", "same"),
        ("", "", ""),
    ],
)  # fmt: skip
def test_words_are_compared_and_ideographs_one_by_one(a: str, b: str, expected: str) -> None:
    assert marked(a, b) == expected


WORDS = st.lists(
    st.sampled_from(["ab", "c", "的", "是", " ", "\n", "  ", ".", "x1", "é"]), max_size=40
)
TEXTS = st.one_of(WORDS.map("".join), st.text(max_size=60))


@given(TEXTS, TEXTS)
def test_the_segments_are_all_of_both_texts(a: str, b: str) -> None:
    segments = word_differences(a, b)
    assert_complete(segments, a, b)
    assert_complete(shortened(segments, 3), a, b)
    for kind, part_a, part_b in segments:
        assert kind != "equal" or a[slice(*part_a)] == b[slice(*part_b)] != ""
        assert kind != "only_a" or part_b[0] == part_b[1]
        assert kind != "only_b" or part_a[0] == part_a[1]
    assert all(before.kind != after.kind for before, after in pairwise(segments))


def assert_complete(segments: Sequence[Segment], a: str, b: str) -> None:
    assert "".join(a[slice(*segment.a)] for segment in segments) == a
    assert "".join(b[slice(*segment.b)] for segment in segments) == b


@given(
    st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abcd"), max_size=30)
)
def test_equal_words_are_a_longest_common_subsequence(a: list[str], b: list[str]) -> None:
    @cache
    def longest(i: int, j: int) -> int:
        if i == len(a) or j == len(b):
            return 0
        both = 1 + longest(i + 1, j + 1) if a[i] == b[j] else 0
        return max(both, longest(i + 1, j), longest(i, j + 1))

    pairs = common_words(a, b)[::-1]
    assert len(pairs) == longest(0, 0)
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(pairs))


def test_phrases_of_long_texts_are_found_after_parts_were_inserted_and_moved() -> None:
    rng = Random(1)
    text = "".join(rng.choices("的一是了我不人在他有这个上们来到", k=20_000))
    changed = text[:5_000] + "新" + text[6_000:9_000] + text[15_000:] + text[9_000:15_000]
    runs = common_passages(text, changed)
    assert all(text[i : i + size] == changed[j : j + size] for i, j, size in runs)
    assert sum(size for _, _, size in runs) > 13_500
    equal = [part for part in word_differences(text, changed) if part.kind == "equal"]
    assert sum(end - start for _, (start, end), _ in equal) > 13_500


def test_what_is_far_from_any_difference_is_left_out() -> None:
    a, b = "x " * 900 + "old " + "y " * 900, "x " * 900 + "new " + "y " * 900
    parts = shortened(word_differences(a, b), 100)
    assert [part.kind for part in parts] == [
        "left_out", "equal", "only_a", "only_b", "equal", "left_out",
    ]  # fmt: skip
    assert [part.a[1] - part.a[0] for part in parts] == [1700, 100, 3, 0, 100, 1701]


def test_the_end_of_a_text_that_is_too_long_is_not_compared() -> None:
    text = "word " * (LONGEST // 5 + 10)
    *_, last = word_differences(text, text[:100])
    assert last == Segment("not_compared", (LONGEST, len(text)), (100, 100))


@pytest.mark.parametrize("edits", [0, 300, 20_000, None])
@pytest.mark.parametrize(
    "words", [[f"w{number} " for number in range(2_000)], list("的一是了我不人在他有")]
)
def test_two_texts_of_200_000_characters_take_a_bounded_time(
    words: list[str], edits: int | None
) -> None:
    rng = Random(2)
    a, b = ("".join(rng.choices(words, k=200_000))[:200_000] for _ in range(2))
    if edits is not None:
        letters = list(a)
        for place in rng.sample(range(len(a)), edits):
            letters[place] = "Ω"
        b = "".join(letters)
    assert any(seconds_of(a, b) < 0.4 for _ in range(3))  # on a busy machine; when idle half


def seconds_of(a: str, b: str) -> float:
    """The processor time that comparing them takes."""
    started = time.process_time()
    segments = word_differences(a, b)
    seconds = time.process_time() - started
    assert_complete(segments, a, b)
    return seconds
