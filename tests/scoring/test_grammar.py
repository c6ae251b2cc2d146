"""Sentences out of tables."""

import pytest

from scoring.synthetic.draws import seeded
from scoring.synthetic.grammar import Grammar

PETS = Grammar(
    {"pet": ("{size} cat", "{size} dog"), "size": ("small",)}, {"both": ("{Pet}, {who}",)}
)


def test_a_name_stands_for_any_of_its_texts_and_they_for_theirs() -> None:
    rng = seeded("pets")
    assert {PETS.tell(rng, "pet") for _ in range(50)} == {"small cat", "small dog"}


def test_words_come_before_the_table_and_capitals_are_kept() -> None:
    assert PETS.tell(seeded(1), "pet", {"size": "Danish"})[:7] == "Danish "
    assert PETS.tell(seeded(1), "both", {"who": "and Effie"})[:6] == "Small "


def test_a_name_that_nobody_knows_is_an_error() -> None:
    with pytest.raises(KeyError, match="who"):
        PETS.tell(seeded(1), "both")


def test_the_same_seed_tells_the_same() -> None:
    assert [PETS.tell(seeded(3), "pet") for _ in range(9)] == [PETS.tell(seeded(3), "pet")] * 9
