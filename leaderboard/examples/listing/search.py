"""Words and phrases in the questions, gold answers and predictions of a task.

All of them must occur in one text: a question with its options and gold answer, or one prediction.
Matches are whole words, ignoring case and whatever is between them; each Chinese character is a
word. Only the first 20,000 characters of a prediction are searched: the index covers no more.

Rare words are found by the index, which names the block of answers that contains them. For common
words the questions are walked through in order until the page is full: for most questions, one of
the first answers has the word. All answers to the remaining questions are read by blocks.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from time import perf_counter
from typing import NamedTuple

import numpy as np
from django.db import connection

from leaderboard.examples.example_filter import IN_ORDER
from leaderboard.examples.listing.selection import Flags, Selection
from leaderboard.examples.queries import places_in
from portal.models import BLOCK_SIZE

SEARCHED = 20_000  # characters of a prediction
PATIENCE = 0.06  # seconds after which a walk shows what it has found
_CHUNK = 16  # questions in one step of a walk
_SCATTERED = 4  # of questions in another order, whose answers are in different blocks
_SAMPLE = 8  # entries whose answers tell how common words are
_FIRST = 64  # entries whose answers to a question are read one by one
_MOST_FOUND = 1_500  # answers up to which the index is used: their blocks have to be read
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_IS_CJK = re.compile(f"[{_CJK}]")
_OTHER = "[^[:alnum:]]"
_NORMAL = "SELECT portal_search_text(word) FROM unnest(%s::text[]) AS word"
_VALUES = """
    (SELECT string_agg(value #>> '{{}}', ' ')
     FROM jsonb_path_query({column}, 'strict $.** ? (@.type() != "array" && @.type() != "object")')
     AS value)
"""
_IN_QUESTIONS = """
SELECT index FROM (
    SELECT index, concat_ws(' ', {columns}) AS prediction FROM portal_example
    WHERE data_set_id = %(data_set)s
) AS questions
WHERE {conditions}
"""
# Evaluation ids are cast: only equal types are looked up by hash.
_HITS = """
SELECT count(*) FROM portal_exampleresult
WHERE evaluation_id = ANY(%(evaluations)s::bigint[]) AND task = %(task)s AND {conditions}
"""
# A limit keeps the planner from reading answers for which it was not asked. From the blocks: of the
# view, the words would be looked for in all answers of a block.
_WALK = """
SELECT asked.place, answer.evaluation_id
FROM unnest(%(places)s::int[], %(lists)s::int[], %(indexes)s::int[])
    AS asked(place, list, index)
JOIN unnest(%(evaluations)s::text[]) WITH ORDINALITY AS lists(evaluations, list) USING (list)
CROSS JOIN LATERAL (
    SELECT evaluation_id FROM (
        SELECT evaluation_id, predictions[1 + mod(asked.index, {size})] AS prediction
        FROM portal_resultblock
        WHERE evaluation_id = ANY(lists.evaluations::bigint[])
            AND task = %(task)s AND block = asked.index / {size}
    ) AS answers
    WHERE {conditions}
    LIMIT 1
) AS answer
"""
_BY_BLOCK = """
SELECT evaluation_id, index FROM portal_exampleresult
WHERE evaluation_id = ANY(%(evaluations)s::bigint[]) AND task = %(task)s
    AND block = ANY(%(blocks)s::int[]) AND index = ANY(%(indexes)s::int[]) AND {conditions}
"""
_BY_INDEX = """
SELECT {columns} FROM portal_exampleresult
WHERE words @> portal_result_words(%(task)s, ARRAY[%(words)s])
    AND evaluation_id = ANY(%(evaluations)s::bigint[]) AND task = %(task)s AND {conditions}
{grouped}
"""
_EACH = {"columns": "evaluation_id, index", "grouped": ""}
_ONE_OF_EACH_QUESTION = {"columns": "min(evaluation_id), index", "grouped": "GROUP BY index"}
Values = dict[str, str | int | list[int] | list[str]]


class Found(NamedTuple):
    """``hits`` maps question indices, in order, to the evaluation whose answer has the words; None:
    the question itself has them."""

    hits: Mapping[int, int | None]
    reached: int | None  # the position where the search continues; None: nothing is left
    total: int | None  # the number of all found; None: not everything was searched


def find_words(selection: Selection, start: int, most: int) -> Found:
    """At most so many questions, from a position in the order on."""
    words = normal_words(selection.filter.words)
    in_questions = _questions_with(selection, words)
    if _is_rare(selection, words):
        return _found_by_index(selection, words, in_questions, start, most)

    def walk(chunk: Sequence[int]) -> Mapping[int, int]:
        return _walk(selection, chunk, words)

    return _walked(selection.order, walk, in_questions, start, most, step=_step(selection))


class Around(NamedTuple):
    before: list[int]  # the question with the words, or nothing
    after: list[int]
    place: int | None  # from 1
    total: int | None


def words_around(selection: Selection, at: int) -> Around:
    """The questions with the words before and after a position."""
    words = normal_words(selection.filter.words)
    in_questions = _questions_with(selection, words)
    order = selection.order
    if _is_rare(selection, words):
        found = [*_found_by_index(selection, words, in_questions, 0, len(order)).hits]
        place = found.index(order[at]) if at >= 0 and order[at] in found else None
        earlier = set(order[: max(at, 0)])
        before = [one for one in found if one in earlier][-1:]
        after = [one for one in found if one not in earlier and one != order[at]][:1]
        if at < 0:
            before, after = [], found[:1]
        return Around(before, after, None if place is None else place + 1, len(found))

    def walk(chunk: Sequence[int]) -> Mapping[int, int]:
        return _walk(selection, chunk, words)

    step = _step(selection)
    back = _walked(order[:at][::-1] if at > 0 else [], walk, in_questions, 0, 1, step=step)
    forth = _walked(order, walk, in_questions, at + 1, 1, step=step)
    return Around([*back.hits], [*forth.hits], None, None)


def normal_words(words: Sequence[str]) -> list[str]:
    """As in the index: lower case, with single spaces; empty: there is nothing to search for."""
    with connection.cursor() as cursor:
        cursor.execute(_NORMAL, [list(words)])
        return [str(word).strip() for (word,) in cursor.fetchall()]


def _conditions(words: Sequence[str]) -> tuple[str, Values]:
    """The same as comparing the result of ``portal_search_text``, in a twentieth of the time."""
    values: Values = {f"word{number}": _pattern(word) for number, word in enumerate(words)}
    return " AND ".join(f"left(prediction, {SEARCHED}) ~* %({name})s" for name in values), values


def _pattern(word: str) -> str:
    """For normalised words, which contain no special characters."""
    parts = word.split()
    between = "".join(
        f"{_OTHER}{'*' if _IS_CJK.search(before + after) else '+'}{after}"
        for before, after in pairwise(parts)
    )
    start = "" if _IS_CJK.search(parts[0]) else f"(?:^|{_OTHER}|[{_CJK}])"
    end = "" if _IS_CJK.search(parts[-1]) else f"(?:$|{_OTHER}|[{_CJK}])"
    return f"{start}{parts[0]}{between}{end}"


def _questions_with(selection: Selection, words: Sequence[str]) -> set[int]:
    questions = selection.questions
    columns = ["question", _VALUES.format(column="options")]
    if questions.shows_answers:
        columns.append(_VALUES.format(column="label"))
    conditions, values = _conditions(words)
    query = _IN_QUESTIONS.format(columns=", ".join(columns), conditions=conditions)
    with connection.cursor() as cursor:
        cursor.execute(query, {"data_set": questions.data_set.pk, **values})
        return {int(index) for (index,) in cursor.fetchall()}


def _is_rare(selection: Selection, words: Sequence[str]) -> bool:
    """Whether so few answers contain the words that the index is faster, judged by the answers of a
    few entries. With few entries all answers are walked through."""
    evaluations = [one.evaluation for one in selection.answering]
    if len(evaluations) <= 2 * _SAMPLE:
        return False
    conditions, values = _conditions(words)
    sample = evaluations[:: len(evaluations) // _SAMPLE]
    values |= {"task": selection.questions.task.id, "evaluations": sample}
    with connection.cursor() as cursor:
        cursor.execute(_HITS.format(conditions=conditions), values)
        [hits] = cursor.fetchone()
    return bool(hits / len(sample) * len(evaluations) <= _MOST_FOUND)


def _found_by_index(
    selection: Selection,
    words: Sequence[str],
    in_questions: Collection[int],
    start: int,
    most: int,
) -> Found:
    answers = _answers_by_index(selection, words)
    found = [one for one in selection.order if one in answers or one in in_questions]
    hits = {index: answers.get(index) for index in found[start : start + most]}
    end = start + most
    return Found(hits, end if end < len(found) else None, len(found))


def _answers_by_index(selection: Selection, words: Sequence[str]) -> dict[int, int]:
    """By question, an evaluation with an answer that contains the words."""
    conditions, values = _conditions(words)
    values |= {"task": selection.questions.task.id, "words": " ".join(words)}
    values["evaluations"] = [one.evaluation for one in selection.answering]
    any_will_do = len(_by_data_set(selection)) == 1 and selection.answers.all()
    wanted = _ONE_OF_EACH_QUESTION if any_will_do else _EACH
    with connection.cursor() as cursor:
        cursor.execute(_BY_INDEX.format(conditions=conditions, **wanted), values)
        return _answers_in(selection, cursor.fetchall())


def _answers_in(selection: Selection, rows: Sequence[tuple[int, int]]) -> dict[int, int]:
    """By question, an evaluation with one of these answers that the filter applies to."""
    number_of = {one.evaluation: number for number, one in enumerate(selection.answering)}
    indices = {
        data_set: {
            place: index
            for index, place in enumerate(places_in(selection.questions, data_set))
            if place is not None
        }
        for data_set in _by_data_set(selection)
    }
    found: dict[int, int] = {}
    for evaluation, place in rows:
        number = number_of[evaluation]
        index = indices[selection.answering[number].data_set].get(place)
        if index is not None and selection.answers[number, index]:
            found.setdefault(index, evaluation)
    return found


def _step(selection: Selection) -> int:
    """How many questions are walked through before checking the time."""
    return _CHUNK if selection.filter.sort == IN_ORDER else min(_CHUNK, _SCATTERED)


def _walked(
    order: Sequence[int],
    walk: Callable[[Sequence[int]], Mapping[int, int]],
    in_questions: Collection[int],
    start: int,
    most: int,
    *,
    step: int,
) -> Found:
    """Until the page is full, or the time is up."""
    hits: dict[int, int | None] = {}
    place, begun = start, perf_counter()
    while place < len(order) and len(hits) < most:
        if place > start and perf_counter() - begun > PATIENCE:
            return Found(hits, place, None)
        chunk = order[place : place + step]
        found = walk([one for one in chunk if one not in in_questions])
        for index in chunk:
            place += 1
            if index in found or index in in_questions:
                hits[index] = found.get(index)
                if len(hits) == most:
                    break
    is_end = place >= len(order)
    return Found(hits, None if is_end else place, len(hits) if is_end and not start else None)


def _walk(selection: Selection, chunk: Sequence[int], words: Sequence[str]) -> dict[int, int]:
    """Of these questions those with an answer that contains the words: by question, its
    evaluation."""
    found = _among_the_first(selection, chunk, words)
    if len(selection.answering) <= _FIRST:
        return found
    others = [index for index in chunk if index not in found]
    conditions, values = _conditions(words)
    values["task"] = selection.questions.task.id
    for data_set, rows in _by_data_set(selection).items():
        places = places_in(selection.questions, data_set)
        asked = [place for place in (places[index] for index in others) if place is not None]
        values["evaluations"] = [selection.answering[row].evaluation for row in rows]
        values["indexes"] = asked
        values["blocks"] = sorted({place // BLOCK_SIZE for place in asked})
        with connection.cursor() as cursor:
            cursor.execute(_BY_BLOCK.format(conditions=conditions), values)
            found = _answers_in(selection, cursor.fetchall()) | found
    return found


def _among_the_first(
    selection: Selection, chunk: Sequence[int], words: Sequence[str]
) -> dict[int, int]:
    """As far as the answers of a few entries contain the words."""
    lists: dict[str, int] = {}
    numbers: dict[tuple[int, bytes], int] = {}  # of lists, by the flags that they come from
    asked: list[tuple[int, int, int]] = []
    for data_set, rows in _by_data_set(selection).items():
        places = places_in(selection.questions, data_set)
        evaluations = np.array([selection.answering[row].evaluation for row in rows])
        chosen: Flags = selection.answers[rows][:, list(chunk)].T
        for index, flags in zip(chunk, chosen, strict=True):
            place = places[index]
            if place is None or not flags.any():
                continue
            chosen_ones = data_set, flags.tobytes()
            if chosen_ones not in numbers:
                text = f"{{{','.join(map(str, evaluations[flags][:_FIRST]))}}}"
                numbers[chosen_ones] = lists.setdefault(text, len(lists) + 1)
            asked.append((index, numbers[chosen_ones], place))
    if not asked:
        return {}
    conditions, values = _conditions(words)
    values |= {"task": selection.questions.task.id, "evaluations": list(lists)}
    for place, name in enumerate(("places", "lists", "indexes")):
        values[name] = [one[place] for one in asked]
    with connection.cursor() as cursor:
        cursor.execute(_WALK.format(conditions=conditions, size=BLOCK_SIZE), values)
        return dict(cursor.fetchall())


def _by_data_set(selection: Selection) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for row, one in enumerate(selection.answering):
        found.setdefault(one.data_set, []).append(row)
    return found
