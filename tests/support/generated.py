"""Read a generated release back, as its users do."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scoring.generators import RECIPES
from scoring.text.tokens import TokenCount

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
    """Everything that must be the same bytes: all but the measured tokens."""
    found = (path for path in release.rglob("*") if path.is_file() and path.parent.name != "tokens")
    return {path.relative_to(release).as_posix(): path.read_bytes() for path in found}


def about(target: int, tolerance: float, length: TokenCount) -> object:
    """What a length is compared with: estimates may be further off than counts."""
    return pytest.approx(target, rel=0.12 if length.estimated else tolerance)
