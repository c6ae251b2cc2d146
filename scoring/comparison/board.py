"""Boards: which of all entries are distinguishable, and which ranks each may have."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from statistics import median
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from scoring.comparison.cohorts import Cohort, TaskScores
from scoring.comparison.multiplicity import (
    ALPHA,
    Singles,
    bootstrap_statistics,
    critical_t,
    holm_level,
    romano_wolf_critical,
)
from scoring.comparison.power import STANDARD_ERRORS
from scoring.comparison.vectors import Entry, Floats, Ints, Layout, TaskVector, unit_weights

Key = TypeVar("Key", bound=Hashable)

BOOTSTRAP_ENTRIES = 100


class _Place(NamedTuple):
    """The location of an entry's scores in a task."""

    layout: Layout
    row: int


class ColumnRanks(NamedTuple, Generic[Key]):
    """The ranks of the k entries of a column; the arrays are in the order of ``entries``."""

    entries: tuple[Key, ...]
    means: Floats  # (k,) percent
    rank_low: Ints  # (k,) 1 + how many entries are significantly better
    rank_high: Ints  # (k,) k − how many are significantly worse
    better: NDArray[np.bool_]  # (k, k): where the row's entry is significantly better
    method: str  # "holm" or "holm+romano-wolf"
    smallest_difference: float | None  # points that neighbours need to be told apart; None: unknown

    def apart(self) -> NDArray[np.bool_]:
        """(k, k): which pairs can be told apart."""
        return self.better | self.better.T


class _Matrix:
    """A square matrix that grows by a row and a column without being copied each time."""

    def __init__(self, size: int) -> None:
        room = size + size // 8 + 8
        self.buffer = np.zeros((room, room), dtype=np.float32)
        self.used = size

    def grown_from(self, size: int) -> "_Matrix":
        """A matrix with one row and column more than ``size``: this one, where it was the last to
        grow, since views of the smaller one do not see the new row."""
        grown = self
        if self.used != size or len(self.buffer) == size:
            grown = _Matrix(size)
            grown.buffer[:size, :size] = self.buffer[:size, :size]
        grown.used = size + 1
        return grown


