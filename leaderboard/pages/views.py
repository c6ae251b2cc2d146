"""The pages around the boards: an entry, a language model, the tasks, a release, and about it."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from http import HTTPStatus

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.board.board import Board, read_board
from leaderboard.board.cells import axis_of, rows_of
from leaderboard.board.filters import BY_MODEL, Filters
from leaderboard.cache import Region, kept
from leaderboard.caveats import SIGN
from leaderboard.conditional import or_unchanged
from leaderboard.entries import Mark
from leaderboard.names import KINDS, MARKS, QUESTIONS
from leaderboard.pages.entry import (
    EntryDetails,
    entry_details,
    public_model,
    withdrawn,
    withdrawn_model,
)
from leaderboard.pages.models import standing_of
from leaderboard.pages.release_index import all_releases
from leaderboard.pages.releases import release_with_board, table_of, tasks_of
from leaderboard.pages.tasks import sizes_of
from leaderboard.queries import REPORTED_UNDER, BoardRelease, front_release, releases_with_boards
from portal.scores.reports import command_line
from portal.scores.scored_data import scored_data
from portal.scores.titles import DOMAIN_TITLES, METRIC_SET_MEANINGS
from scoring.catalog import TASKS, Task
from scoring.metrics import METRIC_SETS
from scoring.releases.official import REPOSITORY

_BEST = 10  # entries on the page of a task
_BEFORE, _AFTER, _STRICT = METRIC_SETS


@require_safe
def entry(request: HttpRequest, entry_id: str) -> HttpResponse:
    """What is public of it; a tombstone where its author or an admin has taken it back."""
    details = entry_details(entry_id)
    if details is None:
        return _gone(request, withdrawn(entry_id), {})
    context = {
        "details": details,
        "entry": details.entry,
        "mark": MARKS[details.entry.mark],
        "metric_sets": list(METRIC_SETS),
        "standing": standing_of(details),
        "doubtful": SIGN,
        **_signature(details),
    }
    return or_unchanged(request, render(request, "pages/entry.html", context))


def _signature(details: EntryDetails) -> dict[str, object]:
    """What it was scored with, and how anybody gets the same: not where labels are hidden."""
    evaluation, submission = details.evaluation, details.submission
    if evaluation is None or submission is None:
        return {}
    data = scored_data(evaluation, with_labels=not submission.release.hidden)
    command = "" if submission.release.hidden else command_line(evaluation, "PREDICTIONS")
    return {"data": data, "command": command}


def _gone(request: HttpRequest, day: datetime | None, also: Mapping[str, object]) -> HttpResponse:
    if day is None:
        raise Http404
    context = {**also, "day": day}
    return render(request, "pages/withdrawn.html", context, status=HTTPStatus.GONE)


@require_safe
def language_models(request: HttpRequest) -> HttpResponse:
    """All of them are the first page, by name."""
    return redirect(f"{reverse('home')}{Filters(sort=BY_MODEL)}")


@require_safe
def language_model(request: HttpRequest, slug: str) -> HttpResponse:
    found = public_model(slug)
    if found is None:
        return _gone(request, withdrawn_model(slug), {"is_model": True})
    model, entries = found
    context = {
        "model": model,
        "entries": [(one, MARKS[one.details.entry.mark]) for one in entries],
        "metric_sets": list(METRIC_SETS),
    }
    return or_unchanged(request, render(request, "pages/model.html", context))


@require_safe
def tasks(request: HttpRequest) -> HttpResponse:
    found = sizes_of([], every_task=True)
    return or_unchanged(request, render(request, "pages/tasks.html", found._asdict()))


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    context = {
        **sizes_of(releases_with_boards(), every_task=True)._asdict(),
        "metric_sets": METRIC_SET_MEANINGS,
        "lenient": [TASKS[task].title for task in TASKS if not _share(task, _BEFORE, _AFTER)],
        "shared": [TASKS[task].title for task in TASKS if _share(task, _BEFORE, _STRICT)],
        "marks": [MARKS[mark] for mark in Mark],
        "reported_under": REPORTED_UNDER,
    }
    return or_unchanged(request, render(request, "pages/about.html", context))


def _share(task: str, *metric_sets: str) -> bool:
    """Whether these judge the task by one and the same rule."""
    return len({METRIC_SETS[name][task] for name in metric_sets}) == 1


@require_safe
def task(request: HttpRequest, task_id: str) -> HttpResponse:
    if task_id not in TASKS:
        raise Http404
    region = kept(f"task/{task_id}", lambda: _task_region(TASKS[task_id]))
    return or_unchanged(request, render(request, "cached_page.html", region._asdict()))


def _task_region(found: Task) -> Region:
    releases = [release for release in releases_with_boards() if found.id in release.sizes]
    board = _board_by(found.id, releases)
    context = {
        "task": found,
        "domain": DOMAIN_TITLES[found.domain],
        "question": QUESTIONS[found.id],
        "answer": KINDS[found.kind],
        "sizes": [(release, release.sizes[found.id]) for release in releases],
        "board": board,
        "rows": rows_of(board, axis_of(board))[: min(board.ranked, _BEST)] if board else [],
    }
    return Region(found.title, render_to_string("pages/task.html", context))


def _board_by(task_id: str, releases: Iterable[BoardRelease]) -> Board | None:
    """Of those boards where somebody has a rank by this task, that of the first page, or the
    first."""
    front = front_release()
    in_order = sorted(releases, key=lambda release: release.slug != front)
    boards = (read_board(release, Filters(sort=task_id)) for release in in_order)
    return next((board for board in boards if board.ranked), None)


@require_safe
def releases(request: HttpRequest) -> HttpResponse:
    region = kept("releases", _releases_region)
    return or_unchanged(request, render(request, "cached_page.html", region._asdict()))


def _releases_region() -> Region:
    context = {"releases": all_releases()}
    return Region(_("Releases"), render_to_string("pages/releases.html", context))


@require_safe
def release(request: HttpRequest, slug: str) -> HttpResponse:
    found = release_with_board(slug)
    if found is None:
        raise Http404
    tasks = tasks_of(found)
    files = [one.files.rows for one in tasks if one.files.rows]
    context = {
        "release": found,
        "tasks": tasks,
        "knows_questions": any(one.data_set.questions_hash for one in tasks),
        "examples": sum(one.data_set.size for one in tasks),
        "lengths": table_of(tasks),
        "with_files": [one.task.id for one in tasks if one.files.rows],
        "has_facets": any(one.files.facets for one in tasks),
        "size": sum(file.size for file in files),
        "here": request.build_absolute_uri(request.path),
        "on_the_hub": REPOSITORY,
        "metric_sets": METRIC_SET_MEANINGS,
    }
    return or_unchanged(request, render(request, "pages/release.html", context))
