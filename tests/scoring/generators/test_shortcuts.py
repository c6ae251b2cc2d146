"""No shortcut does much better than chance: the answer takes reading as intended.

Bounds are for some hundred examples: where a shortcut must be near chance, they are chance plus
three standard deviations or a little more. Partial reading may gain something: its bound says how
much.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from math import sqrt

import pytest

from scoring.catalog import FIND_KINDS
from scoring.generators import RECIPES
from scoring.generators.example import Example, ExampleSpec
from tests.scoring.generators.attacks import BY_OPTIONS, Asked
from tests.scoring.generators.code_shortcuts import TEXT_RULES, Score, learned
from tests.scoring.generators.plays import MASK, cast_of, scenes, title_of

SEEDS = (1, 2, 3)
COUNT = 100  # of each seed
MANY = 200  # examples of a task in which an id is searched for

WITHOUT_DEPTH = {"longbook_sum_eng", "math_calc"}  # the subject of the question is everywhere


def text(example: Example) -> str:
    return "".join(example.context)


def asked(example: Example) -> Asked:
    assert isinstance(example.answer, list)
    answer = str(example.answer[0])
    return Asked(str(example.kind), text(example), example.question, answer, example.options)


@cache
def examples(task: str, tokens: int = 4_000) -> tuple[Example, ...]:
    make = RECIPES[task].make
    return tuple(make(ExampleSpec(seed, tokens, i, COUNT)) for seed in SEEDS for i in range(COUNT))


def share(guesses: Sequence[Asked], guess: Callable[[Asked], str | None]) -> float:
    guessed = [(guess(one), one.right) for one in guesses]
    return sum(said == right for said, right in guessed) / len(guessed)


def bound(chance: float, count: int) -> float:
    return chance + 3.3 * sqrt(chance * (1 - chance) / count)


def test_the_masked_speaker_cannot_be_found_by_who_is_off_stage(
    summary_line: Callable[[str], None],
) -> None:
    chances = []
    for example in examples("longdialogue_qa_eng", 5_000):
        play = scenes(text(example), title_of(example.question))
        (scene,) = (scene for scene in play if any(MASK in line for line in scene))
        here = "\n".join(scene)
        left = [name for name in cast_of(play) if name not in here and name.title() not in here]
        chances.append((asked(example).right in left) / len(left))
    mean = sum(chances) / len(chances)
    summary_line(f"En.Dia: one of those who are not on the stage is right in {mean:.0%}")
    assert mean < 1 / 6


@pytest.mark.parametrize("rank", [0, -1], ids=["least", "most"])
@pytest.mark.parametrize("how", [r"^{}[ :(]", r"\b{}\b", r"On stage:.*\b{}\b"])
def test_nor_by_how_often_those_who_are_absent_speak_or_are_named(how: str, rank: int) -> None:
    right = 0
    for example in examples("longdialogue_qa_eng", 5_000):
        play = scenes(text(example), title_of(example.question))
        here = "\n".join(line for scene in play for line in scene if MASK in str(scene)).upper()
        others = "\n".join(line for scene in play for line in scene if MASK not in str(scene))
        counts = {
            name: len(re.findall(how.format(name), others, re.MULTILINE | re.IGNORECASE))
            for name in cast_of(play)
            if name not in here
        }
        right += sorted(counts, key=counts.__getitem__)[rank] == asked(example).right
    assert right / len(examples("longdialogue_qa_eng", 5_000)) < 0.25


@pytest.mark.parametrize("shortcut", BY_OPTIONS)
def test_no_function_is_revealed_by_its_position(shortcut: str) -> None:
    every = [asked(example) for example in examples("code_debug")]
    if "name" not in shortcut:
        assert share(every, BY_OPTIONS[shortcut]) < bound(0.25, len(every)) + 0.02


def sources(example: Example) -> list[str]:
    """The four functions that are asked about."""
    context = text(example)
    starts = [context.index(f"def {option}(") for option in example.options]
    return [context[start:].split("\n\n\n")[0] for start in starts]


def found_by(score: Score, those: Sequence[Example]) -> float:
    """How often the broken function has the highest score; ties are broken at random."""
    right = 0.0
    for example in those:
        scores = [score(source) for source in sources(example)]
        best = [one == max(scores) for one in scores]
        right += best[example.options.index(asked(example).right)] / sum(best)
    return right / len(those)


@pytest.mark.parametrize("rule", TEXT_RULES)
def test_the_broken_function_is_not_found_by_its_text(rule: str) -> None:
    assert found_by(TEXT_RULES[rule], examples("code_debug")) < 0.35


def test_what_is_learned_of_words_does_not_find_the_broken_function() -> None:
    known, those = examples("code_debug")[:200], examples("code_debug")[200:]
    shown = []
    for example in known:
        place = example.options.index(asked(example).right)
        four = sources(example)
        shown.append((four.pop(place), four))
    assert found_by(learned(shown), those) < 0.35


def test_the_end_of_a_list_is_not_enough(summary_line: Callable[[str], None]) -> None:
    """Nor is its beginning: the chance of a right answer is the share that is seen."""
    right: Counter[str] = Counter()
    those = [one for one in examples("math_find", 16_000) if one.kind != "median"]
    for example in those:
        numbers = json.loads(text(example))
        for name, part in (("last", numbers[-1_000:]), ("first", numbers[:1_000])):
            found = FIND_KINDS[str(example.kind)][1](sorted(part), sorted(set(part)))
            right[name] += [found] == example.answer
    summary_line(
        f"Math.Find: the last 1,000 of 5,300 numbers give {right['last'] / len(those):.0%}"
    )
    for name in right:
        assert right[name] / len(those) < 0.3


@pytest.mark.parametrize("kind", FIND_KINDS)
def test_no_number_is_right_for_many_lists(kind: str) -> None:
    answers = Counter(str(one.answer) for one in examples("math_find", 1_000) if one.kind == kind)
    assert max(answers.values()) / answers.total() < 0.35


# Ids


@cache
def facets(task: str) -> tuple[Example, ...]:
    make, shortest = RECIPES[task].make, RECIPES[task].shortest
    return tuple(make(ExampleSpec(9, shortest, index, MANY)) for index in range(MANY))


@pytest.mark.parametrize("task", sorted(WITHOUT_DEPTH))
def test_what_is_everywhere_has_no_depth(task: str) -> None:
    make, shortest = RECIPES[task].make, RECIPES[task].shortest
    assert {make(ExampleSpec(9, shortest, index, MANY)).depth for index in range(10)} == {None}


@pytest.mark.parametrize("task", sorted(set(RECIPES) - WITHOUT_DEPTH))
def test_an_id_does_not_reveal_a_depth(task: str) -> None:
    """Neither by its size nor by being one of a few: neighbouring ids lie elsewhere."""
    pairs = [(i, one.depth) for i, one in enumerate(facets(task)) if one.depth is not None]
    assert len(pairs) > MANY / 3
    depths = [depth for _, depth in pairs]
    assert abs(correlation([float(i) for i, _ in pairs], depths)) < 3.3 / sqrt(len(pairs))
    for apart in (1, 2, 5, 7, 8, 10):
        later = depths[apart:]
        assert abs(correlation(depths[:-apart], later)) < 0.35, apart


@pytest.mark.parametrize("task", ["code_run", "longdialogue_qa_eng", "code_debug", "math_find"])
def test_an_id_does_not_reveal_hops_or_kind(task: str) -> None:
    hops_and_kinds = [(one.hops, one.kind) for one in facets(task)]
    values = len(set(hops_and_kinds))
    for every in range(2, 12):
        groups = [Counter(hops_and_kinds[first::every]) for first in range(every)]
        best = sum(max(group.values()) for group in groups) / len(hops_and_kinds)
        assert best < 1 / values + 0.25, every


def correlation(one: Sequence[float], other: Sequence[float]) -> float:
    mean, mean_other = sum(one) / len(one), sum(other) / len(other)
    pairs = list(zip(one, other, strict=True))
    together = sum((a - mean) * (b - mean_other) for a, b in pairs)
    apart = sqrt(
        sum((a - mean) ** 2 for a, _ in pairs) * sum((b - mean_other) ** 2 for _, b in pairs)
    )
    return together / apart
