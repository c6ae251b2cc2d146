"""Read the entries to compare: public ones, with what their own pages show."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import Avg, Max
from django.http import Http404

from leaderboard.entries import Entry, Mark
from leaderboard.names import MarkTitle, mark_of
from leaderboard.pages.entries.entry import (
    EntryDetails,
    reported_details,
    submission_details,
)
from leaderboard.pages.tombstones import Tombstone, entry_tombstone
from leaderboard.queries import BoardRelease, public_submissions
from portal.models import AuditEntry, Example, ReportedEntry, SubmissionState
from portal.scores.attempts import scored_attempts
from portal.scores.scores import REPORTED_UNDER, ByTask, scores_by_set
from scoring.catalog import TASKS


@dataclass(frozen=True, slots=True)
class Side:
    """An entry to compare."""

    entry: Entry
    scores: ByTask  # under the metric set of the comparison
    boards: frozenset[str]  # slugs of the releases whose boards may show it
    changed: datetime  # when it was scored or published, whichever was later
    hidden: bool  # the labels of its release are secret: only disclosed scores may be used
    # The evaluation whose per-question scores may be used; None: only its numbers are public.
    evaluation: int | None
    attempts: int | None = None  # scored submissions of its model that it was chosen from

    @property
    def mark(self) -> MarkTitle:
        return mark_of(self.entry)


class Chosen(NamedTuple):
    sides: list[Side]  # in the order in which they were asked for
    gone: list[Tombstone]  # those that were withdrawn or hidden


def read_chosen(ids: Sequence[str], metric_set: str, releases: Sequence[BoardRelease]) -> Chosen:
    """``ids`` are current ones. Raises ``Http404`` if one neither is nor ever was public."""
    found = _submitted(ids, metric_set, releases) | _reported(ids, metric_set, releases)
    gone = []
    for entry_id in (one for one in ids if one not in found):
        tombstone = entry_tombstone(entry_id)
        if tombstone is None:
            raise Http404
        gone.append(tombstone)
    return Chosen([found[one] for one in ids if one in found], gone)


def _submitted(
    ids: Sequence[str], metric_set: str, releases: Sequence[BoardRelease]
) -> dict[str, Side]:
    found = submission_details(public_submissions().at(*ids))
    keys = [details.submission.pk for details in found if details.submission]
    changes = AuditEntry.objects.filter(submission__in=keys, after=SubmissionState.PUBLISHED)
    published = dict(changes.order_by().values_list("submission").annotate(Max("at")))
    attempts = scored_attempts(keys)
    sides = {}
    for details in found:
        submission, evaluation = details.submission, details.evaluation
        if submission is None or evaluation is None:
            continue
        hidden = submission.release.hidden
        times = (submission.created, evaluation.finished, published.get(submission.pk))
        sides[details.entry.id] = Side(
            entry=details.entry,
            scores=scores_by_set(evaluation, exact=not hidden)[metric_set],
            boards=_boards(details, releases),
            changed=max(time for time in times if time),
            hidden=hidden,
            evaluation=None if hidden else evaluation.pk,
            attempts=attempts.get(submission.pk),
        )
    return sides


def _reported(
    ids: Sequence[str], metric_set: str, releases: Sequence[BoardRelease]
) -> dict[str, Side]:
    """Under a metric set other than ``REPORTED_UNDER`` they have no scores."""
    entries = ReportedEntry.objects.select_related("language_model").prefetch_related("scores")
    sides = {}
    for entry in entries.filter(slug__in=ids):
        details = reported_details(entry)
        sides[details.entry.id] = Side(
            entry=details.entry,
            scores=details.entry.scores if metric_set == REPORTED_UNDER else {},
            boards=_boards(details, releases),
            changed=entry.created,
            hidden=False,
            evaluation=None,
        )
    return sides


def _boards(details: EntryDetails, releases: Sequence[BoardRelease]) -> frozenset[str]:
    if details.submission and details.entry.mark is Mark.SCORED:
        return frozenset({details.submission.release.slug})
    return frozenset(release.slug for release in releases if release.official)


def tokens_of_questions(release: BoardRelease) -> dict[str, float]:
    """The average input tokens of a question, by task; without tasks of unknown length."""
    if release.official:
        return {task: float(TASKS[task].input_tokens) for task in release.sizes}
    counted = Example.objects.filter(data_set__releases__slug=release.slug, tokens__isnull=False)
    rows = counted.order_by().values_list("data_set__task").annotate(Avg("tokens"))
    return {task: float(tokens) for task, tokens in rows}
