"""A worker's turn with a slice of a run: it asks until nothing is left, the run stops, or it has
to make way for another run."""

import asyncio
import logging
import time
from asyncio import FIRST_COMPLETED
from collections.abc import Callable
from dataclasses import replace
from math import inf

from django.conf import settings as site
from django.db import DatabaseError, InterfaceError
from django.db.models import Count, Max, Min
from django.db.models.functions import Now

from portal.endpoint_runs.asking.book import DatabaseThread, RunBook
from portal.endpoint_runs.asking.slices import (
    Claim,
    LeaseLostError,
    announce,
    give_back,
    renew,
)
from portal.endpoint_runs.keys import EndpointKeyError, decrypt_key, host_of
from portal.endpoint_runs.outbound import outbound_policy
from portal.endpoint_runs.questions import settings_of_run
from portal.models import EndpointRun, RunFailure
from scoring.endpoint.run.records import ANSWERS
from scoring.endpoint.run.runner import PATIENCE, End, Run, RunEnd, RunState
from scoring.endpoint.settings import RunSettings, SettingsError
from scoring.endpoint.transport.failures import RULES, EndpointError
from scoring.endpoint.transport.outbound import guarded_endpoint
from scoring.endpoint.transport.pacing import Places, Silence

_GIVEN_BACK = RunEnd(End.PAUSED)  # without a code: it says nothing about the run
_RETRIED = [kind for kind, rule in RULES.items() if rule.is_retried]
_LOOK = 1.0  # seconds between two checks of the run, at most

log = logging.getLogger(__name__)


class Turn:
    """``places`` are as many as its share of the worker's open requests."""

    def __init__(self, claim: Claim, is_stopping: Callable[[], bool]) -> None:
        self.claim = claim
        self.begun = time.monotonic()
        self.places = Places(claim.width)
        self.makes_way = False
        self._is_stopping = is_stopping
        self._engine: Run | None = None

    @property
    def is_over(self) -> bool:
        """Whether it only waits for answers."""
        return self.makes_way or (self._engine is not None and self._engine.end is not None)

    async def ask(self, database: DatabaseThread) -> None:
        """Ask, and give the slice back. Raises ``LeaseLostError``, and ``DatabaseError`` if the
        database stays unreachable: then the lease expires."""
        try:
            end = await self._ask(*await database.do(self._prepare))
        except (LeaseLostError, DatabaseError, InterfaceError):
            raise
        except EndpointKeyError:
            end = RunEnd(End.PAUSED, "", "no_key")
        except EndpointError as error:
            end = RunEnd(End.PAUSED, str(error), error.kind)
        except SettingsError as error:
            end = RunEnd(End.PAUSED, str(error), "our_fault")
        except Exception as error:  # else every next worker would fail in the same way
            log.exception("asking has failed", extra={"run": str(self.claim.lease.run_id)})
            end = RunEnd(End.PAUSED, type(error).__name__, "our_fault")
        await database.do(lambda: give_back(self.claim, end))

    def _prepare(self) -> tuple[EndpointRun, RunSettings, str, Silence]:
        run = EndpointRun.objects.get(pk=self.claim.lease.run_id)
        settings = settings_of_run(run)
        host = host_of(settings.url)
        key = decrypt_key(run.key, run_id=run.pk, host=host) if run.key else ""
        return run, settings, key, silence_of(run)

    async def _ask(
        self, run: EndpointRun, settings: RunSettings, key: str, silence: Silence
    ) -> RunEnd:
        part = _part_of(settings, self.claim.width)
        async with (
            RunBook(self.claim.lease, settings) as book,
            guarded_endpoint(part, key, outbound_policy()) as endpoint,
        ):
            engine = self._engine = Run(
                part,
                endpoint,
                book,
                RunState(0, 0),
                patience=PATIENCE._replace(seconds=site.RUN_SILENCE),
                places=self.places,
                has_answered=run.answered,
                seconds_before=self.claim.seconds,
                silence=silence,
            )
            asking = asyncio.create_task(engine.ask_all())
            watching = asyncio.create_task(self._watch(engine, book))
            try:
                done, _ = await asyncio.wait({asking, watching}, return_when=FIRST_COMPLETED)
            finally:
                asking.cancel()
                watching.cancel()
                await asyncio.gather(asking, watching, return_exceptions=True)
            for task in done:
                task.result()  # raises the task's exception
            return engine.end or RunEnd(End.FINISHED)

    async def _watch(self, engine: Run, book: RunBook) -> None:
        """Renew the lease, and stop the engine when there is a reason to. What is in flight then
        is still answered within its timeout, since a lost answer costs money; only if the worker
        or the run is being stopped this returns after seconds. Raises ``LeaseLostError``."""
        deadline = inf
        is_announced = False
        while time.monotonic() < deadline:
            await asyncio.sleep(min(site.HEARTBEAT, _LOOK))
            seen = await book.do(lambda: renew(self.claim))
            if engine.end and not is_announced:
                end, is_announced = engine.end, True
                await book.do(lambda end=end: announce(self.claim, end))  # type: ignore[misc]
            if self._is_stopping() or seen.is_stopped:
                engine.stop(_GIVEN_BACK)
                deadline = min(deadline, time.monotonic() + site.RUN_GRACE)
            elif self.makes_way or not seen.is_going_on:
                engine.stop(_GIVEN_BACK)


def silence_of(run: EndpointRun) -> Silence:
    """Of all workers of the run together: one turn may be too short to see that every request
    fails."""
    answers = run.questions.filter(outcome__in=ANSWERS).order_by()
    last = answers.aggregate(last=Max("ended_at"))["last"]
    since = max(filter(None, (last, run.resumed)))
    failed = RunFailure.objects.filter(run=run, kind__in=_RETRIED, at__gt=since)
    found = failed.aggregate(n=Count("pk"), time=Now() - Min("at"))
    return Silence(found["n"], found["time"].total_seconds() if found["n"] else 0.0)


def _part_of(settings: RunSettings, width: int) -> RunSettings:
    """The settings of a slice, with its share of the rate."""
    rate = settings.requests_per_minute
    if rate is not None:
        total = min(settings.concurrency, site.RUN_CONCURRENCY)
        rate = max(1, rate * width // max(width, total))
    timeout = min(settings.timeout, site.RUN_TIMEOUT)
    return replace(settings, concurrency=width, requests_per_minute=rate, timeout=timeout)
