"""The rows of a board as printed: models with facts about them, and scores with shading and
intervals."""

import dataclasses
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape  # of strings alone: Django's accepts more, and is slower
from typing import NamedTuple, Self

from django.utils.safestring import SafeString, mark_safe

from leaderboard.board.board import Board
from leaderboard.board.differences import Chance, difference_to_baseline
from leaderboard.board.filters import BY_MODEL
from leaderboard.board.ranking.ranking import Line, score_of
from leaderboard.caveats import CAVEAT_SIGN, Caveats, caveat_of_mean
from leaderboard.columns import Column, Kind
from leaderboard.entries import Entry, OtherData
from leaderboard.names import MarkTitle, asked_note, mark_of
from portal.scores.comparison.differences import signed
from portal.scores.scores import Score, partial_tasks
from scoring.catalog import TASKS
from scoring.stats import rounded
from scoring.text.amounts import short_amount
from scoring.text.plurals import plural

_DECIMALS = {Kind.OVERALL: 2, Kind.DOMAIN: 1, Kind.TASK: 1}
_SHADES = 5
_NO_LISTS: Mapping[str, Mapping[str, str]] = {}
_LEAST_BEST = 10.0  # percent: a column with a lower best score is hardly shaded


class Shades(NamedTuple):
    """How close the other scores of a column come to its best, in fifths."""

    best: float

    @classmethod
    def of(cls, column: Iterable[float]) -> Self:
        return cls(max(column, default=0.0))

    def step(self, percent: float) -> int:
        """From 0 to 4."""
        return min(_SHADES - 1, int(_SHADES * percent / max(self.best, _LEAST_BEST)))

    def is_best(self, percent: float, decimals: int) -> bool:
        """Whether it is the best as printed: equal numbers are all the best."""
        if percent < self.best - 1:  # further apart than any rounding
            return False
        best = rounded(self.best, decimals)
        return best > 0 and rounded(percent, decimals) == best


class Cell(NamedTuple):
    column: Column
    text: str  # empty: missing
    note: str  # the full score, or why there is none
    warning: str = ""  # partial, from other data, or unreliable
    interval: str = ""  # the 95 % one, as printed: 44.6–46.7
    shade: str = ""
    is_best: bool = False  # of its column
    bar: int | None = None  # its length, in percent
    whisker: tuple[int, int] | None = None  # from the low to the high end of the interval
    ranks: bool = False  # the board is ranked by this column
    is_of_other_data: bool = False  # gets a footnote: other questions, or other labels
    difference: Chance | None = None  # set if the cell shows a difference to the baseline
    href: str = ""  # the examples behind the score

    @property
    def title(self) -> str:
        """The tooltip."""
        return "; ".join(filter(None, (self.note, self.warning)))

    @property
    def css(self) -> str:
        """Its classes, including those for the length of its bar and for its shade."""
        classes = []
        if self.column.kind is Kind.OVERALL:
            classes.append("overall")
        elif self.text and self.column.domain:
            mean = "mean " if self.column.kind is Kind.DOMAIN else ""
            classes.append(f"{mean}domain-{self.column.domain}")
        elif self.column.kind is Kind.DOMAIN:
            classes.append("mean")
        if self.bar is not None:
            classes.append(f"to-{self.bar}")
        if self.whisker:
            classes.append("low-{} high-{}".format(*self.whisker))
        if self.difference:
            classes.append(f"difference-{self.difference}")
        if self.shade:
            classes.append(f"heat-{self.shade}")
        if self.is_best:
            classes.append("best")
        if self.ranks:
            classes.append("ranks")
        return " ".join(classes)


