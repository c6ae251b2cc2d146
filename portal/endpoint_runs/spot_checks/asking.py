"""Asking the questions of a spot check a few at a time, so that it ends as soon as it is decided.

Nothing here uses the database.
"""

from collections.abc import Iterable, Mapping, Sequence

from portal.endpoint_runs.outbound import outbound_policy
from scoring.endpoint.questions import ReleaseQuestion
from scoring.endpoint.run.records import Ended, Failed, Sent
from scoring.endpoint.run.runner import Run, RunEnd, RunState
from scoring.endpoint.settings import RunSettings
from scoring.endpoint.transport.outbound import guarded_endpoint
from scoring.keys import Key

Answers = Mapping[tuple[str, Key | None], Ended]  # by task and key


class _Batch:
    """The book of a few questions, kept in memory."""

    def __init__(self, questions: Iterable[ReleaseQuestion]) -> None:
        self.answers: dict[tuple[str, Key | None], Ended] = {}
        self._questions = iter(questions)

    async def next(self) -> ReleaseQuestion | None:
        return next(self._questions, None)

    async def reserve(self, sent: Sent) -> bool:
        return True

    async def fail(self, failed: Failed, *, is_free: bool) -> None:
        """Nothing to note: the question is tried again, or ends."""

    async def end(self, ended: Ended) -> None:
        self.answers[ended.task, ended.key] = ended


async def ask_batch(
    settings: RunSettings, key: str, questions: Sequence[ReleaseQuestion]
) -> tuple[RunEnd, Answers]:
    """How it ended, and the answers by then. Raises ``EndpointError`` if the address may not be
    used. The endpoint has already answered the connection test."""
    batch = _Batch(questions)
    async with guarded_endpoint(settings, key, outbound_policy()) as endpoint:
        run = Run(settings, endpoint, batch, RunState(len(questions), 0), has_answered=True)
        return await run.ask_all(), batch.answers
