"""The part of an entry's page about the endpoint run that it comes from."""

from collections.abc import Sequence
from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from leaderboard.cache import cached_region, conditional_response
from leaderboard.charts.costs import cost_plot
from leaderboard.charts.files import Picture, notes_of, svg_response
from leaderboard.example_links import list_address
from leaderboard.pages.entries.entry import (
    EntryDetails,
    entry_details,
    scorer_note,
)
from leaderboard.parameters import metric_set_of
from leaderboard.queries import public_submissions
from portal.endpoint_runs.asking.spending import spent_by
from portal.endpoint_runs.configuration.settings_table import settings_file, settings_rows
from portal.endpoint_runs.progress.figures import (
    cost_of,
    left_out_of,
    never_asked,
    progress_of_run,
    waits_by_length,
)
from portal.endpoint_runs.results.context_gain import context_gain
from portal.endpoint_runs.results.costs import Axis, run_costs
from portal.endpoint_runs.results.ledger import (
    Ledger,
    LedgerRow,
    Part,
    PartCount,
    read_ledger,
)
from portal.models import EndpointRun, RunState
from portal.scores.samples import percent_asked
from portal.scores.titles import METRIC_SET_TITLES
from portal.web.file_responses import as_attachment
from portal.web.throttle import count_expensive, throttled

_MISSING = frozenset(
    {Part.SKIPPED, Part.ENDPOINT_FAILED, Part.OUR_FAILURE, Part.NOT_ASKED}
)  # without a prediction


class LedgerCell(NamedTuple):
    part: PartCount
    href: str  # the list of its examples; empty: no filter can express it


class LedgerLine(NamedTuple):
    row: LedgerRow
    cells: Sequence[LedgerCell]


class RunRegions(NamedTuple):
    notice: SafeString  # says that not everything was asked; empty: everything was
    section: SafeString


def run_regions(
    request: HttpRequest, details: EntryDetails, metric_set: str, *, hidden: bool
) -> RunRegions | None:
    """None if the entry comes from no run here. ``hidden`` says that verdicts are hidden."""
    evaluation = details.evaluation
    if not details.entry.is_run_by_us or evaluation is None:
        return None
    axis = axis_of(request)

    def render_regions() -> RunRegions:
        count_expensive(request)
        run = EndpointRun.objects.select_related("release", "same_questions_as").get(
            submission=evaluation.submission
        )
        ledger = None if hidden else read_ledger(run, evaluation, metric_set)
        spent = spent_by(run)
        sample, planned = details.entry.sample, run.questions.count()
        tasks = {row.task for row in evaluation.task_scores.all()}
        context = {
            "entry": details.entry,
            "run": run,
            "settings": settings_rows(run),
            "spent": spent,
            "uncached": spent.input - spent.cached,
            "cost": cost_of(run),
            "waits": waits_by_length(run),
            "left_out": left_out_of(run),
            "never_asked": never_asked(progress_of_run(run)),
            "planned": planned,
            "share": percent_asked(sample.asked, planned) if sample else None,
            "ledger": ledger,
            "lines": ledger_lines(ledger, run.release.slug, details.entry.id) if ledger else [],
            "gain": None if hidden else context_gain(run, evaluation, metric_set),
            "costs": None
            if hidden
            else cost_plot(run_costs(run.release, tasks, metric_set, axis), details.entry.id, axis),
            "costs_axis": "" if hidden else axis.value,
            "metric_set": METRIC_SET_TITLES[metric_set],
        }
        notice = render_to_string("pages/_partly_asked.html", context).strip()
        return RunRegions(SafeString(notice), render_to_string("pages/_run.html", context))

    return cached_region(f"run/{details.entry.id}/{metric_set}/{axis}", render_regions)


def axis_of(request: HttpRequest) -> Axis:
    """Raises ``Http404`` for an unknown one."""
    name = request.GET.get("costs", Axis.TOKENS)
    if name not in list(Axis):
        raise Http404
    return Axis(name)


def ledger_lines(ledger: Ledger, release: str, entry: str) -> list[LedgerLine]:
    lines = []
    for row in ledger.rows:
        missing = [one for one in row.parts if one.part in _MISSING and one.n]
        states = {Part.EMPTY: "empty"}
        if len(missing) == 1:  # with several the list would include the others
            states[missing[0].part] = "missing"
        cells = [
            LedgerCell(
                one,
                list_address(release, row.task, ("entry", entry), ("is", states[one.part]))
                if one.n and one.part in states
                else "",
            )
            for one in row.parts
        ]
        lines.append(LedgerLine(row, cells))
    return lines


@require_safe
@throttled
def costs_svg(request: HttpRequest, entry_id: str) -> HttpResponse:
    """The picture of scores against tokens or money."""
    metric_set, axis, details = metric_set_of(request), axis_of(request), entry_details(entry_id)
    if details is None or not details.entry.is_run_by_us or details.evaluation is None:
        raise Http404
    run = EndpointRun.objects.select_related("release").get(
        submission=details.evaluation.submission
    )
    if run.release.hidden:
        raise Http404
    count_expensive(request)
    tasks = {row.task for row in details.evaluation.task_scores.all()}
    plot = cost_plot(run_costs(run.release, tasks, metric_set, axis), details.entry.id, axis)
    if plot is None:
        raise Http404
    prices = f"prices as their authors stated them: {plot.days}"
    facts = (metric_set, prices if axis == Axis.MONEY else "", scorer_note(details.evaluation))
    path = reverse("entry", args=[entry_id])
    picture = Picture(
        "charts/_costs.html",
        {"plot": plot},
        plot.width,
        plot.height,
        f"{plot.title}: {plot.finding}",
        notes_of(run.release.slug, facts, path),
    )
    return svg_response(request, picture, f"costs-{axis}.svg")


@require_safe
@throttled
def run_settings(request: HttpRequest, entry_id: str) -> HttpResponse:
    """The settings of a run as a file that starts another one; without the key, which is
    nowhere."""
    found = public_submissions().at(entry_id).first()
    rows = EndpointRun.objects.select_related("release", "language_model")
    run = rows.filter(submission=found, state=RunState.ENDED).first()
    if found is None or run is None:
        raise Http404
    response = HttpResponse(settings_file(run), content_type="application/yaml; charset=utf-8")
    return conditional_response(request, as_attachment(response, f"{entry_id}-run.yaml"))
