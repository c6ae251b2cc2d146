"""Generated releases: every answer of a synthetic task can be found again in the text."""

import json
import re
import statistics
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.catalog import FIND_KINDS, TASKS
from scoring.generators import RECIPES
from scoring.generators.draws import evenly, seeded
from scoring.generators.example import ExampleSpec
from scoring.generators.release import generate_release
from scoring.labels import release_label
from scoring.releases.gold import read_gold
from scoring.text.tokens import count_tokens
from tests.support.releases import ALL, SYNTHETIC, Row, about, lines, rows

LENGTHS = (1_000, 4_000, 16_000)
EXAMPLES = 14  # each kind of Math.Find twice


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "release"
    generate_release(out, seed=7, tokens=LENGTHS, tasks=SYNTHETIC, examples=EXAMPLES)
    return out


# What a reader finds in the text alone, by other means than the generator's


def hidden_digits(context: str, question: str, length: int) -> list[str]:
    (key,) = set(re.findall(rf"\b\d{{{length}}}\b", context))
    return [key]


def looked_up(context: str, question: str) -> str:
    key = re.findall(r'"(.+)"', question)[0]
    return str(json.loads(context)[key])


def executed(context: str, question: str) -> list[int]:
    call = re.findall(r"func_\d+\(-?\d+\)", question)[0]
    names: dict[str, Any] = {}
    exec(context, names)
    return [eval(call, names)]


def sorted_out(context: str, question: str) -> list[float]:
    numbers = json.loads(context)
    wanted = re.findall(r"The (.+) of", question)[0]
    if wanted == "median":
        return [float(statistics.median(numbers))]
    order = ("third", "second").index(wanted.split()[0]) if len(wanted.split()) == 3 else 2
    distinct = sorted(set(numbers), reverse="largest" in wanted)
    return [distinct[2 - order]]


def calculated(context: str, question: str) -> list[list[int]]:
    assert re.fullmatch(r"\d+(?: [+-] \d+)*(?:\n[+-] \d+(?: [+-] \d+)*)*", context)
    value, ends = 0, []
    for line in context.split("\n"):
        for step in re.findall(r"(?:[+-] )?\d+", line):
            value += int(step.replace(" ", ""))
            assert 0 <= value <= 99
        ends.append(value)
    assert f"list of these {len(ends)} values" in question
    return [ends]


READERS: dict[str, Callable[[str, str], Any]] = {
    "passkey": partial(hidden_digits, length=5),
    "number_string": partial(hidden_digits, length=10),
    "kv_retrieval": looked_up,
    "code_run": executed,
    "math_calc": calculated,
    "math_find": sorted_out,
}


@pytest.mark.parametrize("task", SYNTHETIC)
def test_every_answer_is_found_again_by_reading(release: Path, task: str) -> None:
    for row in rows(release, task):
        found = READERS[task](row.context, row.example["input"])
        assert found == row.example["answer"]
        assert type(found) is type(row.example["answer"])


@settings(max_examples=60)
@given(
    task=st.sampled_from(SYNTHETIC),
    seed=st.integers(),
    target=st.integers(1_000, 6_000),
    count=st.integers(1, 60),
    data=st.data(),
)
def test_every_example_has_its_answer_and_its_length(
    task: str, seed: int, target: int, count: int, data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, count - 1))
    example = RECIPES[task].make(ExampleSpec(seed, target, index, count))
    context = "".join(example.context)
    assert READERS[task](context, example.question) == example.answer
    length = count_tokens(context) + count_tokens(example.question)
    assert length.value == pytest.approx(target, rel=0.1 if length.estimated else 0.05)


# The official format


@pytest.mark.parametrize("task", SYNTHETIC)
def test_rows_have_the_official_keys_in_order_and_ids_from_0(release: Path, task: str) -> None:
    found = [row.example for row in rows(release, task)]
    assert {tuple(example) for example in found} == {
        ("id", "context", "input", "answer", "options")
    }
    assert [example["id"] for example in found] == list(range(len(LENGTHS) * EXAMPLES))
    assert all(example["options"] == [] for example in found)


@pytest.mark.parametrize("task", SYNTHETIC)
def test_answers_have_the_shape_of_the_released_labels(
    release: Path, released: Path, task: str
) -> None:
    real = lines(released / "gold" / "hf" / f"{task}.jsonl")
    made = {shape(row.example["answer"]) for row in rows(release, task)}
    assert made == {shape(row["answer"]) for row in real}


