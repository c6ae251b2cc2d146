"""What every template may use beside the view's own values."""

from django.conf import settings
from django.http import HttpRequest

from portal.accounts.views import THEME_COOKIE, THEMES
from portal.demo.progress import progress_of
from portal.evaluations.sandbox import sandbox
from scoring.sandbox.run import Level


def site(request: HttpRequest) -> dict[str, object]:
    """``demo``: whether this is the demo; ``making``: what it makes meanwhile.

    ``theme``: one of ``THEMES``, or empty; ``languages``: each with its name in its own words.
    ``source_url``: where this site's code is; empty where its operator has not said.
    ``unboxed``: files are scored without walls around them, which every page has to say.
    """
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return {
        "demo": settings.DEMO,
        "making": progress_of(settings.STATE_DIR) if settings.DEMO else None,
        "theme": theme if theme in THEMES else "",
        "languages": settings.LANGUAGES,
        "source_url": settings.SOURCE_URL,
        "unboxed": settings.SCORE_WITHOUT_SANDBOX and sandbox().level is Level.NONE,
    }
