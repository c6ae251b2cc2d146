"""Sentences made from tables."""

from itertools import pairwise

import pytest

from scoring.generators.draws import seeded
from scoring.generators.grammar import Grammar, Memory

PETS = Grammar(
    {"pet": ("[size] cat", "[size] dog"), "size": "small"},
    {"both": "[Pet], [who]", "pick": "{red|blue {fish|bird}} at home\nnothing|a | b"},
    words=frozenset({"who"}),
)


def test_symbols_are_expanded_recursively() -> None:
    rng = seeded("pets")
    assert {PETS.say("pet", rng) for _ in range(50)} == {"small cat", "small dog"}


def test_lines_bars_and_braces_are_choices() -> None:
    rng = seeded("choices")
    fish = {"red at home", "blue fish at home", "blue bird at home"}
    assert {PETS.say("pick", rng) for _ in range(200)} == {*fish, "nothing", "a ", " b"}


def test_words_come_before_the_table_and_capitals_are_kept() -> None:
    assert PETS.say("pet", seeded(1), {"size": "Danish"})[:7] == "Danish "
    assert PETS.say("both", seeded(1), {"who": "and Effie"})[:6] == "Small "
    assert PETS.say("both", seeded(1), {"who": "and Effie"}).endswith(", and Effie")


def test_a_literal_word_is_capitalised_too() -> None:
    assert Grammar({"greet": "[Who]!"}, words=frozenset({"who"})).say(
        "greet", seeded(1), {"who": "everybody"}
    ) == "Everybody!"  # fmt: skip


def test_a_table_with_an_undefined_slot_is_an_error() -> None:
    with pytest.raises(ValueError, match="no phrase for nobody"):
        Grammar({"one": "[nobody]"})


def test_an_unknown_symbol_or_word_is_an_error() -> None:
    with pytest.raises(KeyError, match="nobody"):
        PETS.say("nobody", seeded(1))
    with pytest.raises(KeyError, match="who"):
        PETS.say("both", seeded(1))


def test_no_phrase_is_repeated_in_a_row() -> None:
    rng, before = seeded("rows"), Memory()
    said = [PETS.say("pick", rng, before=before) for _ in range(200)]
    assert all(one != another for one, another in pairwise(said))


def test_the_same_seed_says_the_same() -> None:
    assert [PETS.say("pet", seeded(3)) for _ in range(9)] == [PETS.say("pet", seeded(3))] * 9