def shape(value: object) -> str:
    """The type of a value and of its items, such as "list[int]"."""
    if not isinstance(value, list):
        return type(value).__name__
    return f"list[{' | '.join({shape(item) for item in value})}]"


def test_the_release_is_read_as_gold(release: Path) -> None:
    gold = read_gold(release)
    assert set(gold) == set(SYNTHETIC)
    for task in SYNTHETIC:
        labels = [example.label for example in gold[task].examples]
        answers = [row.example["answer"] for row in rows(release, task)]
        assert labels == [release_label(TASKS[task], answer) for answer in answers]


def test_the_official_prompts_can_be_made_from_the_questions(release: Path) -> None:
    for row in rows(release, "kv_retrieval"):
        assert re.fullmatch(r'"[0-9a-f-]{36}"', row.example["input"][6:44])
    for row in rows(release, "code_run"):
        assert len(re.findall(r"func_[0-9]+\(\-?[0-9]+\)", row.example["input"])) == 1
    for row in rows(release, "math_find"):
        assert re.findall(r"The .+ of", row.example["input"])[0].lower()[4:-3] in [
            name for name, _ in FIND_KINDS.values()
        ]


# The ladder


@pytest.mark.parametrize("task", SYNTHETIC)
def test_a_ladder_asks_the_same_question_at_every_length(release: Path, task: str) -> None:
    by_question: dict[int, list[Row]] = {}
    for row in rows(release, task):
        by_question.setdefault(row.facets["ladder"], []).append(row)
    assert list(by_question) == list(range(EXAMPLES))
    for same in by_question.values():
        assert [row.facets["target_tokens"] for row in same] == list(LENGTHS)
        assert len({row.example["input"] for row in same}) == 1
        assert len({comparable_answer(row) for row in same}) == 1


def comparable_answer(row: Row) -> str:
    """The part of an answer that does not depend on length: a longer list has another median, and a
    longer calculation goes on."""
    answer = row.example["answer"]
    if row.facets["kind"] == "median":
        return "a median"
    return str(answer[0][:100] if isinstance(answer[0], list) else answer)


# Facets


BRACES = {"kv_retrieval": "{%s}", "math_find": "[%s]"}


@pytest.mark.parametrize("task", SYNTHETIC)
def test_the_evidence_is_enough_for_the_answer(release: Path, task: str) -> None:
    braces = BRACES.get(task, "%s")
    for row in rows(release, task):
        evidence = braces % (", " if task == "math_find" else "\n").join(row.evidence)
        if row.facets["kind"] == "median":
            evidence = row.context
        assert READERS[task](evidence, row.example["input"]) == row.example["answer"]


def test_the_evidence_of_code_run_is_its_chain_in_order(release: Path) -> None:
    for row in rows(release, "code_run"):
        defined = [re.findall(r"def (func_\d+)", text)[0] for text in row.evidence]
        called = [re.findall(r"return (func_\d+|x)", text)[0] for text in row.evidence]
        assert [*defined, "x"] == [row.example["input"].split()[2].split("(")[0], *called]
        assert len(defined) == row.facets["hops"]


UNITS = {  # the text before the evidence, as separate units
    "passkey": r"The grass is green\.",
    "number_string": r"The grass is green\.",
    "kv_retrieval": r'": "',
    "code_run": r"def ",
    "math_find": r"\d+",
}


@pytest.mark.parametrize(("task", "unit"), UNITS.items())
def test_the_depth_is_the_share_of_the_context_before_the_evidence(
    release: Path, task: str, unit: str
) -> None:
    for row in rows(release, task):
        if row.facets["kind"] == "median":  # all numbers are evidence, so there is no depth
            continue
        start, end = row.facets["evidence"][0]
        before = len(re.findall(unit, row.context[:start]))
        after = len(re.findall(unit, row.context[end:]))
        assert row.facets["depth"] == pytest.approx(before / (before + after), abs=1e-6)


@pytest.mark.parametrize("task", UNITS)
def test_depths_are_spread_evenly_from_start_to_end(release: Path, task: str) -> None:
    depths_by_id = [row.facets["depth"] for row in rows(release, task)][-EXAMPLES:]
    depths = sorted(depth for depth in depths_by_id if depth is not None)
    even = [n / (EXAMPLES - 1) for n in range(EXAMPLES)]
    assert all(min(abs(depth - place) for place in even) < 0.01 for depth in depths)
    assert len(depths) == (len(even) if task != "math_find" else len(even) - 2)
    assert max(b - a for a, b in pairwise(depths)) < 0.3
    assert depths_by_id != depths


