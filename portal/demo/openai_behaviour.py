"""How the reference endpoint behaves besides reading: answers given in advance, the time of a
model, faults on purpose, and a log of what it was asked.

Latencies and faults are drawn from the question and how often it was asked before, so that runs
that ask the same see the same.
"""

import hashlib
import json
import math
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Lock
from typing import Any, TextIO

STATUSES = {"400": 400, "401": 401, "403": 403, "429": 429, "500": 500, "503": 503}
CHANGED_ANSWERS: dict[str, dict[str, Any]] = {
    "empty": {"text": ""},
    "refused": {"text": "", "finish": "content_filter"},
    "cut": {"finish": "length"},
    "reasoning": {"reasoning": "The question is read, and the text is searched for it."},
}


def question_hash(prompt: str) -> str:
    """Identifies a question in the log. ``prompt``: all messages, joined by blank lines."""
    return hashlib.sha256(prompt.encode(errors="replace")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Latency:
    """Log-normal, as latencies of models are: many near the median, and a long tail."""

    mean: float  # seconds
    sigma: float = 0.5  # of the logarithm

    def draw(self, random: Random) -> float:
        return random.lognormvariate(math.log(self.mean) - self.sigma**2 / 2, self.sigma)


@dataclass(slots=True)
class Asked:
    """One request for one answer."""

    question: str
    attempt: int  # from 1
    fault: str  # empty: none
    latency: float  # seconds
    canned: str | None
    since: float = field(default_factory=time.time)
    ended: str = "answered"  # or the fault, or the error while it was answered


class Behaviour:
    """``canned``: answers by the hash of the question; the one under an empty hash is for all other
    questions. ``faults``: each with its share of all requests. The log is JSON Lines, one for each
    request, written when it has ended."""

    def __init__(
        self,
        *,
        canned: Mapping[str, str] | None = None,
        latency: Latency | None = None,
        faults: Mapping[str, float] | None = None,
        log: Path | None = None,
    ) -> None:
        self._canned = canned or {}
        self._latency = latency
        self._faults = faults or {}
        self._log: TextIO | None = log.open("a", encoding="utf-8") if log else None
        self._attempts: Counter[str] = Counter()
        self._lock = Lock()

    def ask(self, prompt: str) -> Asked:
        question = question_hash(prompt)
        with self._lock:
            self._attempts[question] += 1
            attempt = self._attempts[question]
        random = Random(f"{question} {attempt}")  # noqa: S311 - repeatable
        draw, fault = random.random(), ""
        for name, share in self._faults.items():
            if draw < share:
                fault = name
                break
            draw -= share
        latency = self._latency.draw(random) if self._latency else 0.0
        canned = self._canned.get(question, self._canned.get(""))
        return Asked(question, attempt, fault, latency, canned)

    def note(self, asked: Asked) -> None:
        if self._log is None:
            return
        line = {
            "question": asked.question,
            "attempt": asked.attempt,
            "ended": asked.ended,
            "latency": round(asked.latency, 6),
            "from": asked.since,
            "to": time.time(),
        }
        with self._lock:
            self._log.write(f"{json.dumps(line)}\n")
            self._log.flush()


def read_canned(file: Path) -> dict[str, str]:
    """Read JSON Lines with ``question``, a hash or an empty text for all others, and ``answer``.

    Raises ``ValueError`` for a line without them.
    """
    canned = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            question, answer = row["question"], row["answer"]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{file}, line {number}: no question and answer.") from error
        canned[str(question)] = str(answer)
    return canned
