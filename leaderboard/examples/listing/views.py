"""The list of a task's examples, as a page and as JSON."""

from http import HTTPStatus
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from leaderboard.cache import conditional_page
from leaderboard.examples.addresses import list_address
from leaderboard.examples.filter_language import parse_filter
from leaderboard.examples.filters import FIELDS_OF_HELP, PUBLIC_STATES, Filter, FilterError
from leaderboard.examples.json_answers import QueryError, json_answer
from leaderboard.examples.listing import controls
from leaderboard.examples.listing.facts import NotStoredError
from leaderboard.examples.listing.index import indexed_releases
from leaderboard.examples.listing.matrix import (
    MOST_COLUMNS,
    MOST_ROWS,
    STATUSES,
    matrix_address,
    matrix_of,
)
from leaderboard.examples.listing.portrait import portrait_of
from leaderboard.examples.listing.rows import Listing, list_examples
from leaderboard.examples.listing.search import SEARCHED
from leaderboard.examples.listing.selection import select
from leaderboard.examples.queries import QuestionSet, find_question_set
from leaderboard.kept_pages import kept_page
from portal.web.throttle import count_expensive, throttled

_MOST = 1_000_000  # the greatest position that a page may start at


@require_safe
@gzip_page
@kept_page
def example_index(request: HttpRequest) -> HttpResponse:
    return conditional_page(request, "examples/index.html", {"releases": indexed_releases()})


@require_safe
@throttled
@gzip_page
@kept_page
def example_list(request: HttpRequest, slug: str, task_id: str) -> HttpResponse:
    questions = find_question_set(request.user, slug, task_id)
    query = request.GET.get("q", "")
    context: dict[str, object] = {
        "questions": questions,
        "query": query,
        "fields": FIELDS_OF_HELP,
        "states": PUBLIC_STATES,
        "searched": SEARCHED,
    }
    try:
        if any(name in request.GET for name in controls.NAMES):
            query = controls.with_controls(query, request.GET.dict())
            return HttpResponseRedirect(f"{request.path}?{urlencode({'q': query})}")
        chosen = parse_filter(query)
        if chosen.words:
            count_expensive(request)
        selection = select(request.user, questions, chosen)
        listing = list_examples(selection, _number(request, "from"))
    except NotStoredError:
        return conditional_page(request, "examples/not_stored.html", context)
    except FilterError as error:
        context["error"] = error
        all_of_them = select(request.user, questions, Filter())
        context |= {"controls": controls.controls_of(all_of_them), "selection": all_of_them}
        context["states"] = all_of_them.states
        return render(request, "examples/list.html", context, status=HTTPStatus.BAD_REQUEST)
    context |= {
        "query": str(chosen),
        "filter": chosen,
        "selection": selection,
        "states": selection.states,
        "listing": listing,
        "controls": controls.controls_of(selection),
        "next": _page_address(request, chosen, listing),
        "portrait": portrait_of(selection),
        "matrix": matrix_address(selection) if selection.answering else "",
    }
    return conditional_page(request, "examples/list.html", context)


@require_safe
@throttled
@gzip_page
@kept_page
def example_matrix(request: HttpRequest, slug: str, task_id: str) -> HttpResponse:
    questions = find_question_set(request.user, slug, task_id)
    if not questions.shows_answers:
        raise Http404
    count_expensive(request)
    query = request.GET.get("q", "")
    context: dict[str, object] = {
        "questions": questions,
        "query": query,
        "fields": FIELDS_OF_HELP,
        "states": PUBLIC_STATES,
        "searched": SEARCHED,
    }
    try:
        selection = select(request.user, questions, parse_filter(query))
        found = matrix_of(selection, _number(request, "from"), _number(request, "entries"))
    except FilterError as error:
        context["error"] = error
        return render(request, "examples/matrix.html", context, status=HTTPStatus.BAD_REQUEST)
    start, row = found.start, found.first_row
    context |= {
        "query": str(selection.filter),
        "selection": selection,
        "states": selection.states,
        "matrix": found,
        "statuses": STATUSES,
        "list": list_address(slug, task_id, selection.filter),
        "previous": matrix_address(selection, max(0, start - MOST_COLUMNS), row) if start else "",
        "next": matrix_address(selection, found.next, row) if found.next else "",
        "better": matrix_address(selection, start, max(0, row - MOST_ROWS)) if row else "",
        "worse": matrix_address(selection, start, found.next_rows) if found.next_rows else "",
    }
    return conditional_page(request, "examples/matrix.html", context)


@throttled
@json_answer
def example_list_json(request: HttpRequest, slug: str, task_id: str) -> dict[str, object]:
    return list_document(request, find_question_set(request.user, slug, task_id))


def list_document(request: HttpRequest, questions: QuestionSet) -> dict[str, object]:
    """In English for every reader. Raises ``QueryError``."""
    try:
        chosen = parse_filter(request.GET.get("q", ""))
        if chosen.words:
            count_expensive(request)
        listing = list_examples(select(request.user, questions, chosen), _number(request, "from"))
    except FilterError as error:
        start, end = error.place
        sentence = f"{error} (Characters {start + 1} to {end}.)"
        raise QueryError(error.code, sentence) from error
    following = _page_address(request, chosen, listing)
    return {
        "count": listing.total,
        "count_is_exact": listing.is_exact,
        "next": request.build_absolute_uri(following) if following else None,
        "examples": [
            {
                "key": row.key,
                "tokens": row.tokens,
                "depth": row.depth,
                "kind": row.kind or None,
                "difficulty": row.difficulty,
                "url": request.build_absolute_uri(row.url),
            }
            for row in listing.rows
        ],
    }


def _number(request: HttpRequest, name: str) -> int:
    text = request.GET.get(name, "")
    is_number = text.isascii() and text.isdecimal() and len(text) < 8
    return min(int(text), _MOST) if is_number else 0


def _page_address(request: HttpRequest, chosen: Filter, listing: Listing) -> str:
    if listing.next is None:
        return ""
    pairs = {"q": str(chosen)} if str(chosen) else {}
    return f"{request.path}?{urlencode({**pairs, 'from': listing.next})}"
