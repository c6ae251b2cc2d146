"""Whether it matters where in the context the evidence is."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from scoring.breakdowns.answers import TaskAnswers
from scoring.breakdowns.bins import LEAST, known
from scoring.breakdowns.resampling import generator_for
from scoring.comparison.vectors import ROUNDING, Floats, Ints

PERMUTATIONS = 2_000
_BLOCK = 50  # permutations at a time, which fit into the processor's cache
_FEWEST_PARTS, _MOST_PARTS = 3, 10  # with fewer, a loss in the middle would not show


class PositionEffect(NamedTuple):
    p: float  # the probability that depths without any effect look at least as different
    n: int  # examples whose depth is known
    parts: int  # of the context that were compared


_Profile = tuple[tuple[int, float], ...]  # of a question: its score in each class of length
# Questions that may exchange depths, each with the part of the context that has its evidence.
_Block = Sequence[tuple[int, _Profile]]


@lru_cache(maxsize=1)  # used for breakdowns by position, and by length and position
def position_effect(answers: TaskAnswers) -> PositionEffect | None:
    """A permutation test of depth; None where scores do not vary, or depths are all alike.

    Depths are exchanged among questions of the same length, hops and kind, which would be as likely
    to be right at any depth if depth had no effect. A question on a ladder moves with its scores at
    all lengths, which are no independent trials. Lengths that nobody chose count as the same within
    a factor of two. The statistic is Σ n_lb (ȳ_lb − ȳ_l)² over lengths l and parts b of the
    context, of scores less the mean of their length, hops and kind: what is lost in the middle of
    long contexts only is not diluted by short ones.

    p = (1 + #{at least as large}) / (1 + 2,000): B. Phipson and G. K. Smyth, “Permutation P-values
    Should Never Be Zero” (2010). Seeded by the data, so that equal data have equal digits.
    """
    blocks = _blocks(answers)
    parts = sorted({part for block in blocks for part, _ in block})
    tables = [np.array([[score for _, score in profile] for _, profile in one]) for one in blocks]
    deviations = [table - table.mean(axis=0) for table in tables]
    if len(parts) < 2 or not any(np.any(np.abs(one) > ROUNDING) for one in deviations):
        return None
    generator = generator_for(*tables, *(np.array([part for part, _ in one]) for one in blocks))
    sums: dict[int, Floats] = {}  # by length: (1 + permutations, parts), of deviations
    sizes: dict[int, Ints] = {}  # by length: questions in each part
    for block, of_questions in zip(blocks, deviations, strict=True):
        counts = np.array([sum(part == one for one, _ in block) for part in parts])
        of_block = _sums(of_questions, counts, generator)
        for place, (length, _) in enumerate(block[0][1]):
            sums[length] = sums.get(length, np.zeros(1)) + of_block[:, :, place]
            sizes[length] = sizes.get(length, np.zeros(1, np.int64)) + counts
    statistics = np.zeros(1 + PERMUTATIONS)
    for length, of_length in sums.items():
        statistics += np.sum(of_length**2 / np.maximum(sizes[length], 1), axis=1)
    as_large = int(np.count_nonzero(statistics[1:] >= statistics[0] * (1 - ROUNDING) - ROUNDING))
    n = sum(table.size for table in tables)
    return PositionEffect((1 + as_large) / (1 + PERMUTATIONS), n, len(parts))


def _blocks(answers: TaskAnswers) -> list[_Block]:
    """In an order that depends on the questions alone, which are sorted by part."""
    has_ladder = bool(answers.rungs)
    depths = known(one.depth for one in answers.facets)
    found: dict[int, list[int]] = {}
    for index in depths:
        number = answers.facets[index].ladder if has_ladder else None
        found.setdefault(-1 - index if number is None else number, []).append(index)
    # Target lengths; other lengths count as one within a factor of two. 0: unknown.
    classes = [
        length if answers.is_by_target else length.bit_length()
        for length in (answers.length_of(index) or 0 for index in range(answers.size))
    ]
    parts = max(_FEWEST_PARTS, min(_MOST_PARTS, len(found) // LEAST))
    blocks: dict[object, list[tuple[int, _Profile]]] = {}
    for indices in found.values():
        # It is the same at each length.
        depth = math.fsum(depths[index] for index in indices) / len(indices)
        profile = tuple(sorted((classes[index], answers.scores[index]) for index in indices))
        first = answers.facets[indices[0]]
        block = (first.hops or 0, first.kind, tuple(length for length, _ in profile))
        blocks.setdefault(block, []).append((min(int(depth * parts), parts - 1), profile))
    return [sorted(block) for _, block in sorted(blocks.items(), key=lambda item: repr(item[0]))]


def _sums(deviations: Floats, counts: Ints, generator: np.random.Generator) -> Floats:
    """By permutation, part and length, (1 + permutations, parts, lengths): the sum of deviations
    (questions, lengths), which are sorted by part, where questions are assigned to parts at random.
    The first is as they are."""
    filled = np.flatnonzero(counts)
    starts = np.cumsum(counts)[filled] - counts[filled]
    sums = np.zeros((1 + PERMUTATIONS, len(counts), deviations.shape[1]))
    sums[0, filled] = np.add.reduceat(deviations, starts, axis=0)
    rows, kinds = np.unique(deviations, axis=0, return_inverse=True)
    if len(rows) == 2:  # of right and wrong at one length
        total = int(np.count_nonzero(kinds))
        drawn = generator.multivariate_hypergeometric(counts, total, PERMUTATIONS)
        sums[1:] = np.stack([counts - drawn, drawn], axis=-1) @ rows
        return sums
    packed = _packed(deviations)
    columns = [np.ascontiguousarray(column) for column in deviations.T] if packed is None else []
    for first in range(1, 1 + PERMUTATIONS, _BLOCK):
        block = slice(first, first + _BLOCK)
        order = _permutations(len(deviations), generator)
        if packed is not None:
            counted = np.add.reduceat(packed.words[order], starts, axis=1)
            sums[block, filled] = packed.unpack(counted, counts[filled])
        for place, column in enumerate(columns):
            sums[block, filled, place] = np.add.reduceat(column[order], starts, axis=1)
    return sums


class _Packed(NamedTuple):
    """Right and wrong answers to questions at several lengths, each question in one number: what is
    right at every length is counted by a single sum."""

    words: Ints  # (questions,): ``bits`` for each length
    bits: int
    low: Floats  # (lengths,): the deviation of a wrong answer
    step: Floats  # and how much more that of a right one is

    def unpack(self, words: Ints, counts: Ints) -> Floats:
        """Sums of deviations of shape (…, parts, lengths), from sums of words over these many
        questions."""
        shifts = self.bits * np.arange(len(self.low))
        right = (words[..., np.newaxis] >> shifts) & ((1 << self.bits) - 1)
        found: Floats = counts[:, np.newaxis] * self.low + right * self.step
        return found


def _packed(deviations: Floats) -> _Packed | None:
    """None if a length has more than two different scores, or the counts need too many bits."""
    low, high = deviations.min(axis=0), deviations.max(axis=0)
    bits = len(deviations).bit_length()
    is_high = deviations == high
    if bits * len(low) > 63 or not np.all(is_high | (deviations == low)):
        return None
    words = (is_high.astype(np.int64) << (bits * np.arange(len(low)))).sum(axis=1)
    return _Packed(words, bits, low, high - low)


def _permutations(count: int, generator: np.random.Generator) -> Ints:
    """(``_BLOCK``, count): sorting random numbers that end in the places is several times faster
    than to shuffle these. Of numbers that are equal but for the place, which come once in a hundred
    permutations or less, the order is not random."""
    bits = (count - 1).bit_length()
    size, kind = (4, "u4") if bits < 10 else (8, "u8")
    drawn = generator.bit_generator.random_raw(_BLOCK * count * size // 8).view(kind)
    numbers = (drawn.reshape(_BLOCK, count) << bits) | np.arange(count, dtype=kind)
    numbers.sort(axis=1)
    places: Ints = (numbers & ((1 << bits) - 1)).astype(np.int64)
    return places
