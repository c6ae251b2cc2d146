"""A page of the examples that a filter finds."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from django.db import connection
from django.db.models.functions import Left

from leaderboard.examples.addresses import example_address
from leaderboard.examples.listing.excerpts import Excerpt, excerpt_of
from leaderboard.examples.listing.search import SEARCHED, find_words
from leaderboard.examples.listing.selection import Selection
from leaderboard.examples.queries import Answering, places_in
from leaderboard.tasks.examples import label_text
from portal.models import BLOCK_SIZE, Example
from portal.scores.questions.gold import label_of

PAGE_ROWS = 50
_LONGEST_QUESTION = 4_000  # characters that are read
_LONGEST_LABEL = 120

# Composing a condition for each answer would take longer than reading all of them.
_TEXTS = f"""
SELECT evaluation_id, index, left(prediction, %s), prediction IS NOT NULL OR strict IS NOT NULL
FROM unnest(%s::bigint[], %s::int[]) AS asked(evaluation_id, index)
JOIN portal_exampleresult USING (evaluation_id, index)
WHERE task = %s AND block = asked.index / {BLOCK_SIZE}
"""  # noqa: S608 - a number


class ShownAnswer(NamedTuple):
    entry: Answering
    status: str  # right, partial, wrong, missing or empty; blank if verdicts are concealed
    percent: float | None
    text: Excerpt


class Row(NamedTuple):
    """None: unknown, or concealed."""

    key: str
    url: str
    question: Excerpt
    label: str
    tokens: int | None
    depth: float | None
    hops: int | None
    kind: str
    difficulty: float | None
    discrimination: float | None
    solvers: int | None  # entries that solve it,
    asked: int | None  # out of so many
    matching: int | None  # answers that match the filter, if it is about several entries
    answer: ShownAnswer | None
    notes: int  # by reviewers; only for reviewers

    @property
    def share(self) -> float | None:
        """The mean score of all entries, in percent."""
        return None if self.difficulty is None else 100 * (1 - self.difficulty)

    @property
    def bar(self) -> str:
        """Its length, out of 60."""
        return f"{0.6 * (self.share or 0):.1f}"


class Listing(NamedTuple):
    rows: Sequence[Row]
    start: int
    next: int | None  # where the next page starts; None: this is the last one
    total: int  # of everything found, or of what was found so far
    is_exact: bool


def list_examples(selection: Selection, start: int) -> Listing:
    """Raises ``FilterError``."""
    order = selection.order
    if selection.filter.words:
        found = find_words(selection, start, PAGE_ROWS)
        rows = _rows(selection, found.hits)
        return Listing(
            rows, start, found.reached, found.total or len(found.hits), found.total is not None
        )
    end = start + PAGE_ROWS
    rows = _rows(selection, dict.fromkeys(order[start:end]))
    return Listing(rows, start, end if end < len(order) else None, len(order), is_exact=True)


def _rows(selection: Selection, hits: Mapping[int, int | None]) -> list[Row]:
    """``hits`` has by question index the evaluation whose answer contains the words."""
    questions, chosen, facts = selection.questions, selection.filter, selection.facts
    texts = Example.objects.filter(data_set=questions.data_set, index__in=hits)
    columns = texts.annotate(text=Left("question", _LONGEST_QUESTION))
    if not questions.shows_answers:
        columns = columns.defer("label")
    examples = {one.index: one for one in columns.defer("question", "evidence")}
    answers = _answers(selection, hits)
    counted = selection.answers.sum(axis=0) if _counts_answers(selection) else None
    opened = chosen.entries[0] if len(chosen.entries) == 1 else ""
    rows = []
    for index in hits:
        example = examples.get(index)
        if example is None:  # only for releases of labels, which always have an example
            continue
        key = facts.keys[index]
        url = example_address(questions.release.slug, questions.task.id, key, chosen, entry=opened)
        text: str = getattr(example, "text", "")
        row = Row(
            key,
            url,
            excerpt_of(text, chosen.words),
            _label(selection, example),
            _whole(facts.tokens[index]),
            None,
            None,
            "",
            None,
            None,
            None,
            None,
            None if counted is None else int(counted[index]),
            answers.get(index),
            (selection.notes or {}).get(index, 0),
        )
        if questions.shows_answers:
            items = selection.items
            row = row._replace(
                depth=_number(facts.depth[index]),
                hops=_whole(facts.hops[index]),
                kind=facts.kinds[index],
                difficulty=_number(items.difficulty[index]),
                discrimination=_number(items.discrimination[index]),
                solvers=int(items.solved_by[index]),
                asked=int(items.answered[index]),
            )
        rows.append(row)
    return rows


def _counts_answers(selection: Selection) -> bool:
    return selection.filter.chooses_answers and len(selection.answering) > 1


def _number(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)


def _whole(value: np.float64) -> int | None:
    return None if np.isnan(value) else int(value)


def _label(selection: Selection, example: Example) -> str:
    if not selection.questions.shows_answers:
        return ""
    label = label_of(selection.questions.task, example)
    if label is None:
        return ""
    text = label_text(selection.questions.task, label)
    return text if len(text) <= _LONGEST_LABEL else f"{text[:_LONGEST_LABEL]}…"


def _answers(selection: Selection, hits: Mapping[int, int | None]) -> dict[int, ShownAnswer]:
    """By question index, the answer that contains the words, or that of the one chosen entry."""
    rows = {one.evaluation: row for row, one in enumerate(selection.answering)}
    only = selection.answering[0] if len(selection.filter.entries) == 1 else None
    wanted: dict[int, tuple[Answering, int]] = {}
    for index, evaluation in hits.items():
        entry = selection.answering[rows[evaluation]] if evaluation is not None else only
        place = places_in(selection.questions, entry.data_set)[index] if entry else None
        if entry and place is not None:
            wanted[index] = entry, place
    if not wanted:
        return {}
    with connection.cursor() as cursor:
        evaluations, places = zip(
            *((entry.evaluation, place) for entry, place in wanted.values()), strict=True
        )
        task = selection.questions.task.id
        cursor.execute(_TEXTS, [SEARCHED, [*evaluations], [*places], task])
        texts = {(evaluation, index): found for evaluation, index, *found in cursor.fetchall()}
    found = {}
    for index, (entry, place) in wanted.items():
        text, is_answered = texts.get((entry.evaluation, place), (None, False))
        row = rows[entry.evaluation]
        score = _number(selection.scores[row, index]) if entry.shows_verdicts else None
        percent = None if score is None else 100 * score
        words = selection.filter.words
        status = _status(text, score, is_answered=is_answered)
        found[index] = ShownAnswer(entry, status, percent, excerpt_of(text or "", words))
    return found


def _status(text: str | None, score: float | None, *, is_answered: bool) -> str:
    """An answer without a text is a figure."""
    if not is_answered:
        return "missing"
    if text is not None and not text.strip():
        return "empty"
    if score is None:
        return ""
    return "right" if score >= 1 else "partial" if score > 0 else "wrong"
