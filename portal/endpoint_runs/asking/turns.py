"""A worker's turn with a slice of a run: it asks until nothing is left, the run stops, or another
run waits for a worker."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from math import inf

from django.conf import settings as site
from django.db import DatabaseError, InterfaceError
from django.db.models import Count, Max, Min
from django.db.models.functions import Now

from portal.endpoint_runs.asking.book import RunBook, retry_database
from portal.endpoint_runs.asking.slices import (
    Claim,
    LeaseLostError,
    announce,
    give_back,
    is_awaited,
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
from scoring.endpoint.transport.pacing import Silence

_GIVEN_BACK = RunEnd(End.PAUSED)  # without a code: it says nothing about the run
_RETRIED = [kind for kind, rule in RULES.items() if rule.is_retried]
_LOOK = 1.0  # seconds between two checks of the run, at most

log = logging.getLogger(__name__)


def ask_slice(claim: Claim, is_stopping: Callable[[], bool]) -> None:
    """Ask, and give the slice back. Raises ``LeaseLostError``, and ``DatabaseError`` if the
    database stays unreachable: then the lease expires."""
    run = EndpointRun.objects.get(pk=claim.lease.run_id)
    try:
        settings = settings_of_run(run)
        host = host_of(settings.url)
        key = decrypt_key(run.key, run_id=run.pk, host=host) if run.key else ""
        silence = silence_of(run)
        end = asyncio.run(_ask(run, settings, key, claim, silence, is_stopping=is_stopping))
    except (LeaseLostError, DatabaseError, InterfaceError):
        raise
    except EndpointKeyError:
        end = RunEnd(End.PAUSED, "", "no_key")
    except EndpointError as error:
        end = RunEnd(End.PAUSED, str(error), error.kind)
    except SettingsError as error:
        end = RunEnd(End.PAUSED, str(error), "our_fault")
    except Exception as error:  # else every next worker would fail in the same way
        log.exception("asking has failed", extra={"run": str(run.pk)})
        end = RunEnd(End.PAUSED, type(error).__name__, "our_fault")
    retry_database(lambda: give_back(claim, end))


def silence_of(run: EndpointRun) -> Silence:
    """Of all workers of the run together: one turn may be too short to see that every request
    fails."""
    answers = run.questions.filter(outcome__in=ANSWERS).order_by()
    last = answers.aggregate(last=Max("ended_at"))["last"]
    since = max(filter(None, (last, run.resumed)))
    failed = RunFailure.objects.filter(run=run, kind__in=_RETRIED, at__gt=since)
    found = failed.aggregate(n=Count("pk"), time=Now() - Min("at"))
    return Silence(found["n"], found["time"].total_seconds() if found["n"] else 0.0)


async def _ask(
    run: EndpointRun,
    settings: RunSettings,
    key: str,
    claim: Claim,
    silence: Silence,
    *,
    is_stopping: Callable[[], bool],
) -> RunEnd:
    part = _part_of(settings, claim.width)
    patience = PATIENCE._replace(seconds=site.RUN_SILENCE)
    async with (
        RunBook(claim.lease, settings) as book,
        guarded_endpoint(part, key, outbound_policy()) as endpoint,
    ):
        engine = Run(
            part,
            endpoint,
            book,
            RunState(0, 0),
            patience=patience,
            has_answered=run.answered,
            seconds_before=claim.seconds,
            silence=silence,
        )
        asking = asyncio.create_task(engine.ask_all())
        watching = asyncio.create_task(_watch(engine, book, claim, is_stopping))
        done, left = await asyncio.wait({asking, watching}, return_when=asyncio.FIRST_COMPLETED)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        for task in done:
            task.result()  # raises the task's exception
        return engine.end or RunEnd(End.FINISHED)


def _part_of(settings: RunSettings, width: int) -> RunSettings:
    """The settings of a slice, with its share of the rate."""
    rate = settings.requests_per_minute
    if rate is not None:
        total = min(settings.concurrency, site.RUN_CONCURRENCY)
        rate = max(1, rate * width // max(width, total))
    timeout = min(settings.timeout, site.RUN_TIMEOUT)
    return replace(settings, concurrency=width, requests_per_minute=rate, timeout=timeout)


async def _watch(engine: Run, book: RunBook, claim: Claim, is_stopping: Callable[[], bool]) -> None:
    """Renew the lease, and stop the engine when there is a reason to. Returns when the requests in
    flight have had their time: seconds if the worker or the run is being stopped, but a whole turn
    if the run pauses, ends by itself or makes way for others, since a lost answer costs money.
    Raises ``LeaseLostError``."""
    begun = time.monotonic()
    deadline = inf
    is_announced = False
    while time.monotonic() < deadline:
        await asyncio.sleep(min(site.HEARTBEAT, _LOOK))
        seen = await book.do(lambda: renew(claim))
        if engine.end and not is_announced:
            end, is_announced = engine.end, True
            await book.do(lambda end=end: announce(claim, end))  # type: ignore[misc]
        if is_stopping() or seen.is_stopped:
            engine.stop(_GIVEN_BACK)
            deadline = min(deadline, time.monotonic() + site.RUN_GRACE)
        elif not seen.is_going_on or (
            time.monotonic() - begun > site.RUN_TURN
            and await book.do(lambda: is_awaited(claim.lease))
        ):
            engine.stop(_GIVEN_BACK)
            deadline = min(deadline, time.monotonic() + site.RUN_TURN)
