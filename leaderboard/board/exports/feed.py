"""The newest entries of a board as an Atom feed (RFC 4287)."""

import dataclasses
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape

from leaderboard.board.board import Board
from leaderboard.board.cells import Row, board_rows
from leaderboard.board.controls import summary_of
from leaderboard.board.filters import Filters
from leaderboard.charts.files import as_xml
from leaderboard.queries import edition_of, publication_times

_MOST = 50  # entries
_BEGINNING = datetime(
    2024, 2, 21, tzinfo=UTC
)  # the paper: a feed without entries has to have a date


class DatedFeed(Atom1Feed):
    """Dated by its entries instead of the clock, so that it changes only when they do."""

    def latest_post_date(self) -> datetime:
        dates: list[datetime] = [item["updateddate"] for item in self.items]
        return max(dates, default=_BEGINNING)

    def add_item_elements(self, handler: Any, item: Any) -> None:  # noqa: ANN401 - as in Django
        texts = {name: as_xml(item[name]) for name in ("title", "description")}
        super().add_item_elements(handler, item | texts)


def board_feed(board: Board, filters: Filters) -> str:
    """The entries that the board accepts, newest first.

    ``filters`` are those in its address.
    """
    entries = {line.entry.id: line.entry for line in board.lines}
    times = publication_times(entries.values())
    newest = sorted(entries, key=lambda one: (times[one], one), reverse=True)[:_MOST]
    lines = {line.entry.id: line for line in board.lines}
    shown = dataclasses.replace(board, page_lines=[lines[one] for one in newest]).with_details()
    edition = edition_of(board.release, [entries[one] for one in newest])
    slug, site = board.release.slug, settings.SITE_URL
    address = f"{site}{reverse('board-feed', args=[slug])}{filters}"
    about = summary_of(dataclasses.replace(board, filters=filters))
    feed = DatedFeed(
        title=f"New entries: {board.release.title}",
        link=f"{site}{reverse('board', args=[slug])}{filters}",
        feed_url=address,
        feed_guid=address,
        description="",
        subtitle=about,
        author_name="∞Bench",
        author_link=site,
        language="en",
    )
    for row in board_rows(shown):
        entry = row.line.entry
        address = f"{site}{reverse('entry', args=[entry.id])}"
        published, scored = times[entry.id], edition.scoring_of(entry).finished
        feed.add_item(
            title=entry.title,
            link=address,
            unique_id=f"urn:uuid:{entry.submission}" if entry.submission else address,
            description=escape(_sentence(row)),
            pubdate=published,
            updateddate=max(filter(None, (published, scored))),
            categories=[str(row.mark.title)],
        )
    return feed.writeString("utf-8")


def _sentence(row: Row) -> str:
    cell = row.cells[0]
    score = cell.text or cell.note
    interval = f" ({cell.interval})" if cell.interval else ""
    about = (f"{cell.column.title}: {score}{interval}", row.about, row.mark.title)
    return " · ".join(map(str, filter(None, about)))
