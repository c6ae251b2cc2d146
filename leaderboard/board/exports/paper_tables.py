"""A board as a table for a paper or a README: LaTeX with booktabs, and Markdown.

Both show what the page shows, with the same number of decimals: the best score of a column in bold,
the second best underlined or in italics, scores that were only reported marked; below them the
number of examples in each column. Differences to a baseline that could be chance are in brackets.
Like all other files they are in English.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from leaderboard.board.board import Board
from leaderboard.board.cells import Cell, Row, board_rows
from leaderboard.board.differences import Chance
from leaderboard.board.exports.tables import address_of, attempts_behind
from leaderboard.caveats import CAVEAT_SIGN
from leaderboard.columns import Column
from leaderboard.entries import Entry, Mark
from leaderboard.names import asked_note
from leaderboard.queries import Edition
from portal.scores.controls import title_of

_LATEX_SIGNS = {
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
    "−": "$-$",
    "·": r"\textperiodcentered{}",
}
_MARKDOWN_SIGNS = re.compile(r"([\\`*_{}\[\]()<>#+!|~$&])")
_SPACE = re.compile(r"\s+")
_NOTES = {  # explained below the table
    Mark.REPORTED: "reported, not verified",
    Mark.HISTORICAL: "released outputs, scored again",
}


_BY_CHANCE = {  # of differences
    Chance.AHEAD: "%s",
    Chance.BEHIND: "%s",
    Chance.NOISE: "(%s)",
    Chance.UNKNOWN: "%s?",
}


class _Style(NamedTuple):
    """How a score is set in its column."""

    is_best: bool = False
    is_second: bool = False


class _Notation(NamedTuple):
    """The syntax of a table."""

    escape: Callable[[str], str]
    best: str
    second: str
    with_interval: str
    cells: tuple[str, str, str]  # what stands before, between and after the cells of a row

    def row(self, cells: Iterable[str]) -> str:
        before, between, after = self.cells
        return f"{before}{between.join(cells)}{after}"

    def score(self, cell: Cell, style: _Style) -> str:
        text = self.escape(cell.text)
        if cell.difference:
            return _BY_CHANCE[cell.difference] % text
        if text and style.is_best:
            text = self.best % text
        elif text and style.is_second:
            text = self.second % text
        return self.with_interval % (text, self.escape(cell.interval)) if cell.interval else text

    def scores(self, board: Board, row: Row, styles: Iterable[_Style]) -> str:
        cells = (self.score(one, style) for one, style in zip(row.cells, styles, strict=True))
        about = (self.escape(_rank(board, row)), self.escape(_name(row.line.entry)))
        return self.row([*about, *cells])

    def heads(self, columns: Iterable[Column]) -> str:
        return self.row(map(self.escape, ["Rank", "Model", *(str(one.title) for one in columns)]))

    def sizes(self, board: Board, columns: Iterable[Column]) -> str:
        sizes = board.release.sizes
        counts = (sum(sizes[task] for task in column.tasks) for column in columns)
        return self.row(["", "Examples", *(f"{count:,}" if count else "" for count in counts)])


def board_latex(board: Board, edition: Edition) -> str:
    """A ``table`` in UTF-8 that needs the package booktabs."""
    rows, columns = board_rows(board), board.columns
    lines = [
        f"% {address_of(board)}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_latex(_caption(board, edition, rows))}}}",
        rf"\begin{{tabular}}{{rl{'r' * len(columns)}}}",
        r"\toprule",
        _LATEX.heads(columns),
        r"\midrule",
    ]
    for row, styles in zip(rows, _styles(board, rows), strict=True):
        if row.is_first_unranked or row.is_first_baseline or row.is_first_control:
            lines.append(r"\midrule")
        lines.append(_LATEX.scores(board, row, styles))
    lines += [r"\midrule", _LATEX.sizes(board, columns), r"\bottomrule"]
    return "\n".join([*lines, r"\end{tabular}", r"\end{table}", ""])


def board_markdown(board: Board, edition: Edition) -> str:
    rows, columns = board_rows(board), board.columns
    lines = [
        _MARKDOWN.heads(columns),
        _MARKDOWN.row(["--:", "---", *["--:"] * len(columns)]),
    ]
    for row, styles in zip(rows, _styles(board, rows), strict=True):
        lines.append(_MARKDOWN.scores(board, row, styles))
    lines.append(_MARKDOWN.sizes(board, columns))
    return "\n".join([*lines, "", _markdown(_caption(board, edition, rows)), ""])


def _caption(board: Board, edition: Edition, rows: Sequence[Row]) -> str:
    marks = {row.entry.mark for row in board.page_lines}
    signs = [f"{_sign(mark)} {note}" for mark, note in _NOTES.items() if mark in marks]
    if any(line.entry.caveats for line in board.page_lines):
        signs.append(f"{CAVEAT_SIGN} unreliable: see the page of the entry")
    methods = {
        score.interval.method
        for row in rows
        for cell, score in zip(row.cells, row.line.scores, strict=True)
        if cell.interval and score and score.interval
    }
    about = [
        f"release {board.release.slug}",
        f"metric set {board.filters.metric_set}",
        f"scorer {', '.join(edition.scorers)}" if edition.scorers else "",
        f"updated {edition.updated:%Y-%m-%d}" if edition.updated else "",
    ]
    intervals = f", with 95 % intervals ({', '.join(sorted(methods))})" if methods else ""
    text = f"InfiniteBench leaderboard, {', '.join(filter(None, about))}: "
    if board.baseline:
        text += (
            f"percentage points more than {_name(board.baseline.entry)}, whose scores are in "
            f"percent{intervals}. In brackets: cannot be told apart from it, by paired tests of "
            "all pairs of the leaderboard with a joint error of 5 %; with a question mark: not "
            "compared."
        )
    else:
        text += f"percent{intervals}. Best in bold, second best marked."
    text = f"{text} {'; '.join(signs)}." if signs else text
    attempts = attempts_behind(board.page_lines)
    chosen = [
        f"{_name(line.entry)} from {attempts[line.entry.id]}"
        for line in board.page_lines
        if attempts.get(line.entry.id, 1) > 1
    ]
    return f"{text} Chosen from variants scored here: {', '.join(chosen)}." if chosen else text


def _sign(mark: Mark) -> str:
    return {Mark.REPORTED: "(r)", Mark.HISTORICAL: "(h)"}.get(mark, "")


def _name(entry: Entry) -> str:
    notes = (str(title_of(entry.control)) if entry.control else "", asked_note(entry))
    about = " ".join(f"({note})" for note in notes if note)
    return " ".join(filter(None, (_SPACE.sub(" ", entry.title), _sign(entry.mark), about)))


def _rank(board: Board, row: Row) -> str:
    """The rank among the entries shown, with the one among all entries in brackets."""
    if not (board.filters.hides_entries and row.rank):
        return row.rank
    return f"{row.line.filtered_rank or ''} ({row.rank})".lstrip()


def _styles(board: Board, rows: Sequence[Row]) -> list[list[_Style]]:
    """By row and column. Numbers that print alike are styled alike. Neither 0 nor an estimate from
    some of the questions is ever the best, and no difference to a baseline is."""
    if board.baseline:
        return [[_Style()] * len(row.cells) for row in rows]
    by_row = (
        [None if row.line.entry.has_no_rank else _printed(cell) for cell in row.cells]
        for row in rows
    )
    columns = list(zip(*by_row, strict=True))
    orders = [sorted(filter(None, set(column)), reverse=True) for column in columns]
    return [
        [
            _Style(value in order[:1], value in order[1:2])
            for value, order in zip(values, orders, strict=True)
        ]
        for values in zip(*columns, strict=True)
    ]


def _printed(cell: Cell) -> Decimal | None:
    return Decimal(cell.text.removeprefix(CAVEAT_SIGN)) if cell.text.strip("–") else None


def _latex(text: str) -> str:
    return "".join(_LATEX_SIGNS.get(sign, sign) for sign in text)


def _markdown(text: str) -> str:
    return _MARKDOWN_SIGNS.sub(r"\\\1", _SPACE.sub(" ", text))


_LATEX = _Notation(
    _latex, r"\textbf{%s}", r"\underline{%s}", r"%s {\scriptsize %s}", ("", " & ", r" \\")
)
_MARKDOWN = _Notation(_markdown, "**%s**", "*%s*", "%s (%s)", ("| ", " | ", " |"))
