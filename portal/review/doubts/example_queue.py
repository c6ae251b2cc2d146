"""The examples of a task, the most informative for reviewers first."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models.functions import Right
from django.http import QueryDict

from portal.models import Example, SubmissionState, User
from portal.review.answers.makers import answering_task, places_of
from portal.review.doubts.task_choice import Link, TaskChoice, choose_task
from portal.scores.questions.items import QuestionFacts, question_facts
from scoring.problems import visible

LISTED = 50
_SHOWN_QUESTION = 160  # characters, the last ones

ORDERS: Mapping[str, Callable[[QuestionFacts], float]] = {
    "information": lambda facts: facts.information,
    "discrimination": lambda facts: abs(facts.discrimination or 0.0),
    "disagreement": lambda facts: facts.disagreement or 0.0,
    "gold": lambda facts: float(facts.gold_missing),
}
_TITLES: Mapping[str, str] = {
    "information": "All together",
    "discrimination": "Tells entries apart",
    "disagreement": "Metrics disagree",
    "gold": "Gold answer not in the context",
}


class QueuedExample(NamedTuple):
    key: str
    url: str
    question: str  # its end
    facts: QuestionFacts

    @property
    def percent(self) -> float | None:
        """Mean score of the entries."""
        return None if self.facts.mean is None else 100 * self.facts.mean

    @property
    def points(self) -> float | None:
        """By which the metric sets differ, on average."""
        apart = self.facts.disagreement
        return None if apart is None else 100 * apart


@dataclass(frozen=True, slots=True)
class ExampleQueue:
    choice: TaskChoice
    entries: int  # published ones that have answered the task
    rows: Sequence[QueuedExample]
    orders: Sequence[Link]

    @property
    def has_questions(self) -> bool:
        """False for a release that has only labels."""
        return any(row.question for row in self.rows)


def example_queue(reader: User, query: QueryDict) -> ExampleQueue | None:
    """For the release and task of the query string, or the first ones; None if there is no release.
    A fixed number of queries."""
    order = query.get("order", "")
    choice = choose_task(query, **({"order": order} if order in ORDERS else {}))
    if choice is None:
        return None
    entries, rows = _queue(reader, choice, ORDERS.get(order) or ORDERS["information"])
    current = choice.query.get("order", "information")
    orders = [
        choice.link("order", name, title, is_current=name == current)
        for name, title in _TITLES.items()
    ]
    return ExampleQueue(choice, entries, rows, orders)


def _queue(
    reader: User, choice: TaskChoice, order: Callable[[QuestionFacts], float]
) -> tuple[int, list[QueuedExample]]:
    """How many entries count, and the first questions, among those that any entry has answered or
    whose gold answers are missing from their contexts."""
    task, data_set = choice.task, choice.data_set
    published = answering_task(reader, task, {SubmissionState.PUBLISHED})
    places = places_of(data_set.pk, {one.data_set for one in published})
    indices = range(data_set.size)
    entries = {
        one.evaluation: [places[one.data_set].get(index) for index in indices]
        for one in published
        if places[one.data_set]
    }
    without_gold = Example.objects.filter(data_set=data_set, answer_in_context=False).order_by()
    missing = frozenset(without_gold.values_list("index", flat=True))
    facts = question_facts(entries, task.id, data_set.size, missing)
    known = [index for index in indices if facts[index].answered or index in missing]
    first = sorted(known, key=lambda index: (-order(facts[index]), index))[:LISTED]
    examples = Example.objects.filter(data_set=data_set, index__in=first).order_by()
    columns = examples.annotate(asked=Right("question", _SHOWN_QUESTION))
    texts = {one.index: one for one in columns.only("index", "key")}
    return len(entries), [
        QueuedExample(
            texts[index].key,
            choice.example_address(texts[index].key),
            visible(" ".join(getattr(texts[index], "asked", "").split()), _SHOWN_QUESTION),
            facts[index],
        )
        for index in first
        if index in texts
    ]
