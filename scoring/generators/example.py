"""What a generator makes: an example, its answer, and the evidence for it in the context."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import NamedTuple

from scoring.generators.draws import seeded, shuffled
from scoring.releases.facets import Span

GENERATOR = 6  # raise it with every change that makes other bytes of the same seed
# A part of every random seed: raised with the former where the bytes of all tasks change.
STREAMS = 5

NEAR_MISSES = 6.0  # usually: facts of the kinds asked about, in 1,000 tokens of a novel

Answer = str | list[str] | list[int] | list[float] | list[list[int]]


@dataclass(frozen=True, slots=True)
class Example:
    """``context`` is read once, in pieces, so that its length costs no memory.

    Examples about one text may have one list of pieces: the same object is counted once.

    A piece ends where no token of a vocabulary crosses: after a line break or before a space that
    stands alone. So tokens are counted piece by piece.
    """

    context: Iterable[str]
    question: str
    answer: Answer  # as it stands in a released file
    evidence: tuple[Span, ...]  # in the order in which a reader needs them
    options: tuple[str, ...] = ()
    depth: float | None = None  # units before the first piece of evidence / (units − 1): 0..1
    hops: int | None = None
    kind: str | None = None
    answer_type: str = ""  # ``NUMBER``, where ``strict`` compares the answer as a number


@dataclass(frozen=True, slots=True)
class ExampleSpec:
    """Which example to make. One seed and index give the same question at every length.

    So generators draw the subject of the question first and the padding after it: a longer context
    then holds the same facts with more text around them.
    """

    seed: int
    tokens: int  # of context and question together
    index: int
    count: int  # examples of the task at this length: depths, hops and kinds are spread over them
    near_misses: float = NEAR_MISSES

    def draws(self, *of: object) -> Random:
        """An independent random stream for these parts, the same at every length."""
        return seeded(STREAMS, self.seed, *of)


Generator = Callable[[ExampleSpec], Example]


class Recipe(NamedTuple):
    make: Generator
    shortest: int = 1_000  # tokens: below, a unit more or less misses the length by over 5 %


def permuted_index(spec: ExampleSpec, task: str, of: str = "turn") -> int:
    """The example's index in a permutation of 0..count−1 that all examples of the task share.

    Depths, hops and kinds follow from it, so an id reveals none of them, and those of some examples
    reveal little about the others. The permutation is the same at every length; ``of`` names an
    independent one (its default is part of the random seed, so it cannot change).
    """
    return _permutation(spec.seed, task, of, spec.count)[spec.index]


@lru_cache(maxsize=32)
def _permutation(seed: int, task: str, of: str, count: int) -> tuple[int, ...]:
    return tuple(shuffled(seeded(STREAMS, seed, task, of), range(count)))


def even_position(spec: ExampleSpec, task: str, last: int) -> int:
    """A position among 0..last; over all examples the positions are evenly spaced and shuffled."""
    if spec.count == 1:
        return last // 2
    return round(permuted_index(spec, task) / (spec.count - 1) * last)


def balanced_choice(spec: ExampleSpec, task: str, values: int) -> int:
    """One of 0..values−1, each equally often over ``count`` examples, up to one.

    Used for the letters of right options. The values depend on ``count``, even where nothing else
    does. Which of them come once more than the others is drawn as well.
    """
    ranks = shuffled(spec.draws(task, "letters", "ranks"), range(values))
    return ranks[permuted_index(spec, task, "letters") % values]
