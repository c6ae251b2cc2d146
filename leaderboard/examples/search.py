"""Words and phrases in the questions, gold answers and predictions of a task.

All of them have to be in one text: in a question with its options and its gold answer, or in one
prediction. Whole words, whatever their case and what is between them; each Chinese character is a
word. Of a prediction the first 20,000 characters are searched: those that the index covers.
"""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np
from django.db import connection
from django.utils.translation import gettext as _

from leaderboard.examples.filters import FilterError
from leaderboard.examples.queries import places_in
from leaderboard.examples.selection import Flags, Selection

SEARCHED = 20_000  # characters of a prediction
PATIENCE = 0.1  # seconds that a walk takes at most before it shows what it has found
_CHUNK = 32  # questions at first; twice as many each time
_NORMAL = "SELECT portal_search_text(word) FROM unnest(%s::text[]) AS word"
_VALUES = """
    (SELECT string_agg(value #>> '{{}}', ' ')
     FROM jsonb_path_query({column}, 'strict $.** ? (@.type() != "array" && @.type() != "object")')
     AS value)
"""
_IN_QUESTIONS = """
SELECT index FROM portal_example
WHERE data_set_id = %(data_set)s AND {conditions}
"""
# A limit keeps the planner from reading answers for which it was not asked.
_WALK = """
SELECT asked.place, answer.evaluation_id
FROM unnest(%(places)s::int[], %(lists)s::int[], %(indexes)s::int[])
    AS asked(place, list, index)
JOIN unnest(%(evaluations)s::text[]) WITH ORDINALITY AS lists(evaluations, list) USING (list)
CROSS JOIN LATERAL (
    SELECT evaluation_id FROM portal_exampleresult
    WHERE evaluation_id = ANY(lists.evaluations::bigint[])
        AND task = %(task)s AND index = asked.index AND {conditions}
    LIMIT 1
) AS answer
"""


class Found(NamedTuple):
    """``hits``: the questions by their indices, in order, with the evaluation that has the words;
    None: the question has them."""

    hits: Mapping[int, int | None]
    reached: int | None  # where in the order the search has to go on; None: nothing is left
    is_complete: bool  # it began with the first question, and nothing is left


def find_words(selection: Selection, start: int, most: int) -> Found:
    """At most so many questions from a place in the order on. Raises ``FilterError`` where a word
    has nothing to search for."""
    words = _normal(selection)
    order = selection.order
    in_questions = _questions_with(selection, words)
    hits: dict[int, int | None] = {}
    place, size, begun = start, _CHUNK, perf_counter()
    while place < len(order) and len(hits) < most:
        if place > start and perf_counter() - begun > PATIENCE:
            return Found(hits, place, is_complete=False)
        chunk = order[place : place + size]
        found = _walk(selection, [one for one in chunk if one not in in_questions], words)
        for index in chunk:
            place += 1
            if index in found or index in in_questions:
                hits[index] = found.get(index)
                if len(hits) == most:
                    break
        size *= 2
    left = place < len(order)
    return Found(hits, place if left else None, is_complete=not (left or start))


def _normal(selection: Selection) -> list[str]:
    """The words as they are compared: `` pass key ``."""
    with connection.cursor() as cursor:
        cursor.execute(_NORMAL, [list(selection.filter.words)])
        found = [str(word) for (word,) in cursor.fetchall()]
    if not all(word.strip() for word in found):
        query = str(selection.filter)
        raise FilterError(
            "no_word",
            query,
            (0, len(query)),
            _("There is no word to search for."),
            _("Type letters, digits or Chinese characters."),
        )
    return found


def _questions_with(selection: Selection, words: Sequence[str]) -> set[int]:
    questions = selection.questions
    columns = ["question", _VALUES.format(column="options")]
    if questions.shows_answers:
        columns.append(_VALUES.format(column="label"))
    text = f"portal_search_text(concat_ws(' ', {', '.join(columns)}))"
    query = _IN_QUESTIONS.format(
        conditions=" AND ".join([f"{text} LIKE %(word{number})s" for number in range(len(words))])
    )
    values = {f"word{number}": f"%{word}%" for number, word in enumerate(words)}
    with connection.cursor() as cursor:
        cursor.execute(query, {"data_set": questions.data_set.pk, **values})
        return {int(index) for (index,) in cursor.fetchall()}


def _walk(selection: Selection, chunk: Sequence[int], words: Sequence[str]) -> dict[int, int]:
    """Of these questions those that an answer with the words was given to: its evaluation."""
    lists: dict[str, int] = {}
    asked: list[tuple[int, int, int]] = []
    for data_set, rows in _by_data_set(selection).items():
        places = places_in(selection.questions, data_set)
        evaluations = np.array([selection.answering[row].evaluation for row in rows])
        chosen: Flags = selection.answers[rows][:, list(chunk)].T
        for index, flags in zip(chunk, chosen, strict=True):
            place = places[index]
            if place is not None and flags.any():
                text = f"{{{','.join(map(str, evaluations[flags]))}}}"
                asked.append((index, lists.setdefault(text, len(lists) + 1), place))
    if not asked:
        return {}
    conditions, values = _conditions(words)
    values |= {"task": selection.questions.task.id, "evaluations": list(lists)}
    for place, name in enumerate(("places", "lists", "indexes")):
        values[name] = [one[place] for one in asked]
    with connection.cursor() as cursor:
        cursor.execute(_WALK.format(conditions=conditions), values)
        return dict(cursor.fetchall())


def _by_data_set(selection: Selection) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for row, one in enumerate(selection.answering):
        found.setdefault(one.data_set, []).append(row)
    return found


def _conditions(words: Sequence[str]) -> tuple[str, dict[str, str | list[int] | list[str]]]:
    """That a prediction has them. A word alone is looked for first, which costs a twentieth of
    looking for it as a whole word: normal words have no character that a pattern reads."""
    parts = dict.fromkeys(part for word in words for part in word.split())
    values: dict[str, str | list[int] | list[str]] = {
        f"part{number}": part for number, part in enumerate(parts)
    }
    conditions = [f"left(prediction, 20000) ~* %({name})s" for name in values]
    for number, word in enumerate(words):
        conditions.append(f"portal_search_text(prediction) LIKE %(word{number})s")
        values[f"word{number}"] = f"%{word}%"
    return " AND ".join(conditions), values