def test_hops_and_kinds_are_spread_evenly(release: Path) -> None:
    hops = Counter(row.facets["hops"] for row in rows(release, "code_run"))
    kinds = Counter(row.facets["kind"] for row in rows(release, "math_find"))
    assert set(hops) == {2, 4, 6, 8, 10}
    assert max(hops.values()) - min(hops.values()) <= len(LENGTHS)
    assert kinds == dict.fromkeys(FIND_KINDS, 2 * len(LENGTHS))


# What each recipe promises


def test_ten_digits_are_five_and_their_repetitions(release: Path) -> None:
    for row in rows(release, "number_string"):
        runs = re.findall(r"(\d)\1*", row.example["answer"][0])
        assert len(runs) <= 5


def test_functions_are_called_at_most_once_and_all_come_to_an_end(release: Path) -> None:
    row = rows(release, "code_run")[-1]
    defined = re.findall(r"def (func_\d+)", row.context)
    called = re.findall(r"return (func_\d+)", row.context)
    assert max(Counter(defined).values()) == max(Counter(called).values()) == 1
    names: dict[str, Any] = {}
    exec(row.context, names)
    assert all(isinstance(names[name](0), int) for name in defined)


def test_constants_and_arguments_stay_in_their_ranges(release: Path) -> None:
    for row in rows(release, "code_run"):
        constants = re.findall(r"([+-] \d+)$", row.context, re.MULTILINE)
        assert all(-12 <= int(text.replace(" ", "")) <= 17 for text in constants)
        (argument,) = re.findall(r"\((-?\d+)\)", row.example["input"])
        assert -10 <= int(argument) <= 10


def test_lists_have_an_odd_number_of_values_within_0_and_99(release: Path) -> None:
    for row in rows(release, "math_find"):
        numbers = json.loads(row.context)
        assert len(numbers) % 2 == 1
        assert 0 <= min(numbers) < 20
        assert 80 <= max(numbers) <= 99


def test_the_values_that_determine_an_answer_are_rare_and_scattered(release: Path) -> None:
    """Without reading that place the answer is wrong. A median depends on all numbers."""
    apart = []
    for row in rows(release, "math_find"):
        if row.facets["kind"] != "median":
            (answer,), numbers = row.example["answer"], json.loads(row.context)
            first, *others = map(int, row.evidence)
            assert first == answer
            assert numbers.count(answer) == 1
            beyond = {one for one in numbers if one != answer and one in others}
            assert len(others) == sum(map(numbers.count, beyond))
            assert (
                len(beyond) == int(row.facets["kind"][0] if len(row.facets["kind"]) > 3 else 1) - 1
            )
            starts = [start / len(row.context) for start, _ in row.facets["evidence"]]
            apart += [max(starts) - min(starts)] * (len(starts) > 1)
    assert statistics.mean(apart) > 0.4


def test_an_answer_of_a_calculation_does_not_grow_with_it(release: Path) -> None:
    found = [(row.facets["ladder"], row.example["answer"]) for row in rows(release, "math_calc")]
    assert {len(values) for _, [values] in found} == {30}
    assert len({str(one) for one in found}) == EXAMPLES


def test_calculations_change_the_value_at_every_step(release: Path) -> None:
    for row in rows(release, "math_calc"):
        assert " 0" not in row.context


def test_values_are_drawn_evenly() -> None:
    drawn = Counter(evenly(seeded(1), bytes(range(30, 90)), 60_000))
    assert set(drawn) == set(range(30, 90))
    assert 850 < min(drawn.values()) < max(drawn.values()) < 1150


# Lengths


@pytest.mark.parametrize("task", SYNTHETIC)
def test_tokens_are_counted_and_within_5_percent(release: Path, task: str) -> None:
    for row in rows(release, task):
        length = count_tokens(row.context) + count_tokens(row.example["input"])
        assert row.tokens["tokens"] == length.value
        assert row.tokens["estimated"] == length.estimated
        assert length.value == about(row.facets["target_tokens"], 0.05, length)


@pytest.mark.parametrize("task", ALL)
@pytest.mark.parametrize("target", [128_000, 1_000_000])
def test_long_contexts_are_within_1_percent(task: str, target: int) -> None:
    example = RECIPES[task].make(ExampleSpec(1, target, 4, 10))
    length = sum(map(count_tokens, example.context), count_tokens(example.question))
    assert length.value == about(target, 0.01, length)
