"""What entries answered to one question: all answers in brief, and some in full."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from django.core.paginator import Page, Paginator
from django.db import connection
from django.db.models import Q, QuerySet
from django.db.models.functions import Left

from leaderboard.examples.queries import Answering, QuestionSet, places_in
from portal.models import (
    BLOCK_SIZE,
    SCORE_COLUMNS,
    Evaluation,
    Example,
    ExampleResult,
    at_places,
)
from portal.scores.questions.gold import label_of
from portal.scores.questions.verdicts import status_of
from portal.scores.titles import METRIC_SET_TITLES, MetricSetTitle
from scoring.explanations import Explanation, explain_all
from scoring.labels import Label
from scoring.metrics import Question

PAGE_ANSWERS = 20
STATUSES = ("right", "partial", "wrong", "missing")
_PLACES = {name: place for place, name in enumerate(SCORE_COLUMNS)}
_COLUMNS = tuple(SCORE_COLUMNS.values())
_SHORT = 280  # characters of an answer that the list shows
# For a thousand entries Django would take longer to compose the query than to read the result. From
# the blocks, since the view expands each block into rows.
_SCORES = f"""
SELECT evaluation_id, length(predictions[place]),
    {", ".join(f"{column}[place]" for column in SCORE_COLUMNS.values())}
FROM unnest(%s::bigint[], %s::int[]) AS asked(evaluation_id, index)
CROSS JOIN LATERAL (SELECT 1 + mod(asked.index, {BLOCK_SIZE}) AS place) AS places
JOIN portal_resultblock USING (evaluation_id)
WHERE task = %s AND block = asked.index / {BLOCK_SIZE}
"""  # noqa: S608 - names of columns


class Score(NamedTuple):
    """An answer's score under one metric set."""

    metric_set: MetricSetTitle
    percent: float

    @property
    def status(self) -> str:
        return status_of(self.percent)


@dataclass(frozen=True, slots=True)
class Answer:
    """By an entry that was asked the question."""

    by: Answering
    length: int | None  # characters; None: no answer was given, or it is a figure
    # Scores from 0 to 1 in the order of ``SCORE_COLUMNS``; None if verdicts may not be shown.
    fractions: Sequence[float | None] | None
    text: str = ""  # the start of it
    has_other_label: bool = False  # than the release: it was judged by that

    @property
    def scores(self) -> list[Score] | None:
        if self.fractions is None:
            return None
        return [
            Score(METRIC_SET_TITLES[name], 100 * (fraction or 0.0))
            for name, fraction in zip(SCORE_COLUMNS, self.fractions, strict=True)
        ]

    @property
    def is_figure(self) -> bool:
        """Whether its text is not here, only its scores."""
        return self.length is None and any(one is not None for one in self.fractions or ())

    @property
    def is_cut(self) -> bool:
        return self.length is not None and self.length > len(self.text)

    def status(self, metric_set: str) -> str:
        """``right``, ``partial``, ``wrong``, ``missing``, or empty if it is not shown."""
        if self.length is None and not self.is_figure:
            return "missing"
        if self.fractions is None:
            return ""
        fraction = self.fractions[_PLACES[metric_set]]
        return Score(METRIC_SET_TITLES[metric_set], 100 * (fraction or 0.0)).status


class Judgement(NamedTuple):
    """How one metric set judges an answer."""

    metric_set: MetricSetTitle
    explanation: Explanation
    reason: str

    @property
    def score(self) -> Score:
        return Score(self.metric_set, 100 * self.explanation.verdict.score)

    @property
    def extracted(self) -> str | None:
        return self.explanation.verdict.extracted


@dataclass(frozen=True, slots=True)
class FullAnswer:
    by: Answering
    text: str | None  # None: no answer was given, or it is a figure
    label: Label | None  # that it was judged by; None: it may not be shown
    has_other_label: bool  # than the release
    judgements: Sequence[Judgement]  # empty if they may not be shown, or nothing was answered
    facts: Sequence[Mapping[str, Any]] | None = None  # facts of the plot, if they may be shown
    figures: Sequence[Score] = ()  # if its text is not here, only its scores

    def judgement(self, metric_set: str) -> Judgement | None:
        return next((one for one in self.judgements if one.metric_set.name == metric_set), None)


