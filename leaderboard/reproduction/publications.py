"""The published tables, number by number as they were printed, and why some cannot be
reproduced.

The explanations come from the history of the official repository: each state of its released files
was scored by each state of its scorer.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple, Self

from scoring.catalog import TASKS

AVERAGE = "average"  # over all tasks; in tables it looks like a task
_TABLES = Path(__file__).parent / "tables.csv"
_REPOSITORY = "https://github.com/OpenBMB/InfiniteBench"


class Number(NamedTuple):
    """In percent. Printed as ``<5`` it only says that a score was lower."""

    text: str
    value: float
    places: int  # decimal places
    is_bound: bool

    @classmethod
    def of(cls, text: str) -> Self:
        digits = text.removeprefix("<")
        return cls(text, float(digits), len(digits.partition(".")[2]), text != digits)

    def is_of(self, percent: float) -> bool:
        """Whether this score could have been printed like that."""
        if self.is_bound:
            return percent < self.value
        return abs(percent - self.value) <= 0.5 * 0.1**self.places + 1e-9


@dataclass(frozen=True, slots=True)
class Publication:
    id: str
    title: str
    date: str  # as in 2024-05; of this version of the table
    link: str


class PublishedRow(NamedTuple):
    """A row of a table: a language model, and how it was prompted if not in the usual way."""

    model: str  # as it is spelled on this site
    run: str  # empty: the usual one
    numbers: Mapping[str, Number]  # by task, and ``AVERAGE``


PUBLICATIONS = (
    Publication(
        "acl-2024",
        "Paper, table 3, as published at ACL 2024",
        "2024-08",
        "https://aclanthology.org/2024.acl-long.814",
    ),
    Publication(
        "arxiv-v1",
        "Paper, table 3, first version on arXiv",
        "2024-02",
        "https://arxiv.org/abs/2402.13718v1",
    ),
    Publication(
        "readme",
        "README of the official code",
        "2024-05",
        f"{_REPOSITORY}/blob/e60e8dc/README.md",
    ),
    Publication(
        "context-recalling",
        "Paper, context recalling against step by step, first version on arXiv",
        "2024-02",
        "https://arxiv.org/abs/2402.13718v1",
    ),
)


@cache
def published_rows(publication: str) -> Sequence[PublishedRow]:
    with _TABLES.open(encoding="utf-8", newline="") as file:
        return [
            PublishedRow(
                row["model"],
                row["run"],
                {task: Number.of(row[task]) for task in (*TASKS, AVERAGE) if row[task]},
            )
            for row in csv.DictReader(file)
            if row["table"] == publication
        ]


class Reason(NamedTuple):
    """Why a printed number differs from what the released files give."""

    code: str
    template: str
    date: str = ""  # of the released files that were scored
    percent: str = ""  # what they gave

    @property
    def text(self) -> str:
        return str(self.template) % {"date": self.date, "percent": self.percent}


_LABELS = (
    "The same answers with the labels released on %(date)s give %(percent)s. "
    "Some labels were corrected afterwards."
)
_ANSWERS = (
    "The answers and labels released on %(date)s give %(percent)s. Both were replaced afterwards."
)
_RULE = (
    "The rule of Code.Debug before %(date)s gives %(percent)s. "
    "It did not remove the space before an answer."
)
_NOTHING = "None of the released files gives this number under any revision of the official scorer."
_AVERAGES = "Follows from the differences above."

FOLLOWS = Reason("average", _AVERAGES)
_NEVER_RELEASED = Reason("never-released", _NOTHING)
_OLD_RULE = Reason("earlier-rule", _RULE, "2024-05-30", "0.76")
_OLD_SUMMARY = "2023-12-01"  # the date of En.Sum's labels before their correction
_GPT4, _YARN = "GPT-4 (1106-preview)", "YaRN-Mistral-7B-128K"
_KIMI, _CLAUDE = "Kimi-Chat", "Claude 2"
_OF_YARN = {
    "longbook_sum_eng": Reason("earlier-labels", _LABELS, _OLD_SUMMARY, "9.09"),
    "longbook_qa_chn": _NEVER_RELEASED,
    "code_debug": _OLD_RULE,
}

# By table, model and task.
REASONS: Mapping[str, Mapping[str, Mapping[str, Reason]]] = {
    "acl-2024": {_YARN: _OF_YARN},
    "readme": {_YARN: _OF_YARN},
    "arxiv-v1": {
        _YARN: _OF_YARN,
        _GPT4: {
            "longbook_qa_eng": Reason("earlier-labels", _LABELS, "2023-12-01", "22.22"),
            "longbook_qa_chn": Reason("earlier-answers", _ANSWERS, "2023-12-14", "23.06"),
            "code_debug": _NEVER_RELEASED,
        },
        _KIMI: {
            "longbook_sum_eng": Reason("earlier-labels", _LABELS, _OLD_SUMMARY, "17.93"),
            "longbook_qa_chn": Reason("earlier-answers", _ANSWERS, "2023-12-14", "18.62"),
            "code_debug": _NEVER_RELEASED,
        },
        _CLAUDE: {
            "longbook_sum_eng": Reason("earlier-labels", _LABELS, _OLD_SUMMARY, "14.45"),
            "longbook_qa_chn": Reason("earlier-answers", _ANSWERS, "2023-12-14", "10.53"),
        },
    },
    "context-recalling": {_GPT4: {"code_debug": _NEVER_RELEASED}},
}
