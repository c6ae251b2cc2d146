"""Predictions of real models as lines of COPY, for any number of entries."""

import json
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from portal.models import BLOCK_SIZE
from scoring.catalog import TASKS, Task
from tests.support.paths import DATA

_PLACE = "⟦number⟧"  # of a word of its own in every block
_WAYS = 40  # in which the predictions of a task begin
_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": ""})


class Block(NamedTuple):
    predictions: bytes
    size: int  # bytes of them alone


def predictions_of(task: Task) -> list[str]:
    found = []
    for model in sorted((DATA / "results").iterdir()):
        file = model / f"preds_{task.id}.jsonl"
        if file.exists():
            lines = file.read_text(encoding="utf-8").splitlines()
            found += [str(json.loads(line)["prediction"]) for line in lines]
    return found


class Entries:
    """An entry has the predictions of a model from another example on, one of them changed in every
    block, so that no two entries are the same."""

    def __init__(self, seed: int = 0) -> None:
        self._random = Random(seed)
        self._blocks = {task: _ways(one) for task, one in TASKS.items()}
        self._scores = {task: _scores(one) for task, one in TASKS.items()}
        self.size = 0  # bytes of all predictions

    def lines(self, evaluation: int) -> Iterator[bytes]:
        for task, ways in self._blocks.items():
            for number, block in enumerate(self._random.choice(ways)):
                word = b"%d" % self._random.randrange(10**7)
                self.size += block.size + len(word)
                text = block.predictions.replace(_PLACE.encode(), word)
                scores = b"\t".join(self._random.choices(self._scores[task], k=3))
                if number == len(ways[0]) - 1:
                    scores = _cut(scores, TASKS[task].examples % BLOCK_SIZE or BLOCK_SIZE)
                yield b"%d\t%s\t%d\t%s\t%s\n" % (evaluation, task.encode(), number, text, scores)


def _ways(task: Task) -> list[list[Block]]:
    texts = predictions_of(task)
    step = max(1, len(texts) // _WAYS)
    return [_blocks([*texts[start:], *texts[:start]], task) for start in range(0, len(texts), step)]


def _blocks(texts: list[str], task: Task) -> list[Block]:
    texts = (texts * (1 + task.examples // len(texts)))[: task.examples]
    return [_block(texts[start : start + BLOCK_SIZE]) for start in range(0, len(texts), BLOCK_SIZE)]


def _block(texts: list[str]) -> Block:
    size = sum(len(text.encode()) for text in texts) + 1
    quoted = [text.replace("\\", "\\\\").replace('"', '\\"') for text in texts]
    quoted[0] = f"{quoted[0]} {_PLACE}"
    array = "{" + ",".join(f'"{text}"' for text in quoted) + "}"
    return Block(array.translate(_ESCAPES).encode(), size)


def _scores(task: Task) -> list[bytes]:
    random = Random(task.id)
    score = random.random if task.fractional else lambda: float(random.random() < 0.6)
    return [
        f"{{{','.join(repr(score()) for _ in range(BLOCK_SIZE))}}}".encode() for _ in range(200)
    ]


def _cut(scores: bytes, most: int) -> bytes:
    columns = (column[1:-1].split(b",")[:most] for column in scores.split(b"\t"))
    return b"\t".join(b"{%s}" % b",".join(column) for column in columns)
