"""How many runs a person or a team may have running at once and start in a day. A run for a team
counts for both, as uploads do."""

from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.db.models.functions import Now

from portal.errors import QuotaError
from portal.models import EndpointRun, Team, User
from portal.models.endpoint_run import EndpointRunQuerySet

_DAY = timedelta(days=1)


class RunsLeft(NamedTuple):
    team: Team | None  # None: the person
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


def runs_left(user: User, team: Team | None) -> list[RunsLeft]:
    """Of all that a run by this user counts for: the person, and the team if there is one."""
    own = _left(EndpointRun.objects.owned_by(user), None)
    return [own, runs_left_of_team(team)] if team else [own]


def runs_left_of_team(team: Team) -> RunsLeft:
    return _left(EndpointRun.objects.filter(team=team), team)


def _left(runs: EndpointRunQuerySet, team: Team | None) -> RunsLeft:
    return RunsLeft(team, runs.running().count(), runs.filter(started__gt=Now() - _DAY).count())


def check_at_once(user: User, team: Team | None) -> None:
    """Called under the locks of the person and the team, so that of two concurrent starts the
    second sees the first. Raises ``QuotaError``."""
    for left in runs_left(user, team):
        if not left.now:
            message = (
                "The team already has %(count)s runs that are running: pause one, or wait."
                if left.team
                else "You already have %(count)s runs that are running: pause one, or wait."
            )
            raise QuotaError(None, message, "too_many_runs", count=left.running)


def check_day(user: User, team: Team | None) -> None:
    """Every run becomes a submission, however few its questions. Raises ``QuotaError``."""
    for left in runs_left(user, team):
        if not left.today:
            message = (
                "The team has started %(count)s runs in 24 hours, which is as many as possible."
                if left.team
                else "You have started %(count)s runs in 24 hours, which is as many as possible."
            )
            raise QuotaError(None, message, "too_many_runs_today", count=left.started)
