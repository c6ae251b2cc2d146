"""The page of one example, and the same as JSON and as Markdown."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from leaderboard.cache import conditional_page
from leaderboard.examples.choice import Choice
from leaderboard.examples.page import example_page
from leaderboard.examples.queries import find_example, find_question_set
from portal.scores.titles import METRIC_SET_TITLES


@require_safe
@gzip_page
def example(request: HttpRequest, slug: str, task_id: str, key: str) -> HttpResponse:
    """What the reader may see of it: of hidden releases neither labels nor answers of others."""
    questions = find_question_set(request.user, slug, task_id)
    found = find_example(questions, key)
    choice = Choice.from_query(request.GET)
    context = {
        "page": example_page(request.user, questions, found, choice),
        "metric_sets": [
            (title, choice.with_metric_set(name)) for name, title in METRIC_SET_TITLES.items()
        ],
    }
    return conditional_page(request, "examples/example.html", context)
