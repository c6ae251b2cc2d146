"""A board as a file, with unrounded figures."""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.urls import reverse

from leaderboard.board.board import Board
from leaderboard.board.differences import difference_to_baseline
from leaderboard.board.ranking.ranking import Line
from leaderboard.columns import Column, Kind
from leaderboard.queries import Edition, Scoring
from portal.scores.attempts import scored_attempts
from portal.scores.scores import Score
from portal.scores.titles import SettingsLine
from portal.web.csv_files import csv_file

# Columns before the scores.
_ABOUT = (
    *(
        "release",
        "metric_set",
        "updated",
        "rank",
        "rank_low",
        "rank_high",
        "filtered_rank",
        "model",
        "method",
        "organisation",
        "weights",
        "trust",
        "maker_claim",
    ),
    *SettingsLine._fields,
    *("source", "entry", "day", "labels", "other_data_tasks", "doubtful_tasks"),
    *("runs", "run_sd", "scorer", "scored", "asked_percent"),
    *("attempts", "control"),
)
_SUFFIXES = {
    "percent": "",
    "low": "_low",
    "high": "_high",
    "interval": "_interval",
    "stderr": "_stderr",
    "n": "_n",
    "answered": "_answered",
    "difference": "_difference",
    "chance": "_chance",
    "test": "_test",
}
_OF_DIFFERENCES = ("difference", "chance", "test")
_Figures = dict[str, float | str | None]


def board_csv(board: Board, edition: Edition) -> str:
    """A header, and a row for each line. Every column has the score, its 95 % interval with the
    method, and the standard error; a task also the number of its examples and of those answered.
    With a baseline there is also the difference to it in points, whether it could be chance, and by
    which test."""
    names = [
        f"{column.export_id}{_SUFFIXES[figure]}"
        for column in board.columns
        for figure in (*_figures(column, None), *(_OF_DIFFERENCES if board.baseline else ()))
    ]
    rows = []
    attempts = attempts_behind(board.page_lines)
    for line in board.page_lines:
        entry, model = line.entry, line.entry.model
        scoring = edition.scoring_of(entry)
        about = (
            *(board.release.slug, board.filters.metric_set, _day(edition.updated)),
            *(line.rank, line.rank_low, line.rank_high, line.filtered_rank),
            *(model.name, entry.method, model.organisation, model.weights),
            *(entry.trust, entry.maker_claim),
            *(entry.run or [None] * len(SettingsLine._fields)),
            *(entry.source, entry.id, entry.submitted_on, " ".join(entry.label_versions or ())),
            *(" ".join(sorted(tasks)) for tasks in (entry.other_data, entry.caveats)),
            *(" ".join(entry.run_ids), _run_deviation(line)),
            *(scoring.scorer, _day(scoring.finished), entry.sample and entry.sample.percent),
            *(attempts.get(entry.id), entry.control),
            *([board.baseline.entry.id] if board.baseline else ()),
        )
        figures = [
            figure
            for column, score, difference in _columns_of(board, line)
            for figure in (_figures(column, score) | difference).values()
        ]
        rows.append([*about, *figures])
    return csv_file([*_ABOUT, *(["baseline"] if board.baseline else ()), *names], rows)


def board_json(board: Board, edition: Edition) -> str:
    """The same as JSON; incomplete means and unknown values are null."""
    first = board.columns[0]
    attempts = attempts_behind(board.page_lines)
    document = {
        "release": board.release.slug,
        "metric_set": board.filters.metric_set,
        "address": address_of(board),
        "updated": _day(edition.updated),
        "scorers": edition.scorers,
        "ranked_by": board.ranked_by.export_id,
        f"{first.export_id}_is_the_mean_of": list(first.tasks),
        "weights": first.shares or None,
        "baseline": board.baseline and board.baseline.entry.id,
        "entries": [
            _json_entry(line, board, edition.scoring_of(line.entry), attempts.get(line.entry.id))
            for line in board.page_lines
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=1)


def address_of(board: Board) -> str:
    """The page that shows the same."""
    path = reverse("board", args=[board.release.slug])
    return f"{settings.SITE_URL}{path}{board.filters}"


def _day(time: datetime | None) -> str | None:
    return f"{time:%Y-%m-%d}" if time else None


def attempts_behind(lines: Iterable[Line]) -> dict[str, int]:
    """By the id of an entry that was submitted here: it is one of so many scored submissions of its
    model."""
    submitted = {entry.submission: entry.id for line in lines if (entry := line.entry).submission}
    return {submitted[pk]: number for pk, number in scored_attempts(submitted).items()}


def _json_entry(
    line: Line,
    board: Board,
    scoring: Scoring,
    attempts: int | None,
) -> dict[str, Any]:
    entry = line.entry
    by_kind: dict[Kind, dict[str, Any]] = {kind: {} for kind in Kind}
    for column, score, difference in _columns_of(board, line):
        figures = _figures(column, score) | difference
        by_kind[column.kind][column.export_id] = figures if score else None
    return {
        "entry": entry.id,
        "submission": entry.submission and str(entry.submission),
        "rank": line.rank,
        "rank_low": line.rank_low,
        "rank_high": line.rank_high,
        "filtered_rank": line.filtered_rank,
        "trust": entry.trust,
        "maker_claim": entry.maker_claim,
        "control": entry.control,
        "asked_percent": entry.sample and entry.sample.percent,
        "model": {
            "slug": entry.model.slug,
            "name": entry.model.name,
            "organisation": entry.model.organisation,
            "weights": entry.model.weights or None,
        },
        "method": entry.method or None,
        "settings": entry.run and entry.run._asdict(),
        "source": entry.source,
        "day": entry.submitted_on and entry.submitted_on.isoformat(),
        "labels": None if entry.label_versions is None else list(entry.label_versions),
        "other_data": {task: about._asdict() for task, about in sorted(entry.other_data.items())},
        "doubtful_tasks": sorted(entry.caveats),
        "scorer": scoring.scorer or None,
        "scored": _day(scoring.finished),
        "runs": list(entry.run_ids),
        "run_sd": _run_deviation(line),
        "attempts": attempts,
        **by_kind[Kind.OVERALL],
        "domains": by_kind[Kind.DOMAIN],
        "tasks": by_kind[Kind.TASK],
    }


def _run_deviation(line: Line) -> float | None:
    overall = line.scores[0]
    return overall and overall.run_deviation


def _columns_of(board: Board, line: Line) -> Iterator[tuple[Column, Score | None, _Figures]]:
    """One for each score and, on a board with a baseline, one for the difference to it."""
    for place, (column, score) in enumerate(zip(board.columns, line.scores, strict=True)):
        found = difference_to_baseline(board, line, place)
        values = (found.points, found.chance, found.method or None) if found else (None,) * 3
        difference = dict(zip(_OF_DIFFERENCES, values, strict=True)) if board.baseline else {}
        yield column, score, difference


def _figures(column: Column, score: Score | None) -> _Figures:
    interval = score and score.interval
    figures: _Figures = {
        "percent": score and score.percent,
        "low": interval and interval.low,
        "high": interval and interval.high,
        "interval": interval and interval.method,
        "stderr": score and score.stderr,
    }
    if column.kind is Kind.TASK:
        figures |= {"n": score and score.size, "answered": score and score.answered}
    return figures
