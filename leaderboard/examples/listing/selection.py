"""Which questions of a task a filter finds, and in which order.

Computed from the stored scores; the rows of answers are only read for those that are missing or
empty.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.functional import cached_property
from numpy.typing import NDArray

from leaderboard.examples.example_filter import ANY, IN_ORDER, STATES, ExampleFilter, Range
from leaderboard.examples.listing.facts import (
    Facts,
    blanks_of,
    disagreement_of,
    input_limits,
    items_of,
    seen_among,
)
from leaderboard.examples.queries import (
    Answering,
    QuestionSet,
    Scores,
    places_in,
    score_matrix,
)
from scoring.item_analysis.items import Items
from scoring.item_analysis.wrong_answers import SOLVED
from scoring.metrics import METRIC_SETS

Flags = NDArray[np.bool_]
_MOST_SHOWN = 4
_MOST_NAMED_SHOWN = 20  # of each, the searched part of every answer on a page is read
CLEAR = 0.5  # metric sets disagree if their scores differ by this much


@dataclass(frozen=True)
class Selection:
    """The questions of a task, as one reader sees them through a filter."""

    questions: QuestionSet
    facts: Facts
    filter: ExampleFilter
    answering: Sequence[Answering]  # those whose answers the filter applies to
    everybody: Sequence[Answering]  # all published ones
    named: Mapping[str, Answering]  # by id, those that the filter names
    notes: Mapping[int, int] | None  # their number, by question; None: the reader is no reviewer

    @property
    def shown_entries(self) -> Sequence[Answering]:
        """Those whose answers the list shows: the named ones, otherwise the best."""
        return [*self.named.values()][:_MOST_NAMED_SHOWN] or self.everybody[:_MOST_SHOWN]

    @cached_property
    def items(self) -> Items:
        return items_of(self.questions, self.everybody, self.filter.metric_set)

    @cached_property
    def disagreement(self) -> Scores:
        return disagreement_of(self.questions, self.everybody)

    @cached_property
    def scores(self) -> Scores:
        """Of shape (answering, questions)."""
        return score_matrix(self.questions, self.answering, self.filter.metric_set)

    @cached_property
    def asked(self) -> Flags:
        """Of shape (answering, questions): whether the entry was asked the question."""
        data_sets = [one.data_set for one in self.answering]
        asked = {
            one: np.array([place is not None for place in places_in(self.questions, one)])
            for one in set(data_sets)
        }
        rows = [asked[one] for one in data_sets]
        return np.array(rows, dtype=np.bool_).reshape(len(rows), self._size)

    @cached_property
    def answers(self) -> Flags:
        """Of shape (answering, questions): the answers that meet every condition on answers."""
        found = self.asked.copy()
        for state in self.filter.states:
            if STATES[state].of_answers:
                found &= self._in_state(state)
        if self.filter.score != ANY:
            found &= _within(100 * self.scores, self.filter.score)
        return found

    @cached_property
    def order(self) -> list[int]:
        """The indices of the questions that meet every condition but the words."""
        found = self._by_facts() & self._by_entries()
        if self.filter.chooses_answers:
            found &= self.answers.any(axis=0)
        if "solved-by-none" in self.filter.states:
            found &= self.items.nobody_solves
        if "solved-by-all" in self.filter.states:
            found &= self.items.everybody_solves
        if "noted" in self.filter.states:
            found &= np.isin(np.arange(self._size), [*(self.notes or ())])
        return self._sorted(np.flatnonzero(found))

    def _by_facts(self) -> Flags:
        """Where length, position, hops and kind are as the filter demands."""
        chosen, facts = self.filter, self.facts
        found = np.ones(self._size, dtype=np.bool_)
        if chosen.tokens != ANY:
            found &= _within(facts.length, chosen.tokens)
        if chosen.depth != ANY:
            low, high = chosen.depth
            found &= _within(facts.depth, chosen.depth)
            if high is not None and high not in (low, 1):
                found &= facts.depth < high
        if chosen.hops is not None:
            found &= facts.hops == chosen.hops
        if chosen.kinds:
            found &= np.array([kind in chosen.kinds for kind in facts.kinds], dtype=np.bool_)
        return found

    def _by_entries(self) -> Flags:
        """Where named entries do what the filter demands, on their own and against each other."""
        found = np.ones(self._size, dtype=np.bool_)
        with np.errstate(invalid="ignore"):
            for one in self.filter.solved:
                found &= self._scores_of(one) >= SOLVED
            for one in self.filter.failed:
                found &= self._scores_of(one) < SOLVED
            for first, second in self.filter.higher:
                found &= self._scores_of(first) > self._scores_of(second)
            for first, second in self.filter.equal:
                found &= self._scores_of(first) == self._scores_of(second)
        return found

    @property
    def _size(self) -> int:
        return self.questions.data_set.size

    def _scores_of(self, entry: str) -> Scores:
        of_entry = [self.named[entry]]
        row: Scores = score_matrix(self.questions, of_entry, self.filter.metric_set)[0]
        return row

    def _sorted(self, found: NDArray[np.int64]) -> list[int]:
        if self.filter.sort != IN_ORDER:
            values = self._sort_values(self.filter.sort.removeprefix("-"))[found]
            is_descending = self.filter.sort.startswith("-")
            found = found[np.argsort(-values if is_descending else values, kind="stable")]
        return [int(index) for index in found]

    def _sort_values(self, name: str) -> Scores:
        if name == "tokens":
            return self.facts.tokens
        values: Scores = self.disagreement if name == "disagreement" else getattr(self.items, name)
        return values

    def _in_state(self, state: str) -> Flags:
        scores = self.scores
        with np.errstate(invalid="ignore"):
            right: Flags = scores >= 1
            ways: Mapping[str, Callable[[], Flags]] = {
                "right": lambda: right,
                "partial": lambda: (scores > 0) & ~right,
                "wrong": lambda: (scores <= 0) & ~self.blanks[0],
                "missing": lambda: self.blanks[0],
                "empty": lambda: self.blanks[1],
                "truncated": lambda: self._truncated,
                "sets-disagree": lambda: self._disagreements,
                "only-failure": lambda: self._is_alone(self.items.only_failing),
                "only-success": lambda: self._is_alone(self.items.only_solving),
            }
            return ways[state]()

    def _is_alone(self, rows: NDArray[np.int64]) -> Flags:
        """``rows`` has by question the index of an entry among those with visible verdicts."""
        places = {one: row for row, one in enumerate(seen_among(self.everybody))}
        own = [[places.get(one, -2)] for one in self.answering]
        found: Flags = np.array(own, dtype=np.int64).reshape(-1, 1) == rows
        return found

    @property
    def _disagreements(self) -> Flags:
        by_set = [score_matrix(self.questions, self.answering, name) for name in METRIC_SETS]
        found: Flags = np.max(by_set, axis=0) - np.min(by_set, axis=0) >= CLEAR
        return found

    @cached_property
    def blanks(self) -> tuple[Flags, Flags]:
        """Two arrays of shape (answering, questions): which answers are missing, and which are
        empty."""
        known = blanks_of(self.questions.task.id, [one.evaluation for one in self.answering])
        found = np.zeros((2, *self.asked.shape), dtype=np.bool_)
        for row, one in enumerate(self.answering):
            if blanks := known.get(one.evaluation):
                places = places_in(self.questions, one.data_set)
                for kind, indices in enumerate(blanks):
                    if isinstance(places, range):
                        found[kind, row, list(indices)] = True
                    else:
                        found[kind, row] = [place in indices for place in places]
        return found[0], found[1]

    @property
    def _truncated(self) -> Flags:
        limits = input_limits([one.id for one in self.answering])
        column = np.array([limits.get(one.id, np.nan) for one in self.answering])
        with np.errstate(invalid="ignore"):
            found: Flags = self.facts.tokens[None, :] > column[:, None]
        return found


def _within(values: Scores, limits: Range) -> Flags:
    """False for unknown values."""
    with np.errstate(invalid="ignore"):
        found = ~np.isnan(values)
        if limits.low is not None:
            found &= values >= limits.low - 1e-9
        if limits.high is not None:
            found &= values <= limits.high + 1e-9
    return found
