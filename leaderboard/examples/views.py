"""The page of one example, also as JSON and as Markdown."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, QueryDict
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from leaderboard.cache import conditional_page
from leaderboard.examples.choice import Choice
from leaderboard.examples.context.places import is_everywhere
from leaderboard.examples.documents import as_markdown, example_document
from leaderboard.examples.json_answers import QueryError, json_answer
from leaderboard.examples.page import example_page
from leaderboard.examples.queries import find_example, find_question_set
from leaderboard.kept_pages import kept_page
from portal.models import Release
from portal.releases.titles import task_title
from portal.scores.titles import METRIC_SET_TITLES
from portal.web.throttle import count_expensive, count_search, throttled

_MARKDOWN = "text/markdown; charset=utf-8"


@require_safe
@throttled
@gzip_page
@kept_page
def example(request: HttpRequest, slug: str, task_id: str, key: str) -> HttpResponse:
    """As far as the reader may see it: for hidden releases neither labels nor others' answers."""
    questions = find_question_set(request.user, slug, task_id)
    found = find_example(questions, key)
    if find := request.GET.get("find", "").strip():
        count = count_expensive if is_everywhere(find) else count_search
        count(request)
    choice = Choice.from_query(request.GET)
    if len(choice.entries) > 1:
        count_expensive(request)  # answers of up to a megabyte are judged and compared
    if "words" in QueryDict(choice.list_query):
        count_search(request)  # for the examples before and after it
    page = example_page(request.user, questions, found, request.GET)
    metric_sets = [
        (title, page.choice.with_metric_set(name)) for name, title in METRIC_SET_TITLES.items()
    ]
    context = {"page": page, "metric_sets": metric_sets}
    return conditional_page(request, "examples/example.html", context)


@throttled
@json_answer
def example_json(request: HttpRequest, slug: str, task_id: str, key: str) -> dict[str, Any]:
    return _document(request, slug, task_id, key)


@require_safe
@throttled
@gzip_page
def example_markdown(request: HttpRequest, slug: str, task_id: str, key: str) -> HttpResponse:
    try:
        document = _document(request, slug, task_id, key)
    except QueryError as error:
        return HttpResponseBadRequest(f"{error}\n", content_type=_MARKDOWN)
    release = Release.objects.filter(slug=slug).first()
    title = f"{task_title(task_id, release)}, example {key}"
    return HttpResponse(as_markdown(document, title), content_type=_MARKDOWN)


def _document(request: HttpRequest, slug: str, task_id: str, key: str) -> dict[str, Any]:
    """In English for every reader. Raises ``QueryError``."""
    questions = find_question_set(request.user, slug, task_id)
    example = find_example(questions, key)
    count_expensive(request)
    return example_document(request.user, questions, example, request.GET)
