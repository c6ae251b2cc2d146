"""What a generator makes: one example, its answer, and where in the context that comes from."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from scoring.generators.draws import seeded, shuffled

GENERATOR = 3  # raise it with every change that makes other bytes of the same seed

Span = tuple[int, int]  # [start, end) in characters of the context
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


@dataclass(frozen=True, slots=True)
class Order:
    """Which example is wanted: of one seed and index it asks the same question at every length.

    So draw first what the question is about, and what fills up the length after it: a longer text
    then tells the same things, with more around them.
    """

    seed: int
    tokens: int  # of context and question together
    index: int
    count: int  # how many there are: depths, hops and kinds are spread over them

    def draws(self, *of: object) -> Random:
        """Random numbers of their own for what is named, the same at every length."""
        return seeded(GENERATOR, self.seed, *of)


Generator = Callable[[Order], Example]


def turn(order: Order, task: str, of: str = "turn") -> int:
    """One of 0..count−1 for an example, and for each example another one.

    Depths, hops and kinds follow from it. All examples share one shuffle, so that an id tells
    nothing of them, and the turns of some say hardly anything of the others; it is the same at
    every length. ``of`` names a shuffle of its own.
    """
    return _turns(order.seed, task, of, order.count)[order.index]


@lru_cache(maxsize=32)
def _turns(seed: int, task: str, of: str, count: int) -> tuple[int, ...]:
    return tuple(shuffled(seeded(GENERATOR, seed, task, of), range(count)))


def spread(order: Order, task: str, last: int) -> int:
    """The place of an example among 0..last: all examples stand evenly over it, in any order."""
    if order.count == 1:
        return last // 2
    return round(turn(order, task) / (order.count - 1) * last)


def even(order: Order, task: str, values: int) -> int:
    """One of 0..values−1 for an example; over ``count`` examples each comes as often as can be.

    The letters of right options, say. They depend on how many examples there are, even where
    nothing else does. Which values come once more than the others is drawn too; of one example,
    it is any.
    """
    ranks = shuffled(order.draws(task, "letters", "ranks"), range(values))
    return ranks[turn(order, task, "letters") % values]


def depth_of(place: int, last: int) -> float:
    """A place among 0..last as a depth from 0 to 1."""
    return round(place / last, 6) if last else 0.0
