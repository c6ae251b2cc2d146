"""The rules of the reference reader, one by one, on texts small enough to check by eye."""

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.baseline import read
from scoring.baseline.faults import endless_loops, parsed, unknown_names
from scoring.generators.novel.chinese import CHINESE
from scoring.generators.novel.english import ENGLISH


@pytest.mark.parametrize(
    ("words", "value"),
    [("nought", 0), ("nineteen", 19), ("forty-one", 41), ("two hundred and six", 206),
     ("ninety", 90), ("41", 41)],
)  # fmt: skip
def test_numbers_are_read_in_english(words: str, value: int) -> None:
    assert ENGLISH.value(words) == value


@pytest.mark.parametrize(
    ("words", "value"),
    [("零", 0), ("两", 2), ("十", 10), ("十五", 15), ("四十一", 41), ("一百零五", 105),
     ("一百一十", 110), ("三千零七", 3007), ("二", 2), ("41", 41)],
)  # fmt: skip
def test_numbers_are_read_in_chinese(words: str, value: int) -> None:
    assert CHINESE.value(words) == value


@pytest.mark.parametrize("number", [ENGLISH.value, CHINESE.value])
def test_other_words_count_nothing(number: Callable[[str], int]) -> None:
    assert number("lighthouse 灯塔") == 0
    assert number("9" * 10_000) > 0


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

NOVEL = """The people of this book

Ann Venn, the hatter
Ben Marsh, the sculptor

Ann had come to the mill about a tin lamp, which belonged to the sculptor.
Not fifty crowns, as was asked at first, but forty-one bought it, and she was content.
Ben had a lamp standing at the inn, and Ann Venn could not pass it by.
Ben asked fifty crowns, was offered two, and shut the lid.
At the inn Cy Holt showed the hatter a storm lamp, and praised it for half the morning.
From twelve crowns they came slowly to nine, shook hands on that, and the money was paid.
The gold watch was still with Dora Pell, who thought of Ann Venn.
That same evening it changed hands, and both were silent.
What had come to the hatter from Dora Pell was meant for Cy Holt now.
Cy would not hear of it, and so it stayed where it was.
Ann still had what Dora Pell had given her, and meant it for Ben Marsh.
So it was handed over, across the table, and she was lighter by it.
The sculptor chose the road that ends at the quarry.
He was there within the hour, and spoke with the carter.
Nothing would keep Ben from the quarry, or so it seemed.
Half way there he turned back, because a visitor stayed until dark.
"""
LAMPS = "How many crowns did Ann Venn pay for lamps in the whole book, all purchases together?"

DEAREST = "Of all the lamps that Ann Venn bought in the book, one cost the most. Who sold it?"
OWNED = (
    "The gold watch passed from hand to hand, and was not always called by its name. "
    "Who had it at the end of the book?"
)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [(LAMPS, "50"),
     (DEAREST, "Ben Marsh"),
     (OWNED, "Ben Marsh"),
     ("How many times in the whole book did Ben Marsh really go to the quarry?", "1")],
)  # fmt: skip
def test_a_novel_is_read_by_what_came_about(asked: str, answer: str) -> None:
    assert read(f"A book.\n\n{NOVEL}\n\nQuestion: {asked}") == answer


def test_an_option_is_chosen_by_what_the_book_says() -> None:
    options = "A. 9\nB. 41\nC. 50\nD. 52"
    assert read(f"A book.\n\n{NOVEL}\n\nQuestion: {LAMPS}\n{options}") == "C. 50"


def test_a_chinese_novel_is_read_in_chinese() -> None:
    book = (
        "赵月娥，锁匠\n\n银罗盘还在那位锁匠那里，她打算给孙明远。\n当天晚上东西便换了主人，汤还没有凉。\n"
        "月娥给的那件东西还在孙明远那里，他有心给周巧云。\n巧云说什么也不肯要，东西便没有动。"
    )
    asked = "银罗盘在书中几经转手，后来不再直呼其名。到全书结束时，它在谁手里？"
    assert read(f"书。\n\n{book}\n\n问题：{asked}") == "孙明远"


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Who killed the king?", ENGLISH.questions["unknown"]),
        ("谁杀了国王？", CHINESE.questions["unknown"]),
    ],
)
def test_the_reader_admits_what_it_does_not_understand(asked: str, answer: str) -> None:
    assert read(f"Hamlet.\n\n哈姆雷特。\n\nQuestion: {asked}") == answer


PIECES = (
    "\n\n", "\n", " ", ". ", "。", "，", "Question: ", "问题：", "A. fine\nB. other\n",
    "Which function has the error?", "def fine(x):\n    return y", "func_1(3)", "def func_1(x):",
    "JSON object", '"a": "b"', "largest number of the list", "[3, 1", "median", "pass key is 0",
    "left to right", "1 + 2", "Summarize", "Ann Venn", "Ben Marsh", "赵月娥", "在谁手里", "把",
    LAMPS, "Ann Venn stopped before a lamp that Ben Marsh had", " and took ten from ",
    "到全书结束时，", "交给了", "On stage: ADELA.)", "Persons of the play: ADELA.", "play “X”",
    "Who was the first person in the book to sign the petition for the inn?", "She signed, in ",
    "$$MASK$$: ", "X. ", "I carry the ", "\ud800", "\0", "９" * 30, "7" * 5_000, "(" * 90,
)  # fmt: skip


@example(pieces=["Summarize", "\n\n", "Ann Venn"], window=0)
@given(st.lists(st.sampled_from(PIECES), max_size=30), st.integers(0, 80))
def test_the_reader_has_an_answer_to_everything(pieces: list[str], window: int) -> None:
    assert read("".join(pieces))
    assert read("".join(pieces), window)
