"""The reference endpoint, called as OpenAI's clients call it."""

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

from portal.demo.openai_behaviour import Behaviour
from portal.demo.openai_server import Model
from portal.management.commands.reference_endpoint import Command, name_of
from tests.support.paths import ROOT
from tests.support.reference_server import local_endpoint


class Reply(NamedTuple):
    status: int
    text: str
    kind: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Endpoint:
    def __init__(self, line: str) -> None:
        """``line``: what it prints when it listens."""
        self.line = line
        self.port = int(line.rpartition(":")[2].removesuffix("/v1"))
        self.model = line.partition(" ")[0]
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def ask(self, path: str, fields: object = None, **headers: str) -> Reply:
        body = None if fields is None else json.dumps(fields)
        return self.send("GET" if body is None else "POST", path, body, headers)

    def send(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with closing(connection):
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            kind = answer.headers.get_content_type()
            return Reply(answer.status, answer.read().decode(), kind)


class EndpointProcess(Endpoint):
    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        super().__init__(process.stdout.readline().strip())
        self.process = process


@contextmanager
def served(*arguments: str) -> Iterator[EndpointProcess]:
    """Started without a site: it needs neither settings nor a database."""
    command = [sys.executable, "manage.py", "reference_endpoint", "--port", "0", *arguments]
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    with subprocess.Popen(command, cwd=ROOT, env=kept, stdout=-1, text=True) as process:
        try:
            yield EndpointProcess(process)
        finally:
            process.terminate()


@contextmanager
def served_here(*arguments: str) -> Iterator[Endpoint]:
    """The same in a thread of this process, which starts a second faster."""
    parser = Command().create_parser("manage.py", "reference_endpoint")
    options = parser.parse_args(arguments)
    model = Model(
        options.name or name_of(options.window),
        options.window,
        options.over,
        options.key,
        options.delay,
    )
    behaviour = Behaviour(
        canned=options.canned, latency=options.latency, faults=options.faults, log=options.log
    )
    with local_endpoint(model, behaviour) as local:
        yield Endpoint(f"{model.name} listens at {local.url}")
    if behaviour._log:
        behaviour._log.close()
