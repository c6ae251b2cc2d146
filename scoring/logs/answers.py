"""The contents of a log: answers by task, and what was left out."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from scoring.keys import Key, canonical_key
from scoring.limits import MIB, Budget, LimitError, Limits
from scoring.predictions.json_rows import CHUNK, JsonError, check_text
from scoring.predictions.json_stream import LEFT_OUT

# For files of one's own: of any size, but with no more of a row in memory than a few of its copies.
LOG_LIMITS = Limits(
    bytes_in=1 << 62,
    bytes_out=1 << 62,
    ratio=1 << 40,
    entries=1_000_000,
    lines=5_000_000,
    record=128 * MIB,
    record_kept=8 * MIB,
    structure=8 * MIB,
    tokens=1 << 62,
    items=1 << 62,
    kept=512 * MIB,
)
_LONGEST_KEY = 200  # characters, as in prediction files


class LogError(ValueError):
    """A log cannot be used; the message is a sentence for the reader."""


class Answer(NamedTuple):
    key: Key
    text: str | None  # None: the model gave none


@dataclass(slots=True)
class Log:
    """``lost``: a code of ``LOSSES`` → how many."""

    file: str
    tool: str
    task: str
    answers: list[Answer] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)
    budget: Budget = field(default_factory=lambda: Budget(LOG_LIMITS))  # of several in one file

    def add(self, key: object, text: object) -> None:
        """Raises ``LogError`` if answers would take more memory than allowed."""
        usable = usable_key(key)
        if usable is None:
            self.lost["id_unusable"] += 1
            return
        answer = text if isinstance(text, str) else None
        if answer is None:
            self.lost["no_answer"] += 1
        elif answer == LEFT_OUT:
            self.lost["answer_too_long"] += 1
            answer = None
        else:
            try:
                check_text(answer)
            except JsonError:
                self.lost["answer_broken"] += 1
                answer = None
        try:
            self.budget.take_text(answer)
        except LimitError as error:
            raise LogError(f"{self.file} has more than {error.limit} MiB of answers.") from error
        self.answers.append(Answer(usable, answer))


def chunks_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            yield chunk


def usable_key(key: object) -> Key | None:
    found = canonical_key(key)
    if isinstance(found, str) and not (len(found) <= _LONGEST_KEY and found.isprintable()):
        return None
    return found


class Loss(NamedTuple):
    """What is lost, in the singular and the plural."""

    one: str
    many: str


LOSSES = {
    "epochs": Loss(
        "answer of a later epoch: the first one of each sample counts",
        "answers of later epochs: the first one of each sample counts",
    ),
    "trials": Loss(
        "answer of another trial, reference or perturbation: the first plain one counts",
        "answers of other trials, references or perturbations: the first plain one counts",
    ),
    "no_answer": Loss(
        "sample without an answer, as after an error: it counts as missing",
        "samples without an answer, as after an error: they count as missing",
    ),
    "answer_too_long": Loss(
        "answer of more than 1 MiB: it counts as missing",
        "answers of more than 1 MiB: they count as missing",
    ),
    "answer_broken": Loss(
        "answer with NUL or half a character: it counts as missing",
        "answers with NUL or half a character: they count as missing",
    ),
    "answer_elsewhere": Loss(
        "answer that is stored apart from its sample: it counts as missing",
        "answers that are stored apart from their samples: they count as missing",
    ),
    "id_unusable": Loss("sample without a usable id", "samples without a usable id"),
    "task_unknown": Loss(
        "sample that belongs to no task of ∞Bench", "samples that belong to no task of ∞Bench"
    ),
    "sample_broken": Loss(
        "sample that is damaged or too large", "samples that are damaged or too large"
    ),
}
