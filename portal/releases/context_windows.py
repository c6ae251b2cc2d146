"""Read any window of a stored context. The vocabulary of tokens is not needed for it."""

from collections.abc import Iterator
from contextlib import contextmanager

from portal.models import Context
from scoring.text.text_index import IndexedText, Window


def window_by_characters(context: Context, start: int, end: int) -> Window:
    """The characters [start, end), and which tokens overlap them; in a few short reads.

    Raises ``scoring.text.text_index.WindowError`` for a range outside the text, ``OSError`` where
    the stored file cannot be read.
    """
    with opened(context) as text:
        return text.by_characters(start, end)


def window_by_tokens(context: Context, start: int, end: int) -> Window:
    """The tokens [start, end) as whole characters, and which characters these are.

    Where tokens are estimated, all are assumed to have the same length, and the window says so.
    Raises as ``window_by_characters`` does.
    """
    with opened(context) as text:
        return text.by_tokens(start, end)


def begins_line(context: Context, window: Window) -> bool:
    """Whether a window begins where a line does."""
    start = window.characters[0]
    return start == 0 or window_by_characters(context, start - 1, start).text == "\n"


@contextmanager
def opened(context: Context) -> Iterator[IndexedText]:
    """The text for several windows. Raises ``OSError`` and ``WindowError``."""
    with context.text.open("rb") as text, context.index.open("rb") as index:
        yield IndexedText(text.file, index.file)
