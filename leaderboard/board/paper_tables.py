"""A board as a table for a paper or a README: LaTeX with booktabs, and Markdown.

Both show what the page shows, with as many decimals: the best score of a column bold, the second
best underlined or in italics, scores that were only reported marked. They are in English, as the
other files are.
"""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from django.conf import settings
from django.utils import translation

from leaderboard.board.board import Board
from leaderboard.board.cells import Cell, board_rows
from leaderboard.caveats import CAVEAT_SIGN
from leaderboard.entries import Entry, Mark

_LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "†": r"\dag{}",
    "∞": r"$\infty$",
    "–": "--",
    "·": r"\textperiodcentered{}",
}
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+!|~$&])")
_SPACE = re.compile(r"\s+")
_NOTES = {  # in front of nothing else, so that columns stay aligned
    Mark.REPORTED: "reported, not verified",
    Mark.HISTORICAL: "released outputs, scored again",
}


class _Style(NamedTuple):
    """Of a score in its column."""

    is_best: bool
    is_second: bool


@translation.override(settings.LANGUAGE_CODE)
def board_latex(board: Board) -> str:
    """A ``table`` that needs the package booktabs, in UTF-8."""
    rows = board_rows(board)
    heads = ["Model", *(column.title for column in board.columns)]
    lines = [
        f"% {_about(board)}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_latex(_caption(board))}}}",
        rf"\begin{{tabular}}{{l{'r' * len(board.columns)}}}",
        r"\toprule",
        _latex_row(map(_latex, map(str, heads))),
        r"\midrule",
    ]
    styles = _styles([row.cells for row in rows])
    for row, of_row in zip(rows, styles, strict=True):
        if row.is_first_unranked:
            lines.append(r"\midrule")
        cells = (_latex_cell(one, style) for one, style in zip(row.cells, of_row, strict=True))
        lines.append(_latex_row([_latex(_name(row.line.entry)), *cells]))
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}", ""]
    return "\n".join(lines)


@translation.override(settings.LANGUAGE_CODE)
def board_markdown(board: Board) -> str:
    rows = board_rows(board)
    heads = ["Model", *(_markdown(str(column.title)) for column in board.columns)]
    lines = [
        _markdown_row(heads),
        _markdown_row(["---", *["--:"] * len(board.columns)]),
    ]
    for row, of_row in zip(rows, _styles([row.cells for row in rows]), strict=True):
        cells = (_markdown_cell(one, style) for one, style in zip(row.cells, of_row, strict=True))
        lines.append(_markdown_row([_markdown(_name(row.line.entry)), *cells]))
    return "\n".join([*lines, "", _markdown(_caption(board)), ""])


def _about(board: Board) -> str:
    """For a comment, which ends with its line."""
    parts = (
        board.release.slug,
        board.filters.metric_set,
        f"ranked by {board.ranked_by.export_id}",
    )
    return ", ".join(parts)


def _caption(board: Board) -> str:
    marks = {row.entry.mark for row in board.page_lines}
    signs = [f"{_sign(mark)} {note}" for mark, note in _NOTES.items() if mark in marks]
    if any(line.entry.caveats for line in board.page_lines):
        signs.append(f"{CAVEAT_SIGN} unreliable: see the page of the entry")
    examples = sum(board.release.sizes.values())
    text = (
        f"InfiniteBench leaderboard, release {board.release.slug}, metric set "
        f"{board.filters.metric_set}: percent of {examples:,} examples, with 95 % intervals. "
        "Best in bold, second best marked."
    )
    return f"{text} {'; '.join(signs)}." if signs else text


def _sign(mark: Mark) -> str:
    return {Mark.REPORTED: "(r)", Mark.HISTORICAL: "(h)"}.get(mark, "")


def _name(entry: Entry) -> str:
    return " ".join(filter(None, (_SPACE.sub(" ", entry.title), _sign(entry.mark))))


def _styles(rows: Sequence[Sequence[Cell]]) -> list[list[_Style]]:
    """By row and column. Equal numbers as printed have equal styles; 0 is never the best."""
    columns = [[_printed(cell) for cell in column] for column in zip(*rows, strict=True)]
    orders = [sorted(filter(None, set(column)), reverse=True) for column in columns]
    return [
        [
            _Style(value in order[:1], value in order[1:2])
            for value, order in zip(values, orders, strict=True)
        ]
        for values in zip(*columns, strict=True)
    ]


def _printed(cell: Cell) -> Decimal | None:
    return Decimal(cell.text.removeprefix(CAVEAT_SIGN)) if cell.text else None


def _latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)


def _latex_row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _latex_cell(cell: Cell, style: _Style) -> str:
    text = _latex(cell.text)
    if text and style.is_best:
        text = rf"\textbf{{{text}}}"
    elif text and style.is_second:
        text = rf"\underline{{{text}}}"
    return rf"{text} {{\scriptsize {_latex(cell.interval)}}}" if cell.interval else text


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", _SPACE.sub(" ", text))


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(cell: Cell, style: _Style) -> str:
    text = _markdown(cell.text)
    if text and style.is_best:
        text = f"**{text}**"
    elif text and style.is_second:
        text = f"*{text}*"
    return f"{text} ({cell.interval})" if cell.interval else text
