"""The book of a run in the database, which all of the run's workers share.

Each worker writes its entries in one extra thread. Entries that arrive during a write are committed
together in the next, a short transaction under the lock of the run's row. So caps and reservations
are exact, however many workers ask.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Self, TypeVar

from django.conf import settings as site
from django.db import DataError, InterfaceError, OperationalError, connection
from django.db.models import BigIntegerField, F, Func, QuerySet, Sum
from django.db.models.functions import Now

from portal.endpoint_runs.asking.slices import Lease, locked_run, note_cap
from portal.endpoint_runs.asking.spending import (
    counts_of,
    held_by,
    hold,
    let_go,
    note_answer,
    save_counts,
    settle,
    spent_by,
)
from portal.endpoint_runs.questions import release_question
from portal.models import EndpointRun, QuestionState, RunFailure, RunQuestion, RunState
from scoring.endpoint.budget import (
    CapReachedError,
    Spent,
    believed,
    check_room,
    needs_ratio,
    spent_on,
)
from scoring.endpoint.questions import ReleaseQuestion
from scoring.endpoint.run.records import ANSWERS, Ended, Failed, Sent
from scoring.endpoint.settings import RunSettings
from scoring.endpoint.transport.failures import Kind
from scoring.endpoint.transport.pacing import BrokenError
from scoring.keys import Key
from scoring.limits import MIB

_TAKEN = 4  # questions at a time
_RETRY = 0.5  # seconds between two attempts to reach the database

log = logging.getLogger(__name__)
_Found = TypeVar("_Found")
Entry = Callable[[EndpointRun], object]  # called with the locked run


class DatabaseThread:
    """Works with the database in one thread, on a connection of its own."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="database")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, _disconnect)
        self._thread.shutdown()

    async def do(self, work: Callable[[], _Found]) -> _Found:
        """Raises what the work raises; ``DatabaseError`` if the database stays unreachable."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, retry_database, work)


class RunBook(DatabaseThread):
    """``settings`` are those of the whole run, not of the slice."""

    def __init__(self, lease: Lease, settings: RunSettings) -> None:
        super().__init__()
        self._lease = lease
        self._settings = settings
        self._entries: list[tuple[Entry, asyncio.Future[object]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._ahead: deque[ReleaseQuestion] = deque()
        self._rows: dict[tuple[str, Key], int] = {}  # primary keys of the questions taken
        self._held: dict[tuple[str, Key], Spent] = {}  # by requests in flight
        # Bytes of all answers known to this worker, its own included. None: not known yet.
        self._stored: int | None = None

    # scoring.endpoint.run.book.Book

    async def next(self) -> ReleaseQuestion | None:
        if not self._ahead:
            for row in await self._enter(self._take):
                question = release_question(row.example)
                self._rows[question.task, question.key] = row.pk
                self._ahead.append(question)
        return self._ahead.popleft() if self._ahead else None

    async def reserve(self, sent: Sent) -> bool:
        wanted = Spent(1, sent.input, 0, sent.output)
        may_leave = await self._enter(lambda run: self._reserve(run, sent, wanted))
        if may_leave:
            self._held[sent.task, sent.key] = wanted
        return may_leave

    async def fail(self, failed: Failed, *, is_free: bool) -> None:
        held = self._held[failed.task, failed.key]
        await self._enter(lambda run: self._fail(run, failed, held, is_free=is_free))
        del self._held[failed.task, failed.key]

    async def end(self, ended: Ended) -> None:
        held = self._held.get((ended.task, ended.key))
        await self._enter(lambda run: self._end(run, ended, held))
        self._held.pop((ended.task, ended.key), None)

    # Writing entries

    async def _enter(self, entry: Callable[[EndpointRun], _Found]) -> _Found:
        """Raises what the entry raises, and ``LeaseLostError``."""
        written: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._entries.append((entry, written))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_entries())
        found: _Found = await written  # type: ignore[assignment]  # what this entry returns
        return found

    async def _write_entries(self) -> None:
        while self._entries:
            batch, self._entries = self._entries, []
            results = await self._write([entry for entry, _ in batch])
            for (_, written), result in zip(batch, results, strict=True):
                if written.done():  # cancelled: nobody waits for it
                    continue
                if isinstance(result, Exception):
                    written.set_exception(result)
                else:
                    written.set_result(result)

    async def _write(self, entries: Sequence[Entry]) -> list[object]:
        """What they return, or the errors they raise. If PostgreSQL refuses the data of one, they
        are written one by one, so that the others are not lost with it."""
        try:
            return await self.do(lambda: self._commit(entries))
        except DataError as error:
            if len(entries) == 1:
                return [error]
            return [result for entry in entries for result in await self._write([entry])]
        except Exception as error:
            return [error] * len(entries)

    def _commit(self, entries: Sequence[Entry]) -> list[object]:
        """May run again when the first commit's outcome is unknown, so each entry checks what is
        already stored."""
        results: list[object] = []
        with locked_run(self._lease) as run:
            before = counts_of(run)
            for entry in entries:
                try:
                    results.append(entry(run))
                except CapReachedError as error:
                    note_cap(run, error.code, str(error))
                    results.append(error)
                except BrokenError as error:
                    results.append(error)
            if counts_of(run) != before:
                save_counts(run)
        return results

    # Entries

    def _take(self, run: EndpointRun) -> list[RunQuestion]:
        if self._stored is None:
            self._stored = stored_bytes(run)
        if run.state != RunState.RUNNING or run.ending:
            return []
        waiting = RunQuestion.objects.waiting().filter(run=run)
        rows = list(waiting.select_related("example__context", "example__data_set")[:_TAKEN])
        RunQuestion.objects.filter(pk__in=[row.pk for row in rows]).update(
            state=QuestionState.TAKEN, slice=self._lease.number, fence=self._lease.fence
        )
        return rows

    def _reserve(self, run: EndpointRun, sent: Sent, wanted: Spent) -> bool:
        if run.state != RunState.RUNNING or run.ending:
            raise BrokenError("The run is not going on.", "")
        row = self._row(sent)
        caps, held = self._settings.caps, held_by(run)
        is_measured = run.ratio is not None or not needs_ratio(caps)
        if held.requests >= self._settings.concurrency or (held.requests and not is_measured):
            return _is_reserved(row)
        try:
            check_room(caps, self._settings.prices, spent_by(run), held + wanted, run.ratio or 1.0)
        except CapReachedError:
            if _is_reserved(row):
                return True
            raise
        is_new = row.filter(reserved_input=None).update(
            attempts=F("attempts") + 1,
            reserved_input=wanted.input,
            reserved_output=wanted.output,
        )
        if is_new:
            hold(run, wanted)
        return True

    def _fail(self, run: EndpointRun, failed: Failed, held: Spent, *, is_free: bool) -> None:
        row = self._row(failed).exclude(reserved_input=None)
        if not row.update(reserved_input=None, reserved_output=None):
            return
        if failed.kind == Kind.KEY:  # the same request is sent again with the right key
            let_go(run, held)
        else:
            settle(run, held, is_free=is_free)
        RunFailure.objects.create(
            run_id=run.pk,
            question_id=self._rows[failed.task, failed.key],
            attempt=failed.attempt,
            kind=failed.kind,
            detail=storable(failed.detail),
        )

    def _end(self, run: EndpointRun, ended: Ended, held: Spent | None) -> None:
        said = ended.spent if ended.reported else None
        reported = believed(held, said) if held else said
        texts = [storable(each) for each in (ended.text, ended.whole_text, ended.reasoning)]
        text, whole_text, reasoning = texts
        row = self._row(ended).filter(reserved_input__isnull=held is None)
        spent = spent_on(held, reported, run.ratio or 1.0) if held else ended.spent
        is_new = row.update(
            state=QuestionState.ENDED,
            slice=None,
            fence=None,
            reserved_input=None,
            reserved_output=None,
            outcome=ended.outcome,
            text=text,
            whole_text=whole_text,
            reasoning=reasoning,
            finish=storable(ended.finish),
            detail=storable(ended.detail),
            counted=ended.counted,
            estimated=ended.estimated,
            input_tokens=spent.input,
            cached_tokens=spent.cached,
            output_tokens=spent.output,
            reported=reported is not None,
            seconds=ended.seconds,
            first_token=ended.first_token,
            sight=ended.sight or "",
            lost=ended.lost,
            ended_at=Now(),
        )
        if is_new and held:
            settle(run, held, reported)
        if is_new and ended.outcome in ANSWERS:
            note_answer(run)
        if is_new:
            self._count_bytes(run, sum(len(each.encode()) for each in texts))

    def _count_bytes(self, run: EndpointRun, size: int) -> None:
        """The run ends once it has stored as much as a person may upload in a day. Workers that
        ask at the same time see each other's answers only at their next turn."""
        self._stored = (self._stored or 0) + size
        if self._stored > site.DAILY_BYTES and run.state == RunState.RUNNING and not run.ending:
            most = site.DAILY_BYTES // MIB
            note_cap(run, "bytes", f"The answers of a run may have {most:,} MB together.")

    def _row(self, record: Sent | Failed | Ended) -> QuerySet[RunQuestion]:
        """The question, as long as this worker holds it."""
        row = RunQuestion.objects.filter(pk=self._rows[record.task, record.key])
        return row.taken().filter(slice=self._lease.number, fence=self._lease.fence)


