"""A small picture of the newest ladder's curves, for the home page."""

from collections.abc import Sequence

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from leaderboard.board.ranking.ladders import LadderChoice, read_curves
from leaderboard.cache import cached_region
from leaderboard.charts.decay import small_plot
from leaderboard.charts.findings import ladder_finding
from leaderboard.queries import BoardRelease, find_release
from portal.models import is_public
from portal.scores.ladders import public_ladders


def signature(releases: Sequence[BoardRelease]) -> SafeString:
    """HTML; empty where no public release with several lengths has entries."""
    return cached_region("signature", lambda: _signature(releases))


def _signature(releases: Sequence[BoardRelease]) -> SafeString:
    newest = public_ladders().filter(is_public("submissions__")).first()
    release = find_release(releases, newest.slug) if newest else None
    choice = LadderChoice()
    curves = read_curves(release, choice) if release else None
    if curves is None:
        return SafeString()
    # Readers that go by rules make no headline.
    named = [(one.entry.title, one.curve) for one in curves.chosen if not one.entry.model.baseline]
    if not named:
        return SafeString()
    context = {
        "release": release,
        "plot": small_plot([curve for _, curve in named]),
        "finding": ladder_finding(named, choice.share),
    }
    return render_to_string("board/_signature.html", context)
