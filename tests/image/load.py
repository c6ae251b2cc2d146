"""A light load on the composed site, and what it was promised: uploads by a program that asks again
until it has an answer, and reads by a visitor."""

import http.client
import io
import json
import secrets
import ssl
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from math import inf
from pathlib import Path
from random import Random
from typing import Any, Self

from tests.image.stack import Stack
from tests.support.releases import build_release
from tests.support.worlds import write_rows

PATIENCE = 30.0  # seconds that a page may take, whatever happens; then it hangs
PAGES = (
    "/", "/board/small/", "/api/v1/entries/?release=small", "/releases/small/passkey.jsonl",
    "/examples/small/passkey/", "/healthz",
)  # fmt: skip
_TRUST_ALL = ssl._create_unverified_context()
_TOKEN = """
from portal.accounts.tokens import create_token
from portal.models import Role, User
user = User.objects.create_user({name!r}, role=Role.ADMIN)
print(create_token(user, "load", ["read", "submit"], 1).text)
"""
_STATE = """
import hashlib, json
from portal.models import Submission
found = {}
for one in Submission.objects.filter(owner__username__in=%r):
    original = one.files.get().original
    with original.file.open() as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    found[str(one.pk)] = {
        "sha256": digest,
        "evaluations": [
            {"state": e.state, "attempt": e.attempt, "failure": e.failure,
             "scores": e.task_scores.count(), "results": e.example_results.count()}
            for e in one.evaluations.all()
        ],
    }
print(json.dumps(found))
"""
OWNERS = ("load-1", "load-2")
SLOW_EVERY = 10  # uploads: one of them takes seconds to score
_WORDS = ("a", "be", "see", "dear", "eagle", "forest")
SLOW_WORDS = 100_000  # in each answer


@dataclass(frozen=True, slots=True)
class Answer:
    status: int  # 0: none came
    seconds: float
    body: bytes = b""
    at: float = field(default_factory=time.monotonic)  # when it came

    @property
    def is_well(self) -> bool:
        """Or the visitor was told to come more slowly."""
        return self.status in (200, 429)


def ask(
    stack: Stack,
    path: str,
    *,
    method: str = "GET",
    headers: Mapping[str, str] = {},
    body: bytes | None = None,
) -> Answer:
    begun = time.monotonic()
    connection = http.client.HTTPSConnection(
        "localhost", stack.port, timeout=PATIENCE, context=_TRUST_ALL
    )
    try:
        connection.request(method, path, body, dict(headers))
        response = connection.getresponse()
        found, status = response.read(), response.status
    except (OSError, http.client.HTTPException):
        return Answer(0, time.monotonic() - begun)
    finally:
        connection.close()
    return Answer(status, time.monotonic() - begun, found)


def shell(stack: Stack, code: str) -> str:
    """What the code prints in the container of the web process."""
    done = stack.inside("web", "/app/docker/entry.sh", "shell", "--verbosity", "0", "-c", code)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def import_releases(stack: Stack, folder: Path) -> None:
    """What is uploaded to: one that is scored at once, and one that takes seconds."""
    small = build_release(folder / "small", examples=5, tokens=2_000)
    stack.manage("import_release", "--slug", "small", "--title", "Small", given=small)
    rows = [{"id": key, "answer": ["the forest", "an eagle"]} for key in range(5)]
    write_rows(folder / "slow" / "longbook_qa_eng.jsonl", rows)
    stack.manage("import_release", "--slug", "slow", "--title", "Slow", given=folder / "slow")


def upload_of(number: int, *, slow: bool) -> bytes:
    """An archive that no other is equal to."""
    if slow:
        random = Random(number)
        words = (" ".join(random.choices(_WORDS, k=SLOW_WORDS)) for _ in range(5))
        rows = [{"id": key, "prediction": text} for key, text in enumerate(words)]
        files = {"preds_longbook_qa_eng.jsonl": rows}
    else:
        text = f"The pass key is {10_000 + number}."
        rows = [{"id": key, "prediction": text} for key in range(5)]
        files = {"preds_passkey.jsonl": rows, "preds_math_find.jsonl": rows}
    return packed({name: "\n".join(map(json.dumps, lines)) for name, lines in files.items()})


