"""The reference endpoint in this process, so that a test can change what it does."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any, NamedTuple

from portal.demo.openai_behaviour import Asked, Behaviour
from portal.demo.openai_server import Model, ReferenceServer


class Answering(Behaviour):
    """Answers with a function of the prompt and of how often it was sent, counted from 1. Where
    that returns None, it reads the prompt as usual."""

    def __init__(self, answer: Callable[[str, int], str | None], **more: Any) -> None:
        super().__init__(**more)
        self._answer = answer

    def ask(self, prompt: str) -> Asked:
        asked = super().ask(prompt)
        asked.canned = self._answer(prompt, asked.attempt)
        return asked


class Local(NamedTuple):
    url: str
    port: int


@contextmanager
def local_endpoint(model: Model, behaviour: Behaviour | None = None) -> Iterator[Local]:
    server = ReferenceServer(("127.0.0.1", 0), model, behaviour)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        port = server.server_address[1]
        yield Local(f"http://127.0.0.1:{port}/v1", port)
    finally:
        server.shutdown()
        server.finish()
        thread.join()
