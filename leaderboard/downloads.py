"""A board as a file: what is on the page, in full figures."""

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

from leaderboard.boards import Board, Line
from leaderboard.columns import Column, Kind
from portal.pages.runs import Run
from portal.scores import Score
from portal.spreadsheets import inert

# Columns in front of the scores.
_ABOUT = (
    *("rank", "model", "organisation", "weights", "mark"),
    *Run._fields,
    *("source", "entry"),
)


def board_csv(board: Board) -> str:
    """A head, and a line for each entry: score and standard error of every column."""
    stream = io.StringIO()
    write = csv.writer(stream).writerow
    ids = [column.id for column in board.columns]
    write([*_ABOUT, *(name for id_ in ids for name in (id_, f"{id_}_stderr"))])
    for line in board.lines:
        about = [inert("" if value is None else str(value)) for value in _about(line)]
        write([*about, *(number for score in line.scores for number in _numbers(score))])
    return stream.getvalue()


def _about(line: Line) -> tuple[object, ...]:
    """In the order of ``_ABOUT``."""
    entry, model = line.entry, line.entry.model
    known = (line.rank, model.name, model.organisation, model.weights, entry.mark)
    run = entry.run or [None] * len(Run._fields)
    return *known, *run, entry.source, entry.id


def _numbers(score: Score | None) -> tuple[float | None, float | None]:
    return (score.percent, score.stderr) if score else (None, None)


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
        "day": entry.day.isoformat(),
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
