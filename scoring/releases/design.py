"""How the questions of a release were chosen: which share a text, and what was fixed in advance."""

from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path

from scoring.catalog import TASKS, Task
from scoring.intervals import Design
from scoring.releases.facets import NO_FACETS, Facets, read_facets
from scoring.releases.gold import TaskGold

_DEPTHS = 10  # classes of depth that count as one of a design


def design_of(task: Task, examples: Iterable[tuple[Hashable, Facets]]) -> Design:
    """The design of a task from the text of each example, in their order, empty if it is not known,
    and its facets.

    Examples of one ladder ask the same question at several lengths, and count as one text. Only
    synthetic tasks are designed: there lengths, depths, hops and kinds are chosen, whereas those of
    a novel's questions are found.
    """
    found = list(examples)
    texts: list[Hashable] = [
        (task.id, facets.ladder) if facets.ladder is not None else text or (task.id, index)
        for index, (text, facets) in enumerate(found)
    ]
    strata: list[Hashable] = [
        (
            facets.target_tokens,
            facets.kind,
            facets.hops,
            depth_class(facets.depth),
        )
        for _, facets in found
    ]
    is_designed = task.context == "synthetic" and len(set(strata)) > 1
    is_known = any(text or facets.ladder is not None for text, facets in found)
    return Design(texts if is_known else None, strata if is_designed else None)


def depth_class(depth: float | None) -> int | None:
    """Which tenth of the context; None: not known."""
    return None if depth is None else min(int(depth * _DEPTHS), _DEPTHS - 1)


def read_designs(directory: Path, gold: Mapping[str, TaskGold]) -> dict[str, Design]:
    """The design of each task that was read from the directory. Raises ``GoldError``."""
    designs = {}
    for task, data in gold.items():
        facets = read_facets(directory / f"{task}.jsonl")
        rows = ((one.text, facets.get(one.key, NO_FACETS)) for one in data.examples)
        designs[task] = design_of(TASKS[task], rows)
    return designs