def read_answers(
    questions: QuestionSet, example: Example, answering: Sequence[Answering]
) -> list[Answer]:
    """One for each entry that was asked this question, in order; without texts. One query."""
    asked = _asked(questions, example, answering)
    evaluations = [one.evaluation for one in asked]
    with connection.cursor() as cursor:
        cursor.execute(_SCORES, [evaluations, [*asked.values()], questions.task.id])
        found = {evaluation: (length, scores) for evaluation, length, *scores in cursor.fetchall()}
    return [
        Answer(one, length, scores if one.shows_verdicts else None)
        for one in asked
        if one.evaluation in found
        for length, scores in [found[one.evaluation]]
    ]


def page_of(
    questions: QuestionSet, example: Example, answers: Sequence[Answer], number: int
) -> "Page[Answer]":
    """Adds the starts of the texts on it, and whose labels differ. Two queries."""
    page = Paginator(answers, PAGE_ANSWERS).get_page(number)
    asked = _asked(questions, example, [one.by for one in page.object_list])
    rows = _results(questions, asked).annotate(start=Left("prediction", _SHORT))
    texts = dict(rows.values_list("evaluation", "start"))
    others = _labelled(asked)
    label = label_of(questions.task, example)
    other_labels = {
        data_set for data_set, own in others.items() if label_of(questions.task, own) != label
    }
    page.object_list = [
        replace(
            one,
            text=texts.get(one.by.evaluation) or "",
            has_other_label=one.by.shows_verdicts and one.by.data_set in other_labels,
        )
        for one in page.object_list
    ]
    return page


def read_in_full(
    questions: QuestionSet, example: Example, answering: Sequence[Answering]
) -> list[FullAnswer]:
    """In order, judged afresh by the rules that every score comes from. Three queries."""
    asked = _asked(questions, example, answering)
    rows = _results(questions, asked).values_list("evaluation", "prediction", *_COLUMNS)
    texts = {evaluation: (text, scores) for evaluation, text, *scores in rows}
    labelled = _labelled(asked)
    evaluations = Evaluation.objects.filter(pk__in=texts)
    drops = dict(evaluations.order_by().values_list("pk", "submission__drop_first"))
    found = []
    for one in asked:
        if one.evaluation in texts:
            own, (text, fractions) = labelled[one.data_set], texts[one.evaluation]
            answer = Answer(one, None if text is None else len(text), fractions)
            figures = answer.scores if one.shows_verdicts and answer.is_figure else None
            label = label_of(questions.task, own) if one.shows_verdicts else None
            asked_for = own.for_rules(drop_first=drops[one.evaluation])
            judged = (
                [] if label is None or text is None else _judged(questions, text, label, asked_for)
            )
            differs = label is not None and label != label_of(questions.task, example)
            facts = own.facts if one.shows_verdicts else None
            found.append(FullAnswer(one, text, label, differs, judged, facts, figures or ()))
    return found


def _judged(questions: QuestionSet, text: str, label: Label, question: Question) -> list[Judgement]:
    explanations = explain_all(questions.task.id, text, label, question)
    return [
        Judgement(METRIC_SET_TITLES[name], found, found.verdict.reason)
        for name, found in explanations.items()
    ]


def _asked(
    questions: QuestionSet, example: Example, answering: Iterable[Answering]
) -> dict[Answering, int]:
    """The entries whose data sets have the question, with its index there."""
    found = {}
    for one in answering:
        index = places_in(questions, one.data_set)[example.index]
        if index is not None:
            found[one] = index
    return found


def _labelled(asked: Mapping[Answering, int]) -> dict[int, Example]:
    """By data set, the example that its entries were scored with."""
    indices = {one.data_set: index for one, index in asked.items()}
    wanted = (Q(data_set=data_set, index=index) for data_set, index in indices.items())
    found = Example.objects.filter(reduce(or_, wanted, Q(pk=None))).defer("question", "evidence")
    return {one.data_set_id: one for one in found}


def _results(questions: QuestionSet, asked: Mapping[Answering, int]) -> "QuerySet[ExampleResult]":
    """The answers of these entries, in no particular order."""
    by_index: dict[int, list[int]] = {}
    for one, index in asked.items():
        by_index.setdefault(index, []).append(one.evaluation)
    wanted = (
        Q(at_places([index]), evaluation__in=of_index) for index, of_index in by_index.items()
    )
    of_task = ExampleResult.objects.filter(task=questions.task.id).order_by()
    return of_task.filter(reduce(or_, wanted)) if by_index else of_task.none()
