"""Badges, link previews, the sitemap, the rules for robots, and the security contact."""

from datetime import timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.timezone import now
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from leaderboard.board.board import read_board
from leaderboard.board.filters import Filters
from leaderboard.board.ranges import with_ranges
from leaderboard.cache import cached_region, conditional_response
from leaderboard.charts.files import SVG
from leaderboard.pages.entries.entry import EntryDetails, entry_details
from leaderboard.pages.entries.ranks import entry_ranks
from leaderboard.parameters import metric_set_of
from leaderboard.queries import find_release, newest_change, releases_with_boards
from leaderboard.sharing.badges import badge_svg
from leaderboard.sharing.pictures import board_picture, entry_picture
from leaderboard.sharing.sitemap import public_paths
from portal.web.pictures import picture_font, png_of
from portal.web.throttle import count_expensive, throttled

_SECURITY_LIFE = timedelta(days=180)  # RFC 9116 recommends less than a year


@require_safe
@throttled
def badge(request: HttpRequest, entry_id: str) -> HttpResponse:
    metric_set = metric_set_of(request)

    def make() -> str:
        count_expensive(request)
        details = _details_or_404(entry_id)
        return badge_svg(details, entry_ranks(details), metric_set)

    svg = cached_region(f"badge/{entry_id}/{metric_set}", make)
    return _for_other_sites(request, HttpResponse(svg, content_type=SVG))


@require_safe
@throttled
def entry_png(request: HttpRequest, entry_id: str) -> HttpResponse:
    metric_set = metric_set_of(request)

    def make() -> bytes | None:
        count_expensive(request)
        details = _details_or_404(entry_id)
        return png_of(entry_picture(details, entry_ranks(details), metric_set))

    return _picture(request, cached_region(f"picture/entry/{entry_id}/{metric_set}", make))


@require_safe
@throttled
def board_png(request: HttpRequest, slug: str) -> HttpResponse:
    """One of a few, so that they can be kept: other filters redirect to the closest one."""
    query = dict(request.GET.lists())
    filters = Filters.from_query(query).for_preview()
    if not filters.matches_query(query):
        return HttpResponseRedirect(f"{request.path}{filters}")

    def make() -> bytes | None:
        count_expensive(request)
        release = find_release(releases_with_boards(), slug)
        if release is None or not picture_font():
            return None
        board = read_board(release, filters)
        if not board.ranked_count:
            return None
        shown = with_ranges(board.with_details())
        return png_of(board_picture(shown, newest_change(release)))

    return _picture(request, cached_region(f"picture/board/{slug}{filters}", make))


def _picture(request: HttpRequest, png: bytes | None) -> HttpResponse:
    if png is None:
        raise Http404
    return _for_other_sites(request, HttpResponse(png, content_type="image/png"))


def _for_other_sites(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """They may embed it, but must revalidate it each time, since an entry can be withdrawn."""
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    response["Cache-Control"] = "public, no-cache"
    return conditional_response(request, response)


def _details_or_404(entry_id: str) -> EntryDetails:
    details = entry_details(entry_id)
    if details is None:
        raise Http404
    return details


@require_safe
@throttled
@gzip_page
def sitemap(request: HttpRequest) -> HttpResponse:
    def make() -> str:
        count_expensive(request)
        addresses = [f"{settings.SITE_URL}{path}" for path in public_paths()]
        return render_to_string("sharing/sitemap.xml", {"addresses": addresses})

    text = cached_region("sitemap", make)
    return conditional_response(request, HttpResponse(text, content_type="application/xml"))


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    context = {"site_url": settings.SITE_URL}
    content_type = "text/plain; charset=utf-8"
    return render(request, "sharing/robots.txt", context, content_type=content_type)


@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """RFC 9116 requires a contact, ideally private, and https for web addresses; without one there
    is no such file."""
    known = (settings.CONTACT_URL, settings.ISSUES_URL)
    contacts = [one for one in known if one.startswith(("https://", "mailto:"))]
    if not contacts:
        raise Http404
    midnight = now().replace(hour=0, minute=0, second=0, microsecond=0)
    context = {
        "contacts": contacts,
        "expires": (midnight + _SECURITY_LIFE).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "site_url": settings.SITE_URL,
    }
    content_type = "text/plain; charset=utf-8"
    return render(request, "sharing/security.txt", context, content_type=content_type)
