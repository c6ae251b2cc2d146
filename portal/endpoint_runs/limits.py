"""How many runs a person may have running at once and start in a day."""

from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.db.models.functions import Now

from portal.errors import QuotaError
from portal.models import EndpointRun, User

_DAY = timedelta(days=1)


class RunsLeft(NamedTuple):
    running: int
    started: int  # in 24 hours

    @property
    def now(self) -> int:
        return max(0, self.most_at_once - self.running)

    @property
    def today(self) -> int:
        return max(0, self.most_a_day - self.started)

    @property
    def most_at_once(self) -> int:
        return settings.MAX_RUNS

    @property
    def most_a_day(self) -> int:
        return settings.MAX_DAILY_RUNS


def runs_left(user: User) -> RunsLeft:
    own = EndpointRun.objects.owned_by(user)
    return RunsLeft(own.running().count(), own.filter(started__gt=Now() - _DAY).count())


def check_at_once(user: User) -> None:
    """Called under the lock of the person, so that of two concurrent starts the second sees the
    first. Raises ``QuotaError``."""
    left = runs_left(user)
    if not left.now:
        message = "You already have %(count)s runs that are running: pause one, or wait."
        raise QuotaError(None, message, "too_many_runs", count=left.running)


def check_day(user: User) -> None:
    """Every run becomes a submission, however few its questions. Raises ``QuotaError``."""
    left = runs_left(user)
    if not left.today:
        message = "You have started %(count)s runs in 24 hours, which is as many as possible."
        raise QuotaError(None, message, "too_many_runs_today", count=left.started)
