"""The home page, entries, models, and pages about the site."""

from http import HTTPStatus

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from leaderboard.board.filters import BY_MODEL, Filters
from leaderboard.board.views import board_page
from leaderboard.cache import cached_region, conditional_page
from leaderboard.caveats import CAVEAT_SIGN
from leaderboard.citations import PAPER, badge_snippets
from leaderboard.example_links import pages_with_keys
from leaderboard.kept_pages import kept_page
from leaderboard.names import mark_of
from leaderboard.pages.entries.attempts import attempts_behind
from leaderboard.pages.entries.breakdown_section import breakdown_section
from leaderboard.pages.entries.controls import related_entries
from leaderboard.pages.entries.entry import (
    entry_citation,
    entry_details,
    origin_of,
)
from leaderboard.pages.entries.ranks import entry_description, entry_ranks
from leaderboard.pages.entries.run import run_regions
from leaderboard.pages.entries.runs import repeated_runs_of
from leaderboard.pages.metric_set_views import entry_metrics_section
from leaderboard.pages.models import model_pictures, profile_svg, public_model
from leaderboard.pages.tombstones import entry_tombstone, model_tombstones
from leaderboard.parameters import metric_set_of
from leaderboard.queries import front_release, releases_with_boards
from leaderboard.releases.floors import bound_rows
from leaderboard.tasks.page import task_rows
from portal.models import Evaluation, FormerModel, LanguageModel
from portal.scores.documents.reports import command_line, scored_data
from portal.scores.questions.extremes import best_and_worst
from portal.scores.scores import REPORTED_UNDER
from portal.scores.titles import METRIC_SET_TITLES
from portal.scores.trust import TRUST, Trust
from portal.web.throttle import count_expensive, throttled
from scoring.catalog import BOARD_ORDER, TASKS
from scoring.metrics import METRIC_SETS


@require_safe
@throttled
@gzip_page
def home(request: HttpRequest) -> HttpResponse:
    """A board below an introductory line; before anything is published, how to begin."""
    slug = cached_region("front", front_release)
    if slug:
        return board_page(request, slug, "board/home.html", is_home=True)
    releases = [release for release in releases_with_boards() if release.is_open]
    tasks = {task for release in releases for task in release.sizes}
    context = {"releases": releases, "domains": task_rows(tasks, releases)}
    return render(request, "pages/welcome.html", context)


@require_safe
@throttled
@gzip_page
@kept_page
def entry(request: HttpRequest, entry_id: str) -> HttpResponse:
    """The public part of an entry; a tombstone if it was withdrawn or hidden."""
    metric_set = metric_set_of(request)
    details = entry_details(entry_id)
    if details is None:
        return _tombstone(request, entry_id)
    ranks, repeated = entry_ranks(details), repeated_runs_of(details)
    context: dict[str, object] = {
        "details": details,
        "entry": details.entry,
        "mark": mark_of(details.entry),
        "metric_sets": list(METRIC_SET_TITLES.values()),
        "ranks": ranks,
        "repeated": repeated,
        "error_lines": repeated.lines[metric_set] if repeated else [],
        "errors_under": METRIC_SET_TITLES[metric_set],
        "caveat_sign": CAVEAT_SIGN,
        "description": entry_description(details, ranks),
        "badge": badge_snippets(details.entry.title, details.entry.id),
        "citation": entry_citation(details),
        "paper": PAPER,
    }
    if details.submission and details.evaluation:
        hidden = details.submission.release.hidden
        if not hidden:
            context["metric_sets_section"] = entry_metrics_section(details, ranks)
            context["extremes"] = _extremes(details.entry.id, details.evaluation, metric_set)
            context["breakdowns"] = breakdown_section(
                request, details, details.evaluation, metric_set
            )
        context["run"] = run_regions(request, details, metric_set, hidden=hidden)
        context["related"] = related_entries(details)
        context["origin"] = origin_of(details.submission)
        context["attempts"] = attempts_behind(details)
        context["with_files"] = not hidden
        context["data"] = scored_data(details.evaluation, with_labels=not hidden)
        has_answers = not hidden and not details.evaluation.figures_only
        context["command"] = command_line(details.evaluation, "PREDICTIONS") if has_answers else ""
    return conditional_page(request, "pages/entry.html", context)


