"""What a connection test has found, as pages show it."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from portal.endpoint_runs.configuration.connection_sentences import STATES, TITLES, step_sentence
from portal.models import EndpointRun, RunState
from scoring.endpoint.connection.report import ConnectionReport, read_report

_NOT_TRIED = "not_tried"


class StepRow(NamedTuple):
    name: str
    title: str
    state: str
    state_title: str
    code: str
    sentence: str
    detail: str  # what the endpoint said


@dataclass(frozen=True, slots=True)
class Connection:
    is_waiting: bool  # for a report that was asked for
    report: ConnectionReport | None
    # Why there will be no report: no worker began the test, or the one that did was lost.
    lost: Literal["", "not begun", "broken off"] = ""

    @property
    def rows(self) -> list[StepRow]:
        steps = self.report.steps if self.report else ()
        return [
            StepRow(
                step.name, TITLES[step.name], step.state.name.lower(), STATES[step.state],
                step.code, step_sentence(step), step.detail,
            )
            for step in steps
        ]  # fmt: skip

    @property
    def tried(self) -> list[StepRow]:
        return [row for row in self.rows if row.code != _NOT_TRIED]

    @property
    def untried(self) -> list[StepRow]:
        """Steps that make no sense before the others work; one line lists them."""
        return [row for row in self.rows if row.code == _NOT_TRIED]

    @property
    def seconds_each(self) -> float | None:
        """The duration of a request; None: none was measured."""
        return self.report.seconds if self.report else None


def connection_of(run: EndpointRun) -> Connection:
    if run.connection:
        return Connection(False, read_report(run.connection))
    if run.connection_at is None or run.state != RunState.DRAFT:
        return Connection(False, None)
    if EndpointRun.objects.under_test().filter(pk=run.pk).exists():
        return Connection(True, None)
    return Connection(False, None, "broken off" if run.connection_until else "not begun")
