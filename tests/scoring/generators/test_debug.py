"""Code.Debug: the bug is real and everything else works, both proven by running the code."""

import ast
import builtins
import keyword
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.generators.debug.task import code_debug
from scoring.generators.debug.words import LOCALS
from scoring.generators.example import Example, ExampleSpec, balanced_choice
from scoring.generators.haystack.bugs import BUGS
from scoring.metrics import METRIC_SETS, score_example
from scoring.text.tokens import count_tokens
from tests.scoring.generators.proofs import files_of, wrong_ones
from tests.support.releases import lines

LADDER = (4_000, 9_000, 40_000)
PROVEN = 72  # twelve of each kind

FAILURES = {  # the failure, and whether its module still compiles
    "missing declaration": ({"NameError", "UnboundLocalError"}, True),
    "argument count": ({"TypeError"}, True),
    "endless loop": ({"Endless"}, True),
    "indentation": ({"IndentationError"}, False),
    "undefined name": ({"NameError"}, True),
    "syntax": ({"SyntaxError"}, False),
}


def context_of(example: Example) -> str:
    return "".join(example.context)


def right(example: Example) -> tuple[str, str]:
    """The name and the letter of the right answer."""
    assert isinstance(example.answer, list)
    name, letter = map(str, example.answer)
    return name, letter


def prove(example: Example) -> int:
    """Run the whole package: only the function with the bug fails, in the way of its kind.

    Returns how many functions work.
    """
    name, _ = right(example)
    found = wrong_ones(context_of(example))
    called = int(found.pop("called"))
    failures, compiles = FAILURES[str(example.kind)]
    ((where, failure),) = found.items()
    assert failure in failures
    assert where == (name if compiles else module_of(context_of(example), name))
    return called - compiles


def module_of(context: str, name: str) -> str:
    (path,) = (path for path, text in files_of(context).items() if defines(text, name))
    return path


def defines(text: str, name: str) -> bool:
    return re.search(rf"^def {name}\(", text, re.MULTILINE) is not None


@pytest.mark.parametrize("part", range(len(BUGS)))
def test_the_bug_is_real_and_all_the_rest_is_sound(part: int) -> None:
    for index in range(part, PROVEN, len(BUGS)):
        assert prove(code_debug(ExampleSpec(11, 4_000, index, PROVEN))) > 10


@settings(max_examples=25)
@given(seed=st.integers(), target=st.integers(4_000, 12_000), index=st.integers(0, 59))
def test_for_every_seed_the_bug_is_real_and_the_rest_works(
    seed: int, target: int, index: int
) -> None:
    assert prove(code_debug(ExampleSpec(seed, target, index, 60))) > 10


def test_no_name_of_the_packages_is_one_that_python_knows() -> None:
    known = {*dir(builtins), *keyword.kwlist, *keyword.softkwlist}
    assert not known & {name for names in LOCALS.values() for name in names}


def test_in_a_long_package_hundreds_of_functions_work() -> None:
    assert prove(code_debug(ExampleSpec(4, 128_000, 2, 7))) > 500


@settings(max_examples=150)
@given(
    seed=st.integers(), target=st.integers(4_000, 30_000), count=st.integers(1, 60), data=st.data()
)
def test_every_example_has_four_options_and_its_length(
    seed: int, target: int, count: int, data: st.DataObject
) -> None:
    example = code_debug(ExampleSpec(seed, target, data.draw(st.integers(0, count - 1)), count))
    context = context_of(example)
    name, letter = right(example)
    assert len(set(example.options)) == 4
    assert example.options["ABCD".index(letter)] == name
    for option in example.options:
        assert len(re.findall(rf"^ *def {option}\(", context, re.MULTILINE)) == 1
    assert len({module_of(context, option) for option in example.options}) == 4
    length = count_tokens(context) + count_tokens(example.question)
    assert length.value == pytest.approx(target, rel=0.2 if length.estimated else 0.05)


def test_answers_have_the_shape_of_the_released_labels(released: Path) -> None:
    for row in lines(released / "gold" / "hf" / "code_debug.jsonl"):
        assert [type(item) for item in row["answer"]] == [str, str]
    assert right(code_debug(ExampleSpec(1, 4_000, 0, 1)))[1] in "ABCD"


def test_kinds_and_letters_are_spread_evenly() -> None:
    made = [code_debug(ExampleSpec(1, 4_000, index, 48)) for index in range(48)]
    assert Counter(one.kind for one in made) == dict.fromkeys(BUGS, 8)
    assert Counter(right(one)[1] for one in made) == dict.fromkeys("ABCD", 12)
    letters = "".join(right(one)[1] for one in made)
    fours = [set(letters[start : start + 4]) for start in range(0, 48, 4)]
    assert sum(len(four) < 4 for four in fours) > 6  # three of them do not reveal the fourth