@dataclass(frozen=True, eq=False)
class Column:
    """All pairs of the k entries that have every task of a column."""

    members: tuple[int, ...]  # their places on the board, ascending
    cohorts: tuple[Cohort, ...]
    means: Floats  # (k,) from 0 to 1
    dfs: Floats  # (k,); those of a pair are the fewer of the two
    matrix: _Matrix  # its first k rows and columns are ``t``
    # By degrees of freedom the |t| of all pairs that are different before any correction.
    significant: tuple[tuple[float, Singles], ...]
    order: tuple[tuple[float, bytes, int], ...]  # (negative mean, digest, place in k), ascending
    errors: tuple[float, ...]  # standard errors of the differences of neighbours in that order

    @classmethod
    def of(cls, members: Sequence[int], cohorts: Sequence[Cohort]) -> "Column":
        size = len(members)
        matrix = _Matrix(size)
        errors = np.zeros((size, size))
        means, dfs = np.zeros(size), np.zeros(size)
        order: list[tuple[float, bytes, int]] = []
        significant = []
        for i, a in enumerate(cohorts):
            means[a.members], dfs[a.members] = a.means, a.df
            order += zip((-a.means).tolist(), a.digests, a.members.tolist(), strict=True)
            for b in cohorts[i:]:
                t, block = a.statistics(b)
                if a is not b:
                    matrix.buffer[np.ix_(b.members, a.members)] = -t.T
                    errors[np.ix_(b.members, a.members)] = block.T
                matrix.buffer[np.ix_(a.members, b.members)] = t
                errors[np.ix_(a.members, b.members)] = block
                # Inside a cohort every pair is there twice, once with each sign.
                df, sizes = min(a.df, b.df), (t if a is b else np.abs(t)).astype(np.float32)
                significant.append((df, sizes[sizes >= critical_t(ALPHA, df)]))
        order.sort()
        places = [place for _, _, place in order]
        neighbours = errors[places[:-1], places[1:]].tolist()
        return cls(
            tuple(members),
            tuple(cohorts),
            means,
            dfs,
            matrix,
            tuple(significant),
            tuple(order),
            tuple(neighbours),
        )

    def followed_by(self, member: int, entry: Cohort) -> "Column":
        """The column with one more entry, the only one of its cohort."""
        size = len(self.members)
        matrix = self.matrix.grown_from(size)
        errors = np.zeros(size)
        cohorts, alike, significant = [], False, list(self.significant)
        for cohort in self.cohorts:
            t, block = cohort.statistics(entry)
            matrix.buffer[cohort.members, size] = t[:, 0]
            matrix.buffer[size, cohort.members] = -t[:, 0]
            errors[cohort.members] = block[:, 0]
            df, sizes = min(cohort.df, entry.df), np.abs(t).astype(np.float32)
            significant.append((df, sizes[sizes >= critical_t(ALPHA, df)]))
            same = cohort.layouts == entry.layouts
            cohorts.append(cohort.followed_by(entry) if same else cohort)
            alike = alike or same
        newest = (-float(entry.means[0]), entry.digests[0], size)
        at = bisect_left(self.order, newest)
        sides = [float(errors[place]) for _, _, place in self.order[max(0, at - 1) : at + 1]]
        return Column(
            (*self.members, member),
            tuple(cohorts) if alike else (*cohorts, entry),
            np.append(self.means, entry.means),
            np.append(self.dfs, entry.df),
            matrix,
            tuple(significant),
            (*self.order[:at], newest, *self.order[at:]),
            (*self.errors[: max(0, at - 1)], *sides, *self.errors[at:]),
        )

    def on(self, scores: Mapping[Layout, TaskScores]) -> "Column":
        """The same column after the scores of each task have grown."""
        return replace(self, cohorts=tuple(cohort.on(scores) for cohort in self.cohorts))

    @property
    def t(self) -> Singles:
        """(k, k): of the mean of the row's entry minus that of the column's."""
        return self.matrix.buffer[: len(self.members), : len(self.members)]

    def better(self, seed: int) -> tuple[NDArray[np.bool_], str]:
        """Where the row's entry is significantly better than the column's, corrected for all pairs;
        and the method used."""
        size = len(self.members)
        level = holm_level(self.significant, size * (size - 1) // 2)
        better = self.t >= self._critical(level)
        if size > BOOTSTRAP_ENTRIES:
            return better, "holm"
        pairs = np.nonzero(np.triu(~(better | better.T), 1))
        observed = np.abs(self.t[pairs])
        uncorrected = self._critical(ALPHA)
        if np.any(observed >= np.broadcast_to(uncorrected, self.t.shape)[pairs]):
            drawn = bootstrap_statistics(*self._text_sums(), pairs, seed)
            critical = np.float32(romano_wolf_critical(observed, drawn))
            better |= (self.t > critical) & (self.t >= uncorrected)
        return better, "holm+romano-wolf"

    def _critical(self, level: float) -> Singles:
        """The |t| from which p is at most ``level``: for each pair, or one for all."""
        known = {df: critical_t(level, df) for df in set(self.dfs.tolist())}
        if len(known) == 1:
            return np.array(*known.values())
        single = np.array([known[df] for df in self.dfs.tolist()], dtype=np.float32)
        return np.maximum.outer(single, single)

    def _text_sums(self) -> tuple[Floats, Floats, float]:
        """The contribution of each text of any data set to each entry's deviation, (k, texts); the
        share of the questions that are about it; and the number of texts minus that of strata."""
        own = [
            np.unique(np.concatenate([layout.texts for layout in cohort.layouts]))
            for cohort in self.cohorts
        ]
        texts = np.unique(np.concatenate(own))
        sums, shares = np.zeros((len(self.members), len(texts))), np.zeros(len(texts))
        for cohort, these in zip(self.cohorts, own, strict=True):
            places = np.searchsorted(texts, these)
            sums[np.ix_(cohort.members, places)] = cohort.text_sums(*cohort.texts)
            for layout, weight in zip(cohort.layouts, cohort.weights, strict=True):
                share = weight / len(layout.texts) * cohort.size / len(self.members)
                np.add.at(shares, np.searchsorted(texts, layout.texts), share)
        strata = max(cohort.stratum_means.shape[1] for cohort in self.cohorts)
        return sums, shares, float(max(1, len(texts) - strata))

    def smallest_difference(self) -> float | None:
        """The median difference that neighbours need to be told apart with a power of 80 %, in
        percentage points; None where no two neighbours differ."""
        errors = [error for error in self.errors if error]
        return round(100 * STANDARD_ERRORS * median(errors), 6) if errors else None


class Board(Generic[Key]):
    """Entries with their scores, and the pairs of them in each column; it never changes."""

    def __init__(
        self, entries: Mapping[Key, Entry], columns: Mapping[str, Mapping[str, float]]
    ) -> None:
        """``columns`` are weights of tasks by name; an entry is in those whose every task it has.

        Raises ``ValueError`` for a vector that is empty or uneven, or a weight below 0.
        """
        self.entries = tuple(entries)
        self._weights = {name: unit_weights(weights) for name, weights in columns.items()}
        self._layouts: dict[tuple[bytes, bytes, bytes], tuple[Ints, Layout]] = {}
        rows: dict[Layout, list[Floats]] = defaultdict(list)
        fractional: dict[Layout, bool] = defaultdict(bool)
        places: list[dict[str, _Place]] = []
        for entry in entries.values():
            places.append({})
            for task, vector in entry.items():
                layout, scores = self._sorted(vector)
                places[-1][task] = _Place(layout, len(rows[layout]))
                rows[layout].append(scores)
                fractional[layout] |= vector.fractional
        self._scores = {
            layout: TaskScores.of(layout, scores, fractional[layout])
            for layout, scores in rows.items()
        }
        self._columns = {
            name: self._column(weights, places) for name, weights in self._weights.items()
        }

    def with_entry(self, key: Key, entry: Entry) -> "Board[Key]":
        """A board with one more entry, for which no pair of the others is computed again.

        Raises ``ValueError`` where the key is on the board already.
        """
        if key in self.entries:
            raise ValueError("the entry is on the board already")
        board = copy(self)
        board.entries = (*self.entries, key)
        board._layouts = dict(self._layouts)
        board._scores = dict(self._scores)
        board._columns = dict(self._columns)
        place = {}
        for task, vector in entry.items():
            layout, scores = board._sorted(vector)
            newest = TaskScores.of(layout, [scores], vector.fractional)
            known = board._scores.get(layout)
            place[task] = _Place(layout, len(known.means) if known else 0)
            board._scores[layout] = known.followed_by(newest) if known else newest
        for name, weights in self._weights.items():
            column = self._columns[name].on(board._scores)
            if weights.keys() <= entry.keys():
                size = len(column.members)
                column = column.followed_by(
                    len(self.entries), board._cohort(weights, [place], [size])
                )
            board._columns[name] = column
        return board

    def ranks(self, column: str, seed: int = 0) -> ColumnRanks[Key]:
        """Between which ranks each entry of a column lies, and which pairs can be told apart.

        Every pair is tested as by ``compare``, at a family-wise error of 5 %: all by Holm's
        method, and on boards of up to 100 entries those that it leaves open by Romano and Wolf's,
        with ``seed``. The ranks are those of M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm,
        “Inference for Ranks with Applications to Mobility across Neighbourhoods and Academic
        Achievement across Countries” (Review of Economic Studies, 2024): from 1 + the number of
        entries significantly better to k − the number significantly worse. Raises ``KeyError`` for
        an unknown column.
        """
        pairs = self._columns[column]
        better, method = pairs.better(seed)
        counted = better.astype(np.float32)  # sums of whole numbers below 2²⁴ are exact
        return ColumnRanks(
            tuple(self.entries[member] for member in pairs.members),
            100 * pairs.means,
            1 + counted.sum(axis=0).astype(np.int64),
            len(better) - counted.sum(axis=1).astype(np.int64),
            better,
            method,
            pairs.smallest_difference(),
        )

    def _sorted(self, vector: TaskVector) -> tuple[Layout, Floats]:
        """The layout of a vector, the same for equal questions, and the scores in its order."""
        raw = vector.questions.tobytes(), vector.texts.tobytes(), vector.strata.tobytes()
        if raw not in self._layouts:
            self._layouts[raw] = Layout.of(vector)
        order, layout = self._layouts[raw]
        return layout, vector.scores[order]

    def _column(self, weights: Mapping[str, float], places: Sequence[dict[str, _Place]]) -> Column:
        members = [i for i, place in enumerate(places) if weights.keys() <= place.keys()]
        cohorts: dict[tuple[Layout, ...], list[int]] = defaultdict(list)
        for k, i in enumerate(members):
            cohorts[tuple(places[i][task].layout for task in weights)].append(k)
        return Column.of(
            members,
            [
                self._cohort(weights, [places[members[k]] for k in these], these)
                for these in cohorts.values()
            ],
        )

    def _cohort(
        self, weights: Mapping[str, float], places: Sequence[dict[str, _Place]], members: list[int]
    ) -> Cohort:
        return Cohort.of(
            [self._scores[places[0][task].layout] for task in weights],
            list(weights.values()),
            np.array([[place[task].row for place in places] for task in weights]),
            np.array(members),
        )
