"""What a run writes down: before each request, and when it has ended. Nothing is ever changed.

The command keeps records as JSON Lines. After a crash the last line may be a part of one: it is
cut off, and what was in flight then counts as spent.
"""

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, Self

from scoring.endpoint.budget import NOTHING_SPENT, Spent, ratio_of
from scoring.endpoint.prompts import Sight
from scoring.keys import Key


class Outcome(StrEnum):
    ANSWERED = "answered"
    EMPTY = "empty"
    REFUSED = "refused"
    CUT = "cut at the output limit"
    ENDPOINT_FAILED = "failed by the endpoint"
    OUR_FAILURE = "failed by us"
    SKIPPED = "skipped"  # the settings leave it out


# Of the model: these are never asked again, and the answers to be scored.
ANSWERS = frozenset({Outcome.ANSWERED, Outcome.EMPTY, Outcome.REFUSED, Outcome.CUT})


@dataclass(frozen=True, slots=True)
class Started:
    """The run was started or resumed."""

    questions: str  # the hash of all of the release
    at: float  # seconds since 1970


@dataclass(frozen=True, slots=True)
class Sent:
    """Written before a request leaves, with what is reserved for it."""

    task: str
    key: Key
    attempt: int
    input: int
    output: int
    at: float


@dataclass(frozen=True, slots=True)
class Failed:
    """An attempt that gave no answer."""

    task: str
    key: Key
    attempt: int
    kind: str
    detail: str  # of the endpoint, without the key
    spent: Spent
    at: float


@dataclass(frozen=True, slots=True)
class Ended:
    """How a question ended, with the answer if there is one."""

    task: str
    key: Key
    outcome: Outcome
    text: str  # to be scored
    at: float
    whole_text: str = ""  # where only the end of the answer is scored
    reasoning: str = ""
    finish: str = ""
    detail: str = ""  # why there is no answer
    attempts: int = 0
    counted: int = 0  # tokens of the prompt, by us
    estimated: bool = False
    spent: Spent = NOTHING_SPENT  # on the last attempt
    reported: bool = False  # whether the endpoint has told the tokens
    seconds: float | None = None
    first_token: float | None = None  # seconds, where the answer came as a stream
    sight: Sight | None = None
    lost: tuple[int, int] | None = None


Record = Started | Sent | Failed | Ended
_KINDS: dict[str, type[Started] | type[Sent] | type[Failed] | type[Ended]] = {
    "started": Started,
    "sent": Sent,
    "failed": Failed,
    "ended": Ended,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


class Store(Protocol):
    """Where records are kept. No crash loses a record once ``append`` has returned."""

    def append(self, record: Record) -> None: ...

    def read(self) -> Iterable[Record]: ...


@dataclass(frozen=True, slots=True)
class History:
    """What a run's records say about it."""

    ended: dict[tuple[str, Key], Ended]  # the last of each question
    spent: Spent  # requests whose end is not known with their reservation
    questions: str = ""  # the hash of those it was started with; empty: it was not
    ratio: float | None = None  # the largest of reported to counted tokens; None: no answer yet

    def is_settled(self, task: str, key: Key) -> bool:
        """Whether the question need not be asked again."""
        last = self.ended.get((task, key))
        return last is not None and (last.outcome in ANSWERS or last.outcome is Outcome.SKIPPED)


def history_of(records: Iterable[Record]) -> History:
    ended: dict[tuple[str, Key], Ended] = {}
    in_flight: dict[tuple[str, Key], Spent] = {}
    lost: Spent = NOTHING_SPENT
    spent, questions, ratio = NOTHING_SPENT, "", None
    for record in records:
        if isinstance(record, Started):
            questions = record.questions
            continue
        name = (record.task, record.key)
        if isinstance(record, Sent):
            lost += in_flight.pop(name, NOTHING_SPENT)  # of a run that was killed
            in_flight[name] = Spent(1, record.input, 0, record.output)
        elif name in in_flight:  # else the attempt has failed, and then the question
            reserved = in_flight.pop(name)
            spent += record.spent
            if isinstance(record, Ended):
                measured = ratio_of(reserved, record.spent) if record.reported else 1.0
                ratio = max(ratio or 1.0, measured)
        if isinstance(record, Ended):
            ended[name] = record
    lost = sum(in_flight.values(), lost)
    return History(ended, spent + lost.scaled(ratio or 1.0), questions, ratio)


class RunInUseError(Exception):
    """Another process is writing to this run."""


class DamagedRunError(Exception):
    """The file holds something that no run has written."""


class JsonLines:
    """A store in one file, locked while it is open. Raises ``RunInUseError``."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._handle)
            raise RunInUseError(f"{file} is being written by another run.") from error
        self._cut_off_half_a_line()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)

    def append(self, record: Record) -> None:
        """Raises ``OSError`` with the name of the file; then no part of the record is in it."""
        document = {"record": _NAMES[type(record)], **asdict(record)}
        line = f"{json.dumps(document, ensure_ascii=False)}\n".encode(errors="replace")
        size = os.fstat(self._handle).st_size
        try:
            while line:  # a full disk may take a part; the rest raises
                line = line[os.write(self._handle, line) :]
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._handle, size)
            raise OSError(error.errno, error.strerror, str(self._file)) from error

    def read(self) -> Iterator[Record]:
        """Raises ``DamagedRunError`` with the number of a line that is no record."""
        with self._file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    yield _record(json.loads(line))
                except (ValueError, KeyError, TypeError) as error:
                    message = f"{self._file}, line {number}: this is no record of a run."
                    raise DamagedRunError(message) from error

    def _cut_off_half_a_line(self) -> None:
        data = self._file.read_bytes()
        if data and not data.endswith(b"\n"):
            os.ftruncate(self._handle, data.rfind(b"\n") + 1)


def _record(document: dict[str, Any]) -> Record:
    kind = _KINDS[document.pop("record")]
    if "spent" in document:
        document["spent"] = Spent(**document["spent"])
    if kind is Ended:
        document["outcome"] = Outcome(document["outcome"])
        document["sight"] = Sight(document["sight"]) if document["sight"] else None
        document["lost"] = tuple(document["lost"]) if document["lost"] else None
    return kind(**document)
