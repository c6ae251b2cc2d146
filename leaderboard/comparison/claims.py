"""Whether “A is better than B” holds today, in one task or mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from leaderboard.board.cells import Cell, score_cell
from leaderboard.columns import Column, columns_of
from leaderboard.comparison.differences import difference_of, is_unshared, vectors_of
from leaderboard.comparison.queries import Side
from leaderboard.queries import BoardRelease
from portal.scores.comparison.differences import Difference, Verdict
from portal.scores.scores import mean_of


class Answer(StrEnum):
    HOLDS = "holds"
    OPPOSITE = "opposite"  # B is better
    OPEN = "open"  # the difference may be chance
    HIDDEN = "hidden"  # the labels are secret: only disclosed scores may be compared
    REPORTED = "reported"  # one of them is only reported, so single questions cannot be compared
    UNTESTED = "untested"  # too few questions in a partial run, or none were stored
    UNSHARED = "unshared"  # one was asked a sample that contains no question of the other
    MISSING = "missing"  # one of them has no such score


_ANSWERS = {
    Verdict.BETTER: Answer.HOLDS,
    Verdict.WORSE: Answer.OPPOSITE,
    Verdict.OPEN: Answer.OPEN,
}


@dataclass(frozen=True, slots=True)
class Claim:
    """That ``a`` is better than ``b``."""

    a: Side
    b: Side
    column: Column
    release: BoardRelease
    answer: Answer
    difference: Difference | None

    @property
    def scores(self) -> list[tuple[str, Side, Cell | None]]:
        """Of both entries; None where there is none."""
        found = []
        for letter, side in (("A", self.a), ("B", self.b)):
            score = mean_of(self.column.tasks, side.scores)
            cell = score_cell(self.column, score, side.entry.caveats, decimals=2) if score else None
            found.append((letter, side, cell))
        return found

    @property
    def changed(self) -> datetime:
        """The latest change of either entry."""
        return max(self.a.changed, self.b.changed)


def claim_of(a: Side, b: Side, column: Column, release: BoardRelease, metric_set: str) -> Claim:
    """Only a paired test on public questions decides."""
    vectors_a, vectors_b = vectors_of([a, b], metric_set)
    difference = difference_of(column, a, b, vectors_a, vectors_b)
    if is_unshared(column, a, b, vectors_a, vectors_b):
        answer = Answer.UNSHARED
    elif difference is None:
        answer = Answer.MISSING
    elif difference.is_paired:
        answer = _ANSWERS[difference.verdict]
    elif a.hidden or b.hidden:
        answer = Answer.HIDDEN
    else:
        answer = Answer.REPORTED if None in (a.evaluation, b.evaluation) else Answer.UNTESTED
    return Claim(a, b, column, release, answer, difference)


def common_board(
    sides: Sequence[Side], releases: Sequence[BoardRelease], preferred: str | None
) -> BoardRelease | None:
    """The release whose board shows all of them; None if there is none."""
    common = frozenset.intersection(*(side.boards for side in sides))
    found = [release for release in releases if release.slug in common]
    return next((one for one in found if one.slug == preferred), next(iter(found), None))


def column_of(release: BoardRelease, column_id: str) -> Column | None:
    return next(
        (one for one in columns_of(release.sizes, release=release) if one.id == column_id), None
    )
