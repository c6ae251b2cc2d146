"""The connection test of a run: what its endpoint does, kept with the run."""

import asyncio

from django.db.models.functions import Now

from portal.endpoint_runs.keys import EndpointKeyError, decrypt_key, host_of
from portal.endpoint_runs.outbound import outbound_policy
from portal.models import EndpointRun
from scoring.endpoint.budget import NOTHING_SPENT
from scoring.endpoint.connection import try_connection
from scoring.endpoint.connection_report import (
    ConnectionReport,
    State,
    Step,
    StepName,
    report_document,
)
from scoring.endpoint.settings import RunSettings, settings_of


def run_connection_test(run: EndpointRun) -> None:
    """Takes up to five minutes. A report on settings or a key that were changed meanwhile is not
    kept. Raises ``SettingsError`` where the settings cannot be read."""
    report = _report_on(run, settings_of(run.settings))
    unchanged = EndpointRun.objects.filter(pk=run.pk, settings=run.settings, key=run.key)
    unchanged.update(connection=report_document(report), connection_at=Now())


def _report_on(run: EndpointRun, settings: RunSettings) -> ConnectionReport:
    try:
        host = host_of(settings.url)
        key = decrypt_key(run.key, run_id=run.pk, host=host) if run.key else ""
    except EndpointKeyError:
        unknown = {name: Step(name, State.UNKNOWN, "not_tried") for name in StepName}
        failed = {StepName.KEY: Step(StepName.KEY, State.FAILS, "key_unreadable")}
        return ConnectionReport(tuple((unknown | failed).values()), NOTHING_SPENT, 0.0)
    return asyncio.run(try_connection(settings, key, outbound_policy()))
