"""What can be scored on a generated release without reading, for its page."""

from typing import NamedTuple

from portal.models import Release
from scoring.catalog import BOARD_ORDER, TASKS, Task
from scoring.releases.floors import BOUNDS, FLOOR_TITLES, floors_of

_TITLES: dict[str, str] = {
    "constant": "Best constant",
    "no_context": "No context",
    "options_only": "Options only",
    "grep": "Grep",
    "bm25": "BM25, 30 sentences",
    "turns": "Order of speakers",
    "text_rules": "Look of the code",
    "ends": "First and last 4K",
    "evidence_only": "Evidence only",
}


class Floor(NamedTuple):
    percent: float | None  # None: not measured, or not applicable
    bound: float | None  # the bound that it exceeds; None: it exceeds none


class FloorRow(NamedTuple):
    task: Task
    questions: int
    cells: list[Floor]


class FloorTable(NamedTuple):
    titles: list[str]
    rows: list[FloorRow]

    @property
    def too_high(self) -> int:
        """The floors that are above their bounds."""
        return sum(cell.bound is not None for row in self.rows for cell in row.cells)


class BoundRow(NamedTuple):
    title: str
    bounds: list[tuple[Task, float]]  # percent; empty: there are no bounds


def bound_rows() -> list[BoundRow]:
    """For every floor, in the order of tables."""
    return [
        BoundRow(
            title,
            [(TASKS[task], BOUNDS[name][task]) for task in BOARD_ORDER if task in BOUNDS[name]]
            if name in BOUNDS
            else [],
        )
        for name, title in _TITLES.items()
    ]


def floor_rows(release: Release) -> FloorTable | None:
    """In the order of the board; None if no floors are known."""
    found = floors_of(release.floors or {})
    names = [name for name in FLOOR_TITLES if any(name in one.floors for one in found.values())]
    rows = [
        FloorRow(
            TASKS[task],
            one.questions,
            [Floor(one.floors.get(name), one.above.get(name)) for name in names],
        )
        for task in BOARD_ORDER
        if (one := found.get(task))
    ]
    return FloorTable([_TITLES[name] for name in names], rows) if rows else None
