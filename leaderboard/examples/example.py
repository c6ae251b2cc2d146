"""One example as a reader may see it: its question, its gold answer and what is known about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from leaderboard.examples.queries import QuestionSet
from portal.models import Example
from portal.scores.disclosure import visible_facets
from portal.scores.questions.gold import gold_answers, label_of
from scoring.catalog import Kind, Task
from scoring.labels import LETTERS, Label

_FACETS = ("tokens", "depth", "hops", "kind", "ladder", "evidence")


class Option(NamedTuple):
    letter: str
    text: str
    is_right: bool  # False if the answer may not be shown


@dataclass(frozen=True, slots=True)
class ShownExample:
    key: str
    number: int  # its position in the data set, from 1
    question: str
    options: Sequence[Option]
    # The gold answers, any of which is right; None if they may not be shown.
    gold: Sequence[str] | None
    label: Label | None  # the same, as the scorer reads it
    facets: Mapping[str, Any]  # only those that are known and may be shown


def shown_example(questions: QuestionSet, example: Example) -> ShownExample:
    label = label_of(questions.task, example) if questions.shows_answers else None
    letter = _right_letter(questions.task, label)
    facets = {name: getattr(example, name) for name in _FACETS}
    known = {name: value for name, value in facets.items() if value not in (None, "", [])}
    return ShownExample(
        example.key,
        example.index + 1,
        example.question,
        [
            Option(one, text, one == letter)
            for one, text in zip(LETTERS, example.options, strict=False)
        ],
        gold_answers(questions.task, label) if questions.shows_answers else None,
        label,
        visible_facets(known, hidden=questions.release.hidden, reviews=questions.shows_answers),
    )


def _right_letter(task: Task, label: Label | None) -> str:
    is_choice = task.kind is Kind.CHOICE and isinstance(label, tuple)
    return str(label[1]) if is_choice and isinstance(label, tuple) else ""
