"""The rules of the reference reader, one by one, on texts small enough to check by eye."""

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.baseline import chinese, english, read
from scoring.baseline.faults import endless_loops, parsed, unknown_names
from scoring.baseline.sentences import sentences_with


@pytest.mark.parametrize(
    ("words", "value"),
    [("nought", 0), ("nineteen", 19), ("forty-one", 41), ("two hundred and six", 206),
     ("ninety", 90), ("third", 3), ("second", 2), ("41", 41)],
)  # fmt: skip
def test_numbers_are_read_in_english(words: str, value: int) -> None:
    assert english.number(words) == value


@pytest.mark.parametrize(
    ("words", "value"),
    [("零", 0), ("两", 2), ("十", 10), ("十五", 15), ("四十一", 41), ("一百零五", 105),
     ("一百一十", 110), ("三千零七", 3007), ("二", 2), ("41", 41)],
)  # fmt: skip
def test_numbers_are_read_in_chinese(words: str, value: int) -> None:
    assert chinese.number(words) == value


@pytest.mark.parametrize("number", [english.number, chinese.number])
def test_other_words_count_nothing(number: Callable[[str], int]) -> None:
    assert number("lighthouse 灯塔") == 0
    assert number("9" * 10_000) > 0


def test_sentences_are_found_by_their_words() -> None:
    text = 'It rained. "Who is Ann?" asked Ben. Ann slept!\nNobody saw Ann. 安来了。安走了！'
    assert list(sentences_with(text, "Ann")) == ['"Who is Ann?"', "Ann slept!", "Nobody saw Ann."]
    assert list(sentences_with(text, "安")) == ["安来了。", "安走了！"]


# Code that cannot work, and code that can

SOUND = """
import json
from os import path as where
LIMIT = 5
def check(a, *rest, b=LIMIT, **more):
    total = {}
    for key, value in more.items():
        total[key] = [x * y for x in rest for y in (x, value) if x]
    with open(where.join(a, "b")) as file:
        data = json.load(file)
    try:
        n: int = len(data)
    except (TypeError, ValueError) as error:
        raise KeyError(str(error)) from error
    while n > b:
        n //= 2
    queue = [n]
    while queue:
        queue.pop()
    while True:
        if check(n):
            return sorted(total, key=lambda one: (one, n))
"""


def test_sound_code_is_left_in_peace() -> None:
    tree = parsed(SOUND)
    assert tree is not None
    assert list(unknown_names(tree, ())) == []
    assert list(endless_loops(tree)) == []


@pytest.mark.parametrize(
    ("body", "name"),
    [("return y", "y"), ("y += x\nreturn y", "y"), ("y = y + x", "y"),
     ("y = [z for z in x]\nz", "z"), ("for a in b: b = a", "b"), ("y: int\nreturn y", "y")],
)  # fmt: skip
def test_an_undefined_name_is_found(body: str, name: str) -> None:
    tree = parsed("def f(x):\n    " + body.replace("\n", "\n    "))
    assert tree is not None
    assert list(unknown_names(tree, ())) == [name]


@pytest.mark.parametrize(
    "loop",
    [
        "while n: m += 1",
        "while len(q) > n: print(n)",
        "while n < 5 and m: k = n",
        "while True: pass",
    ],
)
def test_an_endless_loop_is_found(loop: str) -> None:
    tree = parsed(loop)
    assert tree is not None
    assert len(list(endless_loops(tree))) == 1


@pytest.mark.parametrize(
    "loop",
    ["while n: n -= 1", "while q: q.pop()", "while q[0]: q[0] = f()", "while f(): pass",
     "while n: break", "while a.b: step(a)", "while n:\n    for n in m: pass"],
)  # fmt: skip
def test_a_loop_that_may_end_is_not_reported(loop: str) -> None:
    tree = parsed(loop)
    assert tree is not None
    assert list(endless_loops(tree)) == []


@pytest.mark.parametrize("source", ["def f(:", "def f():\nreturn 1", "x = (1", "\0", "(" * 900])
def test_code_that_cannot_be_compiled_has_no_syntax_tree(source: str) -> None:
    assert parsed(source) is None


CODE = """# File: a.py
def given(a, b=1):
    return a + b


class Box:
    def size(self, unit):
        return self.size(unit)

    def weight(self):
        return self.size()


def fine(x):
    return given(x) + given(x, 2) + given(x, b=2)


def worse(x):
    return given(x, 1, 2)
"""


@pytest.mark.parametrize(
    ("options", "answer"),
    [(("fine", "worse", "Box.size", "given"), "B. worse"),
     (("fine", "given", "Box.weight", "Box.size"), "C. Box.weight")],
)  # fmt: skip
def test_the_function_that_is_broken_is_named(options: tuple[str, ...], answer: str) -> None:
    listed = "\n".join(f"{letter}. {name}" for letter, name in zip("ABCD", options, strict=True))
    asked = f"Which function has the deliberate error?\n{listed}"
    assert read(f"Code.\n\n{CODE}\n\nQuestion: {asked}") == answer


