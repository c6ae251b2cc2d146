"""A page of the examples in a filtered list."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from django.db import connection
from django.db.models.functions import Right

from leaderboard.example_links import example_address
from leaderboard.examples.choice import MOST_OPENED
from leaderboard.examples.listing.excerpts import Excerpt, excerpt_of
from leaderboard.examples.listing.search import SEARCHED, find_words
from leaderboard.examples.listing.selection import Selection
from leaderboard.examples.queries import Answering, places_in, score_matrix
from leaderboard.tasks.examples import label_text
from portal.models import BLOCK_SIZE, Example
from portal.scores.questions.gold import label_of

PAGE_ROWS = 50
_LONGEST_QUESTION = 4_000  # characters that are read
_LONGEST_LABEL = 120
_LONGEST_ANSWER = 120
_READ_OF_ANSWER = 1_000  # characters, if none is searched for

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
    matching: int | None  # answers that match the filter, if it is about several entries
    by_entry: Sequence[tuple[Answering, ShownAnswer | None]]  # None: it was not asked
    match: ShownAnswer | None  # the answer with the words, if it is of another entry
    notes: int  # by reviewers; only for reviewers
    depth: float | None = None
    hops: int | None = None
    kind: str = ""
    difficulty: float | None = None
    solvers: int | None = None  # entries that solve it,
    asked: int | None = None  # out of so many

    @property
    def share(self) -> float | None:
        """The mean score of all entries, in percent."""
        return None if self.difficulty is None else 100 * (1 - self.difficulty)


class Listing(NamedTuple):
    rows: Sequence[Row]
    entries: Sequence[Answering]  # that have answers in the rows
    start: int
    next: int | None  # where the next page starts; None: this is the last one
    total: int  # of everything found, or of what was found so far
    is_exact: bool

    @property
    def has_labels(self) -> bool:
        return any(row.label for row in self.rows)


def list_examples(selection: Selection, start: int) -> Listing:
    if selection.filter.words:
        found = find_words(selection, start, PAGE_ROWS)
        hits, following = found.hits, found.reached
        total, is_exact = found.total or len(hits), found.total is not None
    else:
        order, end = selection.order, start + PAGE_ROWS
        hits = dict.fromkeys(order[start:end])
        following = end if end < len(order) else None
        total, is_exact = len(order), True
    entries, rows = _rows(selection, hits)
    return Listing(rows, entries, start, following, total, is_exact)


def _rows(
    selection: Selection, hits: Mapping[int, int | None]
) -> tuple[list[Answering], list[Row]]:
    """With the entries of its columns. ``hits`` has by question index the evaluation whose answer
    contains the words."""
    questions, chosen, facts = selection.questions, selection.filter, selection.facts
    entries = list(selection.shown_entries)
    by_evaluation = {one.evaluation: one for one in selection.answering}
    matches = {
        index: by_evaluation[evaluation]
        for index, evaluation in hits.items()
        if evaluation is not None and by_evaluation[evaluation] not in entries
    }
    answers = _answers(selection, [*product(hits, entries), *matches.items()])
    entries = [one for one in entries if any((index, one.id) in answers for index in hits)]
    texts = Example.objects.filter(data_set=questions.data_set, index__in=hits)
    columns = texts.annotate(text=Right("question", _LONGEST_QUESTION))
    if not questions.shows_answers:
        columns = columns.defer("label")
    examples = {one.index: one for one in columns.defer("question", "evidence")}
    counted = selection.answers.sum(axis=0) if _counts_answers(selection) else None
    opened, list_query = chosen.named_entries[:MOST_OPENED], str(chosen)
    rows = []
    for index in hits:
        example = examples.get(index)
        if example is None:  # only for releases of labels, which always have an example
            continue
        key = facts.keys[index]
        text: str = getattr(example, "text", "")
        row = Row(
            key,
            example_address(
                questions.release.slug,
                questions.task.id,
                key,
                entries=opened,
                list_query=list_query,
            ),
            excerpt_of(text, chosen.words, shows_end=True),
            _label(selection, example),
            _whole(facts.tokens[index]),
            None if counted is None else int(counted[index]),
            [(entry, answers.get((index, entry.id))) for entry in entries],
            answers.get((index, matches[index].id)) if index in matches else None,
            (selection.notes or {}).get(index, 0),
        )
        if questions.shows_answers:
            items = selection.items
            row = row._replace(
                depth=_number(facts.depth[index]),
                hops=_whole(facts.hops[index]),
                kind=facts.kinds[index],
                difficulty=_number(items.difficulty[index]),
                solvers=int(items.solved_by[index]),
                asked=int(items.answered[index]),
            )
        rows.append(row)
    return entries, rows


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


def _answers(
    selection: Selection,
    wanted: Iterable[tuple[int, Answering]],
) -> dict[tuple[int, str], ShownAnswer]:
    """By question index and entry."""
    task, words = selection.questions.task.id, selection.filter.words
    places = {
        (index, entry): place
        for index, entry in wanted
        if (place := places_in(selection.questions, entry.data_set)[index]) is not None
    }
    if not places:
        return {}
    with connection.cursor() as cursor:
        evaluations = [entry.evaluation for _index, entry in places]
        most = SEARCHED if words else _READ_OF_ANSWER
        cursor.execute(_TEXTS, [most, evaluations, [*places.values()], task])
        texts = {(evaluation, place): found for evaluation, place, *found in cursor.fetchall()}
    asked = list(dict.fromkeys(entry for _index, entry in places))
    scores = score_matrix(selection.questions, asked, selection.filter.metric_set)
    rows = {entry: row for row, entry in enumerate(asked)}
    answers = {}
    for (index, entry), place in places.items():
        text, is_answered = texts.get((entry.evaluation, place), (None, False))
        score = _number(scores[rows[entry], index]) if entry.shows_verdicts else None
        answers[index, entry.id] = ShownAnswer(
            entry,
            _status(text, score, is_answered=is_answered),
            None if score is None else 100 * score,
            excerpt_of(text or "", words, most=_LONGEST_ANSWER),
        )
    return answers


def _status(text: str | None, score: float | None, *, is_answered: bool) -> str:
    """An answer without a text is a figure."""
    if not is_answered:
        return "missing"
    if text is not None and not text.strip():
        return "empty"
    if score is None:
        return ""
    return "right" if score >= 1 else "partial" if score > 0 else "wrong"
