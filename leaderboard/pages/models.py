"""Read the page of a language model: all of its entries, and what they show together."""

from collections.abc import Sequence
from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from leaderboard.cache import cached_region
from leaderboard.charts.files import Picture, notes_of, svg_response
from leaderboard.entries import Mark
from leaderboard.names import MarkTitle, mark_of
from leaderboard.pages.entries.entry import (
    EntryDetails,
    reported_details,
    submission_details,
)
from leaderboard.pages.profiles import profile_of
from leaderboard.pages.strategies import strategies_of
from leaderboard.queries import (
    BoardRelease,
    find_release,
    front_release,
    newest_change,
    public_submissions,
    releases_with_boards,
)
from portal.models import LanguageModel, ReportedEntry
from portal.scores.titles import METRIC_SET_TITLES
from portal.web.throttle import count_expensive


class ModelEntry(NamedTuple):
    details: EntryDetails
    mark: MarkTitle
    scored: int  # number of tasks with a score
    tasks: int  # number of tasks on its board


PublicModel = tuple[LanguageModel, list[ModelEntry]]


def public_model(slug: str) -> PublicModel | None:
    """A language model and its entries, newest first and reported ones last; None if none is
    public."""
    model = LanguageModel.objects.filter(slug=slug).prefetch_related("facts").first()
    if model is None:
        return None
    submitted = public_submissions().filter(language_model=model)
    reported = ReportedEntry.objects.filter(language_model=model)
    with_scores = reported.select_related("language_model").prefetch_related("scores")
    entries = []
    for details in [
        *submission_details(submitted),
        *map(reported_details, with_scores.order_by("-created", "-pk")),
    ]:
        tasks = details.sheet.overall.column.tasks
        scored = details.entry.count_scored(tasks)
        entries.append(ModelEntry(details, mark_of(details.entry), scored, len(tasks)))
    return (model, entries) if entries else None


def model_pictures(
    request: HttpRequest,
    model: LanguageModel,
    entries: Sequence[ModelEntry],
    metric_set: str,
    board: str,
) -> SafeString:
    """Its profile on a board, and its strategies side by side, under one metric set. ``board`` is a
    slug; empty: the home page's board, if the model is on it. Raises ``Http404``."""

    def render_section() -> SafeString:
        count_expensive(request)
        releases = _boards_of([one.details for one in entries])
        release = find_release(releases, board) if board else next(iter(releases), None)
        if board and release is None:
            raise Http404
        context = {
            "model": model,
            "boards": releases,
            "release": release,
            "profile": release and profile_of(model.slug, release, metric_set),
            "strategies": strategies_of([one.details for one in entries], metric_set),
            "metric_set": METRIC_SET_TITLES[metric_set],
            "metric_sets": list(METRIC_SET_TITLES.values()),
        }
        return render_to_string("pages/_model_pictures.html", context)

    return cached_region(f"model/{model.slug}/{board}/{metric_set}", render_section)


def profile_svg(
    request: HttpRequest,
    model: LanguageModel,
    entries: Sequence[ModelEntry],
    metric_set: str,
    board: str,
) -> HttpResponse:
    """The picture of the page. Raises ``Http404``."""
    releases = _boards_of([one.details for one in entries])
    release = find_release(releases, board)
    profile = profile_of(model.slug, release, metric_set) if release else None
    if release is None or profile is None:
        raise Http404
    updated = newest_change(release)
    facts = (release.slug, metric_set, f"{updated:%Y-%m-%d}" if updated else "")
    path = reverse("language-model", args=[model.slug])
    key = "● this model with its 95 % interval, │ the median of all entries, ◇ the best."
    picture = Picture(
        "charts/_profile.html",
        {"plot": profile.plot},
        profile.plot.width,
        profile.plot.height,
        f"{profile.entry.title}: {profile.finding}",
        [key, *notes_of(release.title, facts, path)],
    )
    return svg_response(request, picture, f"{model.slug}-{release.slug}.svg")


def _boards_of(entries: Sequence[EntryDetails]) -> list[BoardRelease]:
    """The boards with public labels that may show one of these; the home page's comes first."""
    own = {one.submission.release.slug for one in entries if one.submission}
    is_on_official = any(one.entry.mark is not Mark.SCORED for one in entries)
    front = cached_region("front", front_release)
    found = [
        release
        for release in cached_region("releases-with-boards", releases_with_boards)
        if not release.hidden and (release.slug in own or (release.official and is_on_official))
    ]
    return sorted(found, key=lambda release: release.slug != front)
