"""Wrong labels come first in the list of suspects."""

from typing import TypeAlias

import numpy as np
import pytest

from scoring.item_analysis.items import Floats
from scoring.item_analysis.suspects import chance_agreement, suspects
from tests.scoring.item_analysis.readers import world

MAKERS = list("aaabbbccddee")
RATES = [0.05, 0.1, 0.2, 0.1, 0.15, 0.3, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6]


@pytest.mark.parametrize("seed", range(5))
def test_of_20_wrong_labels_in_1000_at_least_16_are_among_the_first_50_suspects(seed: int) -> None:
    scores, wrong, wrong_labels, *_ = world(seed, MAKERS, RATES)
    first = {one.question for one in suspects(scores, wrong, MAKERS)[:50]}
    assert len(first & wrong_labels) >= 16


def test_without_wrong_labels_few_suspects_have_strong_evidence() -> None:
    with_wrong, without = (
        suspects(*world(1, MAKERS, RATES, wrong_labels=count)[:2], MAKERS) for count in (20, 0)
    )
    assert sum(one.evidence > 3 for one in with_wrong) >= 15
    assert sum(one.evidence > 3 for one in without) <= 5


Responses: TypeAlias = tuple[Floats, list[list[str | None]], list[str]]


def one_question(answers: str, makers: str, *, others: int = 8) -> Responses:
    """Entries with these answers to one question (R is right, - is none). All but the last answer
    the other questions right; the last is no better than chance."""
    wrong: list[list[str | None]] = [
        [None if one in "R-" else one, *[None] * others] for one in answers
    ]
    scores = np.array([[float(one == "R"), *[1.0] * others] for one in answers])
    scores[-1, 1:] = 0
    return scores, wrong, list(makers)


@pytest.mark.parametrize(
    ("answers", "makers", "expected"),
    [
        ("XXXR", "abcd", [(0, "X", (0, 1, 2), 3, 1.0)]),
        ("XXXR", "aabc", []),  # two organisations
        ("XX-R", "abcd", []),
        ("XXXYR", "abcde", [(0, "X", (0, 1, 2), 3, 0.75)]),
        ("XXXYYYR", "abcdefg", [(0, "X", (0, 1, 2), 3, 0.5), (0, "Y", (3, 4, 5), 3, 0.5)]),
    ],
)
def test_a_suspect_needs_one_answer_of_three_organisations(
    answers: str, makers: str, expected: list[tuple[object, ...]]
) -> None:
    scores, wrong, organisations = one_question(answers, makers)
    found = suspects(scores, wrong, organisations)
    assert [tuple(one)[:5] for one in found] == expected


def evidence(answers: str, makers: str) -> float:
    return suspects(*one_question(answers, makers))[0].evidence


def test_entries_that_give_the_label_speak_against_it_and_an_organisation_with_one_voice() -> None:
    assert evidence("XXX-R", "abcde") > evidence("XXXRR", "abcde")
    assert evidence("XXXX-R", "abcdef") > evidence("XXXX-R", "abccef")
    assert evidence("XXXXR", "abcce") == pytest.approx(evidence("XXX-R", "abcde"), rel=0.2)
    assert evidence("XXXX", "abcd") == pytest.approx(evidence("XXX-", "abcd"), rel=0.2)


def test_entries_that_were_not_asked_say_nothing() -> None:
    scores, wrong, makers = one_question("XXXR", "abcd")
    more = np.vstack([scores, [np.nan, *[1.0] * 8]])
    found = suspects(more, [*wrong, [None] * 9], [*makers, "a"])
    assert [one.evidence for one in found] == [
        pytest.approx(suspects(scores, wrong, makers)[0].evidence)
    ]


def test_the_chance_of_agreeing_is_that_of_different_organisations() -> None:
    wrong = [["x"], ["x"], ["x"], ["y"]]
    assert chance_agreement(wrong, list("aabc")) == (4 + 1) / (10 + 1)
    assert chance_agreement([], []) == 1
    assert suspects(np.empty((0, 0)), [], []) == []