class Row(NamedTuple):
    line: Line
    about: str  # about the model: maker, size, context window
    mark: MarkTitle
    cells: list[Cell]
    ranked_by: Cell
    is_first_unranked: bool  # the first on the page: a divider is above it
    is_alike: bool  # it cannot be distinguished from the focused row
    focus: str  # the address that focuses this row; empty: its range of ranks is unknown
    shows_intervals: bool
    labels: Sequence[str]  # the titles of the columns, as attributes of HTML
    is_first_baseline: bool = False  # a divider is above it
    is_first_control: bool = False  # likewise
    whole: str = ""  # for a control: the id of the same method's entry that was given the texts

    @property
    def rank(self) -> str:
        return self.line.rank_text

    @property
    def html(self) -> SafeString:
        """Its cells."""
        return cells_html(self.cells, self.labels, with_intervals=self.shows_intervals)


def board_rows(board: Board, lists: Mapping[str, Mapping[str, str]] = _NO_LISTS) -> list[Row]:
    """``lists`` has by entry and task the address of the examples behind a score."""
    columns = board.columns
    # Neither controls nor, where there is anything else, estimates from some of the questions
    # count as best.
    whole = [line for line in board.all_lines if not line.entry.has_no_rank] or board.all_lines
    of_columns = zip(*(line.percents for line in whole), strict=True)
    shades = [Shades.of(one for one in percents if one is not None) for percents in of_columns]
    ranked_by = columns.index(board.ranked_by)
    labels = [escape(str(column.title)) for column in columns]
    in_full = [
        column is board.ranked_by or board.filters.errors == "on" or bool(board.baseline)
        for column in columns
    ]
    unfocused = dataclasses.replace(board.filters, focus="")
    focused = f"{unfocused}&focus=" if unfocused.pairs() else "?focus="
    rows: list[Row] = []
    wholes = {
        line.entry.system[:2]: line.entry.id
        for line in reversed(board.all_lines)
        if not line.entry.control
    }
    for line, about, divider in zip(
        board.page_lines, model_facts(board.page_lines), _dividers(board), strict=True
    ):
        entry, cells = line.entry, _cells_of(board, line, shades, in_full)
        cells[ranked_by] = cells[ranked_by]._replace(ranks=True)
        if addresses := lists.get(entry.id):
            cells = [cell._replace(href=addresses.get(cell.column.id, "")) for cell in cells]
        is_chosen = board.filters.focus == entry.id
        row = Row(
            line,
            about,
            mark_of(entry),
            cells,
            cells[ranked_by],
            divider == "unranked",
            is_alike=entry.id in board.ranges.alike,
            focus=(unfocused.href if is_chosen else f"{focused}{entry.id}")
            if line.rank_low
            else "",
            shows_intervals=board.filters.errors == "on",
            labels=labels,
            is_first_baseline=divider == "baselines",
            is_first_control=divider == "controls",
            whole=wholes.get(entry.system[:2], "") if entry.control else "",
        )
        rows.append(row)
    return rows


def _cells_of(
    board: Board, line: Line, shades: Iterable[Shades], in_full: Sequence[bool]
) -> list[Cell]:
    """One for each column; ``in_full`` says whether the interval is printed."""
    entry, scores = line.entry, _printed_scores(line, in_full)
    partial = partial_tasks(entry.scores, board.release.minimum_answered)
    cells = [
        board_cell(board, column, score, shade, entry=entry, partial=partial, in_full=full)
        if score
        else missing_cell(column, entry)
        for column, score, shade, full in zip(board.columns, scores, shades, in_full, strict=True)
    ]
    if board.baseline and board.baseline.entry.id != entry.id:
        return [difference_cell(board, line, index, cell) for index, cell in enumerate(cells)]
    return cells


def _dividers(board: Board) -> Iterator[str]:
    """For each line the heading in front of it, if any: lines without a rank form a group of their
    own, except when all lines are sorted by name."""
    divided = ""
    for line in board.page_lines:
        may_divide = board.filters.sort != BY_MODEL and line.rank is None and not line.is_pinned
        is_baseline = line.entry.model.baseline
        heading = "controls" if line.entry.control else "baselines" if is_baseline else "unranked"
        divider = heading if may_divide and heading != divided else ""
        divided = divider or divided
        yield divider


