"""Entries and examples as a matrix of verdicts; each cell links to an answer."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote, urlencode

import numpy as np
from django.db.models.functions import Right
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from leaderboard.examples.listing.search import find_words
from leaderboard.examples.listing.selection import Selection
from leaderboard.examples.queries import Answering
from portal.models import Example
from scoring.problems import visible

MOST_ROWS, MOST_COLUMNS = 30, 100
_HEAD = 6  # characters of a key that a column shows
_ASKED = 160  # of the end of a question
STATUSES: dict[str, tuple[str, str]] = {  # sign and meaning
    "right": ("✓", "right"),
    "partial": ("◐", "partly right"),
    "wrong": ("✗", "wrong"),
    "blank": ("□", "empty"),
    "missing": ("∅", "missing"),
    "unasked": ("", "not asked, or not shown"),
}


class Column(NamedTuple):
    key: str
    asked: str  # the end of the question; empty: it is not stored
    href: str

    @property
    def head(self) -> str:
        """As much of the key as fits: the end, since keys differ there."""
        return self.key if len(self.key) <= _HEAD else f"…{self.key[1 - _HEAD :]}"


class MatrixRow(NamedTuple):
    entry: Answering
    mean: float | None  # percent, over all examples found; in a search for words, over those shown
    cells: SafeString


class Matrix(NamedTuple):
    columns: Sequence[Column]
    rows: Sequence[MatrixRow]
    start: int
    next: int | None  # the position of the next examples
    first_row: int
    entries: int  # including those that are not shown
    total: int | None  # examples; None: not everything was searched

    @property
    def next_rows(self) -> int | None:
        end = self.first_row + MOST_ROWS
        return end if end < self.entries else None


def matrix_of(selection: Selection, start: int, first_row: int) -> Matrix:
    """Examples from a position in the order on, and entries, best first.

    Only for readers who may see verdicts. Raises ``FilterError``.
    """
    order = selection.order
    end = start + MOST_COLUMNS
    if selection.filter.words:
        found = find_words(selection, start, MOST_COLUMNS)
        shown, following, total = list(found.hits), found.reached, found.total
    else:
        shown, total = order[start:end], len(order)
        following = end if end < total else None
    examples = Example.objects.filter(data_set=selection.questions.data_set, index__in=shown)
    asked = examples.order_by().annotate(asked=Right("question", _ASKED))
    ends = dict(asked.values_list("index", "asked"))
    columns = [_column(selection, index, ends.get(index, "")) for index in shown]
    rows = range(len(selection.answering))[first_row : first_row + MOST_ROWS]
    statuses = _statuses(selection)
    signs = {name: (escape(meaning), sign) for name, (sign, meaning) in STATUSES.items()}
    found_rows = []
    for row in rows:
        entry = selection.answering[row]
        scores = selection.scores[row, shown if selection.filter.words else order]
        known = scores[~np.isnan(scores)]
        cells = "".join(
            _cell(statuses[row, index], signs, column, entry.id)
            for index, column in zip(shown, columns, strict=True)
        )
        mean = float(100 * known.mean()) if known.size else None
        found_rows.append(MatrixRow(entry, mean, mark_safe(cells)))  # noqa: S308 - of escaped parts
    return Matrix(columns, found_rows, start, following, first_row, len(selection.answering), total)


def _column(selection: Selection, index: int, asked: str) -> Column:
    """The address is relative to the page: there are thousands of cells."""
    questions, key = selection.questions, selection.facts.keys[index]
    end = visible(" ".join(asked.split()), _ASKED)
    return Column(key, end, f"../{questions.task.id}/{quote(key, safe='')}/")


def _statuses(selection: Selection) -> "np.ndarray[tuple[int, int], np.dtype[np.str_]]":
    scores, (missing, empty) = selection.scores, selection.blanks
    with np.errstate(invalid="ignore"):
        conditions = [missing, empty & ~(scores > 0), scores >= 1, scores > 0, scores <= 0]
        names = ["missing", "blank", "right", "partial", "wrong"]
        found = np.select(conditions, names, "unasked")
    shown = np.array([one.shows_verdicts for one in selection.answering], dtype=np.bool_)
    return np.where(shown[:, None] & selection.asked, found, "unasked")


def _cell(status: str, signs: Mapping[str, tuple[str, str]], column: Column, entry: str) -> str:
    if status == "unasked":
        return '<td class="unasked"></td>'
    address, (meaning, sign) = escape(f"{column.href}?entry={entry}"), signs[status]
    label = f"{escape(column.key)}: {meaning}"
    return f'<td class="{status}"><a href="{address}" aria-label="{label}">{sign}</a></td>'


def matrix_address(selection: Selection, start: int = 0, first_row: int = 0) -> str:
    questions, query = selection.questions, str(selection.filter)
    pairs = {"q": query, "from": start or "", "entries": first_row or ""}
    sent = urlencode({name: value for name, value in pairs.items() if value})
    address = reverse("examples-matrix", args=[questions.release.slug, questions.task.id])
    return f"{address}?{sent}" if sent else address
