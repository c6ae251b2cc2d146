"""A board as a file: what is on the page, in full figures."""

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

from leaderboard.board.board import Board, Line
from leaderboard.columns import Column, Kind
from portal.scores.runs import Run
from portal.scores.scores import Score
from portal.web.csv_safety import escape_csv_formula

# In front of the file: without it spreadsheets take UTF-8 for another encoding. Readers that do not
# know it see it in the first name of the head, which is therefore none that anybody looks up.
_BYTE_ORDER_MARK = "\ufeff"
# Columns in front of the scores.
_ABOUT = (
    *("release", "metric_set", "rank", "model", "organisation", "weights", "mark"),
    *Run._fields,
    *("source", "entry", "day", "doubtful_tasks"),
)


def board_csv(board: Board) -> str:
    """A head, and a line for each entry: score and standard error of every column, and of a task
    also how many examples it has, and how many of them are answered."""
    stream = io.StringIO(_BYTE_ORDER_MARK)
    stream.seek(0, io.SEEK_END)
    write = csv.writer(stream).writerow
    write([*_ABOUT, *(name for column in board.columns for name in _names(column))])
    for line in board.lines:
        texts = ["" if value is None else str(value) for value in _about(line, board)]
        about = [escape_csv_formula(text) for text in texts]
        scores = zip(board.columns, line.scores, strict=True)
        write([*about, *(number for one in scores for number in _numbers(*one))])
    return stream.getvalue()


def _about(line: Line, board: Board) -> tuple[object, ...]:
    """In the order of ``_ABOUT``."""
    entry, model = line.entry, line.entry.model
    where = (board.release.slug, board.filters.metric_set)
    known = (line.rank, model.name, model.organisation, model.weights, entry.mark)
    run = entry.run or [None] * len(Run._fields)
    rest = (entry.source, entry.id, entry.handed_in, " ".join(sorted(entry.doubts)))
    return *where, *known, *run, *rest


def _names(column: Column) -> list[str]:
    counts = ("_n", "_answered") if column.kind is Kind.TASK else ()
    return [f"{column.id}{ending}" for ending in ("", "_stderr", *counts)]


def _numbers(column: Column, score: Score | None) -> list[float | None]:
    """In the order of ``_names``."""
    found = _score(column, score)
    return list(found.values()) if found else [None] * len(_names(column))


def board_json(board: Board) -> str:
    """The same as JSON; a mean that is not complete, and what is not known, is null."""
    document = {
        "release": board.release.slug,
        "metric_set": board.filters.metric_set,
        "ranked_by": board.ranked_by.id,
        "overall_is_the_mean_of": list(board.columns[0].tasks),
        "entries": [_entry(line, board) for line in board.lines],
    }
    return json.dumps(document, ensure_ascii=False, indent=1)


def _entry(line: Line, board: Board) -> dict[str, Any]:
    entry = line.entry
    by_kind: dict[Kind, dict[str, Any]] = {kind: {} for kind in Kind}
    for column, score in zip(board.columns, line.scores, strict=True):
        by_kind[column.kind][column.id] = _score(column, score)
    return {
        "entry": entry.id,
        "rank": line.rank,
        "mark": entry.mark,
        "model": {
            "slug": entry.model.slug,
            "name": entry.model.name,
            "organisation": entry.model.organisation,
            "weights": entry.model.weights or None,
        },
        "settings": entry.run and entry.run._asdict(),
        "source": entry.source,
        "day": entry.handed_in and entry.handed_in.isoformat(),
        "doubtful_tasks": sorted(entry.doubts),
        **by_kind[Kind.OVERALL],
        "domains": by_kind[Kind.DOMAIN],
        "tasks": by_kind[Kind.TASK],
    }


def _score(column: Column, score: Score | None) -> Mapping[str, Any] | None:
    if score is None:
        return None
    means = {"percent": score.percent, "stderr": score.stderr}
    counts = {"n": score.size, "answered": score.answered}
    return means | counts if column.kind is Kind.TASK else means
