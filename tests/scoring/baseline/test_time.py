"""No prompt holds the reader up: its time grows no faster than the text."""

import time
from collections.abc import Callable

import pytest

from scoring.baseline import read
from scoring.baseline.dialogue import MASK

SIZE = 100_000  # characters of each pattern
SECONDS = 2.0

DEBUG = "Which function has the deliberate error?\n"
OF_F = f"{DEBUG}A. f\nB. g\nC. h\nD. i"
OF_Z = f"{DEBUG}A. Z.f\nB. g"
SUM = "Summarize the book."
BOUGHT = "How many crowns did Al Bo pay for hats in the whole book, all purchases together?"
RUN = "What is func_0(1)?"
DIA = f"Who is {MASK} in the play?"
ZH_OUTFIT = "王小明第二次与赵月娥见面的时候，王小明身上的衣物是什么款式？"
ZH_BOUGHT = "全书之中，王小明买帽子前后一共花了多少块银元？"
NIGHT = "Where did Ann Venn really spend the night on which the mill burned?"
OWNED = (
    "The gold watch passed from hand to hand, and was not always called by its "
    "name. Who had it at the end of the book?"
)


def lines(line: Callable[[int], str], size: int = SIZE) -> str:
    """As many numbered lines as fit into the length."""
    return "".join(line(number) for number in range(size // len(line(9_999)) + 1))


def owed(number: int) -> str:
    return f"The one who has a t{number}. also has a t{number + 1}.\n"


CALLS = "def f(x):\n" + "".join(f"    f{number}(x)\n" for number in range(1_500))
GIVEN = "def f(x):\n" + "    [a for a in x]\n" * 900
PATTERNS: dict[str, tuple[str, str]] = {
    "empty lines in code": ("def f(x):\n    pass\n" + "\n" * SIZE + "    x", OF_F),
    "empty lines at the end of code": ("def f(x):\n    pass\n" + "\n \t" * SIZE + "x", OF_F),
    "methods of one name": ("class K:\n" + lines(lambda _: "    def f(self):\n"), OF_Z),
    "definitions on one line": ("def f(" * (SIZE // 6), OF_F),
    "calls and definitions": (CALLS + "\n" + lines(lambda n: f"def f{n}(x): pass\n"), OF_F),
    "signatures of one name": (
        "def f(x):\n" + "    e(1)\n" * 2_000 + "\n" + lines(lambda n: f"def e(a{n}, b): pass\n"),
        OF_F,
    ),
    "names of a module": (lines(lambda n: f"a{n} = 1\n") + GIVEN, OF_F),
    "spaces before no sign": (f"x:{' ' * SIZE}\ndef f(x):\n    pass\n", OF_F),
    "signs of a comment": (f"{'#' * SIZE}\ndef f(x):\n    pass\n", OF_F),
    "many options": ("def f(x):\n    pass\n" * 5_000, DEBUG + "A. f\n" * 1_500),
    "names without a stop": ("A book.\n\n" + "Aa Bb " * (SIZE // 6), SUM),
    "one long name": ("A book.\n\n" + "A'" * (SIZE // 2), SUM),
    "many companions": (
        "A book.\n\n" + lines(lambda n: f"Ann Venn met A{n} Bell. Ann Venn left A{n} Bell.\n") * 2,
        SUM,
    ),
    "things on one line": (f"A script.\n\n{MASK}: I have a cat.\n" + "He has a dog. " * 7_000, DIA),
    "things without a stop": (f"A script.\n\n{MASK}: I have a cat.\n" + "once " * 20_000, DIA),
    "a chain of things": (f"A script.\n\n{MASK}: I have a t0.\n" + lines(owed), DIA),
    "a circle of things": (
        f"A script.\n\n{MASK}: I have a t0.\n" + lines(lambda n: f"He has a t{n}. "),
        DIA,
    ),
    "many people": (
        "A script.\n\n" + lines(lambda n: f"{chr(65 + n % 26) * (n % 80 + 3)}: she has a dog.\n"),
        DIA,
    ),
    "many lists of people": ("A script.\n\n" + "Persons of the play: " * (SIZE // 21), DIA),
    "many stages": (f"A script.\n\n{MASK} " + "On stage: " * (SIZE // 10), DIA),
    "a sale that does not end": ("at A B showed C a hat, and " * (SIZE // 27), BOUGHT),
    "sales that do not end": (
        lines(lambda _: "the talk between A B and C D at the A was of a " + "hat " * 60 + ".\n"),
        BOUGHT,
    ),
    "sales without an outcome": (
        lines(lambda _: "At the inn Al Bo stopped before a hat that Cy Du had for sale.\n"),
        BOUGHT,
    ),
    "short sentences": ("A a. " * (SIZE // 5), BOUGHT.replace("Al Bo", "a")),
    "capital letters": ("A" * SIZE, OWNED),
    "many nights": (
        lines(lambda n: f"It was then, at two o'clock, that the mill burned, and n{n}.\n"),
        NIGHT,
    ),
    "clothes that do not end": ("两人拱手的时候，身上那件" * (SIZE // 12), ZH_OUTFIT),
    "a Chinese sale that does not end": ("从甲乙手里买下了一帽子" * (SIZE // 11), ZH_BOUGHT),
    "Chinese sales that do not end": (
        lines(lambda _: "与" + "在谈的是一帽子，" * 30 + "。\n"),
        ZH_BOUGHT,
    ),
    "a chain of functions": (
        lines(lambda n: f"def func_{n}(x):\n    return func_{n + 1}(x) + 1\n"),
        RUN,
    ),
    "a question that goes on": ("A book.", "How many crowns did X pay for " * 260 + "?"),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_no_pattern_holds_the_reader_up(name: str) -> None:
    text, question = PATTERNS[name]
    prompt = f"{text}\n\nQuestion: {question}"
    started = time.process_time()
    assert read(prompt)
    assert time.process_time() - started < SECONDS


# What was bounded is still understood


def test_a_long_chain_of_calls_is_followed_to_its_end() -> None:
    chain = "".join(f"def func_{n}(x):\n    return func_{n + 1}(x) + 1\n\n" for n in range(3_000))
    assert read(f"{chain}def func_3000(x):\n    return x - 9\n\nQuestion: {RUN}") == "2992"


def test_a_cycle_of_calls_ends() -> None:
    circle = (
        "def func_0(x):\n    return func_1(x) + 1\n\ndef func_1(x):\n    return func_0(x) + 1\n"
    )
    assert read(f"{circle}\n\nQuestion: {RUN}") == "3"


def test_a_long_chain_of_things_leads_to_a_name() -> None:
    chain = "".join(f"The one who has a t{n} also has a t{n + 1}.\n" for n in range(2_000))
    play = f"ZOE: Well.\n{MASK}: I have a t0.\n{chain}You know that Zoe has a t2000.\n"
    assert read(f"A script.\n\n{play}\n\nQuestion: {DIA}") == "Zoe"


def test_a_function_name_with_too_many_definitions_is_skipped() -> None:
    same = "".join(f"def e(a{n}, b):\n    return b\n\n\n" for n in range(100))
    asked = f"{DEBUG}A. f\nB. other"
    assert read(f"{same}def f(x):\n    return e(x)\n\nQuestion: {asked}") == "B. other"
