"""The examples of a task from which a reviewer learns most, those first."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote, urlencode

from django.db.models.functions import Right
from django.http import QueryDict
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from portal.models import Example, Release, SubmissionState, TaskDataSet, User
from portal.review.answering import answering_task, places_of
from portal.scores.items import QuestionFacts, question_facts
from scoring.catalog import BOARD_ORDER, TASKS, Task
from scoring.problems import visible

LISTED = 50
_SHOWN_QUESTION = 160  # characters, the last ones

_ORDERS: Mapping[str, Callable[[QuestionFacts], float]] = {
    "information": lambda facts: facts.information,
    "discrimination": lambda facts: abs(facts.discrimination or 0.0),
    "disagreement": lambda facts: facts.disagreement or 0.0,
}
_TITLES: Mapping[str, str | Promise] = {
    "information": _("Both together"),
    "discrimination": _("Tells entries apart"),
    "disagreement": _("Metrics disagree"),
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


class Link(NamedTuple):
    """To another queue."""

    name: str
    title: str | Promise
    href: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class ExampleQueue:
    release: Release
    task: Task
    entries: int  # published ones that have answered the task
    rows: Sequence[QueuedExample]
    releases: Sequence[Link]
    tasks: Sequence[Link]
    orders: Sequence[Link]

    @property
    def has_questions(self) -> bool:
        """Of a release of labels alone none is known."""
        return any(row.question for row in self.rows)


def example_queue(reader: User, query: QueryDict) -> ExampleQueue | None:
    """Of what the query string asks for, as far as there is such a thing; None without any release.
    A fixed number of queries."""
    releases = list(Release.objects.public().order_by("-official", "title", "slug"))
    release = _named(releases, query.get("release", ""))
    data_sets = {one.task: one for one in release.data_sets.all()} if release else {}
    tasks = [TASKS[task] for task in BOARD_ORDER if task in data_sets]
    if release is None or not tasks:
        return None
    task = next((one for one in tasks if one.id == query.get("task")), tasks[0])
    order = query.get("order", "")
    chosen = {"release": release.slug, "task": task.id}
    if order in _ORDERS:
        chosen["order"] = order
    entries, rows = _queue(
        reader, release, task, data_sets[task.id], _ORDERS.get(order) or _ORDERS["information"]
    )
    return ExampleQueue(
        release,
        task,
        entries,
        rows,
        [
            _link(chosen, "release", one.slug, one.localized_title, one == release)
            for one in releases
        ],
        [_link(chosen, "task", one.id, one.title, one == task) for one in tasks],
        [
            _link(chosen, "order", name, title, name == chosen.get("order", "information"))
            for name, title in _TITLES.items()
        ],
    )


def _named(releases: Sequence[Release], slug: str) -> Release | None:
    return next((one for one in releases if one.slug == slug), next(iter(releases), None))


def _link(
    chosen: Mapping[str, str], parameter: str, name: str, title: str | Promise, is_current: bool
) -> Link:
    query = urlencode({**chosen, parameter: name})
    return Link(name, title, f"?{query}", is_current)


def _queue(
    reader: User,
    release: Release,
    task: Task,
    data_set: TaskDataSet,
    order: Callable[[QuestionFacts], float],
) -> tuple[int, list[QueuedExample]]:
    """How many entries count, and the first questions that any of them has answered."""
    published = answering_task(reader, task, {SubmissionState.PUBLISHED})
    places = places_of(data_set.pk, {one.data_set for one in published})
    indices = range(data_set.size)
    entries = {
        one.evaluation: [places[one.data_set].get(index) for index in indices]
        for one in published
        if places[one.data_set]
    }
    facts = question_facts(entries, task.id, data_set.size)
    known = [index for index in indices if facts[index].answered]
    first = sorted(known, key=lambda index: (-order(facts[index]), index))[:LISTED]
    examples = Example.objects.filter(data_set=data_set, index__in=first).order_by()
    columns = examples.annotate(asked=Right("question", _SHOWN_QUESTION))
    texts = {one.index: one for one in columns.only("index", "key")}
    start = reverse("examples", args=[release.slug, task.id])
    return len(entries), [
        QueuedExample(
            texts[index].key,
            f"{start}{quote(texts[index].key, safe='')}/",
            visible(" ".join(getattr(texts[index], "asked", "").split()), _SHOWN_QUESTION),
            facts[index],
        )
        for index in first
        if index in texts
    ]
