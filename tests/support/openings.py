"""Time that passes without waiting: all moments that are to come move into the past instead."""

from datetime import UTC, datetime, timedelta

from django.db.models import F

from portal.models import Submission

WEEK = timedelta(days=7)
LATER = datetime(2199, 1, 1, tzinfo=UTC)  # of what is sealed whenever a test runs


def let_pass(time: timedelta) -> None:
    """For whoever asks, that much of the time until an opening or the end of an anonymity is over.

    The clock is the database's, so it cannot be set; what it is compared with can. Nothing of what
    is cached is told.
    """
    Submission.objects.update(
        publish_on=F("publish_on") - time, anonymous_until=F("anonymous_until") - time
    )
