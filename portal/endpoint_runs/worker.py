"""What a worker of endpoint runs does: runs and connection tests, side by side.

Its open requests are shared out evenly to the accounts that have runs here, and the share of an
account to its runs. A run that joins may use its share at once, however long the others' endpoints
take to answer: they send nothing more until they are within theirs. So a worker has at most
``RUN_WIDTH`` open requests, and for a while more where runs have joined one after the other
(``RUN_WIDTH`` × (1 + 1/2 + 1/3 + …)).
"""

import asyncio
import logging
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import TypeVar

from django.conf import settings as site
from django.db import connection

from portal.endpoint_runs.asking.book import DatabaseThread
from portal.endpoint_runs.asking.connection import claim_connection_test, run_connection_test
from portal.endpoint_runs.asking.slices import (
    LeaseLostError,
    claim_slice,
    claimable_slices,
)
from portal.endpoint_runs.asking.turns import Turn
from portal.models import EndpointRun

_LOOK = 1.0  # seconds between two looks for runs that have become due
_TESTS = 4  # connection tests at once, of an account one

log = logging.getLogger(__name__)
_Key = TypeVar("_Key", bound=Hashable)


def work(is_stopping: Callable[[], bool]) -> None:
    """Returns when nothing is left to do, or the worker is stopping. Raises ``DatabaseError`` if
    the database is unreachable: then all leases expire."""
    asyncio.run(_Worker(is_stopping).work())


class _Worker:
    def __init__(self, is_stopping: Callable[[], bool]) -> None:
        self._is_stopping = is_stopping
        self._turns: dict[asyncio.Task[None], Turn] = {}
        self._tests: dict[asyncio.Task[None], EndpointRun] = {}

    async def work(self) -> None:
        async with DatabaseThread() as database, asyncio.TaskGroup() as tasks:
            while True:
                if not self._is_stopping():
                    await self._start_tests(database, tasks)
                    await self._start_turns(database, tasks)
                self._share_out()
                at_work = {*self._turns, *self._tests}
                if not at_work:
                    return
                done, _ = await asyncio.wait(
                    at_work, timeout=_LOOK, return_when=asyncio.FIRST_COMPLETED
                )
                for task in done:
                    self._turns.pop(task, None)
                    self._tests.pop(task, None)

    async def _start_turns(self, database: DatabaseThread, tasks: asyncio.TaskGroup) -> None:
        """An account has at most half of the places, so it cannot fill the worker. Where a run
        waits all the same, one that had its turn makes way."""
        while True:
            runs = {turn.claim.lease.run_id for turn in self._turns.values()}
            by_owner = Counter(turn.claim.owner for turn in self._turns.values())
            most = max(1, site.RUNS_AT_ONCE // 2)
            full = [owner for owner, count in by_owner.items() if count >= most]
            claim = None
            if len(runs) < site.RUNS_AT_ONCE:
                claim = await database.do(partial(claim_slice, runs, full))
            if claim is None:
                break
            turn = Turn(claim, self._is_stopping)
            self._turns[tasks.create_task(_take(turn, database))] = turn
            self._share_out()
        if waiting := await database.do(claimable_slices(runs).select_related("run").first):
            self._make_way_for(waiting.run.owner_id, by_owner)

    def _make_way_for(self, account: int, by_owner: Counter[int]) -> None:
        """One run at a time, of an account that has more, or of the same."""
        had_turn = [
            turn
            for turn in self._turns.values()
            if time.monotonic() - turn.begun > site.RUN_TURN
            and (by_owner[turn.claim.owner] > by_owner[account] or turn.claim.owner == account)
        ]
        if had_turn and not any(turn.makes_way for turn in self._turns.values()):
            first = max(had_turn, key=lambda turn: (by_owner[turn.claim.owner], -turn.begun))
            first.makes_way = True

    async def _start_tests(self, database: DatabaseThread, tasks: asyncio.TaskGroup) -> None:
        while len(self._tests) < _TESTS:
            owners = {run.owner_id for run in self._tests.values()}
            run = await database.do(partial(claim_connection_test, owners))
            if run is None:
                return
            self._tests[tasks.create_task(asyncio.to_thread(_test, run))] = run

    def _share_out(self) -> None:
        wanted: dict[int, dict[Turn, int]] = defaultdict(dict)
        for turn in self._turns.values():
            most = turn.places.taken if turn.is_over else turn.claim.width
            wanted[turn.claim.owner][turn] = most
        of_accounts = {owner: sum(turns.values()) for owner, turns in wanted.items()}
        for owner, share in fair_shares(site.RUN_WIDTH, of_accounts).items():
            for turn, count in fair_shares(share, wanted[owner]).items():
                turn.places.resize(count)


def fair_shares(total: int, wanted: Mapping[_Key, int]) -> dict[_Key, int]:
    """Nobody gets more than is wanted; what they leave goes to the others. Everybody gets one."""
    shares: dict[_Key, int] = {}
    for key in sorted(wanted, key=lambda key: wanted[key]):
        even = (total - sum(shares.values())) // (len(wanted) - len(shares))
        shares[key] = max(1, min(wanted[key], even))
    return shares


async def _take(turn: Turn, database: DatabaseThread) -> None:
    """Raises nothing: one run does not end the others."""
    lease = turn.claim.lease
    about = {"run": str(lease.run_id)}
    log.info("slice %s: %s at once", lease.number, turn.claim.width, extra=about)
    try:
        await turn.ask(database)
    except LeaseLostError:
        log.warning("slice %s was given to another worker", lease.number, extra=about)
    except Exception:
        log.exception("slice %s is left until its lease expires", lease.number, extra=about)
    else:
        log.info("slice %s is given back", lease.number, extra=about)


def _test(run: EndpointRun) -> None:
    """In a thread of its own. Raises nothing."""
    try:
        run_connection_test(run)
    except Exception:
        log.exception("a connection test has failed", extra={"run": str(run.pk)})
    finally:
        connection.close()