def _printed_scores(line: Line, in_full: Sequence[bool]) -> list[Score | None]:
    """Means of domains have no interval unless it is printed: computing them takes longer than
    everything else in a row."""
    return [
        score_of(column, line.entry.scores)
        if full or column.kind is not Kind.DOMAIN
        else (None if percent is None else Score(percent))
        for column, percent, full in zip(line.columns, line.percents, in_full, strict=True)
    ]


def cells_html(cells: Sequence[Cell], labels: Sequence[str], *, with_intervals: bool) -> SafeString:
    """The cells of a row, in order; the first one is a bar. A page has 1,800 cells: rendered by a
    template they took most of a board's time."""
    parts = []
    for place, (cell, label) in enumerate(zip(cells, labels, strict=True)):
        attributes = f' data-label="{label}"'
        css = cell.css
        if css:
            attributes = f' class="{css}"{attributes}'
        if not cell.text:
            note = escape(cell.note)
            content = f"<small>{note}</small>" if place == 0 else ""
            parts.append(f'<td{attributes} title="{note}">{content}</td>')
            continue
        title = cell.title
        if title:
            attributes += f' title="{escape(title)}"'
        text = escape(cell.text)
        if cell.href:
            text = f'<a href="{escape(cell.href)}">{text}</a>'
        if cell.is_of_other_data:
            attributes += " data-other-data"
            text += f'<sup class="footnote" aria-label="{escape("other data")}">‡</sup>'
        if place == 0:
            text = f"<span>{text}</span>"
        if with_intervals and cell.interval:
            text += f"<small>{escape(cell.interval)}</small>"
        parts.append(f"<td{attributes}>{text}</td>")
    return mark_safe("\n".join(parts))  # noqa: S308 - all that is no name of ours is escaped


def board_cell(
    board: Board,
    column: Column,
    score: Score,
    shades: Shades,
    *,
    entry: Entry,
    partial: Collection[str],
    in_full: bool,
) -> Cell:
    """Means have a bar, and the overall mean its interval; all other cells are shaded.

    Full scores would be a third of the page, so only the ranking column has them, or all columns if
    intervals or differences are shown.
    """
    cell = score_cell(
        column,
        score,
        entry.caveats,
        other_data=entry.other_data,
        partial=partial,
        in_full=in_full,
    )
    is_overall = column.kind is Kind.OVERALL
    is_shaded = board.filters.heat == "on" and not is_overall
    interval = score.interval if is_overall else None
    return cell._replace(
        is_best=not entry.has_no_rank and shades.is_best(score.percent, _DECIMALS[column.kind]),
        bar=None if column.kind is Kind.TASK else round(score.percent),
        shade=str(shades.step(score.percent)) if is_shaded else "",
        whisker=(round(interval.low), round(interval.high)) if interval else None,
        warning="; ".join(filter(None, (asked_note(entry), cell.warning))),
    )


def difference_cell(board: Board, line: Line, place: int, cell: Cell) -> Cell:
    """How far the entry is ahead of the baseline, in points; the score itself is in the note."""
    found = difference_to_baseline(board, line, place)
    if found is None:
        return Cell(cell.column, "", cell.note, cell.warning)
    decimals = _DECIMALS[cell.column.kind]
    is_apart = found.chance in (Chance.AHEAD, Chance.BEHIND)
    if is_apart and abs(found.points) < 0.05:  # a difference that counts is not printed as 0.0
        decimals = 2
    return Cell(
        cell.column,
        signed(found.points, decimals),
        cell.note,
        cell.warning,
        difference=found.chance,
        is_of_other_data=cell.is_of_other_data,
    )


