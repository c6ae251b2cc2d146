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
_TIMES = (1, 3)  # that each of these comes, but for the answer
LINES = 30  # of a calculation

# The official code that builds prompts takes what stands from "The" to the last "of" on its line.
_FIND_QUESTION = (
    "Equal numbers count {times}. Answer with one number only.\nThe {name} of the list is:"
)
_CALC_QUESTION = (
    f"The calculation stands on {LINES} lines. Work it out from left to right, line after line, and"
    " write down the value that is reached at the end of each line. Answer with the list of these"
    f" {LINES} values only, like [12, 7, 31]."
)


def math_find(spec: ExampleSpec) -> Example:
    """An odd number of integers; the question is about one of seven kinds of value.

    The values at both ends occur once or a few times each. The answer occurs once, at the stated
    depth; those that it is known by, such as the two larger ones for the third largest, are
    scattered over the list, so a reader who skipped any part may be wrong. For a median all numbers
    count.
    """
    rng = spec.draws("math_find", spec.index)
    kind = tuple(FIND_KINDS)[permuted_index(spec, "math_find") % len(FIND_KINDS)]
    name, find = FIND_KINDS[kind]
    times = "as often as they stand there" if kind == "median" else "once"
    question = _FIND_QUESTION.format(name=name, times=times)
    numbers, places = _numbers(spec, kind, lengths.rest(spec.tokens, question), rng)
    pieces = list(_listed(numbers))
    found = find(sorted(numbers), sorted(set(numbers)))
    return Example(
        context=pieces,
        question=question,
        answer=[float(found)] if kind == "median" else [found],
        evidence=tuple(_span(numbers, place) for place in places) or _whole(pieces),
        depth=depth_of(places[0], len(numbers) - 1) if places else None,
        kind=kind,
    )


def _numbers(spec: ExampleSpec, kind: str, tokens: int, rng: Random) -> tuple[bytes, list[int]]:
    """An odd count of values, and where those stand that the answer is known by, itself first."""
    least, most = between(rng, *_COMMON[0]), between(rng, *_COMMON[1])
    low = _rare(rng, between(rng, *_SMALLEST), least)
    high = _rare(rng, _LARGEST - between(rng, *_SMALLEST), most)
    known = _known_by(kind, low, high)
    answer = known[:1]
    rare = [value for value in (*low, *high) if value not in answer]
    scattered = [*answer, *(value for value in rare for _ in range(between(rng, *_TIMES)))]
    count = tokens // lengths.LISTED_NUMBER
    count -= count % 2 == 0
    numbers = bytearray(evenly(rng, bytes(range(least, most + 1)), count))
    taken: dict[int, int] = {}
    for value in scattered:
        place = even_position(spec, "math_find", count - 1) if value in answer else -1
        while place < 0 or place in taken:
            place = between(rng, 0, count - 1)
        taken[place] = numbers[place] = value
    order = sorted((known.index(value), place) for place, value in taken.items() if value in known)
    return bytes(numbers), [place for _, place in order]


def _rare(rng: Random, outermost: int, common: int) -> list[int]:
    """Some values up to those that are common, the outermost first."""
    step = 1 if outermost < common else -1
    inner = shuffled(rng, range(outermost + step, common, step))
    count = between(rng, *_RARE) - 1
    return [outermost, *sorted(inner[:count], reverse=step < 0)]


def _known_by(kind: str, low: list[int], high: list[int]) -> list[int]:
    """The answer of the kind, and the values beyond it."""
    if kind == "median":
        return []
    last = int(kind[0]) if kind[0].isdigit() else 1
    return (high if kind.endswith("max") else low)[:last][::-1]


def _listed(numbers: bytes) -> Iterator[str]:
    for start in range(0, len(numbers), _NUMBERS):
        text = "".join(map(_LISTED.__getitem__, numbers[start : start + _NUMBERS]))
        last = start + _NUMBERS >= len(numbers)
        yield (text if start else f"[{text[1:]}").removesuffix("," if last else "") + "]" * last


def math_calc(spec: ExampleSpec) -> Example:
    """A sum of operands that never leaves 0..99, on as many lines at every length; the answer is
    the value at the end of each.

    So the state must be carried through the whole text, but the answer does not grow with it. The
    values are the same at every length. Each operand changes the value, so that an answer shifted
    by one is wrong at once.
    """
    operands = lengths.rest(spec.tokens, _CALC_QUESTION) // lengths.OPERAND
    rng = spec.draws("math_calc", spec.index)
    stops = [between(rng, 0, _LARGEST) for _ in range(LINES + 1)]
    pieces: list[str] = []
    for line, (value, stop) in enumerate(pairwise(stops)):
        steps = (line + 1) * (operands - 1) // LINES - line * (operands - 1) // LINES
        pieces.append(f"{value}" * (line == 0) + _steps(rng, value, stop, steps)[line > 0 :] + "\n")
    pieces[-1] = pieces[-1].rstrip()
    return Example(
        context=pieces,
        question=_CALC_QUESTION,
        answer=[stops[1:]],
        evidence=_whole(pieces),
    )


def _steps(rng: Random, value: int, stop: int, count: int) -> str:
    """So many operands that lead from one value to another, up or down as the range allows."""
    values = bytearray([value])
    for left in reversed(range(count - 1)):
        before = value
        while value == before or (value == stop and not left):
            down, share = divmod(2 * rng.random(), 1)
            if before == 0 or (not down and before < _LARGEST):
                value = before + 1 + int(share * (_LARGEST - before))
            else:
                value = before - 1 - int(share * before)
        values.append(value)
    values.append(stop)
    return "".join(f" + {b - a}" if b > a else f" - {a - b}" for a, b in pairwise(values))


def _span(numbers: bytes, place: int) -> Span:
    """Offsets of a number in the text of their list: after the bracket, two characters apart."""
    start = 1 + sum(3 + (number > 9) for number in numbers[:place])
    return start, start + len(str(numbers[place]))


def _whole(pieces: Iterable[str]) -> tuple[Span, ...]:
    """Nothing less than the whole context shows the answer."""
    return ((0, sum(map(len, pieces))),)
