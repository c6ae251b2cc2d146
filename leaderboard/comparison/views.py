"""The page that compares entries, and the page of a claim."""

from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from leaderboard.cache import cached_region, conditional_response
from leaderboard.columns import columns_of
from leaderboard.comparison.choices import LETTERS, MOST_OPTIONS, Choice, options_of
from leaderboard.comparison.claims import claim_of, column_of, common_board
from leaderboard.comparison.differences import has_sample, vectors_of
from leaderboard.comparison.efforts import efforts_of
from leaderboard.comparison.queries import read_chosen, tokens_of_questions
from leaderboard.comparison.table import interactive_scores, table_of, with_links
from leaderboard.kept_pages import kept_page
from leaderboard.queries import find_release, front_release, releases_with_boards
from portal.scores.comparison.differences import BY_INTERVALS
from portal.scores.titles import METRIC_SET_TITLES
from portal.web.plotly import plotly_style_ids
from portal.web.throttle import count_expensive, throttled
from scoring.catalog import OVERALL
from scoring.metrics import METRIC_SETS

TEST_TITLES = {
    "mcnemar-exact": "exact McNemar test",
    "paired-t": "paired t test, clustered by text",
    BY_INTERVALS: "two independent intervals; not tested by question",
}


class Page(NamedTuple):
    """What is the same for every reader."""

    title: str
    html: SafeString
    status: int = HTTPStatus.OK
    interactive: bool = False  # it has a chart for Plotly


@require_safe
@throttled
@gzip_page
@kept_page
def compare(request: HttpRequest) -> HttpResponse:
    """One address for each comparison, although forms also send their defaults."""
    choice = Choice.from_query(request.GET.dict()).with_current_ids()
    if not choice.matches_query(request.GET.dict()):
        return HttpResponseRedirect(f"{request.path}{choice}")
    return _answer(request, choice, lambda _address: _comparison_page(choice))


@require_safe
@throttled
@gzip_page
@kept_page
def claim(request: HttpRequest) -> HttpResponse:
    """An unknown task or metric does not fall back to the default: that would cite another
    claim."""
    query = request.GET.dict()
    choice = replace(Choice.from_query(query).with_current_ids(), search="", interactive=False)
    metric_set = query.get("metric_set", "")
    if choice.task != query.get("task", "") or metric_set not in ("", *METRIC_SETS):
        raise Http404
    if len(choice.ids) != 2:
        return redirect("compare")
    return _answer(request, choice, lambda address: _claim_page(choice, address))


def _answer(request: HttpRequest, choice: Choice, make: Callable[[str], Page]) -> HttpResponse:
    """``make`` gets the canonical address of what was asked for. What it computes counts towards
    the throttle. Searches are not cached: there are infinitely many."""
    address = request.build_absolute_uri(f"{request.path}{choice}")

    def make_and_count() -> Page:
        count_expensive(request)
        return make(address)

    page = make_and_count() if choice.search else cached_region(address, make_and_count)
    response = render(request, "comparison/page.html", page._asdict(), status=page.status)
    return conditional_response(request, response)


def _comparison_page(choice: Choice) -> Page:
    releases = releases_with_boards()
    chosen = read_chosen(choice.ids, choice.metric_set, releases)
    sides = chosen.sides
    preferred = choice.release or front_release()
    release = common_board(sides, releases, preferred) if sides else None
    offered = release or find_release(releases, preferred) or next(iter(releases), None)
    context: dict[str, object] = {
        "choice": choice,
        "chosen": chosen,
        "sides": list(zip(LETTERS, sides, strict=False)),
        "letters": [
            (letter, choice.ids[place] if place < len(choice.ids) else "")
            for place, letter in enumerate(LETTERS)
        ],
        "metric_sets": list(METRIC_SET_TITLES.values()),
        "metric_set": METRIC_SET_TITLES[choice.metric_set],
        "release": release,
        "options": options_of(offered, choice, [side.entry for side in sides]) if offered else None,
        "most_options": MOST_OPTIONS,
    }
    if release and len(sides) > 1:
        every = columns_of(release.sizes, release=release)
        columns = [one for one in every if choice.task in ("", one.id)]
        found = table_of(columns, sides, vectors_of(sides, choice.metric_set), choice)
        context["table"] = found
        context["has_sample"] = has_sample(sides)
        context["hidden"] = any(side.hidden for side in sides)
        context["unpaired"] = any(side.evaluation is None for side in sides)
        if len(sides) == 2 and not context["hidden"] and not context["unpaired"]:
            context["table"] = with_links(found, release.slug, choice)
            context["efforts"] = efforts_of(found, tokens_of_questions(release), choice.price)
        style_ids = plotly_style_ids()
        context["has_plotly"] = style_ids is not None and bool(found.rows)
        if choice.interactive and context["has_plotly"]:
            context["interactive"] = {
                "title": "Scores by task",
                "entries": [side.entry.title for side in sides],
                "figure": interactive_scores(found, [side.entry.title for side in sides]),
                "style_ids": style_ids,
            }
    names = [side.entry.title for side in sides]
    title = f" {'and'} ".join(names) if len(names) > 1 else "Compare entries"
    html = render_to_string("comparison/compare.html", {**context, "title": title})
    status = HTTPStatus.GONE if chosen.gone else HTTPStatus.OK
    return Page(title, html, status, "interactive" in context)


def _claim_page(choice: Choice, address: str) -> Page:
    releases = releases_with_boards()
    chosen = read_chosen(choice.ids, choice.metric_set, releases)
    context: dict[str, object] = {
        "choice": choice,
        "chosen": chosen,
        "address": address,
        "metric_set": METRIC_SET_TITLES[choice.metric_set],
    }
    if chosen.gone:
        title = "This claim can no longer be checked"
        html = render_to_string("comparison/gone.html", {**context, "title": title})
        return Page(title, html, HTTPStatus.GONE)
    release = common_board(chosen.sides, releases, choice.release or front_release())
    column = column_of(release, choice.task or OVERALL) if release else None
    if release is None or column is None:
        raise Http404
    a, b = chosen.sides
    found = claim_of(a, b, column, release, choice.metric_set)
    test = found.difference.test if found.difference else ""
    context |= {"claim": found, "test_title": TEST_TITLES.get(test)}
    title = f"{found.a.entry.title} against {found.b.entry.title}: {column.title}"
    return Page(title, render_to_string("comparison/claim.html", {**context, "title": title}))