def test_letters_are_evenly_distributed_and_random_for_one_example() -> None:
    for count in (1, 2, 3, 6, 50):
        letters = Counter(
            balanced_choice(ExampleSpec(1, 4_000, index, count), "x", 4) for index in range(count)
        )
        assert max(letters.values()) - min(letters[letter] for letter in range(4)) <= 1
    of_one = {balanced_choice(ExampleSpec(seed, 4_000, 0, 1), "x", 4) for seed in range(40)}
    assert of_one == set(range(4))


@pytest.mark.parametrize("index", range(6))
def test_a_ladder_asks_of_the_same_functions_at_every_length(index: int) -> None:
    made = [code_debug(ExampleSpec(3, tokens, index, 6)) for tokens in LADDER]
    assert len({(one.options, str(one.answer), one.kind, one.question) for one in made}) == 1
    modules = [
        [files_of(context_of(one))[module_of(context_of(one), name)] for name in one.options]
        for one in made
    ]
    assert modules[0] == modules[1] == modules[2]


@pytest.mark.parametrize("index", range(12))
def test_the_evidence_is_the_function_with_the_bug(index: int) -> None:
    example = code_debug(ExampleSpec(5, 8_000, index, 12))
    context = context_of(example)
    (start, end), *more = example.evidence
    assert context[start:].startswith(f"def {right(example)[0]}(")
    assert context[end:].startswith("\n\n\n")
    assert "\n\n\n" not in context[start:end]
    assert len(more) == (example.kind == "argument count")
    for first, last in more:  # the function that is called with a wrong number
        called = re.findall(r"^def (\w+)\(.*\) -> [\w\[\], ]+:$", context[first:last])[0]
        assert f"{called}(" in context[start:end]


def test_depths_are_spread_evenly_from_start_to_end() -> None:
    made = [code_debug(ExampleSpec(3, 64_000, index, 5)) for index in range(5)]
    depths = [example.depth for example in made if example.depth is not None]
    assert sorted(depths) == pytest.approx([0, 0.25, 0.5, 0.75, 1], abs=0.01)
    for example, depth in zip(made, depths, strict=True):
        start = min(example.evidence)[0] / len(context_of(example))
        assert start == pytest.approx(depth, abs=0.06)


def test_the_sound_candidates_stand_all_over_the_package() -> None:
    thirds: Counter[int] = Counter()
    for index in range(12):
        example = code_debug(ExampleSpec(8, 64_000, index, 12))
        context = context_of(example)
        for option in set(example.options) - {right(example)[0]}:
            thirds[3 * context.index(f"def {option}(") // len(context)] += 1
    assert set(thirds) == {0, 1, 2}
    assert min(thirds.values()) >= 8


def test_candidates_look_alike() -> None:
    """All have a docstring and a loop, and call a function of their module."""
    for index in range(24):
        example = code_debug(ExampleSpec(6, 4_000, index, 24))
        context = context_of(example)
        for option in example.options:
            source = context[context.index(f"def {option}(") :].split("\n\n\n")[0]
            assert source.count('"""') == 2
            assert "    while " in source
            assert "hands it to " in " ".join(source.split()).lower()


def test_modules_have_constants_and_functions_that_call_one_another() -> None:
    made = code_debug(ExampleSpec(6, 64_000, 0, 24))
    files = files_of(context_of(made))
    files.pop(module_of(context_of(made), right(made)[0]))  # the one that may be invalid Python
    trees = [ast.parse(text) for path, text in files.items() if path.endswith(".py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    called = [n.func for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    assert sum(one.id in defined for one in called) > len(defined) / 4
    assert sum(isinstance(node, ast.Assign) for tree in trees for node in tree.body) > len(trees)


def test_hardly_a_function_comes_twice_in_100_000_tokens() -> None:
    context = context_of(code_debug(ExampleSpec(9, 100_000, 3, 7)))
    bodies = [part.split("\n", 1)[1] for part in context.split("\n\n\n") if part[:4] == "def "]
    assert len(bodies) > 380
    assert len(set(bodies)) > 0.99 * len(bodies)
    lines = [line for line in context.splitlines() if len(line.strip()) > 30]
    assert len(set(lines)) > 0.9 * len(lines)


@pytest.mark.parametrize("name", METRIC_SETS)
def test_a_perfect_reader_scores_100_under_every_metric_set(name: str) -> None:
    for index in range(12):
        example = code_debug(ExampleSpec(2, 4_000, index, 12))
        function, letter = right(example)
        given = f"{letter}. {function}"
        options = example.options
        assert score_example(name, "code_debug", given, example.answer, options=options).score == 1


def test_pieces_end_where_no_token_crosses() -> None:
    example = code_debug(ExampleSpec(9, 20_000, 3, 7))
    pieces = sum(count_tokens(piece).value for piece in example.context)
    assert pieces == count_tokens(context_of(example)).value
