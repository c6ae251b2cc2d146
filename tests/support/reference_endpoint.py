"""The reference endpoint as a process of its own, asked as OpenAI's clients ask."""

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

from tests.support.paths import ROOT


class Reply(NamedTuple):
    status: int
    text: str
    kind: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Endpoint:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.process = process
        self.line = process.stdout.readline().strip()
        self.port = int(self.line.rpartition(":")[2].removesuffix("/v1"))
        self.model = self.line.partition(" ")[0]
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


@contextmanager
def served(*arguments: str) -> Iterator[Endpoint]:
    """Without a site: neither its settings nor its database."""
    command = [sys.executable, "manage.py", "reference_endpoint", "--port", "0", *arguments]
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    with subprocess.Popen(command, cwd=ROOT, env=kept, stdout=-1, text=True) as process:
        try:
            yield Endpoint(process)
        finally:
            process.terminate()
