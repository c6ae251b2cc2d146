"""Facts about the official data set, and the ways in which other data can differ from it.

Counts, ids, label types and lengths: Zhang et al., ACL 2024, table 2, and the data set on the Hub
since March 2024; recipes: section 3.2. The numbers of examples and tokens are in ``catalog.TASKS``.
"""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from scoring.catalog import FIND_KINDS, TASKS
from scoring.labels import Label
from scoring.problems import Parameter

REPOSITORY = "xinrongzhang2022/InfiniteBench"  # on the Hub
KEYS = ("id", "context", "input", "answer", "options")
DEPTH_TOLERANCE = 0.001  # half a pair of Retrieve.KV, an eighteenth of a pass key's position
LENGTH_TOLERANCE = 0.05  # the paper names neither tokenizer nor whether prompts are included


class Units(NamedTuple):
    """The units that a context is made of."""

    least: int
    most: int
    name: str

    def __str__(self) -> str:
        number = f"{self.least:,}" if self.least == self.most else "about 30,000"
        return f"{number} {self.name}"


class Facts(NamedTuple):
    answer: str  # the type of an answer, in words
    is_answer: Callable[[Label], bool]
    options: int = 0
    bare: bool = False  # the answer is a text and no list, on the Hub too
    quoted: bool = True  # the prompts of the official code quote the question
    units: Units | None = None
    depth: Callable[[int], float] | None = None  # from an id
    hops: Callable[[int], int] | None = None
    kind: Callable[[int], str] | None = None


def _matches(pattern: str) -> Callable[[Label], bool]:
    return lambda label: re.fullmatch(pattern, str(label)) is not None


def _texts(most: int) -> Callable[[Label], bool]:
    return lambda label: isinstance(label, tuple) and 1 <= len(label) <= most


def _is_choice(label: Label) -> bool:
    return isinstance(label, tuple) and len(label) == 2


_NOISE = Units(5_220, 5_220, "lines of noise")
_HEX = "[0-9a-f]"
_UUID = _matches(f"{_HEX}{{8}}(-{_HEX}{{4}}){{3}}-{_HEX}{{12}}")
_POSITIONS = 59  # of a pass key, ten examples each

