"""Tasks from an operator's texts: bugs verified by other means, masks that hide one name."""

import ast
import builtins
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from scoring.generators.example import Example, ExampleSpec
from scoring.generators.haystack.bugs import BUGS, proved
from scoring.generators.haystack.code import code_debug_from
from scoring.generators.haystack.functions import parsed
from scoring.generators.haystack.plays import dialogue_from, mask, play_of
from scoring.generators.haystack.texts import HaystackError, Text, haystack_of, read_texts
from scoring.generators.release import GenerateError, generate_release
from scoring.text.rules_of_thumb import MASK, TURN_RULES
from scoring.text.tokens import count_tokens

FILE = re.compile(r"^# File: (\S+)\n", re.MULTILINE)
CODE = haystack_of(["code=kombu"], "BSD").of_kind("code")
COUNT = 48


def text_of(example: Example) -> str:
    return "".join(example.context)


def shown(example: Example) -> list[str]:
    return [text_of(example)[start:end] for start, end in example.evidence]


@pytest.fixture(scope="module")
def debugged() -> list[Example]:
    return [code_debug_from(CODE, ExampleSpec(4242, 16_000, at, COUNT)) for at in range(COUNT)]


# Code


def originals() -> dict[str, str]:
    return {one.name: one.text for one in read_texts(CODE, ".py")}


def test_one_function_differs_from_the_source_and_no_other(debugged: list[Example]) -> None:
    own = originals()
    for example in debugged:
        parts = FILE.split(text_of(example))
        changed = []
        for name, text in zip(parts[1::2], parts[2::2], strict=True):
            if text.strip() not in own[name]:  # the last file may be cut between two statements
                changed.append((name, text))
        ((name, text),) = changed
        function = str(example.answer[0]).rpartition(".")[2]
        assert re.search(rf"def {function}\b", text)
        assert shown(example)[0] in text
        start = text.index(shown(example)[0])
        assert own[name].startswith(text[:start])
        assert own[name].rstrip().endswith(text[start + len(shown(example)[0]) :].rstrip())


def outcome(source: str) -> str:
    try:
        compile(source, "x", "exec", dont_inherit=True)
    except IndentationError:
        return "indentation"
    except SyntaxError:
        return "syntax"
    return "compiles"


def test_the_bug_is_of_its_kind_and_the_others_compile(debugged: list[Example]) -> None:
    kinds = Counter(example.kind for example in debugged)
    assert set(kinds) - {"endless loop"} == set(BUGS) - {"endless loop"}
    for example in debugged:
        parts = FILE.split(text_of(example))[2::2]
        outcomes = {outcome(text): text for text in parts}
        assert Counter(map(outcome, parts))["compiles"] >= len(parts) - 1
        if example.kind in ("indentation", "syntax"):
            assert example.kind in outcomes
        else:
            assert set(outcomes) == {"compiles"}


