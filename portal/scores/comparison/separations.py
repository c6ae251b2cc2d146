"""Which entries of a board can be told apart: computed by the sweeper, read by boards.

All pairs of a board are tested together, so a new entry changes the results of the others. Stored
results are therefore valid only for the entries that they were computed from; until the entries of
a changed board are compared, its ranks have no ranges. Hidden releases have none.
"""

import hashlib
import logging
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import Case, F, OuterRef, When
from numpy.typing import NDArray

from portal.board_version import raise_board_version
from portal.models import Evaluation, Release, ReportedScore, Separation, Submission
from portal.scores.comparison.runs import Runs, repeated_runs, runs_key
from portal.scores.scores import REPORTED_UNDER
from portal.scores.vectors import mean_vectors, read_vectors, reported_vectors
from scoring.catalog import TASKS, named_means
from scoring.comparison.board import Board
from scoring.comparison.vectors import TaskVector
from scoring.metrics import METRIC_SETS

log = logging.getLogger(__name__)

Column = Mapping[str, float]  # weights of tasks


class ColumnSeparation(NamedTuple):
    """Which entries can be told apart in one column of a board."""

    places: Mapping[str, int]  # row and column of each entry, by key
    better: NDArray[np.bool_]  # where the row's entry is better than the column's

    def rank_ranges(self, among: Collection[str]) -> dict[str, tuple[int, int]]:
        """For each of these entries that was compared: from 1 + the number of better ones to the
        number of all − the number of worse ones. An entry that was not compared is neither."""
        keys = [key for key in among if key in self.places]
        places = [self.places[key] for key in keys]
        better = self.better[np.ix_(places, places)]
        ahead, behind = better.sum(axis=0).tolist(), better.sum(axis=1).tolist()
        return {
            key: (1 + before, len(among) - after)
            for key, before, after in zip(keys, ahead, behind, strict=True)
        }

    def indistinguishable_from(self, key: str, among: Iterable[str]) -> set[str]:
        """Those that are neither better nor worse than this entry, which was compared."""
        place = self.places[key]
        known = {one: self.places[one] for one in among if one in self.places}
        apart = self.better[place] | self.better[:, place]
        return {one for one, other in known.items() if not apart[other]}


class BoardSeparations(NamedTuple):
    # By column: the difference in points that tells neighbours apart; None: not known.
    smallest_differences: Mapping[str, float | None]
    column: ColumnSeparation | None  # the requested one; None: it has no ranges


class Apart(NamedTuple):
    """Which entries can be told apart from one entry, in one column."""

    by_key: Mapping[str, bool]  # for each entry that was compared
    method: str  # of testing all pairs: ``holm``, ``holm+romano-wolf``


def entry_key(evaluation: int) -> str:
    """The key of an entry in comparisons, which depends on its scores, not on its name."""
    return f"evaluation-{evaluation}"


def reported_key(entry_id: str, percents: Mapping[str, float]) -> str:
    """The key of a reported entry, which depends on its numbers, since these may be corrected."""
    digest = hashlib.sha256(repr(sorted(percents.items())).encode()).hexdigest()
    return f"{entry_id}-{digest[:16]}"


def inputs_hash(keys: Iterable[str]) -> str:
    return hashlib.sha256(" ".join(sorted(keys)).encode()).hexdigest()


def columns_of_release(tasks: Collection[str]) -> dict[str, Column]:
    """By name, the columns of a board that have ranges: its means, and every task."""
    columns = named_means(tasks) | {task: (task,) for task in tasks}
    return {name: dict.fromkeys(members, 1.0) for name, members in columns.items()}


def update_separations() -> int:
    """Compare the entries of every board whose entries have changed. Returns how many boards.

    Raises ``ExceptionGroup`` for boards that could not be compared, after all others.
    """
    updated, errors = 0, []
    for release in Release.objects.with_boards().filter(hidden=False).order_by("pk"):
        for metric_set in METRIC_SETS:
            try:
                updated += _update(release, metric_set)
            except Exception as error:  # one board must not stop the others
                errors.append(error)
    if errors:
        raise ExceptionGroup("boards that could not be compared", errors)
    return updated


class Inputs(NamedTuple):
    """The entries of a board, by their keys."""

    evaluations: Mapping[str, int]
    repeated: Mapping[str, Runs]
    reported: Mapping[str, Mapping[str, float]]  # percent by task

    @property
    def keys(self) -> list[str]:
        return [*self.evaluations, *self.repeated, *self.reported]

    def vectors(
        self, keys: Collection[str], metric_set: str
    ) -> dict[str, Mapping[str, TaskVector]]:
        """By key, without old entries whose scores of single questions were not stored."""
        wanted = {self.evaluations[key] for key in keys if key in self.evaluations}
        runs = {key: found for key, found in self.repeated.items() if key in keys}
        read = read_vectors(wanted.union(*runs.values()), metric_set)
        found: dict[str, Mapping[str, TaskVector]] = {
            key: read[one] for key, one in self.evaluations.items() if key in keys and one in read
        }
        found |= {
            key: mean_vectors([read[one] for one in of_runs])
            for key, of_runs in runs.items()
            if all(one in read for one in of_runs)
        }
        reported = {key: percents for key, percents in self.reported.items() if key in keys}
        return found | reported_vectors(reported)


class _Compared(NamedTuple):
    board: Board[str]
    columns: Mapping[str, Column]


