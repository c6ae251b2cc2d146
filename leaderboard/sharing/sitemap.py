"""The sitemap for search engines: what everybody may read, each at its canonical address."""

from collections.abc import Iterator

from django.db.models import Exists, OuterRef, Q
from django.urls import reverse

from leaderboard.queries import public_submissions, releases_with_boards
from portal.models import LanguageModel, Release, ReportedEntry
from scoring.catalog import TASKS

_MOST = 50_000  # addresses, the limit of the sitemap protocol
_PAGES = (
    *("home", "compare", "tasks", "releases", "formats", "api", "about", "generated-releases"),
    *("privacy", "terms"),
)


def public_paths() -> list[str]:
    return list(_paths())[:_MOST]


def _paths() -> Iterator[str]:
    for name in _PAGES:
        yield reverse(name)
    for release in releases_with_boards():
        yield reverse("board", args=[release.slug])
    for slug in (
        Release.objects.public().order_by("-created", "slug").values_list("slug", flat=True)
    ):
        yield reverse("release", args=[slug])
    for task in TASKS:
        yield reverse("task", args=[task])
    entries = public_submissions().order_by("-created", "pk")
    of_model = {"language_model": OuterRef("pk")}
    is_public = Q(Exists(entries.filter(**of_model))) | Q(
        Exists(ReportedEntry.objects.filter(**of_model))
    )
    models = LanguageModel.objects.filter(is_public).order_by("slug")
    for slug in models.values_list("slug", flat=True):
        yield reverse("language-model", args=[slug])
    submitted = entries.only("slug").select_related(None)
    for entry in (*submitted, *ReportedEntry.objects.order_by("pk")):
        yield reverse("entry", args=[entry.entry_id])