def packed(files: Mapping[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return stream.getvalue()


def form_of(archive: bytes, release: str) -> tuple[str, bytes]:
    """The type and the body of a request, of a model of its own."""
    boundary = secrets.token_hex(16)
    fields = {
        "release": release,
        "language_model": "new",
        "model-name": f"Model {boundary}",
        "model-weights": "open",
    }
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    head = 'Content-Disposition: form-data; name="predictions"; filename="predictions.zip"'
    parts.append(f"--{boundary}\r\n{head}\r\n\r\n".encode() + archive)
    parts.append(f"\r\n--{boundary}--\r\n".encode())
    return f"multipart/form-data; boundary={boundary}", b"".join(parts)


@dataclass
class Load:
    """From the start of the block to its end. Uploads and reads go on whatever is answered."""

    stack: Stack
    tokens: tuple[str, ...]
    uploads_each_second: float = 0.35
    reads_each_second: float = 2.0
    accepted: dict[str, str] = field(default_factory=dict)  # hash by submission
    wrong: list[str] = field(default_factory=list)  # answers that no second try can change
    reads: list[tuple[str, Answer]] = field(default_factory=list)
    _done: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)
    _number: Iterator[int] = field(default_factory=lambda: iter(range(1_000_000)))

    def __enter__(self) -> Self:
        for act in (self.upload_some, self.upload_some, *[self.read_some] * 4):
            self._threads.append(threading.Thread(target=act, daemon=True))
            self._threads[-1].start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()

    def upload_some(self) -> None:
        self._at_a_rate(self.uploads_each_second / 2, self.upload)

    def read_some(self) -> None:
        self._at_a_rate(self.reads_each_second / 4, self.read)

    def _at_a_rate(self, each_second: float, act: Callable[[int], object]) -> None:
        while not self._done.is_set():
            due = time.monotonic() + 1 / each_second
            act(next(self._number))
            self._done.wait(max(0, due - time.monotonic()))

    def upload(self, number: int, *, slow: bool | None = None) -> str:
        """The same request until it is accepted, as the command does; the submission's id, and
        nothing where the load has ended first."""
        is_slow = number % SLOW_EVERY == 0 if slow is None else slow
        archive = upload_of(number, slow=is_slow)
        kind, body = form_of(archive, "slow" if is_slow else "small")
        headers = {
            "Authorization": f"Bearer {self.tokens[number % len(self.tokens)]}",
            "Content-Type": kind,
            "Idempotency-Key": secrets.token_hex(16),
        }
        while True:
            answer = ask(
                self.stack, "/api/v1/submissions/", method="POST", headers=headers, body=body
            )
            if answer.status in (200, 201, 202):
                found: str = json.loads(answer.body)["id"]
                self.accepted[found] = sha256(archive).hexdigest()
                return found
            if answer.status not in (0, 408, 429) and answer.status < 500:
                self.wrong.append(f"{answer.status} {answer.body.decode()[:300]}")
                return ""
            if self._done.wait(1) and slow is None:
                return ""

    def read(self, number: int) -> None:
        page = PAGES[number % len(PAGES)]
        self.reads.append((page, ask(self.stack, page)))

    def longest_silence(self) -> float:
        """Seconds between two reads that were answered well."""
        times = sorted(answer.at for _, answer in self.reads if answer.is_well)
        return max((later - earlier for earlier, later in pairwise(times)), default=inf)

    def states(self) -> dict[str, Any]:
        """By submission of ours: the hash of what is stored, and its evaluations."""
        found: dict[str, Any] = json.loads(shell(self.stack, _STATE % (OWNERS,)))
        return found


def tokens_for(stack: Stack) -> tuple[str, ...]:
    """Of people without a quota."""
    return tuple(shell(stack, _TOKEN.format(name=name)).strip() for name in OWNERS)
