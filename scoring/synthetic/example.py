"""What a generator makes: one example, its answer, and where in the context that comes from."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

Span = tuple[int, int]  # [start, end) in characters of the context
Answer = str | list[str] | list[int] | list[float] | list[list[int]]


@dataclass(frozen=True, slots=True)
class Example:
    """``context`` is read once, in pieces, so that its length costs no memory.

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


# (random numbers, tokens of context and question, index of the example, how many there are).
# Draw what the question is about first, and what fills up the length after it.
Generator = Callable[[Random, int, int, int], Example]


def spread(index: int, count: int, last: int) -> int:
    """The place of an example among 0..last, so that ``count`` examples stand evenly over it."""
    return last // 2 if count == 1 else round(index / (count - 1) * last)


def depth_of(place: int, last: int) -> float:
    """A place among 0..last as a depth from 0 to 1."""
    return round(place / last, 6) if last else 0.0
