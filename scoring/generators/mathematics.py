"""Math.Find and Math.Calc: find one number among many, follow a calculation to its end.

Recipes: Zhang et al., ACL 2024, section 3.2.3, and the ranges of the released data.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from random import Random

from scoring.catalog import FIND_KINDS
from scoring.generators import lengths
from scoring.generators.draws import between, evenly, shuffled
from scoring.generators.example import Example, ExampleSpec, even_position, permuted_index
from scoring.releases.facets import Span, depth_of

_NUMBERS = 10_000  # in one piece
_LISTED = tuple(f" {value}," for value in range(100))
_LARGEST = 99
_SMALLEST = (0, 19)
_COMMON = (24, 40), (59, 75)  # where the range begins and ends whose values come all the time
_RARE = (3, 6)  # values beyond it at each end
_TIMES = (1, 3)  # that each of these comes
_APART = (0, 2)  # other numbers between those that the answer is known by

# The official code that builds prompts takes what stands from "The" to the last "of" on its line.
_FIND_QUESTION = (
    "Equal numbers count {times}. Answer with one number only.\nThe {name} of the list is:"
)
_CALC_QUESTION = (
    "Work this out from left to right. After each plus or minus, write down the value reached so"
    " far. Answer with the list of these values only, like [12, 7, 31]."
)


def math_find(spec: ExampleSpec) -> Example:
    """An odd number of integers; the question is about one of seven kinds of value.

    The values at both ends occur once or a few times each. Those that determine the answer, such as
    the three largest for the third largest, are next to each other at one depth, so a reader who
    skipped that part is wrong. For a median all numbers count.
    """
    rng = spec.draws("math_find", spec.index)
    kind = tuple(FIND_KINDS)[permuted_index(spec, "math_find") % len(FIND_KINDS)]
    name, find = FIND_KINDS[kind]
    times = "as often as they stand there" if kind == "median" else "once"
    question = _FIND_QUESTION.format(name=name, times=times)
    numbers, spot = _numbers(spec, kind, lengths.rest(spec.tokens, question), rng)
    pieces = list(_listed(numbers))
    found = find(sorted(numbers), sorted(set(numbers)))
    return Example(
        context=pieces,
        question=question,
        answer=[float(found)] if kind == "median" else [found],
        evidence=(_span(numbers, spot),) if spot else _whole(pieces),
        depth=depth_of(spot.start, len(numbers) - len(spot)) if spot else None,
        kind=kind,
    )


def _numbers(spec: ExampleSpec, kind: str, tokens: int, rng: Random) -> tuple[bytes, range]:
    """An odd count of values, and where those stand that the answer is known by."""
    least, most = between(rng, *_COMMON[0]), between(rng, *_COMMON[1])
    low = _rare(rng, between(rng, *_SMALLEST), least)
    high = _rare(rng, _LARGEST - between(rng, *_SMALLEST), most)
    common = bytes(range(least, most + 1))
    known = _known_by(kind, low, high)
    spot = _spot(rng, known, common)
    others = _repeated(rng, [value for value in (*low, *high) if value not in known])
    count = tokens // lengths.LISTED_NUMBER
    rest = count - (count % 2 == 0) - len(spot)
    place = even_position(spec, "math_find", rest)
    numbers = bytearray(evenly(rng, common, rest))
    for part, value in enumerate(others):  # each in a part of its own, so that none goes lost
        first, beyond = part * rest // len(others), (part + 1) * rest // len(others)
        numbers[between(rng, first, beyond - 1)] = value
    numbers[place:place] = spot
    return bytes(numbers), range(place, place + len(spot))


def _rare(rng: Random, outermost: int, common: int) -> list[int]:
    """Some values up to those that are common, the outermost first."""
    step = 1 if outermost < common else -1
    inner = shuffled(rng, range(outermost + step, common, step))
    count = between(rng, *_RARE) - 1
    return [outermost, *sorted(inner[:count], reverse=step < 0)]


def _known_by(kind: str, low: list[int], high: list[int]) -> list[int]:
    """The values that determine the answer of the kind."""
    if kind == "median":
        return []
    last = int(kind[0]) if kind[0].isdigit() else 1
    return (high if kind.endswith("max") else low)[:last]


def _spot(rng: Random, known: list[int], common: bytes) -> bytes:
    """These values, with a few others between them."""
    values = _repeated(rng, known)
    spot = bytearray(values[:1])
    for value in values[1:]:
        spot += evenly(rng, common, between(rng, *_APART)) + bytes([value])
    return bytes(spot)


def _repeated(rng: Random, values: list[int]) -> list[int]:
    """Each of the values once or a few times, in any order."""
    return shuffled(rng, [value for value in values for _ in range(between(rng, *_TIMES))])


def _listed(numbers: bytes) -> Iterator[str]:
    for start in range(0, len(numbers), _NUMBERS):
        text = "".join(map(_LISTED.__getitem__, numbers[start : start + _NUMBERS]))
        last = start + _NUMBERS >= len(numbers)
        yield (text if start else f"[{text[1:]}").removesuffix("," if last else "") + "]" * last


def math_calc(spec: ExampleSpec) -> Example:
    """A sum of operands that never leaves 0..99; the answer is every value on the way.

    Each operand changes the value, so that an answer shifted by one is wrong at once.
    """
    operands = lengths.rest(spec.tokens, _CALC_QUESTION) // lengths.OPERAND
    values = _walk(spec.draws("math_calc", spec.index), operands)
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


def _span(numbers: bytes, places: range) -> Span:
    """Offsets of the numbers in the text of their list: after the bracket, two characters apart."""
    start = 1 + _width(numbers[: places.start])
    return start, start + _width(numbers[places.start : places.stop]) - len(", ")


def _width(numbers: bytes) -> int:
    return sum(3 + (number > 9) for number in numbers)


def _whole(pieces: Iterable[str]) -> tuple[tuple[int, int], ...]:
    """Nothing less than the whole context shows the answer."""
    return ((0, sum(map(len, pieces))),)
