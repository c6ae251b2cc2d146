"""What a breakdown is made from: the scores of a task with what is known of its examples."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from scoring.catalog import Task
from scoring.intervals import Design
from scoring.releases.design import design_of
from scoring.releases.facets import Facets
from scoring.stats import mean_percent


@dataclass(frozen=True, eq=False)
class TaskAnswers:
    """One entry's answers to the examples of one task; all sequences are in their order."""

    task: Task
    scores: Sequence[float]  # from 0 to 1; 0 where there is no answer
    facets: Sequence[Facets]
    tokens: Sequence[int | None]  # of context and question together; None: not known
    texts: Sequence[Hashable]  # equal ones share a text; empty: not known
    missing: frozenset[int] = frozenset()  # indices of examples without an answer
    empty: frozenset[int] = frozenset()  # and of those whose answer is blank
    # What the same model scores in the same examples with the evidence alone; None: not known.
    control: Sequence[float] | None = None

    @cached_property
    def design(self) -> Design:
        """With numbers for texts and strata, which are counted many times."""
        found = design_of(self.task, zip(self.texts, self.facets, strict=True))
        return Design(*(None if column is None else _numbered(column) for column in found))

    @property
    def size(self) -> int:
        return len(self.scores)

    @cached_property
    def mean(self) -> float:
        """In percent."""
        return mean_percent(self.scores) or 0.0

    @cached_property
    def is_by_target(self) -> bool:
        """Whether lengths were requested from a generator, rather than found."""
        return any(one.target_tokens is not None for one in self.facets)

    def length_of(self, index: int) -> int | None:
        """In tokens: what was requested, or what was counted."""
        return self.facets[index].target_tokens if self.is_by_target else self.tokens[index]

    @cached_property
    def rungs(self) -> Mapping[int, Mapping[int, int]]:
        """By target length, ascending: by the number of each question on the ladder, the index of
        its example. Empty where no question was asked at several lengths."""
        found: dict[int, dict[int, int]] = {}
        for index, one in enumerate(self.facets):
            if one.target_tokens is not None and one.ladder is not None:
                found.setdefault(one.target_tokens, {}).setdefault(one.ladder, index)
        numbers = [number for rung in found.values() for number in rung]
        return dict(sorted(found.items())) if len(set(numbers)) < len(numbers) else {}


def _numbered(values: Sequence[Hashable]) -> list[int]:
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(value, len(numbers)) for value in values]
