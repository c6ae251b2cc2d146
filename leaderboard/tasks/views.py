"""The list of tasks, and the page of one."""

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from leaderboard.cache import Region, cached_region, conditional_page
from leaderboard.charts.files import svg_response
from leaderboard.kept_pages import kept_page
from leaderboard.names import QUESTIONS
from leaderboard.parameters import metric_set_of
from leaderboard.tasks.entries import entries_picture
from leaderboard.tasks.page import TaskView, ranked_entries, task_context, task_rows
from portal.releases.titles import task_title
from portal.web.throttle import count_expensive, throttled
from scoring.catalog import TASKS


@require_safe
@kept_page
def tasks(request: HttpRequest) -> HttpResponse:
    return conditional_page(request, "tasks/list.html", {"domains": task_rows(TASKS)})


@require_safe
@throttled
@kept_page
def task(request: HttpRequest, task_id: str) -> HttpResponse:
    view = _task_view(request, task_id)

    def render_region() -> Region:
        count_expensive(request)
        context = task_context(view)
        if context is None:
            raise Http404
        html = render_to_string("tasks/_page.html", dict(context))
        title = str(task_title(view.task.id, context["release"]))
        return Region(title, html, QUESTIONS[task_id])

    region = cached_region(f"task/{view.key}", render_region)
    return conditional_page(request, "tasks/page.html", region._asdict())


@require_safe
@throttled
def task_svg(request: HttpRequest, task_id: str) -> HttpResponse:
    """All entries by the task."""
    view = _task_view(request, task_id)
    count_expensive(request)
    entries = ranked_entries(view)
    if entries is None:
        raise Http404
    return svg_response(request, entries_picture(entries), f"{task_id}-{view.metric_set}.svg")


def _task_view(request: HttpRequest, task_id: str) -> TaskView:
    """Raises ``Http404``."""
    if task_id not in TASKS:
        raise Http404
    return TaskView(TASKS[task_id], request.GET.get("release", ""), metric_set_of(request))
