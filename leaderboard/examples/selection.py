"""Which questions of a task a filter finds, and in which order.

From the stored scores: of the rows of answers only those that are missing or empty are read.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from django.db.models import Q
from django.http import Http404
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from leaderboard.cache import cached_by_evaluation, cached_region
from leaderboard.examples.filters import STATES, Filter, FilterError, Range
from leaderboard.examples.queries import (
    Answering,
    QuestionSet,
    Reader,
    Scores,
    own_answering,
    places_in,
    published_answering,
    score_matrix,
)
from leaderboard.pages.entry import parsed_uuid
from portal.models import BLANK, Example, ExampleResult, Submission
from portal.scores.breakdowns import known_elsewhere
from scoring.item_analysis.items import Items, disagreement, item_analysis
from scoring.item_analysis.wrong_answers import SOLVED
from scoring.metrics import METRIC_SETS

Flags = NDArray[np.bool_]
CLEAR = 0.5  # metric sets disagree where their scores differ by this much


class Facts(NamedTuple):
    """What is known of the questions of a data set, in their order; NaN: not known."""

    keys: Sequence[str]
    tokens: Scores
    length: Scores  # that was asked of the generator, or else tokens
    depth: Scores
    hops: Scores
    kinds: Sequence[str]


class Blanks(NamedTuple):
    """Of one entry: indices in its data set."""

    missing: frozenset[int]
    empty: frozenset[int]


@dataclass(frozen=True)
class Selection:
    """The questions of a task, as one reader sees them through a filter."""

    questions: QuestionSet
    filter: Filter
    answering: Sequence[Answering]  # whose answers the filter is about
    everybody: Sequence[Answering]  # published
    named: Mapping[str, Answering]  # in the filter, by id

    @cached_property
    def facts(self) -> Facts:
        return facts_of(self.questions)

    @cached_property
    def items(self) -> Items:
        return items_of(self.questions, self.everybody, self.filter.metric_set)

    @cached_property
    def disagreement(self) -> Scores:
        return disagreement_of(self.questions, self.everybody)

    @cached_property
    def scores(self) -> Scores:
        """(answering, questions)."""
        return score_matrix(self.questions, self.answering, self.filter.metric_set)

    @cached_property
    def asked(self) -> Flags:
        """(answering, questions): whether the entry was asked the question."""
        places = {one.data_set: places_in(self.questions, one.data_set) for one in self.answering}
        asked = {
            data_set: [place is not None for place in found] for data_set, found in places.items()
        }
        rows = [asked[one.data_set] for one in self.answering]
        return np.array(rows, dtype=np.bool_).reshape(len(self.answering), self._size)

    @cached_property
    def answers(self) -> Flags:
        """(answering, questions): the answers for which all holds that the filter says of an
        answer."""
        found = self.asked.copy()
        for state in self.filter.states:
            if STATES[state].of_answers:
                found &= self._in_state(state)
        if (wanted := self.filter.range_of("score")) != Range():
            found &= _within(self.scores, wanted)
        return found

    @cached_property
    def order(self) -> list[int]:
        """The indices of the questions for which all holds but the words."""
        found = self._in_ranges() & self._among_entries()
        if self.filter.chooses_answers:
            found &= self.answers.any(axis=0)
        if "solved-by-none" in self.filter.states:
            found &= self.items.nobody_solves
        if "solved-by-all" in self.filter.states:
            found &= self.items.everybody_solves
        return self._sorted(np.flatnonzero(found))

    def _in_ranges(self) -> Flags:
        """And of the chosen kinds, with the chosen keys."""
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
        """Where named entries do what the filter says of them, alone and against each other."""
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
        """``rows``: by question the place of an entry among those whose verdicts are seen."""
        places = {one: row for row, one in enumerate(_seen(self.everybody))}
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
        """(answering, questions) each: which answers are missing, and which are empty."""
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
    """Not what is not known."""
    with np.errstate(invalid="ignore"):
        found = ~np.isnan(values)
        if wanted.low is not None:
            found &= values > wanted.low if wanted.above else values >= wanted.low - 1e-9
        if wanted.high is not None:
            found &= values < wanted.high if wanted.below else values <= wanted.high + 1e-9
    return found


def select(reader: Reader, questions: QuestionSet, chosen: Filter) -> Selection:
    """Raises ``FilterError`` for what this reader may not filter by, and for unknown entries."""
    if not questions.shows_answers and chosen.concealed:
        raise _error(
            chosen,
            chosen.concealed[0],
            "concealed",
            _("The answers of this release are secret, and this part would disclose some of them."),
            _("Leave it out. Length and the words of questions can be searched for."),
        )
    everybody = published_answering(reader, questions)
    known = {one.id: one for one in everybody}
    for pair in (*chosen.ahead, *chosen.level):
        if pair.count("/") != 1:
            raise _error(
                chosen,
                f":{pair}",
                "no_pair",
                _("“%(pair)s” is not two ids with “/” between them.") % {"pair": pair},
                _("Use the last parts of the addresses of their pages."),
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
                _("No entry of this model has answered this task."),
                _("Use the last part of the address of the model's page."),
            )
    meant = [
        one
        for one in known.values()
        if (one.id in chosen.entries or (one.is_public and not chosen.entries))
        and (not chosen.models or one.model in chosen.models)
    ]
    return Selection(questions, chosen, meant, everybody, {one: known[one] for one in chosen.named})


def _own(reader: Reader, questions: QuestionSet, chosen: Filter, entry: str) -> Answering:
    pk = parsed_uuid(entry)
    try:
        found = own_answering(reader, questions, pk) if pk else None
    except Http404:
        found = None
    if found is None:
        raise _error(
            chosen,
            f":{entry}",
            "unknown_entry",
            _("There is no entry “%(id)s” with answers to this task.") % {"id": entry},
            _("Use the last part of the address of its page."),
        )
    return found


def _error(chosen: Filter, part: str, code: str, sentence: str, fix: str) -> FilterError:
    query = str(chosen)
    start = max(0, query.find(part))
    end = query.find(" ", start)
    return FilterError(code, query, (start, end if end > 0 else len(query)), sentence, fix)


def facts_of(questions: QuestionSet) -> Facts:
    """With what is known of the same questions elsewhere, where only labels are stored; not of
    hidden labels, which would be compared with public ones."""
    data_set = questions.data_set.pk

    def read() -> Facts:
        rows = Example.objects.filter(data_set=data_set).order_by("index")
        columns = ("key", "tokens", "target_tokens", "depth", "hops", "kind")
        keys, *found = map(list, zip(*rows.values_list(*columns), strict=True))
        tokens, targets, depths, hops, kinds = found
        if not any(tokens) and not questions.release.hidden:
            for _data_set, index, length, facets in known_elsewhere([data_set]):
                tokens[index] = length
                depths[index] = facets.depth if depths[index] is None else depths[index]
                hops[index] = facets.hops if hops[index] is None else hops[index]
                kinds[index] = kinds[index] or facets.kind
        lengths = targets if any(targets) else tokens
        numbers = [np.array(one, dtype=np.float64) for one in (tokens, lengths, depths, hops)]
        return Facts(keys, numbers[0], numbers[1], numbers[2], numbers[3], kinds)

    return cached_region(f"facts/{data_set}", read)


def items_of(questions: QuestionSet, everybody: Sequence[Answering], metric_set: str) -> Items:
    """Of published entries whose verdicts the reader may see."""
    seen = _seen(everybody)
    name = f"items/{metric_set}/{_name(questions, seen)}"
    return cached_region(name, lambda: item_analysis(score_matrix(questions, seen, metric_set)))


def disagreement_of(questions: QuestionSet, everybody: Sequence[Answering]) -> Scores:
    """How far the metric sets judge the answers to each question differently, 0 to 1."""
    seen = _seen(everybody)

    def read() -> Scores:
        by_set = np.array([score_matrix(questions, seen, name) for name in METRIC_SETS])
        return disagreement(by_set).range

    return cached_region(f"disagreement/{_name(questions, seen)}", read)


def _seen(everybody: Sequence[Answering]) -> list[Answering]:
    return [one for one in everybody if one.shows_verdicts]


def _name(questions: QuestionSet, seen: Sequence[Answering]) -> str:
    return f"{questions.data_set.pk}/{','.join(str(one.evaluation) for one in seen)}"


def blanks_of(task: str, evaluations: Collection[int]) -> dict[int, Blanks]:
    """By evaluation; without those that have none."""

    def read(wanted: Collection[int]) -> Mapping[int, Blanks]:
        results = ExampleResult.objects.filter(evaluation__in=wanted, task=task).order_by()
        rows = results.filter(Q(prediction=None) | Q(prediction__regex=BLANK))
        found: dict[int, tuple[set[int], set[int]]] = {}
        for evaluation, index, text in rows.values_list("evaluation", "index", "prediction"):
            found.setdefault(evaluation, (set(), set()))[text is not None].add(index)
        return {one: Blanks(*map(frozenset, both)) for one, both in found.items()}

    return cached_by_evaluation(f"blanks/{task}", sorted(set(evaluations)), read)


def input_limits(ids: Collection[str]) -> dict[str, float]:
    """By id of an entry: the length in tokens from which its inputs were truncated; without those
    of which it is not known."""
    rule = Submission.Truncation
    known = Submission.objects.filter(
        pk__in=ids, input_limit__isnull=False, truncation__in=(rule.MIDDLE, rule.END, rule.START)
    )
    rows = known.order_by().values_list("pk", "input_limit")
    return {str(pk): float(limit) for pk, limit in rows if limit is not None}
