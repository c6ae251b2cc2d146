"""What the test of a connection has found, as pages show it."""

from dataclasses import dataclass
from typing import NamedTuple

from django.utils.functional import Promise

from portal.endpoint_runs.connection_sentences import STATES, TITLES, step_sentence
from portal.models import EndpointRun
from scoring.endpoint.connection_report import ConnectionReport, read_report


class StepRow(NamedTuple):
    title: str | Promise
    state: str
    state_title: str | Promise
    code: str
    sentence: str
    detail: str  # what the endpoint said


@dataclass(frozen=True, slots=True)
class Connection:
    is_waiting: bool  # for a report that was asked for
    report: ConnectionReport | None

    @property
    def rows(self) -> list[StepRow]:
        steps = self.report.steps if self.report else ()
        return [
            StepRow(
                TITLES[step.name], step.state.name.lower(), STATES[step.state], step.code,
                step_sentence(step), step.detail,
            )
            for step in steps
        ]  # fmt: skip

    @property
    def seconds_each(self) -> float | None:
        """Of a measured request; None: none was."""
        return self.report.seconds if self.report else None


def connection_of(run: EndpointRun) -> Connection:
    report = read_report(run.connection) if run.connection else None
    return Connection(report is None and run.connection_at is not None, report)