def score_cell(
    column: Column,
    score: Score,
    caveats: Caveats,
    *,
    decimals: int | None = None,
    other_data: Mapping[str, OtherData] | None = None,
    partial: Collection[str] = (),
    in_full: bool = True,
) -> Cell:
    """``in_full`` adds the interval, and everything that is known to the note."""
    interval = str(score.interval or "") if in_full else ""
    decimals = min(score.digits, _DECIMALS[column.kind] if decimals is None else decimals)
    caveat = caveat_of_mean(column.tasks, caveats)
    data = note_of_other_data(column.tasks, other_data or {})
    few = "partial" if partial and any(task in partial for task in column.tasks) else ""
    return Cell(
        column=column,
        text=f"{CAVEAT_SIGN if caveat else ''}{rounded(score.percent, decimals)}",
        note=score_note(score, interval) if in_full else "",
        warning="; ".join(filter(None, (few, data, caveat))),
        interval=interval,
        is_of_other_data=bool(data),
    )


def note_of_other_data(tasks: Collection[str], other_data: Mapping[str, OtherData]) -> str:
    """How the data of these tasks differ from the board's; empty if they do not."""
    if not other_data:
        return ""
    found = [task for task in tasks if task in other_data]
    if not found:
        return ""
    if len(tasks) > 1:
        titles = ", ".join(TASKS[task].title for task in found)
        return f"other data in {titles}"
    parts = []
    for about in (other_data[task] for task in found):
        if about.size != about.board_size:
            text = "%(size)s of %(all)s examples"
            parts.append(text % {"size": about.size, "all": about.board_size})
        if about.differing:
            labels = plural(about.differing, "label differs", "labels differ")
            parts.append(f"{about.differing} {labels}")
    return ", ".join(parts)


def missing_cell(column: Column, entry: Entry) -> Cell:
    if column.kind is Kind.TASK:
        return Cell(column, "", "missing")
    counts = {"held": entry.count_scored(column.tasks), "tasks": len(column.tasks)}
    return Cell(column, "", "{held} of {tasks} tasks".format(**counts))


def score_note(score: Score, interval: str) -> str:
    """The full score: ``45.68, 95 %: 44.6–46.7 (wilson), n = 3,946``."""
    parts = [str(rounded(score.percent, score.digits))]
    if score.interval:
        parts.append(f"95 %: {interval} ({score.interval.method})")
    if score.run_deviation is not None:
        parts.append(f"{'run-to-run SD'} {rounded(score.run_deviation, 2)}")
    if score.size is not None:
        parts.append(f"n = {score.size:,}")
    if score.answered != score.size:
        parts.append(f"{score.answered:,} answered")
    return ", ".join(parts)


def runs_note(runs: int, overall: Score | None) -> str:
    """For the mean of repeated runs: ``mean of 3 runs, SD 0.42``."""
    text = f"mean of {runs} runs"
    deviation = overall.run_deviation if overall else None
    return text if deviation is None else f"{text}, {'SD'} {rounded(deviation, 2)}"


def model_facts(lines: Sequence[Line]) -> list[str]:
    """Facts about each model: ``01.AI · 34B · 200K · open · 2023-11``. If it has several lines with
    the same method, these start with what distinguishes them, or with the number of runs."""
    entries = [line.entry for line in lines]
    counts = Counter(entry.system for entry in entries)
    of_day = Counter((entry.system, entry.submitted_on) for entry in entries)
    weights = {"open": "open", "closed": "closed"}
    found = []
    for line, entry in zip(lines, entries, strict=True):
        model, day = entry.model, entry.submitted_on
        apart = ""
        if entry.run_ids:
            apart = runs_note(len(entry.run_ids), line.scores[0])
        elif counts[entry.system] > 1:
            if day is None:
                apart = entry.source
            elif of_day[entry.system, day] == 1:
                apart = day.isoformat()
            else:
                apart = f"{entry.created:%Y-%m-%d %H:%M}"
        window = short_amount(model.context_window) if model.context_window else ""
        month = model.released[: len("2023-11")]
        known = weights.get(model.weights, "")
        asked = asked_note(entry)
        facts = (asked, apart, model.organisation, model.parameters, window, known, month)
        found.append(" · ".join(filter(None, facts)))
    return found
