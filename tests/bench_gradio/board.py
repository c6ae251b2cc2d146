"""The board that both pages show, as our site gives it away."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.columns import columns_of
from scoring.catalog import TASKS

_OVERALL, *_OTHERS = columns_of(TASKS)


@dataclass(frozen=True, slots=True)
class Row:
    """An entry with its numbers as they are printed."""

    rank: int
    model: str
    organisation: str
    weights: str
    scores: tuple[float, ...]  # overall, the domains, the tasks

    @property
    def numbers(self) -> list[float]:
        return [self.rank, *self.scores]


def rows_of(document: Mapping[str, Any]) -> list[Row]:
    """The rows of ``board.json``."""
    return [_row(entry) for entry in document["entries"]]


def _row(entry: Mapping[str, Any]) -> Row:
    others = {**entry["domains"], **entry["tasks"]}
    return Row(
        rank=entry["rank"],
        model=entry["model"]["name"],
        organisation=entry["model"]["organisation"],
        weights=entry["model"]["weights"],
        scores=(
            round(entry["overall"]["percent"], 2),
            *(round(others[column.id]["percent"], 1) for column in _OTHERS),
        ),
    )


def columns(rows: list[Row]) -> dict[str, list[Any]]:
    """The same by column, from left to right."""
    titles = [str(column.title) for column in (_OVERALL, *_OTHERS)]
    scores = zip(*(row.scores for row in rows), strict=True)
    return {
        "Rank": [row.rank for row in rows],
        "Model": [row.model for row in rows],
        "Organisation": [row.organisation for row in rows],
        **dict(zip(titles, map(list, scores), strict=True)),
        "Weights": [row.weights for row in rows],
    }
