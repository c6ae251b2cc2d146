"""The page of reproduced results, and its tables as files."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from leaderboard.cache import Region, cached_region, conditional_page, conditional_response
from leaderboard.kept_pages import kept_page
from leaderboard.reproduction.figures import read_figures
from leaderboard.reproduction.tables import Cell, read_tables, released_entries
from portal.scores.scores import REPORTED_UNDER
from portal.scores.titles import METRIC_SET_TITLES
from portal.web.csv_files import csv_file
from portal.web.file_responses import as_attachment
from portal.web.throttle import count_expensive, throttled
from scoring.catalog import TASKS

_COLUMNS = (
    *("table", "model", "run", "task", "published"),
    *("recomputed", "difference", "state", "reason", "entry"),
)
_DIGITS = 6  # decimal places in files


@require_safe
@throttled
@gzip_page
@kept_page
def reproduction(request: HttpRequest) -> HttpResponse:
    def make() -> Region:
        count_expensive(request)
        return _region()

    region = cached_region("reproduction", make)
    return conditional_page(request, "reproduction/page.html", region._asdict())


def _region() -> Region:
    entries = released_entries()
    tables = read_tables(entries)
    context = {
        "first": tables[0],
        "tables": tables,
        "partial": [
            (one, TASKS[task], size, one.percents[task] * size / TASKS[task].examples)
            for one in entries
            for task, size in one.sizes.items()
            if size < TASKS[task].examples
        ],
        "figures": read_figures(entries),
        "metric_set": METRIC_SET_TITLES[REPORTED_UNDER],
    }
    html = render_to_string("reproduction/_reproduction.html", context)
    return Region("Published results, reproduced", html)


@require_safe
@throttled
def reproduction_csv(request: HttpRequest) -> HttpResponse:
    text = csv_file(_COLUMNS, _rows(request))
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    return conditional_response(request, as_attachment(response, "reproduction.csv"))


@require_safe
@throttled
def reproduction_json(request: HttpRequest) -> HttpResponse:
    rows = [dict(zip(_COLUMNS, row, strict=True)) for row in _rows(request)]
    return JsonResponse({"metric_set": REPORTED_UNDER, "numbers": rows})


def _rows(request: HttpRequest) -> list[list[str | float | None]]:
    def render() -> list[list[str | float | None]]:
        count_expensive(request)
        return [
            _row(table.publication.id, cell, released.id if released else "")
            for table in read_tables(released_entries())
            for line in table.lines
            for cell, (_published, released) in zip(line.cells, table.columns, strict=True)
            if cell
        ]

    return cached_region("reproduction/rows", render)


def _row(table: str, cell: Cell, entry: str) -> list[str | float | None]:
    percent = None if cell.percent is None else round(cell.percent, _DIGITS)
    bounded = percent is None or cell.number.is_bound
    difference = None if bounded else round((percent or 0.0) - cell.number.value, _DIGITS)
    reason = cell.reason.text if cell.reason and cell.state == "explained" else ""
    about = [table, cell.row.model, cell.row.run, cell.task, cell.number.text]
    return [*about, percent, difference, cell.state, reason, entry]
