"""The score of an entry in one task, broken down by what is known about its examples."""

from dataclasses import dataclass
from enum import StrEnum

from scoring.breakdowns.answers import TaskAnswers
from scoring.breakdowns.bins import Bin, depth_bins, hops_bins, kind_bins, length_bins
from scoring.breakdowns.cells import length_depth_cells
from scoring.breakdowns.effective_context import EffectiveContext, effective_context
from scoring.breakdowns.position import PositionEffect, position_effect

PARTS = 10
FEWEST_PARTS, MOST_PARTS = 2, 20


class By(StrEnum):
    LENGTH = "length"
    DEPTH = "depth"
    HOPS = "hops"
    KIND = "kind"
    LENGTH_DEPTH = "length,depth"


class Method(StrEnum):
    """How the bins were chosen."""

    TARGETS = "target-lengths"
    QUANTILES = "quantiles"
    EQUAL_PARTS = "equal-parts"
    VALUES = "values"
    GRID = "quantile-grid"


@dataclass(frozen=True, slots=True)
class Breakdown:
    task: str
    by: By
    method: Method
    bins: tuple[Bin, ...]
    unknown: int  # examples without a known value, which no bin contains
    position: PositionEffect | None = None  # only by depth, if anything varies
    effective_context: EffectiveContext | None = None  # only by length, if it can be shown

    @property
    def n(self) -> int:
        """Examples in the bins."""
        return sum(one.n for one in self.bins)


def known_facets(answers: TaskAnswers) -> tuple[By, ...]:
    """What the task can be broken down by: facets known for at least one example."""
    facets = answers.facets
    lengths = [answers.length_of(index) is not None for index in range(answers.size)]
    known = {
        By.LENGTH: any(lengths),
        By.DEPTH: any(one.depth is not None for one in facets),
        By.HOPS: any(one.hops is not None for one in facets),
        By.KIND: any(one.kind for one in facets),
        By.LENGTH_DEPTH: any(
            has_length and one.depth is not None
            for has_length, one in zip(lengths, facets, strict=True)
        ),
    }
    return tuple(by for by, is_known in known.items() if is_known)


def break_down(answers: TaskAnswers, by: By, parts: int = PARTS) -> Breakdown | None:
    """None if the facet is not known for any example.

    ``parts`` is the number of equal parts of depth, or the greatest number of quantiles of length
    and of depth. Target lengths, hops and kinds have a bin for each value.
    """
    if by not in known_facets(answers):
        return None
    position, context = None, None
    match by:
        case By.LENGTH:
            method = Method.TARGETS if answers.is_by_target else Method.QUANTILES
            bins = length_bins(answers, parts)
            context = effective_context([answers])
        case By.DEPTH:
            method, bins = Method.EQUAL_PARTS, depth_bins(answers, parts)
            position = position_effect(answers)
        case By.LENGTH_DEPTH:
            method, bins = Method.GRID, length_depth_cells(answers, parts)
            position = position_effect(answers)
        case By.HOPS:
            method, bins = Method.VALUES, hops_bins(answers)
        case By.KIND:
            method, bins = Method.VALUES, kind_bins(answers)
    unknown = answers.size - sum(one.n for one in bins)
    return Breakdown(answers.task.id, by, method, tuple(bins), unknown, position, context)