_MOST_BOARDS = 3  # one with 1,000 entries takes 100 MB
_MOST_NEW = 20  # entries: if there are more, computing all pairs again is as fast
_boards: OrderedDict[tuple[int, str], _Compared] = OrderedDict()  # the last updated at the end


def _compared(which: tuple[int, str], inputs: Inputs, columns: Mapping[str, Column]) -> Board[str]:
    """``which``: release and metric set. If the board has only gained entries since this process
    last compared it, no pair of the old ones is computed again."""
    before = _boards.pop(which, None)
    keys, metric_set = inputs.keys, which[1]
    new = [key for key in keys if before is None or key not in before.board.entries]
    if (
        before
        and before.columns == columns
        and set(before.board.entries) <= set(keys)
        and len(new) <= _MOST_NEW
    ):
        board = before.board
        for key, vectors in inputs.vectors(new, metric_set).items():
            board = board.with_entry(key, vectors)
    else:
        board = Board(inputs.vectors(keys, metric_set), columns)
    _boards[which] = _Compared(board, columns)
    if len(_boards) > _MOST_BOARDS:
        _boards.popitem(last=False)
    return board


def forget() -> None:
    """Drop all boards in memory: for tests."""
    _boards.clear()


def _update(release: Release, metric_set: str) -> bool:
    on_board = Submission.objects.on_board_of(release.slug, official=release.official)
    current = Evaluation.objects.current_of(OuterRef("pk"))
    found = on_board.order_by("pk").annotate(current=current).values_list("current", flat=True)
    reported: dict[str, dict[str, float]] = {}
    if release.official and metric_set == REPORTED_UNDER:
        for row in ReportedScore.objects.select_related("entry").order_by("entry", "task"):
            reported.setdefault(row.entry.entry_id, {})[row.task] = row.percent
    inputs = Inputs(
        {entry_key(one): one for one in found if one is not None},
        {runs_key(runs): runs for runs in repeated_runs(on_board)},
        {reported_key(one, percents): percents for one, percents in reported.items()},
    )
    hash_ = inputs_hash(inputs.keys)
    stored = Separation.objects.filter(release=release, metric_set=metric_set)
    if not (inputs.keys or stored.exists()) or stored.filter(inputs=hash_).exists():
        return False
    tasks = [data_set.task for data_set in release.data_sets.all()]
    columns = columns_of_release([task for task in TASKS if task in tasks])
    board = _compared((release.pk, metric_set), inputs, columns)
    rows_to_store = [_separation(release, metric_set, column, hash_, board) for column in columns]
    with transaction.atomic():
        Release.objects.select_for_update(no_key=True).get(pk=release.pk)
        if stored.filter(inputs=hash_).exists():  # by another sweeper in the meantime
            return False
        stored.delete()
        Separation.objects.bulk_create(rows_to_store)
        raise_board_version()  # pages without ranges are out of date
    log.info("%s, %s: %s entries compared", release.slug, metric_set, len(board.entries))
    return True


def _separation(
    release: Release, metric_set: str, column: str, inputs: str, board: Board[str]
) -> Separation:
    ranks = board.ranks(column)
    return Separation(
        release=release,
        metric_set=metric_set,
        column=column,
        inputs=inputs,
        entries=list(ranks.entries),
        better=np.packbits(ranks.better, axis=1).tobytes(),
        smallest_difference=ranks.smallest_difference,
        method=ranks.method,
    )


def read_separations(
    release: str, metric_set: str, column: str, keys: Iterable[str]
) -> BoardSeparations | None:
    """For the board with exactly these entries; None while they are pending, or if there are none.
    One query."""
    of_board = Separation.objects.filter(
        release__slug=release, metric_set=metric_set, inputs=inputs_hash(keys)
    )
    whole = When(column=column, then=F("entries")), When(column=column, then=F("better"))
    rows = of_board.annotate(of_entries=Case(whole[0]), of_better=Case(whole[1]))
    smallest, found = {}, None
    values = rows.values_list("column", "smallest_difference", "of_entries", "of_better")
    for name, difference, entries, better in values:
        smallest[name] = difference
        if name == column:
            found = _unpacked(entries, better)
    return BoardSeparations(smallest, found) if smallest else None


def read_apart(release: str, metric_set: str, keys: Iterable[str], key: str) -> dict[str, Apart]:
    """By column, which entries can be told apart from this one. Without columns in which it was not
    compared; empty while comparisons are pending. One query."""
    of_board = Separation.objects.filter(
        release__slug=release, metric_set=metric_set, inputs=inputs_hash(keys)
    )
    rows = of_board.filter(entries__contains=[key])
    found = {}
    for column, entries, better, method in rows.values_list(
        "column", "entries", "better", "method"
    ):
        alike = _unpacked(entries, better).indistinguishable_from(key, entries)
        found[column] = Apart({one: one not in alike for one in entries}, method)
    return found


def _unpacked(entries: Sequence[str], better: bytes | memoryview) -> ColumnSeparation:
    width = -(-len(entries) // 8)  # bytes of a row; 0 if no entry could be compared
    bits = np.frombuffer(better, dtype=np.uint8).reshape(len(entries), width)
    matrix = np.unpackbits(bits, axis=1, count=len(entries)).astype(np.bool_)
    return ColumnSeparation({key: row for row, key in enumerate(entries)}, matrix)
