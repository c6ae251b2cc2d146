"""The task scores of a submission, next to those of other entries."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import Case, Q, When

from portal.models import Evaluation, ReportedEntry, Submission, User
from portal.permissions.access import with_verdicts_for
from portal.review.facts.summary import ReviewSummary, newest_scored
from portal.scores.comparison.differences import Difference, unpaired_difference
from portal.scores.scores import Score, reported_score, scores_by_set
from portal.scores.titles import METRIC_SET_TITLES, MetricSetTitle
from scoring.metrics import PAPER_SET

_MAX_OTHERS = 4  # columns that fit
_MAX_REPORTED = 2
_MAX_OFFERED = 200
_REPORTED = "reported-"  # prefix of a reported entry's primary key in addresses
_SCORES = "scores-"  # prefix of an evaluation's

Scores = Mapping[str, Score]  # by task


class Column(NamedTuple):
    """Another entry, or other scores of the same one."""

    submission: Submission | None  # None: a reported entry
    reported: ReportedEntry | None
    scores: Scores
    is_chosen: bool  # by the reviewer
    scored: datetime | None = None  # when, if these are not the newest scores


class Cell(NamedTuple):
    score: Score | None
    difference: Difference | None  # from the submission's score; None: one of the two is unknown


class Row(NamedTuple):
    title: str
    score: Score | None
    cells: list[Cell]


class Offered(NamedTuple):
    """What a submission can be compared with: the value of the parameter, and a title."""

    title: str
    options: Sequence[tuple[str, str]]


class SideBySide(NamedTuple):
    metric_set: MetricSetTitle
    columns: list[Column]
    rows: list[Row]


def side_by_side(summary: ReviewSummary, chosen: Column | None = None) -> SideBySide | None:
    """Compared with the chosen column and the other entries of the language model; None if there is
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
    """Another submission, earlier scores or a reported entry, by its name in
    ``offered_entries``."""
    if name.startswith(_SCORES):
        number = _number(name.removeprefix(_SCORES))
        earlier = Evaluation.objects.scored().filter(pk=number)
        loaded = earlier.select_related("submission__language_model", "submission__release")
        one = loaded.prefetch_related("task_scores").first()
        if one is None:
            return None
        exact = bool(with_verdicts_for(reader, [one.submission]))
        found = scores_by_set(one, exact=exact)[PAPER_SET]
        return Column(one.submission, None, found, is_chosen=True, scored=one.finished)
    if name.startswith(_REPORTED):
        number = _number(name.removeprefix(_REPORTED))
        entries = ReportedEntry.objects.select_related("language_model")
        entry = entries.prefetch_related("scores").filter(pk=number).first()
        return _reported(entry, is_chosen=True) if entry else None
    pk = _uuid(name)
    others = Submission.objects.select_related("language_model", "release", "owner")
    other = others.exclude(pk=submission.pk).filter(pk=pk).first() if pk else None
    scored = newest_scored([other]).get(other.pk) if other else None
    if other is None or scored is None:
        return None
    exact = bool(with_verdicts_for(reader, [other]))
    return Column(other, None, scores_by_set(scored, exact=exact)[PAPER_SET], is_chosen=True)


def offered_entries(submission: Submission) -> list[Offered]:
    """What a reviewer may want to compare it with, the newest first: its own earlier scores; what
    people besides the owner have seen on the same board and on other data, each with its earlier
    scores; and reported entries. Three queries."""
    board = submission.release.part_of_id or submission.release_id
    submissions = Submission.objects.select_related("language_model", "release")
    seen = submissions.sent_to_review().exclude(pk=submission.pk)
    is_near = Q(release=board) | Q(release__part_of=board)
    nearest = seen.annotate(is_near=Case(When(is_near, then=1), default=0))
    newest = list(nearest.order_by("-is_near", "-created", "pk")[:_MAX_OFFERED])
    scored = Evaluation.objects.scored().filter(submission__in=[submission, *newest])
    by_age = scored.order_by("submission_id", "-created", "-pk")
    scores: defaultdict[UUID, list[tuple[str, str]]] = defaultdict(list)
    for pk, owner, finished in by_age.values_list("pk", "submission", "finished"):
        when = f"scored {finished:%Y-%m-%d %H:%M}"
        scores[owner].append((f"{_SCORES}{pk}", when))
    groups: dict[bool, list[tuple[str, str]]] = {True: [], False: []}
    for one in newest:
        title = f"{one.title}, {one.created:%Y-%m-%d}"
        is_same_board = board in (one.release_id, one.release.part_of_id)
        if not is_same_board:
            title = f"{title}, {one.release.title}"
        groups[is_same_board].append((str(one.pk), title))
        earlier = [(name, f"{title}, {when}") for name, when in scores[one.pk][1:]]
        groups[is_same_board] += earlier
    offered = [
        Offered("Earlier scores of this submission", scores[submission.pk][1:]),
        Offered("The same board", groups[True]),
        Offered("Other data", groups[False]),
    ]
    if submission.release.official:
        entries = ReportedEntry.objects.select_related("language_model")
        reported = [
            (f"{_REPORTED}{entry.pk}", f"{entry.language_model.name}: {entry.source}")
            for entry in entries.order_by("language_model__name", "pk")[:_MAX_OFFERED]
        ]
        offered.append(Offered("Reported", reported))
    return [one for one in offered if one.options]


def _reported(entry: ReportedEntry, *, is_chosen: bool = False) -> Column:
    scores = {one.task: reported_score(one.task, one.percent) for one in entry.scores.all()}
    return Column(None, entry, scores, is_chosen)


def _cell(own: Score | None, other: Score | None) -> Cell:
    """Bands, and rounded scores of hidden releases, have no difference."""
    known = own and other and own.exact and other.exact
    return Cell(other, unpaired_difference(own, other) if own and other and known else None)


def _number(text: str) -> int:
    """0, which is nobody's primary key, if the text is not one."""
    is_number = text.isascii() and text.isdecimal() and len(text) < 10
    return int(text) if is_number else 0


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