def _is_reserved(row: QuerySet[RunQuestion]) -> bool:
    """Whether an earlier attempt at the same entry was committed."""
    return row.exclude(reserved_input=None).exists()


def stored_bytes(run: EndpointRun) -> int:
    """The size of all answers, measured by the database: no text is read."""
    sizes = [
        Func(F(name), function="octet_length", output_field=BigIntegerField())
        for name in ("text", "whole_text", "reasoning")
    ]
    total = RunQuestion.objects.filter(run=run).aggregate(total=Sum(sizes[0] + sizes[1] + sizes[2]))
    return total["total"] or 0


def storable(text: str) -> str:
    """The text as PostgreSQL accepts it: without NUL and lone surrogates."""
    return text.encode(errors="replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


def _disconnect() -> None:
    """For the thread that calls it: each has a connection of its own."""
    connection.close()


def retry_database(work: Callable[[], _Found]) -> _Found:
    """Retry for as long as a lease lasts: no answer shall be lost because the database restarts."""
    deadline = time.monotonic() + site.LEASE
    while True:
        try:
            return work()
        except (OperationalError, InterfaceError) as error:
            connection.close()
            if time.monotonic() > deadline:
                raise
            log.warning("the database is tried again: %s", type(error).__name__)
            time.sleep(_RETRY)