# A play

PLAY = """The Salt Ledger. Act One, Scene One.
Persons of the play: ADELA, BRUNO, CLARA.
(A kitchen. On stage: ADELA, BRUNO.)
BRUNO: The one who carries the tin whistle owes nine crowns to the miller. Bruno once owned a mill.
ADELA: You forget that Clara still owes nine crowns to the miller.
BRUNO: I carry the brass compass, as everybody knows.

The Salt Ledger. Act One, Scene Two.
(A street. On stage: $$MASK$$, ADELA.)
$$MASK$$ (quietly): Laugh if you like: I carry the tin whistle.
"""


def test_the_masked_speaker_is_found_from_the_facts() -> None:
    asked = "In one scene of the play “The Salt Ledger” … Who is $$MASK$$?"
    assert read(f"A script.\n\n{PLAY}\n\nQuestion: {asked}") == "Clara"


def test_code_that_is_nested_too_deeply_is_skipped() -> None:
    deep = f"def fine(x):\n    return {'x' + '.x' * 3_000}\n"
    asked = "Which function has the deliberate error?\nA. fine\nB. other"
    assert read(f"Code.\n\n{deep}\n\nQuestion: {asked}") == "B. other"


def test_without_facts_a_character_off_stage_is_named() -> None:
    silent = PLAY.replace("I carry the tin whistle", "we shall see")
    asked = "In one scene of the play “The Salt Ledger” … Who is $$MASK$$?"
    assert read(f"A script.\n\n{silent}\n\nQuestion: {asked}") == "Bruno"


# A novel

NOVEL = """Ann Venn bought a tin lamp from Ben Marsh for forty-one crowns at the mill.
It was said that Ann Venn had bought an old lamp from Cy Holt for two crowns, but it was false.
At the inn Cy Holt sold Ann Venn a storm lamp for nine crowns.
Dora Pell meant to give the gold watch to Ann Venn, but kept it after all.
Ann Venn handed Ben Marsh the gold watch. Ben Marsh went to the quarry.
"""


@pytest.mark.parametrize(
    ("asked", "answer"),
    [("How many crowns did Ann Venn pay for lamps in the whole book?", "50"),
     ("Of all the lamps that Ann Venn bought in the book, one cost the most.", "Ben Marsh"),
     ("The gold watch passed from hand to hand. Who had it?", "Ben Marsh"),
     ("How many times in the whole book did Ben Marsh go to the quarry?", "1")],
)  # fmt: skip
def test_a_novel_is_read_without_believing_plans_and_rumours(asked: str, answer: str) -> None:
    assert read(f"A book.\n\n{NOVEL}\n\nQuestion: {asked}") == answer


def test_an_option_is_chosen_by_what_the_book_says() -> None:
    options = "A. 9\nB. 41\nC. 50\nD. 52"
    asked = f"How many crowns did Ann Venn pay for lamps in the whole book?\n{options}"
    assert read(f"A book.\n\n{NOVEL}\n\nQuestion: {asked}") == "C. 50"


def test_a_chinese_novel_is_read_in_chinese() -> None:
    book = "想了又想，赵月娥把银罗盘交给了孙明远。孙明远本想把银罗盘交给周巧云，到底没有交出去。"
    assert read(f"书。\n\n{book}\n\n问题：到全书结束时，银罗盘在谁手里？") == "孙明远"


@pytest.mark.parametrize(
    ("asked", "answer"),
    [("Who killed the king?", english.ENGLISH.unknown), ("谁杀了国王？", chinese.CHINESE.unknown)],
)
def test_the_reader_admits_what_it_does_not_understand(asked: str, answer: str) -> None:
    assert read(f"Hamlet.\n\n哈姆雷特。\n\nQuestion: {asked}") == answer


PIECES = (
    "\n\n", "\n", " ", ". ", "。", "，", "Question: ", "问题：", "A. fine\nB. other\n",
    "Which function has the error?", "def fine(x):\n    return y", "func_1(3)", "def func_1(x):",
    "JSON object", '"a": "b"', "largest number of the list", "[3, 1", "median", "pass key is 0",
    "left to right", "1 + 2", "Summarize", "Ann Venn", "Ben Marsh", "赵月娥", "在谁手里", "把",
    "How many crowns did Ann Venn pay for lamps in ", " bought a lamp from ", " for ten crowns",
    "到全书结束时，", "交给了", "On stage: ADELA.)", "Persons of the play: ADELA.", "play “X”",
    "Who was the last person to sign the petition for the inn?", " signed the petition for the inn",
    "$$MASK$$: ", "X. ", "I carry the ", "\ud800", "\0", "９" * 30, "7" * 5_000, "(" * 90,
)  # fmt: skip


@example(pieces=["Summarize", "\n\n", "Ann Venn"], window=0)
@given(st.lists(st.sampled_from(PIECES), max_size=30), st.integers(0, 80))
def test_the_reader_has_an_answer_to_everything(pieces: list[str], window: int) -> None:
    assert read("".join(pieces))
    assert read("".join(pieces), window)
