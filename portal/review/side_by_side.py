"""The scores of each task of a submission, next to those of other entries."""

from collections.abc import Mapping
from typing import NamedTuple
from uuid import UUID

from django.db.models import Q

from portal.models import ReportedEntry, Submission, SubmissionState, User
from portal.permissions import with_verdicts_for
from portal.review.facts import ReviewSummary, newest_scored
from portal.scores.differences import Difference, unpaired_difference
from portal.scores.scores import Score, reported_score, scores_by_set
from portal.scores.titles import METRIC_SET_TITLES, MetricSetTitle
from scoring.metrics import PAPER_SET

_MAX_OTHERS = 4  # as many columns as fit
_MAX_REPORTED = 2
_MAX_OFFERED = 200
_REPORTED = "reported-"  # before the number of a reported entry in addresses

Scores = Mapping[str, Score]  # by task


class Column(NamedTuple):
    """Another entry."""

    submission: Submission | None  # None: it is a reported one
    reported: ReportedEntry | None
    scores: Scores
    is_chosen: bool  # by the reviewer


class Cell(NamedTuple):
    score: Score | None
    difference: Difference | None  # of the submission to it; None: one of the two has no score


class Row(NamedTuple):
    title: str
    score: Score | None
    cells: list[Cell]


class SideBySide(NamedTuple):
    metric_set: MetricSetTitle
    columns: list[Column]
    rows: list[Row]


def side_by_side(summary: ReviewSummary, chosen: Column | None = None) -> SideBySide | None:
    """With the other entries of the language model, and the one that is chosen; None if there is
    nothing to compare with."""
    columns = [chosen] if chosen else []
    columns += [
        Column(other.submission, None, other.by_set[PAPER_SET], is_chosen=False)
        for other in [one for one in summary.others if one.by_set][:_MAX_OTHERS]
    ]
    columns += [_reported(entry) for entry in summary.reported[:_MAX_REPORTED]]
    if not (summary.tasks and columns):
        return None
    rows = [
        Row(
            row.title,
            row.scores[0],
            [_cell(row.scores[0], one.scores.get(row.id)) for one in columns],
        )
        for row in summary.tasks
    ]
    return SideBySide(METRIC_SET_TITLES[PAPER_SET], columns, rows)


def chosen_column(reader: User, submission: Submission, name: str) -> Column | None:
    """Any other submission, or reported entry, by what ``offered_entries`` calls it."""
    if name.startswith(_REPORTED):
        number = name.removeprefix(_REPORTED)
        if not (number.isascii() and number.isdecimal() and len(number) < 10):
            return None
        entries = ReportedEntry.objects.select_related("language_model")
        entry = entries.prefetch_related("scores").filter(pk=int(number)).first()
        return _reported(entry, is_chosen=True) if entry else None
    pk = _uuid(name)
    others = Submission.objects.select_related("language_model", "release", "owner")
    other = others.exclude(pk=submission.pk).filter(pk=pk).first() if pk else None
    scored = newest_scored([other]).get(other.pk) if other else None
    if other is None or scored is None:
        return None
    exact = bool(with_verdicts_for(reader, [other]))
    return Column(other, None, scores_by_set(scored, exact=exact)[PAPER_SET], is_chosen=True)


def offered_entries(submission: Submission) -> list[tuple[str, str]]:
    """Names and titles of what a reviewer may want to compare it with: what others have seen on the
    same board, the newest first, and what was reported of it. Two queries."""
    board = submission.release.part_of_id or submission.release_id
    same = Submission.objects.filter(Q(release=board) | Q(release__part_of=board))
    seen = same.exclude(state=SubmissionState.PRIVATE).exclude(pk=submission.pk)
    newest = seen.select_related("language_model").order_by("-created", "pk")[:_MAX_OFFERED]
    offered = [(str(one.pk), f"{one.title}, {one.created:%Y-%m-%d}") for one in newest]
    if submission.release.official:
        entries = ReportedEntry.objects.select_related("language_model")
        offered += [
            (f"{_REPORTED}{entry.pk}", f"{entry.language_model.name}: {entry.source}")
            for entry in entries.order_by("language_model__name", "pk")[:_MAX_OFFERED]
        ]
    return offered


def _reported(entry: ReportedEntry, *, is_chosen: bool = False) -> Column:
    scores = {one.task: reported_score(one.task, one.percent) for one in entry.scores.all()}
    return Column(None, entry, scores, is_chosen)


def _cell(own: Score | None, other: Score | None) -> Cell:
    """A band, or the whole percents of a hidden release, are compared with nothing."""
    known = own and other and own.exact and other.exact
    return Cell(other, unpaired_difference(own, other) if own and other and known else None)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
