"""The floors of a release: what its questions score without reading, and which bounds they have.

They are measured by ``scoring.baseline.floors`` and stand in ``floors.json``, which is not part of
``release.json``: nothing that is scored depends on it.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from scoring.catalog import TASKS

FLOORS = "floors.json"
NOVELS = ("longbook_qa_eng", "longbook_choice_eng", "longbook_qa_chn")

FLOOR_TITLES = {  # in the order of tables
    "constant": "constant",
    "no_context": "no context",
    "options_only": "options",
    "grep": "grep",
    "bm25": "BM25@30",
    "turns": "turns",
    "text_rules": "look of code",
    "ends": "first and last 4K",
    "evidence_only": "evidence only",  # no floor but the ceiling: what finding everything is worth
}

# In percent: above, a release does not measure reading. Tasks that are not named have no bound,
# such as retrieval, where to search is the task.
BOUNDS: Mapping[str, Mapping[str, float]] = {
    "constant": {"longbook_qa_eng": 8, "longbook_qa_chn": 8, "longbook_choice_eng": 35,
                 "code_debug": 35, "longdialogue_qa_eng": 15},
    "no_context": {"longbook_qa_eng": 8, "longbook_qa_chn": 8, "longbook_choice_eng": 35,
                   "code_debug": 35, "longdialogue_qa_eng": 15},
    "options_only": {"longbook_choice_eng": 35, "code_debug": 35},
    "grep": dict.fromkeys(NOVELS, 50),
    "bm25": dict.fromkeys(NOVELS, 50),
    "turns": {"longdialogue_qa_eng": 35},
    "text_rules": {"code_debug": 35},
}  # fmt: skip
_ERRORS = 2  # standard errors above a bound that a sample may be by chance


class TaskFloors(NamedTuple):
    task: str
    questions: int  # that were tried
    floors: dict[str, float]  # percent under ``strict``, by name
    best: dict[str, str]  # of several rules, the one that scored most

    @property
    def above(self) -> dict[str, float]:
        """The bounds that are exceeded by more than chance, by name of the floor."""
        found = {}
        for name, percent in self.floors.items():
            bound = BOUNDS.get(name, {}).get(self.task)
            if bound is not None and percent > bound + self._error(bound):
                found[name] = bound
        return found

    def _error(self, bound: float) -> float:
        return float(_ERRORS * (bound * (100 - bound) / self.questions) ** 0.5)


def write_floors(release: Path, found: Iterable[TaskFloors]) -> None:
    """To ``floors.json`` in the folder."""
    text = json.dumps(floors_document(found), indent=2) + "\n"
    (release / FLOORS).write_text(text, encoding="utf-8")


def floors_document(found: Iterable[TaskFloors]) -> dict[str, object]:
    return {
        one.task: {"questions": one.questions, "floors": one.floors, "best": one.best}
        for one in found
    }


def read_floors(release: Path) -> dict[str, TaskFloors]:
    """By task, as written there; none where there is no such file, or one of another form."""
    try:
        return floors_of(json.loads((release / FLOORS).read_bytes()))
    except (OSError, ValueError):
        return {}


def floors_of(document: dict[str, Any]) -> dict[str, TaskFloors]:
    """From the result of ``floors_document``; empty for anything else."""
    try:
        return {
            task: TaskFloors(
                task,
                int(one["questions"]),
                {str(name): float(percent) for name, percent in one["floors"].items()},
                {str(name): str(rule) for name, rule in one["best"].items()},
            )
            for task, one in document.items()
            if task in TASKS
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
