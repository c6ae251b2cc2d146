"""Disputes as pages show them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from django.db.models import F, Q, QuerySet
from django.http import Http404, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import reverse

from portal.models import Example, LabelDispute, Release
from portal.review.disputes.labels import written_label
from scoring.catalog import BOARD_ORDER, TASKS, Task
from scoring.problems import visible

_SHOWN_QUESTION = 600  # characters, from both ends
_SHOWN_LABEL = 400


class Disputed(NamedTuple):
    """An example whose label is in doubt."""

    release: Release
    task: Task
    example: Example

    @property
    def url(self) -> str:
        start = reverse("examples", args=[self.release.slug, self.task.id])
        return f"{start}{quote(self.example.key, safe='')}/"

    @property
    def key(self) -> str:
        return self.example.key

    @property
    def question(self) -> str:
        return visible(" ".join(self.example.question.split()), _SHOWN_QUESTION)

    @property
    def label(self) -> list[str]:
        """Its answers."""
        return _lines(self.task, self.example.label)


@dataclass(frozen=True, slots=True)
class ShownDispute:
    about: Disputed
    dispute: LabelDispute

    @property
    def proposed(self) -> list[str]:
        """The answers of the label; none: to leave the question out."""
        label = self.dispute.proposed_label
        return [] if label is None else _lines(self.about.task, label)


class Proposal(NamedTuple):
    """The accepted disputes about a task of a release, whose data they would correct."""

    release: Release
    task: Task
    disputes: Sequence[ShownDispute]


def _lines(task: Task, label: object) -> list[str]:
    return [visible(line, _SHOWN_LABEL) for line in written_label(task, label).splitlines()]


def find_disputed(query: QueryDict) -> Disputed:
    """What ``release``, ``task`` and ``key`` name. Raises ``Http404``."""
    release = get_object_or_404(Release.objects.public(), slug=query.get("release", ""))
    task = TASKS.get(query.get("task", ""))
    if task is None:
        raise Http404
    examples = Example.objects.select_related("data_set")
    found = examples.filter(data_set__releases=release, data_set__task=task.id)
    return Disputed(release, task, get_object_or_404(found, key=query.get("key", "")))


def find_dispute(number: int) -> ShownDispute:
    """Raises ``Http404``."""
    return _shown(get_object_or_404(_with_examples(LabelDispute.objects.all()), pk=number))


def open_disputes() -> list[ShownDispute]:
    """The oldest first, since they have waited longest."""
    found = _with_examples(LabelDispute.objects.open())
    return [_shown(one) for one in found.order_by("filed_at", "pk")]


def decided_disputes(most: int) -> list[ShownDispute]:
    """Those decided last."""
    found = _with_examples(LabelDispute.objects.exclude(outcome=""))
    return [_shown(one) for one in found.order_by("-decided_at", "-pk")[:most]]


def proposals() -> list[Proposal]:
    """Of every task that has any, by release."""
    found: dict[tuple[int, str], list[ShownDispute]] = {}
    for one in _with_examples(LabelDispute.objects.accepted()).filter(_still_in_use()):
        shown = _shown(one)
        found.setdefault((one.release_id, shown.about.task.id), []).append(shown)
    ordered = sorted(found, key=lambda place: (place[0], BOARD_ORDER.index(place[1])))
    return [
        Proposal(found[place][0].about.release, TASKS[place[1]], found[place]) for place in ordered
    ]


def find_proposal(slug: str, task_id: str) -> Proposal:
    """Raises ``Http404`` where nothing was accepted."""
    for one in proposals():
        if (one.release.slug, one.task.id) == (slug, task_id):
            return one
    raise Http404


def _still_in_use() -> Q:
    """A release that has been corrected since has another data set."""
    return Q(example__data_set__releases=F("release"))


def _with_examples(disputes: QuerySet[LabelDispute]) -> QuerySet[LabelDispute]:
    return disputes.select_related(
        "release__part_of", "example__data_set", "filed_by", "decided_by"
    )


def _shown(dispute: LabelDispute) -> ShownDispute:
    example = dispute.example
    return ShownDispute(Disputed(dispute.release, TASKS[example.data_set.task], example), dispute)
