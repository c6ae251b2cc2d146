"""Disputes as pages show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse

from portal.models import Example, LabelDispute, Release, TaskDataSet, User
from portal.models.dispute import LabelDisputeQuerySet
from portal.permissions.access import Reader, sees_labels
from portal.review.disputes.corrections import disputed_examples
from portal.review.disputes.labels import written_label
from scoring.catalog import BOARD_ORDER, TASKS, Task
from scoring.problems import visible

MOST_LISTED = 100
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
        return self.lines_of(self.example.label)

    def lines_of(self, label: object) -> list[str]:
        """The answers of a label of the example, its own or a proposed one."""
        written = written_label(self.task, label, self.example.options)
        return [visible(line, _SHOWN_LABEL) for line in written.splitlines()]


@dataclass(frozen=True, slots=True)
class ShownDispute:
    about: Disputed
    dispute: LabelDispute

    @property
    def proposed(self) -> list[str]:
        """The answers of the proposed label; empty: to leave the question out."""
        label = self.dispute.proposed_label
        return [] if label is None else self.about.lines_of(label)


class Proposal(NamedTuple):
    """A task of a release with the accepted disputes about the labels of its data set."""

    release: Release
    task: Task
    data_set: TaskDataSet
    disputes: Sequence[ShownDispute]


class ProposalLink(NamedTuple):
    release: Release
    task: Task
    disputes: int  # accepted ones


def find_disputed(reader: Reader, named: Mapping[str, Any]) -> Disputed:
    """The example that ``release``, ``task`` and ``key`` name, if its label is here and the reader
    may see it. Raises ``Http404``."""
    slug, task_id, key = (str(named.get(part, "")) for part in ("release", "task", "key"))
    release = _find_release(reader, slug)
    task = TASKS.get(task_id)
    if task is None:
        raise Http404
    examples = Example.objects.select_related("data_set")
    of_task = examples.filter(data_set__releases=release, data_set__task=task.id)
    found = of_task.filter(data_set__figures_only=False)
    return Disputed(release, task, get_object_or_404(found, key=key))


def _find_release(reader: Reader, slug: str) -> Release:
    release = get_object_or_404(Release.objects.public(), slug=slug)
    if not sees_labels(reader, release):
        raise Http404
    return release


def disputes_seen_by(reader: Reader) -> LabelDisputeQuerySet:
    """Without those about labels that the reader may not see."""
    is_reviewer = isinstance(reader, User) and reader.is_reviewer
    found = LabelDispute.objects.all()
    return found if is_reviewer else found.filter(release__hidden=False)


def find_dispute(reader: Reader, number: int) -> ShownDispute:
    """Raises ``Http404``."""
    return shown_dispute(get_object_or_404(with_examples(disputes_seen_by(reader)), pk=number))


def open_disputes(reader: Reader) -> list[ShownDispute]:
    """Those that have waited longest first; no more than fit on a page."""
    found = with_examples(disputes_seen_by(reader).open())
    return [shown_dispute(one) for one in found.order_by("filed_at", "pk")[:MOST_LISTED]]


def decided_disputes(reader: Reader) -> list[ShownDispute]:
    """The latest decisions first; no more than fit on a page."""
    found = with_examples(disputes_seen_by(reader).exclude(outcome=""))
    return [shown_dispute(one) for one in found.order_by("-decided_at", "-pk")[:MOST_LISTED]]


def proposal_links(reader: Reader) -> list[ProposalLink]:
    """A link for every task of a release with labels to correct. Three queries."""
    accepted = list(with_examples(disputes_seen_by(reader).accepted()))
    by_data_set: dict[int, set[int]] = {}
    for example, dispute in disputed_examples(accepted):
        by_data_set.setdefault(example.data_set_id, set()).add(dispute.pk)
    releases = Release.objects.public().filter(data_sets__in=by_data_set).distinct()
    found = [
        ProposalLink(release, TASKS[data_set.task], len(by_data_set[data_set.pk]))
        for release in releases.prefetch_related("data_sets").order_by("-official", "slug")
        for data_set in release.data_sets.all()
        if data_set.pk in by_data_set and sees_labels(reader, release)
    ]
    return sorted(found, key=lambda link: (link.release.slug, BOARD_ORDER.index(link.task.id)))


def find_proposal(reader: Reader, slug: str, task_id: str) -> Proposal:
    """Raises ``Http404`` if no dispute was accepted."""
    release = _find_release(reader, slug)
    data_set = get_object_or_404(release.data_sets, task=task_id)
    accepted = with_examples(disputes_seen_by(reader).accepted().about_any_in(data_set))
    disputes = [shown_dispute(one) for one in accepted]
    if not disputes:
        raise Http404
    return Proposal(release, TASKS[task_id], data_set, disputes)


def with_examples(disputes: QuerySet[LabelDispute]) -> QuerySet[LabelDispute]:
    related = ("release__part_of", "example__data_set", "filed_by", "decided_by")
    return disputes.select_related(*related).defer("example__evidence")


def shown_dispute(dispute: LabelDispute) -> ShownDispute:
    example = dispute.example
    return ShownDispute(Disputed(dispute.release, TASKS[example.data_set.task], example), dispute)