FACTS: dict[str, Facts] = {
    "passkey": Facts(
        "five digits",
        _matches("[0-9]{5}"),
        units=_NOISE,
        depth=lambda key: key // 10 / (_POSITIONS - 1),
    ),
    "number_string": Facts(
        "ten digits",
        _matches("[0-9]{10}"),
        units=_NOISE,
        depth=lambda key: key // 10 / (_POSITIONS - 1),
    ),
    "kv_retrieval": Facts(
        "a UUID",
        _UUID,
        bare=True,
        units=Units(2_500, 2_500, "pairs"),
        depth=lambda key: key / 500,
    ),
    "longbook_sum_eng": Facts("one text", _texts(1), quoted=False),
    "longbook_qa_eng": Facts("1 to 6 texts", _texts(6)),
    "longbook_choice_eng": Facts("the text of an option and its letter", _is_choice, options=4),
    "longbook_qa_chn": Facts("1 to 5 texts", _texts(5)),
    "longdialogue_qa_eng": Facts("1 to 3 names", _texts(3), quoted=False),
    "code_debug": Facts(
        "the name of a function and its letter", _is_choice, options=4, quoted=False
    ),
    "code_run": Facts("a whole number", _matches("-?[0-9]+"), hops=lambda key: 2 * (key // 80 + 1)),
    "math_calc": Facts(
        "14,999 numbers from 0 to 99",
        lambda label: (
            isinstance(label, tuple) and len(label) == 14_999 and set(label) <= set(range(100))
        ),
        quoted=False,
        units=Units(15_000, 15_000, "operands"),
    ),
    "math_find": Facts(
        "a number from 0 to 99",
        _matches(r"[0-9]{1,2}(\.[0-9])?"),
        units=Units(25_000, 35_000, "numbers"),
        kind=lambda key: tuple(FIND_KINDS)[key // 50],
    ),
}

# The beginnings of the labels' hashes (``TaskGold.labels_hash``): on the Hub since March 2024 …
HUB_LABELS = {
    "passkey": "e9b1f11994edbb15",
    "number_string": "c4d53e67b3111950",
    "kv_retrieval": "9a5ed0440e4e579d",
    "longbook_sum_eng": "f058671cf2bf8112",
    "longbook_qa_eng": "e8b78c45d6e4228e",
    "longbook_choice_eng": "08c31979d45abd01",
    "longbook_qa_chn": "6f94cf71f98531be",
    "longdialogue_qa_eng": "a54f2cb86a832207",
    "code_debug": "8405c77e20cfd4fe",
    "code_run": "2c00cea9e55a865d",
    "math_calc": "0e49217b72a3925d",
    "math_find": "9ba2756e779107f2",
}
# … and in the paper's Claude 2 files, where those are others: older ids, and 29 answers of En.QA.
PAPER_LABELS = {
    "longbook_sum_eng": "02dac237e48dfd17",
    "longbook_qa_eng": "124533c841b2d4fc",
    "longbook_choice_eng": "6358937b359637d1",
}


class Explanation(NamedTuple):
    """How data differ, and what that means for using them."""

    sentence: str
    meaning: str


class Difference(NamedTuple):
    """One difference from the official data; ``code`` is a key of ``DIFFERENCES``."""

    code: str
    task: str
    params: Mapping[str, Parameter] = MappingProxyType({})

    @property
    def sentence(self) -> str:
        return DIFFERENCES[self.code].sentence.format(task=self.task, **self.params)

    @property
    def meaning(self) -> str:
        return DIFFERENCES[self.code].meaning

    def __str__(self) -> str:
        return f"{TASKS[self.task].title}: {self.sentence} {self.meaning}"


_NOT_PUBLISHED = "Scores cannot be compared with published ones."
_FROM_THE_CONTEXT = "The value found in the context is used."
_READ_ALIKE = "It is accepted all the same."

# Code → the difference, and what follows from it. ``found`` is the value of the row with the id.
DIFFERENCES: dict[str, Explanation] = {
    # A task as a whole
    "task_missing": Explanation(
        "There is no {task}.jsonl.", "Without it there is no overall score."
    ),
    "rows": Explanation("There are {found:,} rows, not {expected:,}.", _NOT_PUBLISHED),
    "ids": Explanation(
        "The ids are not 0 to {last} in order: the first different one is {found}.",
        "Prediction files that number rows from 0 have to be matched by order.",
    ),
    "labels_other": Explanation(
        "The labels are neither those of the Hub since March 2024 nor those of the paper.",
        _NOT_PUBLISHED,
    ),
    "labels_paper": Explanation(
        "The labels are those in the paper's Claude 2 files, not those of the Hub.",
        "Files made on the Hub's data cannot be matched with them by id.",
    ),
    "tokens": Explanation(
        "Context and question have {found:,} tokens on average; the paper says {expected:,} "
        "({percent:+.0f} %).",
        "The paper's estimates of cost and length do not apply.",
    ),
    # Rows
    "keys_missing": Explanation(
        "{count} of {rows} rows lack keys of the format (id {id}: {found}).",
        "They are treated as empty; an example without its context cannot be used.",
    ),
    "keys_other": Explanation(
        "{count} of {rows} rows have other keys (id {id}: {found}).",
        "These are ignored.",
    ),
    "context_empty": Explanation(
        "{count} of {rows} contexts are empty (id {id} is the first).",
        "They cannot be used, and their length is unknown.",
    ),
    "question_empty": Explanation(
        "{count} of {rows} questions are empty (id {id} is the first).",
        "Prompts that quote it will have none.",
    ),
    "options": Explanation(
        "{count} of {rows} rows do not have {expected} options (id {id} has {found}).",
        "Letters may be missing from prompts, or have no meaning.",
    ),
    "answer_not_list": Explanation(
        "{count} of {rows} answers are not lists (id {id} is the first).",
        _READ_ALIKE,
    ),
    "answer_as_text": Explanation(
        "{count} of {rows} numbers are written as text (id {id} is the first).",
        "Data loaded with declared features looks like this. " + _READ_ALIKE,
    ),
    "answer_form": Explanation(
        "{count} of {rows} answers are not {expected} (id {id}: {found}).",
        "They are scored as they are.",
    ),
    "letter": Explanation(
        "{count} of {rows} letters are not that of the option (id {id}: {found}).",
        "The letter in the answer is scored.",
    ),
    # Contexts
    "units": Explanation(
        "{count} of {rows} contexts are not made of {expected} (id {id} has {found}).",
        "Their length differs from the paper's.",
    ),
    "evidence_missing": Explanation(
        "In {count} of {rows} contexts the evidence was not found (id {id} is the first).",
        "Their depth comes from the id if the ids are the official ones, and is unknown otherwise.",
    ),
    "depth": Explanation(
        "{count} of {rows} answers are not where the id says (id {id}: {found}, not {expected}).",
        _FROM_THE_CONTEXT,
    ),
    "hops": Explanation(
        "{count} of {rows} chains are not as long as the id says (id {id}: {found}, not "
        "{expected}).",
        _FROM_THE_CONTEXT,
    ),
    "kind": Explanation(
        "{count} of {rows} questions are of another kind than the id says (id {id}: {found}, not "
        "{expected}).",
        "The kind that the question asks for is used.",
    ),
    "answer": Explanation(
        "{count} of {rows} answers are not what the context gives (id {id}: {found}, not "
        "{expected}).",
        "They are scored as they are.",
    ),
}
