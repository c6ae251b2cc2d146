"""Places in a context: the one that a query string asks for, and links to others."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self
from urllib.parse import urlencode

from portal.models import Context
from portal.releases.context_search import lines_in, token_of_line
from scoring.text.amounts import read_amount

LONGEST_QUERY = 200  # characters
UNITS = ("token", "percent", "line")
ANCHOR = "context"  # the viewer on its page
_LONGEST_NUMBER = 12  # characters


class Asked(NamedTuple):
    """What a query string asks of a context. Impossible requests are a ``problem``, never an
    error."""

    at: int | None  # token
    find: str
    typed: str  # into the form for going to a place
    unit: str  # that ``typed`` is in
    problem: bool = False  # there is no such place

    @classmethod
    def from_query(cls, query: Mapping[str, str], context: Context) -> Self:
        find = query.get("find", "")[:LONGEST_QUERY]
        typed = query.get("go", "").strip()[:_LONGEST_NUMBER]
        unit = query.get("unit", "")
        unit = unit if unit in UNITS else UNITS[0]
        at = query.get("at", "")
        is_number = at.isascii() and at.isdecimal() and len(at) <= _LONGEST_NUMBER
        place = min(int(at), context.tokens) if is_number else None
        gone = _token_of(typed, unit, context) if typed else None
        return cls(
            place if gone is None else gone,
            find if find.strip() else "",
            typed,
            unit,
            problem=bool(typed) and gone is None,
        )


def _token_of(typed: str, unit: str, context: Context) -> int | None:
    """The token at a number of tokens, a percentage or a line; None if there is no such place."""
    if unit == "percent":
        try:
            share = float(typed.removesuffix("%").replace("％", "").replace(",", "."))
        except ValueError:
            return None
        return int(context.tokens * share / 100) if 0 <= share <= 100 else None
    number = read_amount(typed)
    if number is None:
        return None
    if unit == "line":
        return token_of_line(context, number) if 1 <= number <= lines_in(context) else None
    return number if number <= context.tokens else None


class Spot(NamedTuple):
    """A place with a link to it."""

    token: int
    percent: float
    address: str


class Links(NamedTuple):
    """Links to places in one context, which keep the rest of the query string."""

    total: int  # tokens
    state: Sequence[tuple[str, str]]  # of the page that contains the viewer
    find: str

    def spot(self, token: int) -> Spot:
        pairs = [*self.state, *pairs_of(token, self.find)]
        return Spot(token, 100 * token / max(1, self.total), f"?{urlencode(pairs)}#{ANCHOR}")

    def search(self, word: str) -> str:
        return f"?{urlencode([*self.state, ('find', word)])}#{ANCHOR}"


def pairs_of(at: int, find: str) -> list[tuple[str, str]]:
    """The query parameters of a place."""
    return [("at", str(at)), *([("find", find)] if find else [])]


def is_everywhere(query: str) -> bool:
    """Whether a string may occur a million times in a long text, so that searching for it takes a
    second."""
    return 0 < len(query.strip()) < 3 and query.isascii()
