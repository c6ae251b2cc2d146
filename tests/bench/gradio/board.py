"""The board that both pages show: what our site gives away as ``board.json``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.catalog import TASKS


@dataclass(frozen=True, slots=True)
class Row:
    """An entry with its numbers as they are printed."""

    rank: int
    model: str
    organisation: str
    weights: str
    scores: dict[str, float]  # by title: overall, the domains, the tasks

    @property
    def numbers(self) -> list[float]:
        return [self.rank, *self.scores.values()]

    @property
    def cells(self) -> dict[str, Any]:
        about = {"Rank": self.rank, "Model": self.model, "Organisation": self.organisation}
        return {**about, **self.scores, "Weights": self.weights}


def rows_of(document: Mapping[str, Any]) -> list[Row]:
    return [
        Row(
            rank=entry["rank"],
            model=entry["model"]["name"],
            organisation=entry["model"]["organisation"],
            weights=entry["model"]["weights"],
            scores=_scores(entry),
        )
        for entry in document["entries"]
    ]


def _scores(entry: Mapping[str, Any]) -> dict[str, float]:
    domains, tasks = entry["domains"].items(), entry["tasks"].items()
    return {
        "Overall": round(entry["overall"]["percent"], 2),
        **{domain.title(): round(score["percent"], 1) for domain, score in domains},
        **{TASKS[task].title: round(score["percent"], 1) for task, score in tasks},
    }
