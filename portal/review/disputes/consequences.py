"""How the scores and ranks of a board would change if disputes were accepted."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import OuterRef

from portal.models import Evaluation, LabelDispute, Release, Submission, User
from portal.permissions.access import Reader, with_verdicts_for
from portal.review.disputes.corrections import Rescored, corrections_of, rescore
from portal.scores.comparison.ranks import Move, Place, preview_moves
from scoring.catalog import Task
from scoring.stats import rounded

_DECIMALS = 2  # of scores as printed


class Change(NamedTuple):
    """A number on a board, before and after."""

    before: Place
    after: Place

    @property
    def moves_score(self) -> bool:
        """Whether the score changes as printed."""
        return _printed(self.before) != _printed(self.after)

    @property
    def moves_rank(self) -> bool:
        return self.before.rank != self.after.rank


class Line(NamedTuple):
    """The changes of one entry."""

    entry: str  # its id
    title: str
    answers: int  # whose own score would change
    task: Change
    overall: Change

    @property
    def moves_rank(self) -> bool:
        return self.task.moves_rank or self.overall.moves_rank


@dataclass(frozen=True, slots=True)
class Consequences:
    lines: Sequence[Line]  # of entries whose score or rank would change
    asked: int  # entries that were asked the questions
    has_ranks: bool  # False on a hidden release

    @property
    def scores(self) -> int:
        """How many entries' scores of the task would change."""
        return sum(line.task.moves_score for line in self.lines)

    @property
    def ranks(self) -> int:
        return sum(line.moves_rank for line in self.lines)


def consequences_of(
    reader: Reader,
    release: Release,
    task: Task,
    disputes: Collection[LabelDispute],
    metric_set: str,
) -> Consequences:
    """For the entries on the board of the release, as far as this reader may see their verdicts."""
    board = release.part_of or release
    entries = _entries(reader, board)
    corrections = corrections_of(disputes)
    rescored = rescore(task, metric_set, [pk for pk, _ in entries.values()], corrections)
    found = {
        entry: (title, rescored[evaluation])
        for entry, (evaluation, title) in entries.items()
        if evaluation in rescored
    }
    if board.hidden:
        moves = [_without_ranks(entry, *pair) for entry, pair in found.items()]
    else:
        percents = {entry: one.after for entry, (_, one) in found.items()}
        moves = preview_moves(board.slug, metric_set, task.id, percents)
    answers = {entry: one.changed for entry, (_, one) in found.items()}
    lines = [
        Line(
            one.entry, one.title, answers.get(one.entry, 0), Change(*one.task), Change(*one.overall)
        )
        for one in moves
    ]
    shown = [line for line in lines if line.answers or line.task.moves_score or line.moves_rank]
    return Consequences(shown, len(found), not board.hidden)


def _entries(reader: Reader, board: Release) -> dict[str, tuple[int, str]]:
    """By id, the evaluation that counts and the title."""
    on_board = Submission.objects.on_board_of(board.slug, official=board.official)
    current = Evaluation.objects.current_of(OuterRef("pk"))
    annotated = on_board.select_related("language_model", "release").annotate(current=current)
    rows: list[Any] = list(annotated)
    seen = {one.pk for one in rows}
    if board.hidden:
        seen = with_verdicts_for(reader, rows) if isinstance(reader, User) else set()
    return {
        str(one.pk): (one.current, one.title)
        for one in rows
        if one.current is not None and one.pk in seen
    }


def _without_ranks(entry: str, title: str, scores: Rescored) -> Move:
    unknown = Place(None, None)
    task = Place(scores.before, None), Place(scores.after, None)
    return Move(entry, title, task, (unknown, unknown))


def _printed(place: Place) -> str:
    return "" if place.percent is None else str(rounded(place.percent, _DECIMALS))
