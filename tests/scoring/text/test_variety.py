"""Variety of a text: how well it compresses, and how many sentences occur only once."""

import pytest

from scoring.generators.draws import seeded, uuid
from scoring.text.variety import sentences, variety


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ('"Go," she said. "Now."\nHe went.', ['"Go," she said.', '"Now."', "He went."]),
        ("It cost 3.5 crowns at a.b.c. Well", ["It cost 3.5 crowns at a.b.c.", "Well"]),
        ("雨停了。“走吧！”她说。\n第二回", ["雨停了。", "“走吧！”", "她说。", "第二回"]),
        ("\n\n", []),
        ("", []),
    ],
)
def test_sentences_end_with_their_stop_or_the_line(text: str, found: list[str]) -> None:
    assert list(sentences(text)) == found


def test_the_same_again_and_again_is_not_varied() -> None:
    found = variety(["Here we go. There and back again.\n"] * 500)
    assert (found.sentences, found.distinct) == (1_000, 0.002)
    assert found.compressed < 0.02


def test_sentences_that_differ_are_distinct_and_noise_does_not_compress() -> None:
    rng = seeded("variety")
    found = variety(f"{uuid(rng)}.\n" for _ in range(500))
    assert (found.sentences, found.distinct) == (500, 1)
    assert found.compressed > 0.5


def test_how_a_text_is_cut_into_pieces_makes_no_difference() -> None:
    lines = [f"Line {number} of many. And more.\n" for number in range(100)]
    assert variety(lines) == variety(["".join(lines)])


def test_a_text_without_a_sentence_has_none() -> None:
    assert variety([]).sentences == 0
