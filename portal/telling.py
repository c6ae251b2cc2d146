"""How long work tells what it does: line by line, to whoever started it."""

from collections.abc import Callable

Tell = Callable[[str], None]


def silence(_line: str) -> None:
    """For whoever does not want to know."""
