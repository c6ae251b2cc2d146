"""The connection test of a run: how its endpoint behaves, stored with the run.

The row is the job: a message that is delivered twice tests once, and a test whose worker was lost
is over when it would have ended. Only its author starts it again, since it costs them money.
"""

import asyncio
from collections.abc import Collection
from datetime import timedelta

from django.db.models.functions import Now

from portal.endpoint_runs.keys import EndpointKeyError, decrypt_key, host_of
from portal.endpoint_runs.outbound import outbound_policy
from portal.models import EndpointRun, RunState
from scoring.endpoint.budget import NOTHING_SPENT
from scoring.endpoint.connection.check import MOST_SECONDS, try_connection
from scoring.endpoint.connection.report import (
    ConnectionReport,
    State,
    Step,
    StepName,
    report_document,
)
from scoring.endpoint.settings import RunSettings, settings_of

_LONGEST = timedelta(seconds=MOST_SECONDS + 30)


def claim_connection_test(not_of: Collection[int] = ()) -> EndpointRun | None:
    """The test that has waited longest, of other accounts than these; None if none waits."""
    drafts = EndpointRun.objects.filter(state=RunState.DRAFT, connection__isnull=True)
    waiting = drafts.filter(connection_at__isnull=False, connection_until=None)
    for run in waiting.exclude(owner__in=not_of).order_by("connection_at"):
        if waiting.filter(pk=run.pk).update(connection_until=Now() + _LONGEST):
            return EndpointRun.objects.get(pk=run.pk)
    return None


def run_connection_test(run: EndpointRun) -> None:
    """Takes up to five minutes. The report is dropped if the settings or the key were changed
    meanwhile. Raises ``SettingsError`` if the settings cannot be read."""
    report = _report_on(run, settings_of(run.settings))
    unchanged = EndpointRun.objects.filter(pk=run.pk, settings=run.settings, key=run.key)
    unchanged.update(connection=report_document(report), connection_at=Now(), connection_until=None)


def _report_on(run: EndpointRun, settings: RunSettings) -> ConnectionReport:
    try:
        host = host_of(settings.url)
        key = decrypt_key(run.key, run_id=run.pk, host=host) if run.key else ""
    except EndpointKeyError:
        unknown = {name: Step(name, State.UNKNOWN, "not_tried") for name in StepName}
        failed = {StepName.KEY: Step(StepName.KEY, State.FAILS, "key_unreadable")}
        return ConnectionReport(tuple((unknown | failed).values()), NOTHING_SPENT, 0.0)
    return asyncio.run(try_connection(settings, key, outbound_policy()))
