"""What a process keeps of pages."""

from django.core.cache import caches


def forget_kept_pages() -> None:
    """As after a change of a board."""
    caches["regions"].clear()
    caches["pages"].clear()
