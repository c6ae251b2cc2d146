"""Find strings and lines in a stored context. All of it is read, a piece at a time."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from portal.models import Context
from portal.releases.context_windows import opened, window_by_characters
from scoring.text.text_index import IndexedText, Span, Window
from scoring.text.text_lines import Lines, byte_of_line, count_lines, line_of_byte
from scoring.text.text_search import Needle, find_in, tally

AROUND = 80  # characters before and after an occurrence
_MOST_IN_A_TOKEN = 256  # occurrences: its length is stored in one byte


class Hit(NamedTuple):
    number: int  # among all of the context, from 1
    token: int  # where it begins
    characters: Span
    before: str  # the text around it
    match: str
    after: str


class Hits(NamedTuple):
    total: int
    before: Sequence[Hit]  # the last ones before the token that was asked for
    after: Sequence[Hit]  # the first ones from that token on
    next: int | None  # the token where further ones begin; None: there are no more
    bins: Sequence[int]  # how many there are in each of the parts, which have as many tokens each


def search_context(
    context: Context, query: str, place: int, *, most: int, earlier: int = 1, bins: int = 1
) -> Hits:
    """The occurrences of a string as ``scoring.text.text_search`` finds it: up to ``earlier`` that
    begin before a token, and ``most`` from it on; a few more, so that those after ``next`` are
    exactly the rest.

    Raises as ``context_windows.window_by_characters`` does, ``ValueError`` for an empty string.
    """
    borders = _borders(context, bins)
    with opened(context) as text:
        start = text.byte_of_token(place)
        text.file.seek(0)
        wanted = max(earlier, most + _MOST_IN_A_TOKEN)
        found = tally(Needle(query).find(text.file), start, wanted, borders)
        after: list[Hit] = []
        following = None
        for number, span in enumerate(found.after, found.earlier + 1):
            token = text.token_with_byte(span[0])
            if len(after) >= most and (not after or token != after[-1].token):
                following = token
                break
            after.append(_hit(text, number, span))
        spans = list(found.before)[-earlier:] if earlier else []
        first = found.earlier - len(spans) + 1
        before = [_hit(text, number, span) for number, span in enumerate(spans, first)]
    return Hits(found.total, before, after, following, found.bins)


def count_up_to(context: Context, query: str, most: int) -> tuple[int, Hit | None]:
    """How often a string occurs, counted up to ``most``, and the first occurrence.

    Raises as ``search_context`` does.
    """
    with context.text.open("rb") as text:
        spans = list(islice(Needle(query).find(text.file), most))
    if not spans:
        return 0, None
    with opened(context) as indexed:
        return len(spans), _hit(indexed, 1, spans[0])


@lru_cache(maxsize=512)  # a few hundred numbers for each; a context never changes
def count_in_parts(context: Context, query: str, parts: int, most: int) -> Sequence[int] | None:
    """How often a string occurs in each of the parts of a context, which have as many tokens each;
    None: more than ``most`` times in all, beyond which nothing is read. Raises as
    ``search_context`` does.
    """
    with context.text.open("rb") as text:
        spans = list(islice(Needle(query).find(text.file), most + 1))
    if len(spans) > most:
        return None
    return tally(spans, 0, 0, _borders(context, parts)).bins


def _hit(text: IndexedText, number: int, span: Span) -> Hit:
    match = text.by_bytes(*span)
    start, end = match.characters
    first, last = max(0, start - AROUND), min(text.size.characters, end + AROUND)
    around = text.by_characters(first, last).text
    return Hit(
        number,
        match.tokens[0],
        match.characters,
        around[: start - first],
        match.text,
        around[end - first :],
    )


@lru_cache(maxsize=64)  # a few hundred numbers for each
def _borders(context: Context, bins: int) -> list[int]:
    """The bytes where the parts of a context begin, except the first."""
    with opened(context) as text:
        return [text.byte_of_token(part * text.size.tokens // bins) for part in range(1, bins)]


def hits_in(context: Context, window: Window, query: str) -> list[Span]:
    """The characters of the context where a string occurs, if they overlap the window."""
    start, end = window.characters
    first = max(0, start - len(query) + 1)
    last = min(context.characters, end + len(query) - 1)
    around = window_by_characters(context, first, last).text
    spans = [(first + one, first + other) for one, other in find_in(around, query)]
    return [span for span in spans if span[0] < end and span[1] > start]


def line_of_token(context: Context, token: int) -> int:
    """The number, from 1, of the line in which a token begins. Raises as ``search_context``."""
    lines = _lines_of(context)
    with opened(context) as text:
        return line_of_byte(text.file, lines, text.byte_of_token(token))


def token_of_line(context: Context, line: int) -> int:
    """The token with the start of a line. Raises ``ValueError`` for one that is not there."""
    lines = _lines_of(context)
    with opened(context) as text:
        return text.token_with_byte(byte_of_line(text.file, lines, line))


def lines_in(context: Context) -> int:
    """How many lines the context has."""
    return _lines_of(context).total


@lru_cache(maxsize=256)  # a few hundred numbers for each; a context never changes
def _lines_of(context: Context) -> Lines:
    with context.text.open("rb") as file:
        return count_lines(file.file)
