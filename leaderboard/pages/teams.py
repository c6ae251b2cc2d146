"""The public page of a team: its name, the members who chose to be named, and its entries."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from leaderboard.cache import conditional_page
from leaderboard.kept_pages import kept_page
from leaderboard.pages.entries.entry import submission_details
from leaderboard.queries import public_submissions
from portal.models import Team, User
from portal.scores.titles import METRIC_SET_TITLES
from portal.web.throttle import throttled


@require_safe
@throttled
@gzip_page
@kept_page
def team(request: HttpRequest, slug: str) -> HttpResponse:
    """It exists once something is published under the team's name."""
    found = Team.objects.public().filter(slug=slug).first()
    if found is None:
        raise Http404
    named = User.objects.filter(
        memberships__team=found, memberships__left=None, memberships__shown=True, is_active=True
    )
    own = public_submissions().filter(team=found)
    context = {
        "team": found,
        "members": named.order_by("username"),
        "entries": submission_details(own.order_by("-created", "pk")),
        "metric_sets": list(METRIC_SET_TITLES.values()),
    }
    return conditional_page(request, "teams/public.html", context)