def _extremes(entry_id: str, evaluation: Evaluation, metric_set: str) -> SafeString:
    def render_section() -> SafeString:
        lists = pages_with_keys(evaluation)
        found = best_and_worst(evaluation, metric_set)
        context = {
            "entry_id": entry_id,
            "release": evaluation.submission.release,
            "extremes": [(one, lists.get(one.task.id, "")) for one in found],
            "metric_set": METRIC_SET_TITLES[metric_set],
        }
        return render_to_string("pages/_extremes.html", context)

    return cached_region(f"extremes/{evaluation.pk}/{metric_set}", render_section)


def _tombstone(request: HttpRequest, entry_id: str) -> HttpResponse:
    tombstone = entry_tombstone(entry_id)
    if tombstone is None:
        raise Http404
    model = tombstone.submission.language_model
    found = public_model(model.slug)
    context = {"model": model, "tombstones": [tombstone], "entries": found[1] if found else []}
    return render(request, "pages/tombstone.html", context, status=HTTPStatus.GONE)


@require_safe
def language_models(request: HttpRequest) -> HttpResponse:
    """The list of all models is the home page, sorted by name."""
    return redirect(f"{reverse('home')}{Filters(sort=BY_MODEL)}")


@require_safe
@throttled
@kept_page
def language_model(request: HttpRequest, slug: str) -> HttpResponse:
    found = public_model(slug)
    if found is None:
        former = FormerModel.objects.select_related("language_model").filter(slug=slug).first()
        if former and public_model(former.language_model.slug):
            return redirect("language-model", former.language_model.slug, permanent=True)
        model = get_object_or_404(LanguageModel, slug=slug)
        tombstones = model_tombstones(model)
        if not tombstones:
            raise Http404
        gone = {"model": model, "tombstones": tombstones, "is_model": True}
        return render(request, "pages/tombstone.html", gone, status=HTTPStatus.GONE)
    model, entries = found
    metric_set, board = metric_set_of(request), request.GET.get("board", "")
    context = {
        "model": model,
        "entries": entries,
        "metric_sets": list(METRIC_SET_TITLES.values()),
        "pictures": model_pictures(request, model, entries, metric_set, board),
    }
    return conditional_page(request, "pages/model.html", context)


@require_safe
@throttled
def model_profile_svg(request: HttpRequest, slug: str) -> HttpResponse:
    count_expensive(request)
    metric_set, found = metric_set_of(request), public_model(slug)
    if found is None:
        raise Http404
    return profile_svg(request, *found, metric_set, request.GET.get("board", ""))


@require_safe
@kept_page
def about(request: HttpRequest) -> HttpResponse:
    before, after, strict = METRIC_SETS.values()
    releases = releases_with_boards()
    context = {
        "releases": releases,
        "domains": task_rows(TASKS, releases),
        "metric_sets": list(METRIC_SET_TITLES.values()),
        "lenient": [TASKS[task].title for task in BOARD_ORDER if before[task] != after[task]],
        "shared": [TASKS[task].title for task in BOARD_ORDER if before[task] == strict[task]],
        "degrees": [(trust, TRUST[trust]) for trust in reversed(Trust)],
        "reported_under": METRIC_SET_TITLES[REPORTED_UNDER],
        "paper": PAPER,
    }
    return conditional_page(request, "pages/about.html", context)


@require_safe
@kept_page
def generated_releases(request: HttpRequest) -> HttpResponse:
    """How they relate to the official data."""
    return conditional_page(request, "pages/generated_releases.html", {"bounds": bound_rows()})


@require_safe
@kept_page
def privacy(request: HttpRequest) -> HttpResponse:
    return conditional_page(request, "pages/privacy.html", {})


@require_safe
@kept_page
def terms(request: HttpRequest) -> HttpResponse:
    return conditional_page(request, "pages/terms.html", {})
