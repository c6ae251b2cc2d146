"""Light or dark, as a visitor has chosen; kept in a cookie, so that it also works without an
account."""

from django.http import HttpRequest

THEMES = ("light", "dark")  # any other: as the visitor's system is set
THEME_COOKIE = "theme"


def chosen_theme(request: HttpRequest) -> str:
    """One of ``THEMES``, or empty."""
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return theme if theme in THEMES else ""
