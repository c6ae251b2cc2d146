"""The pages that a process caches."""

from django.core.cache import caches


def forget_kept_pages() -> None:
    """Empty the caches, as after a change of a board."""
    caches["regions"].clear()
    caches["pages"].clear()
