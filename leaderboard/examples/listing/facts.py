"""What is known about a task's questions and answers, besides texts and scores."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from django.http import Http404

from leaderboard.cache import cached_by_evaluation, cached_region
from leaderboard.examples.queries import Answering, QuestionSet, Scores, score_matrix
from portal.models import Example, ExampleResult, Submission
from portal.permissions.access import submissions_by_id
from portal.scores.breakdowns import known_elsewhere
from scoring.item_analysis.items import Items, disagreement, item_analysis
from scoring.metrics import METRIC_SETS


class NotStoredError(Http404):
    """A data set has scores but no examples, as after an interrupted import."""


class Facts(NamedTuple):
    """What is known about the questions of a data set, in order; NaN: unknown."""

    keys: Sequence[str]
    tokens: Scores
    length: Scores  # the generator's target length, otherwise tokens
    depth: Scores
    hops: Scores
    kinds: Sequence[str]
    has_contexts: bool  # whether any context is stored


class Blanks(NamedTuple):
    """Indices in the data set of one entry."""

    missing: frozenset[int]
    empty: frozenset[int]


def facts_of(questions: QuestionSet) -> Facts:
    """Includes what is known about the same questions elsewhere, if only labels are stored; but not
    for hidden labels, which would be compared with public ones. Raises ``NotStoredError``."""
    data_set = questions.data_set.pk

    def read() -> Facts:
        rows = Example.objects.filter(data_set=data_set).order_by("index")
        columns = ("key", "tokens", "target_tokens", "depth", "hops", "kind", "context")
        stored = list(rows.values_list(*columns))
        if len(stored) < questions.data_set.size:
            raise NotStoredError
        keys, *found = map(list, zip(*stored, strict=True))
        tokens, targets, depths, hops, kinds, contexts = found
        if not any(tokens) and not questions.release.hidden:
            for _data_set, index, length, facets in known_elsewhere([data_set]):
                tokens[index] = length
                depths[index] = facets.depth if depths[index] is None else depths[index]
                hops[index] = facets.hops if hops[index] is None else hops[index]
                kinds[index] = kinds[index] or facets.kind
        lengths = targets if any(targets) else tokens
        numbers = [np.array(one, dtype=np.float64) for one in (tokens, lengths, depths, hops)]
        return Facts(
            keys, numbers[0], numbers[1], numbers[2], numbers[3], kinds, has_contexts=any(contexts)
        )

    return cached_region(f"facts/{data_set}/{questions.release.hidden}", read)


def items_of(questions: QuestionSet, everybody: Sequence[Answering], metric_set: str) -> Items:
    """For the published entries whose verdicts the reader may see."""
    seen = seen_among(everybody)
    name = f"items/{metric_set}/{_name(questions, seen)}"
    return cached_region(name, lambda: item_analysis(score_matrix(questions, seen, metric_set)))


def disagreement_of(questions: QuestionSet, everybody: Sequence[Answering]) -> Scores:
    """How differently the metric sets judge the answers to each question, from 0 to 1."""
    seen = seen_among(everybody)

    def read() -> Scores:
        by_set = np.array([score_matrix(questions, seen, name) for name in METRIC_SETS])
        return disagreement(by_set).range

    return cached_region(f"disagreement/{_name(questions, seen)}", read)


def seen_among(everybody: Sequence[Answering]) -> list[Answering]:
    """Those whose verdicts the reader may see."""
    return [one for one in everybody if one.shows_verdicts]


def _name(questions: QuestionSet, seen: Sequence[Answering]) -> str:
    return f"{questions.data_set.pk}/{','.join(str(one.evaluation) for one in seen)}"


def blanks_of(task: str, evaluations: Collection[int]) -> dict[int, Blanks]:
    """By evaluation; without evaluations that have none."""

    def read(wanted: Collection[int]) -> Mapping[int, Blanks]:
        rows = ExampleResult.objects.filter(evaluation__in=wanted, task=task).blank().order_by()
        found: dict[int, tuple[set[int], set[int]]] = {}
        for evaluation, index, text in rows.values_list("evaluation", "index", "prediction"):
            found.setdefault(evaluation, (set(), set()))[text is not None].add(index)
        return {one: Blanks(*map(frozenset, both)) for one, both in found.items()}

    return cached_by_evaluation(f"blanks/{task}", sorted(set(evaluations)), read)


def input_limits(ids: Collection[str]) -> dict[str, float]:
    """By entry id, the length in tokens from which its inputs were truncated; without entries whose
    limit is unknown."""
    rule = Submission.Truncation
    cut = (rule.MIDDLE, rule.END, rule.START)
    return {
        one: float(submission.input_limit)
        for one, submission in submissions_by_id(ids).items()
        if submission.input_limit is not None and submission.truncation in cut
    }
