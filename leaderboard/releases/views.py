"""The list of releases, and the page of one."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from leaderboard.cache import Region, cached_region, conditional_page
from leaderboard.kept_pages import kept_page
from leaderboard.releases.figures import release_figures
from leaderboard.releases.floors import floor_rows
from leaderboard.releases.queries import all_releases, length_table, release_tasks
from portal.models import Release
from portal.scores.ladders import public_ladders
from portal.scores.titles import METRIC_SET_TITLES
from portal.web.throttle import count_expensive, throttled
from scoring.releases.official import REPOSITORY


@require_safe
@kept_page
def releases(request: HttpRequest) -> HttpResponse:
    def render_region() -> Region:
        html = render_to_string("releases/list.html", {"releases": all_releases()})
        about = "A release is a fixed dataset with its own leaderboard."
        return Region("Releases", html, about)

    region = cached_region("releases", render_region)
    return conditional_page(request, "cached_page.html", region._asdict())


@require_safe
@throttled
@kept_page
def release(request: HttpRequest, slug: str) -> HttpResponse:
    release = get_object_or_404(Release.objects.public().select_related("part_of"), slug=slug)
    tasks = release_tasks(release)
    files = {one.task.id: one.files.rows for one in tasks if one.files.rows}

    def render_figures() -> dict[str, SafeString]:
        count_expensive(request)
        figures = release_figures(release, tasks)
        names = ("composition", "coverage") if figures else ()
        context = {"release": release, "figures": figures}
        return {name: render_to_string(f"releases/_{name}.html", context) for name in names}

    context = {
        "release": release,
        "versions": release.label_versions.order_by("-created", "-pk"),
        "tasks": tasks,
        "knows_questions": any(one.data_set.questions_hash for one in tasks),
        "examples": sum(one.data_set.size for one in tasks),
        "lengths": length_table(tasks),
        "has_ladder": public_ladders().filter(pk=release.pk).exists(),
        "floors": floor_rows(release),
        "figures": cached_region(f"release/{release.slug}", render_figures),
        "with_files": list(files),
        "figures_only": any(one.data_set.figures_only for one in tasks),
        "has_facets": any(one.files.facets for one in tasks),
        "size": sum(file.size for file in files.values()),
        "here": request.build_absolute_uri(request.path),
        "on_the_hub": REPOSITORY,
        "metric_sets": list(METRIC_SET_TITLES.values()),
    }
    return conditional_page(request, "releases/page.html", context)
