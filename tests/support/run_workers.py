"""Workers of endpoint runs in the test's own process, and endpoints without a network."""

import asyncio
from collections.abc import Awaitable, Callable
from threading import Thread
from typing import Any

from django.db import connection

from portal.endpoint_runs.asking.book import RunBook
from portal.endpoint_runs.asking.slices import (
    Claim,
    claim_slice,
    give_back,
)
from portal.endpoint_runs.questions import settings_of_run
from portal.endpoint_runs.worker import work
from portal.models import EndpointRun
from scoring.endpoint.budget import Spent
from scoring.endpoint.questions import ReleaseQuestion
from scoring.endpoint.run.records import Ended, Failed, Outcome, Sent
from scoring.endpoint.run.runner import Run, RunEnd
from scoring.endpoint.run.runner import RunState as Progress
from scoring.endpoint.transport.client import Exchange
from scoring.endpoint.transport.wire import Reply

COUNT = 24
NOWHERE = ("http://127.0.0.1:9/v1", "model")


def ask() -> None:
    """Do what a worker does when it gets a message."""
    work(lambda: False)


def claimed() -> Claim:
    claim = claim_slice()
    assert claim
    return claim


def apart(work: Callable[[], None]) -> Thread:
    """Run it in a thread, with a database connection of its own."""

    def do() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = Thread(target=do)
    thread.start()
    return thread


def now(run: EndpointRun) -> EndpointRun:
    return EndpointRun.objects.get(pk=run.pk)


class Scripted:
    """Answers what a function says, of the tokens that were counted for the request."""

    def __init__(self, script: Callable[[], Awaitable[Reply]]) -> None:
        self._script = script

    async def ask(self, body: bytes, output_tokens: int) -> Exchange:
        return Exchange(await self._script(), 0.5)


def reply(text: str = "42", usage: Spent | None = None) -> Reply:
    return Reply(text, "", "stop", is_refused=False, usage=usage)


async def answering_at_once() -> Reply:
    return reply()


def ask_together(run: EndpointRun, workers: int, script: Callable[[], Awaitable[Reply]]) -> None:
    """Several workers at once on the book in the database."""
    settings = settings_of_run(run)

    async def work(claim: Claim) -> RunEnd:
        async with RunBook(claim.lease, settings) as book:
            return await Run(settings, Scripted(script), book, Progress(0, 0)).ask_all()

    async def all_of_them(claims: list[Claim]) -> list[RunEnd]:
        return await asyncio.gather(*map(work, claims))

    claims = [claimed() for _ in range(workers)]
    for claim, end in zip(claims, asyncio.run(all_of_them(claims)), strict=True):
        give_back(claim, end)


def entries(claim: Claim, run: EndpointRun) -> RunBook:
    return RunBook(claim.lease, settings_of_run(run))


def sent(question: ReleaseQuestion, tokens: int = 100) -> Sent:
    return Sent(question.task, question.key, 1, tokens, 10, 0.0)


def ended(question: ReleaseQuestion, text: str = "42", **more: Any) -> Ended:
    return Ended(question.task, question.key, Outcome.ANSWERED, text, 0.0, **more)


def failed(question: ReleaseQuestion) -> Failed:
    return Failed(question.task, question.key, 1, "busy", "\0", Spent(), 0.0)


async def taken(book: RunBook) -> ReleaseQuestion:
    question = await book.next()
    assert question
    return question
