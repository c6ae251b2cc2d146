"""Make time pass without waiting: scheduled times are moved closer instead."""

from datetime import UTC, datetime, timedelta

from django.db.models import F

from portal.models import Submission

WEEK = timedelta(days=7)
LATER = datetime(2199, 1, 1, tzinfo=UTC)  # still in the future whenever a test runs


def let_pass(time: timedelta) -> None:
    """Bring every opening closer by this much.

    The clock is the database's, so it cannot be set; the times it is compared with can. Caches are
    not told.
    """
    Submission.objects.update(publish_on=F("publish_on") - time)
