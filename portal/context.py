"""What every template may use beside the view's own values."""

from django.conf import settings
from django.http import HttpRequest

THEMES = ("light", "dark")  # else what the reader's system says
THEME_COOKIE = "theme"


def site(request: HttpRequest) -> dict[str, object]:
    """``demo``: whether this is the demo; ``theme``: one of ``THEMES``, or empty."""
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return {"demo": settings.DEMO, "theme": theme if theme in THEMES else ""}
