"""Generated releases, and releases of any length that are made in seconds."""

import json
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from scoring.catalog import TASKS
from scoring.generators import RECIPES
from scoring.text.tokens import TokenCount

_WORDS = (
    "river winter stranger lantern market daughter promise harbour silver quiet letter garden "
    "morning shoulder window journey captain whisper thunder orchard candle village remember "
    "the a of and to in she he they it was had with for on as at by that from but not so then"
)
_SIGNS = "山水风雨夜月花雪人家城门路船酒书信剑马灯春秋江湖天地心情话声来去见闻说笑走看"
_ENDS = (". ", ", ", "; ", ".\n", "? ")
TOKENS_OF_A_WORD = 1.15  # roughly, with its punctuation


def english(random: Random, tokens: int) -> str:
    words = random.choices(_WORDS.split(), k=int(tokens / TOKENS_OF_A_WORD))
    return "".join(
        f"{word}{random.choice(_ENDS) if index % 7 == 0 else ' '}"
        for index, word in enumerate(words)
    )


def chinese(random: Random, tokens: int) -> str:
    signs = random.choices(_SIGNS, k=int(tokens / 1.4))
    return "".join(f"{sign}。\n" if index % 19 == 0 else sign for index, sign in enumerate(signs))


def noise(random: Random, tokens: int) -> str:
    return "The grass is green. The sky is blue. The sun is yellow. Here we go. " * (tokens // 20)


TEXTS = (english, chinese, noise)


def contexts(tokens: int, seed: int = 1) -> Iterator[str]:
    """An endless sequence of distinct texts of about this many tokens."""
    random = Random(seed)
    wholes = [make(random, tokens) for make in TEXTS]
    for number in count():
        whole = wholes[number % len(wholes)]
        cut = random.randrange(len(whole))
        yield f"Text {number}.\n{whole[cut:]}{whole[:cut]}"


def build_release(
    folder: Path, *, examples: int, tokens: int, tasks: Sequence[str] = ("passkey", "math_find")
) -> Path:
    """``examples`` of each task, with facets; each text has two questions, like novels."""
    (folder / "facets").mkdir(parents=True)
    for task in tasks:
        _build_task(folder, task, examples, tokens)
    return folder


def _build_task(folder: Path, task: str, examples: int, tokens: int) -> None:
    answer: object = "12345" if task == "passkey" else 5
    texts = contexts(tokens, seed=list(TASKS).index(task))
    with (
        (folder / f"{task}.jsonl").open("w", encoding="utf-8") as rows,
        (folder / "facets" / f"{task}.jsonl").open("w", encoding="utf-8") as facets,
    ):
        for key in range(examples):
            context = next(texts)
            row = {"id": key, "context": context, "input": f"Question {key}?", "answer": [answer]}
            rows.write(json.dumps({**row, "options": []}, ensure_ascii=False) + "\n")
            spans = [[1, 4], [len(context) - 5, len(context)]]
            about = {
                "target_tokens": tokens,
                "ladder": key,
                "depth": key / examples,
                "evidence": spans,
            }
            facets.write(json.dumps({"id": key, **about, "hops": None, "kind": "k"}) + "\n")


ALL = tuple(RECIPES)
SYNTHETIC = tuple(task for task in ALL if RECIPES[task].shortest <= 1_000)
REALISTIC = tuple(task for task in ALL if task not in SYNTHETIC)


class Row(NamedTuple):
    example: dict[str, Any]
    facets: dict[str, Any]
    tokens: dict[str, Any]

    @property
    def context(self) -> str:
        return str(self.example["context"])

    @property
    def evidence(self) -> list[str]:
        return [self.context[start:end] for start, end in self.facets["evidence"]]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def rows(release: Path, task: str) -> list[Row]:
    files = (release / folder / f"{task}.jsonl" for folder in ("", "facets", "tokens"))
    return [Row(*parts) for parts in zip(*map(lines, files), strict=True)]


def files(release: Path) -> dict[str, bytes]:
    """The content of all files that must be reproducible: all but the measured tokens."""
    found = (path for path in release.rglob("*") if path.is_file() and path.parent.name != "tokens")
    return {path.relative_to(release).as_posix(): path.read_bytes() for path in found}


def about(target: int, tolerance: float, length: TokenCount) -> object:
    """The expected length with its tolerance: estimates may be further off than counts."""
    return pytest.approx(target, rel=0.15 if length.estimated else tolerance)
