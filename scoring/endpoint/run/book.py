"""What a run still has to ask, what it may spend, and what has come back: one book for all who
ask.

The command has one to itself, kept as records in a file; the workers of the site share one in the
database.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from scoring.endpoint.budget import Budget, believed
from scoring.endpoint.questions import ReleaseQuestion
from scoring.endpoint.run.records import Ended, Failed, Sent, Store
from scoring.endpoint.transport.failures import Kind
from scoring.keys import Key


class Book(Protocol):
    """No crash loses what has been entered."""

    async def next(self) -> ReleaseQuestion | None:
        """A question that nobody else gets; None where there is none to be asked now."""

    async def reserve(self, sent: Sent) -> bool:
        """Enter a request before it leaves, with what is reserved for it. False: it may not leave
        before another one has ended. Raises ``CapReachedError``, and ``BrokenError`` where the run
        is not going on."""

    async def fail(self, failed: Failed, *, is_free: bool) -> None:
        """Enter that the request gave no answer; the book knows what was spent on it."""

    async def end(self, ended: Ended) -> None:
        """Enter how the question has ended. If a request is open for it, ``spent`` is what the
        endpoint has reported, if it has."""


class FileBook:
    """The book of a run with one process."""

    def __init__(self, store: Store, budget: Budget, questions: Iterable[ReleaseQuestion]) -> None:
        self._store = store
        self._budget = budget
        self._questions = iter(questions)
        self._tickets: dict[tuple[str, Key], int] = {}

    async def next(self) -> ReleaseQuestion | None:
        return next(self._questions, None)

    async def reserve(self, sent: Sent) -> bool:
        if self._budget.must_wait:
            return False
        self._tickets[sent.task, sent.key] = self._budget.reserve(sent.input, sent.output)
        self._store.append(sent)
        return True

    async def fail(self, failed: Failed, *, is_free: bool) -> None:
        ticket = self._tickets.pop((failed.task, failed.key))
        if failed.kind == Kind.KEY:  # the same request is sent again with the right one
            self._budget.cancel(ticket)
        else:
            failed = replace(failed, spent=self._budget.settle(ticket, is_free=is_free))
        self._store.append(failed)

    async def end(self, ended: Ended) -> None:
        ticket = self._tickets.pop((ended.task, ended.key), None)
        if ticket is not None:
            said = ended.spent if ended.reported else None
            reported = believed(self._budget.reserved(ticket), said)
            spent = self._budget.settle(ticket, reported)
            ended = replace(ended, spent=spent, reported=reported is not None)
            if reported is None:
                self._budget.assume_own_count()
        self._store.append(ended)
