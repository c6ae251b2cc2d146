"""The list of a task's examples, as a page and as JSON."""

from http import HTTPStatus

from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from leaderboard.cache import conditional_page
from leaderboard.example_links import query_string
from leaderboard.examples.example_filter import ExampleFilter
from leaderboard.examples.json_answers import QueryError, json_answer
from leaderboard.examples.listing.chips import filter_chips
from leaderboard.examples.listing.facts import NotStoredError
from leaderboard.examples.listing.forms import ExampleFilterForm
from leaderboard.examples.listing.index import indexed_releases
from leaderboard.examples.listing.rows import Listing, list_examples
from leaderboard.examples.listing.search import SEARCHED
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
    context: dict[str, object] = {"questions": questions, "searched": SEARCHED}
    try:
        form = ExampleFilterForm(request.user, questions, request.GET)
    except NotStoredError:
        return conditional_page(request, "examples/not_stored.html", context)
    context["form"] = form
    if not form.is_valid():
        return render(request, "examples/list.html", context, status=HTTPStatus.BAD_REQUEST)
    query = str(form.filter)
    if any(request.GET.get(name) == "" for name in form.fields):  # as browsers send forms
        return HttpResponseRedirect(f"{request.path}?{query}" if query else request.path)
    if form.filter.words:
        count_expensive(request)
    listing = list_examples(form.selection, _number(request, "from"))
    context |= {
        "query": query,
        "selection": form.selection,
        "listing": listing,
        "chips": filter_chips(form.selection),
        "next": _page_address(request, form.filter, listing),
    }
    return conditional_page(request, "examples/list.html", context)


@throttled
@json_answer
def example_list_json(request: HttpRequest, slug: str, task_id: str) -> dict[str, object]:
    return list_document(request, find_question_set(request.user, slug, task_id))


def list_document(request: HttpRequest, questions: QuestionSet) -> dict[str, object]:
    """Raises ``QueryError``."""
    form = ExampleFilterForm(request.user, questions, request.GET)
    if not form.is_valid():
        name, [error, *_others] = next(iter(form.errors.as_data().items()))
        prefix = "" if name == NON_FIELD_ERRORS else f"{name}: "
        raise QueryError(error.code or "invalid", f"{prefix}{error.messages[0]}")
    if form.filter.words:
        count_expensive(request)
    listing = list_examples(form.selection, _number(request, "from"))
    following = _page_address(request, form.filter, listing)
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


def _page_address(request: HttpRequest, chosen: ExampleFilter, listing: Listing) -> str:
    if listing.next is None:
        return ""
    query = query_string([*chosen.parameters(), ("from", str(listing.next))])
    return f"{request.path}?{query}"
