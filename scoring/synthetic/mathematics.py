"""Math.Find and Math.Calc: find one number among many, follow a calculation to its end.

Recipes: Zhang et al., ACL 2024, section 3.2.3, and the ranges of the released data.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from random import Random

from scoring.find_kinds import FIND_KINDS
from scoring.synthetic import lengths
from scoring.synthetic.draws import between, evenly, shuffled
from scoring.synthetic.example import Example, Order

_NUMBERS = 10_000  # in one piece
_LISTED = tuple(f" {value}," for value in range(100))
_LARGEST = 99
_ENDS = 20  # the smallest number is below this, the largest not below 100 minus this

# The official code that builds prompts takes what stands from "The" to the last "of" on its line.
_FIND_QUESTION = (
    "Equal numbers count {times}. Answer with one number only.\nThe {name} of the list is:"
)
_CALC_QUESTION = (
    "Work this out from left to right. After each plus or minus, write down the value reached so"
    " far. Answer with the list of these values only, like [12, 7, 31]."
)


def math_find(order: Order) -> Example:
    """An odd number of integers, in which one of seven kinds is asked for.

    Three values at each end of the range are surely there, with gaps between them, so that the
    second largest cannot be told from the largest.
    """
    rng = order.draws("math_find", order.index)
    kind = tuple(FIND_KINDS)[order.index % len(FIND_KINDS)]
    name, find = FIND_KINDS[kind]
    pool = _pool(rng)
    times = "as often as they stand there" if kind == "median" else "once"
    question = _FIND_QUESTION.format(name=name, times=times)
    numbers = _numbers(rng, pool, lengths.rest(order.tokens, question) // lengths.LISTED_NUMBER)
    pieces = list(_listed(numbers))
    found = find(sorted(numbers), sorted(set(numbers)))
    return Example(
        context=pieces,
        question=question,
        answer=[float(found)] if kind == "median" else [found],
        evidence=_whole(pieces),
        kind=kind,
    )


def _pool(rng: Random) -> bytes:
    """The values that may come: a range inside 0..99, 1 to 3 apart among the outer three."""
    low = [between(rng, 0, _ENDS - 1)]
    high = [between(rng, 100 - _ENDS, _LARGEST)]
    for _ in range(2):
        low.append(low[-1] + between(rng, 1, 3))
        high.append(high[-1] - between(rng, 1, 3))
    return bytes([*low, *range(low[-1] + 1, high[-1]), *reversed(high)])


def _numbers(rng: Random, pool: bytes, count: int) -> bytes:
    """An odd count of values from the pool, its outer three at each end among them."""
    ends = pool[:3] + pool[-3:]
    count -= 1 - count % 2
    drawn = bytearray(evenly(rng, pool, count))
    for value, part in zip(ends, shuffled(rng, range(6)), strict=True):
        drawn[between(rng, part * count // 6, (part + 1) * count // 6 - 1)] = value
    return bytes(drawn)


def _listed(numbers: bytes) -> Iterator[str]:
    for start in range(0, len(numbers), _NUMBERS):
        text = "".join(map(_LISTED.__getitem__, numbers[start : start + _NUMBERS]))
        last = start + _NUMBERS >= len(numbers)
        yield (text if start else f"[{text[1:]}").removesuffix("," if last else "") + "]" * last


def math_calc(order: Order) -> Example:
    """A sum of operands that never leaves 0..99; the answer is every value on the way.

    Each operand changes the value, so that an answer shifted by one is wrong at once.
    """
    operands = lengths.rest(order.tokens, _CALC_QUESTION) // lengths.OPERAND
    values = _walk(order.draws("math_calc", order.index), operands)
    pieces = list(_expression(values))
    return Example(
        context=pieces,
        question=_CALC_QUESTION,
        answer=[list(values[1:])],
        evidence=_whole(pieces),
    )


def _walk(rng: Random, count: int) -> bytes:
    """The first operand and every value after it: up or down, then as far as the range allows."""
    value = between(rng, 1, _LARGEST)
    values = bytearray([value])
    for _ in range(count - 1):
        down, share = divmod(2 * rng.random(), 1)
        if value == 0 or (not down and value < _LARGEST):
            value += 1 + int(share * (_LARGEST - value))
        else:
            value -= 1 + int(share * value)
        values.append(value)
    return bytes(values)


def _expression(values: bytes) -> Iterator[str]:
    yield str(values[0])
    for start in range(0, len(values) - 1, _NUMBERS):
        steps = pairwise(values[start : start + _NUMBERS + 1])
        yield "".join(f" + {b - a}" if b > a else f" - {a - b}" for a, b in steps)


def _whole(pieces: Iterable[str]) -> tuple[tuple[int, int], ...]:
    """Nothing less than the whole context shows the answer."""
    return ((0, sum(map(len, pieces))),)
