"""What locust does: 40 reads and one upload a second, whether or not earlier ones were answered.

Before that the load grows, for the ``WARM_UP`` seconds that are not counted. It runs in an
environment of its own, without the site's packages. ``LOAD`` names the folder with ``load.json``,
into which the times are written as ``times.json``.
"""

import json
import os
import random
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from uuid import uuid4

import gevent
from locust import FastHttpUser, constant, events, task

FOLDER = Path(os.environ["LOAD"])
WARM_UP = float(os.environ["WARM_UP"])
KNOWN = json.loads((FOLDER / "load.json").read_text())
READS, UPLOADS = 40, 1  # a second
WEIGHTS = {  # of kinds of pages; the others 2
    "board": 6, "entry": 6, "example": 4, "search": 1, "comparison": 1,
}  # fmt: skip
_begun = time.monotonic()
_times: list[tuple[str, float, str]] = []  # name, milliseconds, what went wrong


class Open(FastHttpUser):  # type: ignore[misc]
    """One greenlet for each request."""

    wait_time = constant(0)
    concurrency = 1_000
    connection_timeout = network_timeout = 60.0

    def each(self, rate: float, action: Callable[[], None]) -> None:
        due = time.monotonic()
        while True:
            share = min(1.0, (due - _begun + 1) / (WARM_UP + 1))  # of the full load
            due += 1 / (rate * share)
            gevent.sleep(max(0.0, due - time.monotonic()))
            gevent.spawn(action)

    def headers(self) -> dict[str, str]:
        """Of a reader of their own, as a proxy would say: the site counts by address."""
        address = f"198.51.{random.randrange(256)}.{random.randrange(256)}"
        return {"X-Forwarded-For": address, "X-Forwarded-Proto": "https"}


class Readers(Open):
    fixed_count = 1

    @task  # type: ignore[untyped-decorator]
    def read(self) -> None:
        kinds = list(KNOWN["reads"])
        weights = [WEIGHTS.get(kind, 2) for kind in kinds]

        def one() -> None:
            [kind] = random.choices(kinds, weights)
            address = random.choice(KNOWN["reads"][kind])
            with self.client.get(
                address, name=kind, headers=self.headers(), catch_response=True
            ) as answer:
                if answer.status_code == 200:
                    answer.success()
                else:
                    answer.failure(f"{answer.status_code} {address}")

        self.each(READS, one)


class Authors(Open):
    fixed_count = 1

    @task  # type: ignore[untyped-decorator]
    def submit(self) -> None:
        authors = cycle(KNOWN["authors"])

        def one() -> None:
            author = next(authors)
            boundary = uuid4().hex
            headers = {
                **self.headers(),
                "Authorization": f"Bearer {author['token']}",
                "Idempotency-Key": str(uuid4()),
                "Content-Type": f"multipart/form-data; boundary={boundary}",
            }
            fields = {"release": KNOWN["release"], "language_model": author["model"]}
            with self.client.post(
                "/api/v1/submissions/",
                name="upload",
                data=multipart(boundary, fields, predictions()),
                headers=headers,
                catch_response=True,
            ) as answer:
                if answer.status_code == 201:
                    answer.success()
                else:
                    answer.failure(f"{answer.status_code} {answer.text}"[:300])

        self.each(UPLOADS, one)


def predictions() -> bytes:
    """No two files are the same."""
    rows = (
        {"id": index, "prediction": f"The pass key is {random.randrange(10**5):05}."}
        for index in range(KNOWN["examples"])
    )
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def multipart(boundary: str, fields: dict[str, str], file: bytes) -> bytes:
    head = 'Content-Disposition: form-data; name="{}"'
    parts = [f"{head.format(name)}\r\n\r\n{value}".encode() for name, value in fields.items()]
    name = head.format("predictions") + f'; filename="preds_{KNOWN["task"]}.jsonl"'
    parts.append(f"{name}\r\nContent-Type: application/jsonl\r\n\r\n".encode() + file)
    mark = f"--{boundary}\r\n".encode()
    return b"".join(mark + part + b"\r\n" for part in parts) + f"--{boundary}--\r\n".encode()


@events.request.add_listener  # type: ignore[untyped-decorator]
def count(
    name: str, response_time: float, exception: BaseException | None = None, **_: object
) -> None:
    if time.monotonic() > _begun + WARM_UP:
        _times.append((name, response_time, str(exception) if exception else ""))


@events.quitting.add_listener  # type: ignore[untyped-decorator]
def write(**_: object) -> None:
    (FOLDER / "times.json").write_text(json.dumps(_times))
