"""The newest decisions as an Atom feed (RFC 4287), each with the hash of its ledger entry, so that
whoever keeps the feed can check the ledger against it. Attempts are left out: they tell nothing
while they are closed."""

from datetime import UTC, datetime

from django.conf import settings
from django.urls import reverse
from django.utils.html import escape

from leaderboard.board.exports.feed import DatedFeed
from leaderboard.ledger.filters import LedgerFilter
from leaderboard.ledger.queries import LedgerRow, read_page
from portal.ledger.chain import head_document
from portal.models import LedgerEntry


def ledger_feed() -> str:
    site, head = settings.SITE_URL, head_document()
    page, address = f"{site}{reverse('ledger')}", f"{site}{reverse('ledger-feed')}"
    feed = DatedFeed(
        title="Decisions about entries of ∞Bench",
        link=page,
        feed_url=address,
        feed_guid=address,
        description="",
        subtitle="Newest entry of the ledger: %(number)s, %(day)s, %(hash)s"
        % {name: value or "–" for name, value in head.items()},
        author_name="∞Bench",
        author_link=site,
        language="en",
    )
    for row in read_page(LedgerFilter(LedgerEntry.Kind.DECISION)).rows:
        if row.decision is None:  # its publication was undone
            continue
        number = row.entry.number
        link = f"{page}?before={number + 1}"
        day = datetime.fromisoformat(row.public["day"]).replace(tzinfo=UTC)
        feed.add_item(
            title=f"{_subject(row)}: {row.decision.get_kind_display()}",
            link=link,
            unique_id=link,
            description=escape(_sentence(row)),
            pubdate=day,
            updateddate=day,
        )
    return feed.writeString("utf-8")


def _subject(row: LedgerRow) -> str:
    return ", ".join(entry.title for entry in row.entries)


def _sentence(row: LedgerRow) -> str:
    about = (row.content.get("reason", ""), f"{row.entry.number}:{row.entry.hash}")
    return " · ".join(filter(None, about))
