"""The protocol between the two sides of the box: the job, the first line back, the exit code."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from typing import Any, BinaryIO, Literal, NamedTuple

from scoring.limits import MIB
from scoring.sandbox.lockdown import Wall

Stage = Literal["read", "score", "probe"]


class Exit(IntEnum):
    """How the scorer in the box ends; any other code, and any signal, is a crash."""

    DONE = 0
    CRASHED = 40
    NOT_LOCKED = 41  # a wall could not be built; nothing was read
    MEMORY = 42
    DISK = 43
    OUTPUT_LARGE = 44
    INPUT_INVALID = 45  # the other stage's output is invalid
    LABELS_INVALID = 46
    BROKEN_OUT = 47  # only of a probe: a shell could be started, and said this


@dataclass(frozen=True, slots=True)
class BoxLimits:
    memory: int = 1024 * MIB  # address space, bytes
    cpu: int = 60  # seconds of processor time
    wall: float = 150.0  # seconds by the clock: on a busy machine, more than those
    output: int = 512 * MIB  # each file, bytes


LIMITS = BoxLimits()


@dataclass(frozen=True, slots=True)
class Job:
    """Inputs and outputs are the numbers of open descriptors: the box has no files of its own."""

    stage: Stage
    limits: BoxLimits
    walls: tuple[Wall, ...]  # to be built
    required: tuple[Wall, ...]  # without which nothing is read
    inputs: Mapping[str, int]  # by name
    outputs: Mapping[str, int]  # by name
    parent: int | None = None  # without this process the box ends
    options: Mapping[str, Any] = field(default_factory=dict)  # the stage's own

    def to_json(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_json(cls, raw: bytes) -> "Job":
        values = json.loads(raw)
        limits = BoxLimits(**values.pop("limits"))
        return cls(limits=limits, **values)


class Streams(NamedTuple):
    """The open files of a stage, and its job."""

    inputs: Mapping[str, BinaryIO]
    outputs: Mapping[str, BinaryIO]
    options: Mapping[str, Any]

    def close(self) -> None:
        """Flush buffers. Raises ``OSError`` if the disk is full."""
        for stream in self.outputs.values():
            stream.flush()
