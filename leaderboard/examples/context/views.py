"""Windows of a context and searches in it as JSON; a search through all contexts of a task."""

from collections.abc import Mapping, Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from leaderboard.examples.context.places import LONGEST_QUERY, is_everywhere
from leaderboard.examples.context.task_search import search_contexts
from leaderboard.examples.json_answers import QueryError, json_answer, whole_number
from leaderboard.examples.listing.facts import facts_of
from leaderboard.examples.queries import find_example, find_question_set
from portal.models import Context
from portal.permissions.access import Reader
from portal.releases.context_search import (
    Hit,
    hits_in,
    line_of_token,
    lines_in,
    search_context,
    token_of_line,
)
from portal.releases.context_windows import begins_line, window_by_tokens
from portal.web.throttle import count_expensive, count_search, throttled

MOST_TOKENS = 20_000  # in one window
MOST_HITS = 100
_TOKENS, _HITS = 2_000, 20  # by default


@json_answer
def context_window(request: HttpRequest, slug: str, task_id: str, key: str) -> dict[str, object]:
    """The text of the tokens [from, to) in whole characters: adjacent windows neither lose nor
    repeat any. With ``q`` also the occurrences of that string in it."""
    return window_document(find_context(request.user, slug, task_id, key), request.GET)


def window_document(context: Context, asked: Mapping[str, str]) -> dict[str, object]:
    """Raises ``QueryError``."""
    count = whole_number(asked, "tokens", _TOKENS, 1, MOST_TOKENS)
    start = _start(asked, context)
    window = window_by_tokens(context, start, min(start + count, context.tokens))
    query = asked.get("q", "")
    hits = {"hits": hits_in(context, window, _checked(query))} if query else {}
    return {
        **hits,
        "from": window.tokens[0],
        "to": window.tokens[1],
        "total": context.tokens,
        "estimated": window.estimated,
        "characters": window.characters,
        "line": line_of_token(context, start),
        "begins_line": begins_line(context, window),
        "text": window.text,
    }


def _start(asked: Mapping[str, str], context: Context) -> int:
    """Where the window begins: at a token, or with a line."""
    if not asked.get("line"):
        return whole_number(asked, "from", 0, 0, context.tokens)
    if asked.get("from"):
        raise QueryError("bad_line", "A window begins at a token or a line, not both.")
    return token_of_line(context, whole_number(asked, "line", 1, 1, lines_in(context)))


@throttled
@json_answer
def context_search(request: HttpRequest, slug: str, task_id: str, key: str) -> dict[str, object]:
    """Where a string occurs, ignoring case, from a token on; or with ``before``, its last
    occurrences before a token."""
    return search_document(request, find_context(request.user, slug, task_id, key))


def search_document(request: HttpRequest, context: Context) -> dict[str, object]:
    """Raises ``QueryError`` and ``TooManyRequestsError``."""
    query = _checked(request.GET.get("q", ""))
    count = count_expensive if is_everywhere(query) else count_search
    count(request)
    most = whole_number(request.GET, "limit", _HITS, 1, MOST_HITS)
    if not request.GET.get("before"):
        place = whole_number(request.GET, "from", 0, 0, context.tokens)
        found = search_context(context, query, place, most=most, earlier=0)
        return {"total": found.total, "next": found.next, "hits": _rows(found.after)}
    place = whole_number(request.GET, "before", 0, 0, context.tokens)
    found = search_context(context, query, place, most=0, earlier=most)
    return {"total": found.total, "next": None, "hits": _rows(found.before)}


def _checked(query: str) -> str:
    """The string to search for. Raises ``QueryError``."""
    if not query.strip() or len(query) > LONGEST_QUERY:
        raise QueryError("bad_q", f"q is a string of 1 to {LONGEST_QUERY} characters.")
    return query


@require_safe
@throttled
@gzip_page
def contexts(request: HttpRequest, slug: str, task_id: str) -> HttpResponse:
    """A search through as many contexts of a task as fit into one response, and a link to
    continue."""
    questions = find_question_set(request.user, slug, task_id)
    query = request.GET.get("q", "")[:LONGEST_QUERY]
    has_contexts, found = facts_of(questions).has_contexts, None
    if has_contexts and query.strip():
        count_expensive(request)
        found = search_contexts(questions, query, request.GET.get("from", ""))
    page = {
        "questions": questions,
        "query": query,
        "has_contexts": has_contexts,
        "found": found,
    }
    return render(request, "examples/contexts.html", page)


def _rows(hits: Sequence[Hit]) -> list[dict[str, object]]:
    return [hit._asdict() for hit in hits]


def find_context(reader: Reader, slug: str, task_id: str, key: str) -> Context:
    """Contexts of hidden releases are public too. Raises ``Http404``."""
    example = find_example(find_question_set(reader, slug, task_id), key)
    if example.context is None:
        raise Http404
    return example.context
