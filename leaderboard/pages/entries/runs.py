"""Repeated runs of an entry: their mean, and separately how much other questions and how much
another run would change it."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from leaderboard.board.cells import Cell, score_cell
from leaderboard.cache import cached_region, conditional_response
from leaderboard.columns import Column, columns_of
from leaderboard.pages.entries.entry import (
    EntryDetails,
    ScoreRow,
    entry_details,
    score_sheet,
    submission_details,
)
from leaderboard.queries import public_submissions
from portal.models import Submission
from portal.scores.comparison.differences import PLACES
from portal.scores.comparison.runs import Errors, Runs, errors_of, repeated_runs, scores_of_runs
from portal.scores.scores import BySet, Score, mean_of
from portal.scores.titles import METRIC_SET_TITLES
from portal.web.csv_files import csv_of_records
from portal.web.file_responses import as_attachment
from portal.web.throttle import count_expensive, throttled
from scoring.metrics import METRIC_SETS


class ErrorLine(NamedTuple):
    """The mean of all runs in a column of the board."""

    column: Column
    score: Score
    errors: Errors

    @property
    def cell(self) -> Cell:
        return score_cell(self.column, self.score, {}, decimals=2)


class RepeatedRuns(NamedTuple):
    runs: list[EntryDetails]  # oldest first
    mean: ScoreRow  # the overall mean of all runs
    lines: Mapping[str, list[ErrorLine]]  # by metric set; without columns that lack a task

    @property
    def deviations(self) -> list[float | None]:
        """Of single runs' overall scores, under each metric set, in percentage points."""
        overall = self.mean.column
        found = {name: of_set[:1] for name, of_set in self.lines.items()}
        return [
            next((one.errors.run for one in found[name] if one.column == overall), None)
            for name in METRIC_SETS
        ]


def repeated_runs_of(details: EntryDetails) -> RepeatedRuns | None:
    """The entry with all others that were made in the same way; None if there are none."""
    runs = _runs_of(details)
    if not runs:
        return None
    of_runs = public_submissions().filter(evaluations__in=runs).order_by("created", "pk")
    by_set: BySet = {name: scores_of_runs(runs, name) for name in METRIC_SETS}
    columns = columns_of([row.column.id for block in details.sheet.blocks for row in block.tasks])
    overall = details.sheet.overall.column
    return RepeatedRuns(
        submission_details(of_runs),
        score_sheet([overall], by_set, {}).overall,
        {
            name: [
                ErrorLine(column, score, errors)
                for column in columns
                if (score := mean_of(column.tasks, scores))
                and (errors := errors_of(column.tasks, scores, len(runs)))
            ]
            for name, scores in by_set.items()
        },
    )


def _runs_of(details: EntryDetails) -> Runs:
    submission, evaluation = details.submission, details.evaluation
    if submission is None or evaluation is None:
        return ()
    published = Submission.objects.published().filter(release=submission.release)
    found = cached_region(f"runs/{submission.release_id}", lambda: repeated_runs(published))
    return next((runs for runs in found if evaluation.pk in runs), ())


@require_safe
@throttled
@gzip_page
def runs_csv(request: HttpRequest, entry_id: str) -> HttpResponse:
    """A row for each column under each metric set; percentages and percentage points."""
    text = csv_of_records(_records(_repeated_or_404(request, entry_id)))
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    return conditional_response(request, as_attachment(response, "runs.csv"))


@require_safe
@throttled
@gzip_page
def runs_json(request: HttpRequest, entry_id: str) -> HttpResponse:
    repeated = _repeated_or_404(request, entry_id)
    document = {"runs": [one.entry.id for one in repeated.runs], "scores": _records(repeated)}
    response = HttpResponse(json.dumps(document), content_type="application/json")
    return conditional_response(request, as_attachment(response, "runs.json"))


def _repeated_or_404(request: HttpRequest, entry_id: str) -> RepeatedRuns:
    count_expensive(request)
    details = entry_details(entry_id)
    repeated = repeated_runs_of(details) if details else None
    if repeated is None:
        raise Http404
    return repeated


def _records(repeated: RepeatedRuns) -> list[dict[str, str | float | int | None]]:
    records: list[dict[str, str | float | int | None]] = []
    for metric_set in METRIC_SET_TITLES:
        for one in repeated.lines[metric_set]:
            low, high, method = one.score.interval or (None, None, None)
            records.append(
                {
                    "metric_set": metric_set,
                    "score": one.column.id,
                    "runs": len(repeated.runs),
                    "questions": one.score.size,
                    "mean": round(one.score.percent, PLACES),
                    "low": low,
                    "high": high,
                    "interval": method,
                    "data_error": round(one.errors.data, PLACES),
                    "run_sd": round(one.errors.run, PLACES),
                    "single_error": round(one.errors.single, PLACES),
                }
            )
    return records
