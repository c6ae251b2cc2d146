"""The same requests as those of an endpoint run, by nothing but the HTTP library: what this machine
can do at best. ``python -m tests.bench.bare_loop URL MODEL RELEASE CONCURRENCY``."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2

from scoring.endpoint.prompts import prompt_for
from scoring.endpoint.questions import read_questions
from scoring.endpoint.settings import RunSettings
from scoring.endpoint.transport.wire import request_body


async def ask_all(url: str, bodies: Iterator[bytes], concurrency: int) -> None:
    limits = httpx2.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)

    async def work(client: httpx2.AsyncClient) -> None:
        for body in bodies:
            async with client.stream("POST", f"{url}/chat/completions", content=body) as answer:
                async for _ in answer.aiter_raw():
                    pass

    async with httpx2.AsyncClient(limits=limits, timeout=None, trust_env=False) as client:
        await asyncio.gather(*(work(client) for _ in range(concurrency)))


if __name__ == "__main__":
    url, model, release, concurrency = sys.argv[1:]
    settings = RunSettings(url, model, window=160_000)
    questions = read_questions(Path(release), ["passkey"])
    prepared = [request_body(settings, prompt_for(question, settings)) for question in questions]
    asyncio.run(ask_all(url, iter(prepared), int(concurrency)))
