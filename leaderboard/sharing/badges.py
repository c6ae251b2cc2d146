"""The badge of an entry for a README: its score with the interval, and its rank.

Always in English, since it is shown on other sites. It names the metric set and the release unless
they are those of the home page, so that no score can be taken for another.
"""

from typing import NamedTuple

from django.template.loader import render_to_string

from leaderboard.charts.files import as_xml
from leaderboard.charts.texts import FONTS, shortened, text_width
from leaderboard.entries import Mark
from leaderboard.names import asked_note, mark_of
from leaderboard.pages.entries.entry import EntryDetails
from leaderboard.pages.entries.ranks import EntryRanks
from scoring.metrics import METRIC_SETS, PAPER_SET

_SIZE = 11  # font size
_LONGEST = 190  # width of a model's name, in pixels
_PADDING = 6


class _Part(NamedTuple):
    text: str
    x: float
    width: float  # of the text, which is drawn exactly as wide in every font
    box: float  # width of the box around it


def badge_svg(details: EntryDetails, ranks: EntryRanks | None, metric_set: str) -> str:
    place = ranks.places[list(METRIC_SETS).index(metric_set)] if ranks else None
    entry, release = details.entry, ranks.release if ranks else None
    score, in_words = _score(details, metric_set)
    rank = f"{place.rank_text} of {place.ranked}" if place and place.rank else ""
    mark = "" if entry.mark is Mark.SCORED else entry.trust
    about = [
        "∞Bench",
        release.slug if release and not release.official else "",
        metric_set if metric_set != PAPER_SET else "",
        shortened(entry.title, _SIZE, _LONGEST),
    ]
    left = _part(" · ".join(filter(None, about)), 0)
    right = _part(
        " · ".join(filter(None, (score, asked_note(entry), rank and f"#{rank}", mark))), left.box
    )
    described = (
        f"{entry.title} on ∞Bench: {in_words}",
        asked_note(entry),
        f"rank {rank}" if rank else "",
        f"release {release.slug}" if release else "",
        f"metric {metric_set}",
        str(mark_of(entry).title).lower(),
    )
    context = {
        "title": ", ".join(filter(None, described)),
        "left": left,
        "right": right,
        "width": left.box + right.box,
        "fonts": FONTS,
        "is_checked": entry.mark is Mark.SCORED,
    }
    return as_xml(render_to_string("sharing/badge.svg", context))


def _part(text: str, start: float) -> _Part:
    width = round(text_width(text, _SIZE), 1)
    return _Part(text, start + _PADDING, width, round(width + 2 * _PADDING))


def _score(details: EntryDetails, metric_set: str) -> tuple[str, str]:
    """As on the page of the entry; and the same in words."""
    row = details.sheet.overall
    cell = row.cells[list(METRIC_SETS).index(metric_set)][1]
    if cell is None:
        scored = details.entry.count_scored(row.column.tasks)
        text = f"{scored} of {len(row.column.tasks)} tasks"
        return text, text
    if not cell.interval:
        return cell.text, cell.text
    return f"{cell.text} ({cell.interval})", f"{cell.text}, 95 % interval {cell.interval}"
