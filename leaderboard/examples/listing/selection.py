"""Which questions of a task a filter finds, and in which order.

Computed from the stored scores; the rows of answers are only read for those that are missing or
empty.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.http import Http404
from django.utils.functional import cached_property
from numpy.typing import NDArray

from leaderboard.examples.filters import (
    PUBLIC_STATES,
    STATES,
    Filter,
    FilterError,
    Range,
    State,
)
from leaderboard.examples.listing.facts import (
    Facts,
    blanks_of,
    disagreement_of,
    facts_of,
    input_limits,
    items_of,
    seen_among,
)
from leaderboard.examples.notes import count_notes
from leaderboard.examples.queries import (
    Answering,
    QuestionSet,
    Scores,
    own_answering,
    places_in,
    published_answering,
    score_matrix,
)
from portal.permissions.access import Reader
from scoring.item_analysis.items import Items
from scoring.item_analysis.wrong_answers import SOLVED
from scoring.metrics import METRIC_SETS

Flags = NDArray[np.bool_]
CLEAR = 0.5  # metric sets disagree if their scores differ by this much


@dataclass(frozen=True)
class Selection:
    """The questions of a task, as one reader sees them through a filter."""

    questions: QuestionSet
    facts: Facts
    filter: Filter
    answering: Sequence[Answering]  # those whose answers the filter applies to
    everybody: Sequence[Answering]  # all published ones
    named: Mapping[str, Answering]  # by id, those that the filter names
    notes: Mapping[int, int] | None = (
        None  # their number, by question; None: the reader is no reviewer
    )

    @property
    def states(self) -> Mapping[str, State]:
        """The states that this reader may filter by."""
        return PUBLIC_STATES if self.notes is None else STATES

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
        if (wanted := self.filter.range_of("score")) != Range():
            found &= _within(self.scores, wanted)
        return found

    @cached_property
    def order(self) -> list[int]:
        """The indices of the questions that meet every condition but the words."""
        found = self._in_ranges() & self._among_entries()
        if self.filter.chooses_answers:
            found &= self.answers.any(axis=0)
        if "solved-by-none" in self.filter.states:
            found &= self.items.nobody_solves
        if "solved-by-all" in self.filter.states:
            found &= self.items.everybody_solves
        if "noted" in self.filter.states:
            found &= np.isin(np.arange(self._size), [*(self.notes or ())])
        return self._sorted(np.flatnonzero(found))

    def _in_ranges(self) -> Flags:
        """Also of the chosen kinds, with the chosen keys."""
        found = np.ones(self._size, dtype=np.bool_)
        for name, wanted in self.filter.ranges:
            if name != "score":
                found &= _within(self._numbers(name), wanted)
        for chosen, values in (
            (self.filter.kinds, self.facts.kinds),
            (self.filter.keys, self.facts.keys),
        ):
            if chosen:
                found &= np.array([value in chosen for value in values], dtype=np.bool_)
        return found

    def _among_entries(self) -> Flags:
        """Where named entries do what the filter demands, on their own and against each other."""
        found = np.ones(self._size, dtype=np.bool_)
        with np.errstate(invalid="ignore"):
            for one in self.filter.solved:
                found &= self._scores_of(one) >= SOLVED
            for one in self.filter.failed:
                found &= self._scores_of(one) < SOLVED
            for first, second in (pair.split("/") for pair in self.filter.ahead):
                found &= self._scores_of(first) > self._scores_of(second)
            for first, second in (pair.split("/") for pair in self.filter.level):
                found &= self._scores_of(first) == self._scores_of(second)
        return found

    @property
    def _size(self) -> int:
        return self.questions.data_set.size

    def _numbers(self, name: str) -> Scores:
        if name in ("tokens", "length", "depth", "hops"):
            known: Scores = getattr(self.facts, name)
            return known
        found: Scores = self.disagreement if name == "disagreement" else getattr(self.items, name)
        return found

    def _scores_of(self, entry: str) -> Scores:
        of_entry = [self.named[entry]]
        row: Scores = score_matrix(self.questions, of_entry, self.filter.metric_set)[0]
        return row

    def _sorted(self, found: NDArray[np.int64]) -> list[int]:
        name, is_reversed = self.filter.sort_field, self.filter.is_reversed
        if name == "place":
            order = found[::-1] if is_reversed else found
        else:
            values = self._numbers(name)[found]
            order = found[np.argsort(values if is_reversed else -values, kind="stable")]
        return [int(index) for index in order]

    def _in_state(self, state: str) -> Flags:
        scores = self.scores
        with np.errstate(invalid="ignore"):
            right: Flags = scores >= 1
            ways: Mapping[str, Callable[[], Flags]] = {
                "right": lambda: right,
                "solved": lambda: scores >= SOLVED,
                "failed": lambda: scores < SOLVED,
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


def _within(values: Scores, wanted: Range) -> Flags:
    """False for unknown values."""
    with np.errstate(invalid="ignore"):
        found = ~np.isnan(values)
        if wanted.low is not None:
            found &= values > wanted.low if wanted.above else values >= wanted.low - 1e-9
        if wanted.high is not None:
            found &= values < wanted.high if wanted.below else values <= wanted.high + 1e-9
    return found


def select(reader: Reader, questions: QuestionSet, chosen: Filter) -> Selection:
    """Raises ``FilterError`` for terms that this reader may not use and for unknown entries, and
    ``NotStoredError``."""
    facts = facts_of(questions)  # first: it checks the number of examples
    if not questions.shows_answers and chosen.concealed:
        raise _error(
            chosen,
            chosen.concealed[0],
            "concealed",
            "The answers of this release are secret, and this part would disclose some of them.",
            "Leave it out. Length and the words of questions can be searched for.",
        )
    notes = count_notes(reader, questions.data_set)
    if notes is None and "noted" in chosen.states:
        raise _error(
            chosen,
            "is:noted",
            "for_reviewers",
            "Only reviewers can see notes.",
            "Leave it out.",
        )
    everybody = published_answering(reader, questions)
    known = {one.id: one for one in everybody}
    for pair in (*chosen.ahead, *chosen.level):
        if pair.count("/") != 1:
            raise _error(
                chosen,
                f":{pair}",
                "no_pair",
                f"“{pair}” is not two ids with “/” between them.",
                "Use the last parts of the addresses of their pages.",
            )
    for entry in chosen.named:
        if entry not in known:
            known[entry] = _own(reader, questions, chosen, entry)
    for model in chosen.models:
        if not any(one.model == model for one in everybody):
            raise _error(
                chosen,
                f"model:{model}",
                "unknown_model",
                "No entry of this model has answered this task.",
                "Use the last part of the address of the model's page.",
            )
    meant = [
        one
        for one in known.values()
        if (one.id in chosen.entries or (one.is_public and not chosen.entries))
        and (not chosen.models or one.model in chosen.models)
    ]
    named = {one: known[one] for one in chosen.named}
    return Selection(questions, facts, chosen, meant, everybody, named, notes)


def _own(reader: Reader, questions: QuestionSet, chosen: Filter, entry: str) -> Answering:
    try:
        found = own_answering(reader, questions, entry)
    except Http404:
        found = None
    if found is None:
        raise _error(
            chosen,
            f":{entry}",
            "unknown_entry",
            f"There is no entry “{entry}” with answers to this task.",
            "Use the last part of the address of its page.",
        )
    return found


def _error(chosen: Filter, part: str, code: str, sentence: str, fix: str) -> FilterError:
    query = str(chosen)
    start = max(0, query.find(part))
    end = query.find(" ", start)
    return FilterError(code, query, (start, end if end > 0 else len(query)), sentence, fix)