def reads_without_binding(source: str, module: str) -> set[str]:
    """Found by walking the syntax tree, without symbol tables."""
    tree = ast.parse(module)
    bound = {*dir(builtins)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
    return {
        node.id
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in bound
    }


def test_an_undefined_name_is_bound_nowhere_in_its_file(debugged: list[Example]) -> None:
    found = [example for example in debugged if example.kind == "undefined name"]
    assert found
    for example in found:
        source = shown(example)[0]
        module = next(text for text in FILE.split(text_of(example))[2::2] if source in text)
        lines = source.split("\n")
        deep = len(lines[0]) - len(lines[0].lstrip())
        assert reads_without_binding("\n".join(line[deep:] for line in lines), module)


def test_options_are_four_names_of_four_files(debugged: list[Example]) -> None:
    for example in debugged:
        assert isinstance(example.answer, list)
        name, letter = map(str, example.answer)
        assert example.options["ABCD".index(letter)] == name
        parts = FILE.split(text_of(example))
        texts = dict(zip(parts[1::2], parts[2::2], strict=True))
        homes = [
            [file for file, text in texts.items() if re.search(rf"def {own}\b", text)]
            for own in (option.rpartition(".")[2] for option in example.options)
        ]
        assert [len(home) for home in homes] == [1] * 4
        assert len({home for (home,) in homes}) == 4


def test_lengths_are_as_asked_and_a_ladder_asks_the_same() -> None:
    for at in range(3):
        made = [code_debug_from(CODE, ExampleSpec(7, tokens, at, 3)) for tokens in (16_000, 40_000)]
        assert len({(one.options, str(one.answer), one.kind) for one in made}) == 1
        assert len({shown(one)[0] for one in made}) == 1
        for one, tokens in zip(made, (16_000, 40_000), strict=True):
            length = count_tokens(text_of(one)).value
            assert length == pytest.approx(tokens, rel=0.1)


def test_the_shortest_function_is_the_broken_one_as_often_as_any(debugged: list[Example]) -> None:
    right = 0
    for example in debugged:
        text = text_of(example)
        sizes = []
        for option in example.options:
            start = re.search(rf"def {option.rpartition('.')[2]}\b", text)
            assert start is not None
            end = re.compile(r"\n(?:    )?(?:@|def |class |async def )|\n# File").search(
                text, start.end()
            )
            sizes.append((end.start() if end else len(text)) - start.start())
        right += example.options[sizes.index(min(sizes))] == example.answer[0]
    assert right / len(debugged) < 0.45


def test_code_is_never_imported(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.mkdir()
    body = "".join(f"    a{at} = {at}\n" for at in range(6))
    for at in range(9):
        text = (
            f"open({str(tmp_path / 'ran')!r}, 'w')\n\n\ndef one_{at}(x):\n{body}    return a1 + x\n"
        )
        (trap / f"file_{at}.py").write_text(text)
    paths = haystack_of([f"code={trap}"], "mine").of_kind("code")
    with pytest.raises(HaystackError, match="too short"):
        code_debug_from(paths, ExampleSpec(1, 16_000, 0, 1))
    assert not (tmp_path / "ran").exists()


LOOP = '''def count(limit):
    """Say so."""
    seen = 0
    step = 2
    while seen < limit:
        step = step + 1
        seen += 1
    return seen + step
'''


def test_an_endless_loop_is_put_where_nothing_else_ends_it() -> None:
    file = parsed(Text("x.py", LOOP, 50))
    assert file is not None
    (lines,) = BUGS["endless loop"](file.functions[0])
    assert "        seen += 1" not in lines
    assert proved("endless loop", file.functions[0], lines)
    for other in ("        if step > 5:\n            break\n", "        step = step.more()\n"):
        changed = parsed(Text("x.py", LOOP.replace("        step = step + 1\n", other), 50))
        assert changed is not None
        assert [*BUGS["endless loop"](changed.functions[0])] == []


@pytest.mark.parametrize(
    "text",
    [
        "from os import *\n\n\ndef f(a):\n    return path\n",
        "def f(a):\n    return unknown\n",
        "def f(a:\n    return a\n",
        "x = 1\n",
    ],
)
def test_files_that_are_not_sound_are_left_out(text: str) -> None:
    assert parsed(Text("x.py", text, 10)) is None


# Plays


def play(title: str, names: str, scenes: int = 4) -> str:
    """A made-up script: every scene has all of the names, each in a different order."""
    cast = names.split()
    parts = [f"{title}\n\n"]
    for number in range(scenes):
        parts.append(f"SCENE {number + 1}. A room.\n\n[Enter {cast[0].title()}.]\n\n")
        order = [cast[(at * (number + 3) + number) % len(cast)] for at in range(6 * len(cast))]
        parts += [
            f"{who}.\nWhat {order[at - 1].title()} says of line {at} is not so.\n\n"
            for at, who in enumerate(order)
        ]
    return "".join(parts)


@pytest.fixture(scope="module")
def plays(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    folder = tmp_path_factory.mktemp("plays")
    for at in range(12):
        names = " ".join(
            f"{word}{'AEIOUBCDFGHK'[at]}" for word in ("ROS", "TED", "LEN", "MIR", "VIK")
        )
        (folder / f"play_{at}.txt").write_text(play(f"Play {at}", names))
    return haystack_of([f"plays={folder}"], "mine").of_kind("plays")


def test_a_name_is_masked_throughout_its_scene_and_nowhere_else(plays: tuple[str, ...]) -> None:
    for at in range(12):
        example = dialogue_from(plays, ExampleSpec(3, 8_000, at, 12))
        assert isinstance(example.answer, list)
        text, name = text_of(example), str(example.answer[0])
        first, last = text.index(MASK), text.rindex(MASK)
        scene = text[text.rindex("SCENE ", 0, first) : text.find("SCENE ", last) % (len(text) + 1)]
        assert not re.search(rf"\b{name}\b", scene, re.IGNORECASE)
        assert scene.count(MASK) == text.count(MASK) >= 3
        assert all(MASK in one for one in shown(example))
        assert re.search(rf"^{name}\.$", text, re.MULTILINE)  # in another scene


def test_rules_of_thumb_do_not_find_the_masked_one(plays: tuple[str, ...]) -> None:
    examples = [dialogue_from(plays, ExampleSpec(5, 8_000, at, 40)) for at in range(40)]
    for name, rule in TURN_RULES.items():
        right = sum(
            rule(text_of(one), one.question, ()).upper() == str(one.answer[0]) for one in examples
        )
        assert right / len(examples) < 0.35, name


def test_whole_words_are_masked_in_any_case() -> None:
    assert mask("ROSE.\nRose, the roses and ROSEMARY.", "ROSE") == (
        f"{MASK}.\n{MASK}, the roses and ROSEMARY."
    )


@pytest.mark.parametrize(
    "label",
    [
        "ANNA.\nI say so.",
        "ANNA. I say so.",
        "ANNA: I say so.",
        "ANNA (aside): I say so.",
        "          ANNA\n     I say so.",
    ],
)
def test_labels_are_read_in_the_ways_that_scripts_have(label: str) -> None:
    text = f"SCENE I\n\n{label}\n\nBERT: No.\n\nSCENE II\n\n{label}\n\nBERT: Yes.\n"
    found = play_of(Text("x.txt", text, 50))
    assert found is not None
    assert [scene.turns for scene in found.scenes] == [("ANNA", "BERT")] * 2


# Releases


def test_a_release_keeps_the_licence_and_no_path(tmp_path: Path, plays: tuple[str, ...]) -> None:
    haystack = haystack_of([f"plays={plays[0]}"], "As the author allows")
    made = []
    for name in ("one", "other"):
        out = tmp_path / name
        arguments = {"tasks": ["longdialogue_qa_eng"], "examples": 2, "haystack": haystack}
        generate_release(out, seed=1, tokens=[8_000], **arguments)  # type: ignore[arg-type]
        made.append((out / "release.json").read_bytes())
    assert made[0] == made[1]
    manifest = json.loads(made[0])
    assert manifest["haystack"]["licence"] == "As the author allows"
    assert set(manifest["haystack"]["texts"]) == {"plays"}
    assert plays[0].encode() not in made[0]


def test_too_little_text_is_an_error_and_leaves_nothing(
    tmp_path: Path, plays: tuple[str, ...]
) -> None:
    haystack = haystack_of([f"plays={plays[0]}"], "mine")
    out = tmp_path / "out"
    with pytest.raises(GenerateError, match="too short"):
        generate_release(
            out, seed=1, tokens=[900_000], tasks=["longdialogue_qa_eng"], haystack=haystack
        )
    assert not out.exists()


@pytest.mark.parametrize(
    ("given", "licence"),
    [
        ("films=x", "mine"),
        ("code", "mine"),
        ("code=no_such_package_here", "mine"),
        ("code=../no/such", "mine"),
        ("code=kombu", " "),
    ],
)
def test_a_haystack_that_is_none_is_refused(given: str, licence: str) -> None:
    with pytest.raises(HaystackError):
        haystack_of([given], licence)
