"""What every template may use beside the view's own values."""

from django.conf import settings
from django.http import HttpRequest

from portal.sandbox import sandbox
from scoring.sandbox import Level

THEMES = ("light", "dark")  # else what the reader's system says
THEME_COOKIE = "theme"


def site(request: HttpRequest) -> dict[str, object]:
    """``demo``: whether this is the demo; ``theme``: one of ``THEMES``, or empty.

    ``unboxed``: files are scored without walls around them, which every page has to say.
    """
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return {
        "demo": settings.DEMO,
        "theme": theme if theme in THEMES else "",
        "unboxed": settings.SCORE_WITHOUT_SANDBOX and sandbox().level is Level.NONE,
    }
