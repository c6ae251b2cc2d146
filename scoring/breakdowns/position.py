"""Does it matter where in the context the evidence lies?"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scoring.breakdowns.answers import TaskAnswers
from scoring.breakdowns.bins import LEAST, known
from scoring.breakdowns.resampling import generator_for
from scoring.comparison.vectors import ROUNDING, Floats, Ints

PERMUTATIONS = 2_000
_FEWEST_PARTS, _MOST_PARTS = 3, 10  # with fewer, what is lost in the middle would not show


class PositionEffect(NamedTuple):
    p: float  # that depths without any effect would look as different as these
    n: int  # examples whose depth is known
    parts: int  # of the context that were compared


_Profile = tuple[tuple[int, float], ...]  # of a question: by class of length, its score there
# Questions that may exchange their depths, each with the part of the context where its evidence is.
_Block = Sequence[tuple[int, _Profile]]


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
    """In an order that depends on nothing but the questions, which are sorted by part."""
    has_ladder = bool(answers.rungs)
    depths = known(one.depth for one in answers.facets)
    found: dict[object, list[int]] = {}
    for index in depths:
        number = answers.facets[index].ladder if has_ladder else None
        found.setdefault((index,) if number is None else number, []).append(index)
    parts = max(_FEWEST_PARTS, min(_MOST_PARTS, len(found) // LEAST))
    blocks: dict[object, list[tuple[int, _Profile]]] = {}
    for indices in found.values():
        depth = math.fsum(depths[index] for index in indices) / len(indices)  # alike at each length
        scores = ((_length_class(answers, index), answers.scores[index]) for index in indices)
        profile = tuple(sorted(scores))
        first = answers.facets[indices[0]]
        block = (first.hops or 0, first.kind, tuple(length for length, _ in profile))
        blocks.setdefault(block, []).append((min(int(depth * parts), parts - 1), profile))
    return [sorted(block) for _, block in sorted(blocks.items(), key=lambda item: repr(item[0]))]


def _length_class(answers: TaskAnswers, index: int) -> int:
    """The target length, or of other lengths the power of two; 0: not known."""
    length = answers.length_of(index) or 0
    return length if answers.is_by_target else length.bit_length()


def _sums(deviations: Floats, counts: Ints, generator: np.random.Generator) -> Floats:
    """By permutation, part and length, (1 + permutations, parts, lengths): the sum of deviations
    (questions, lengths), which are sorted by part, where questions are assigned to parts at random.
    The first is as they are."""
    part_of = np.repeat(np.arange(len(counts)), counts)
    rows, kinds = np.unique(deviations, axis=0, return_inverse=True)  # few, of right and wrong
    kinds = kinds.reshape(-1)
    shape = 1 + PERMUTATIONS, len(counts), len(rows)
    drawn = np.zeros(shape, dtype=np.int64)  # how many questions of each row are in each part
    np.add.at(drawn[0], (part_of, kinds), 1)
    if len(rows) == 2:
        total = int(np.count_nonzero(kinds))
        drawn[1:, :, 1] = generator.multivariate_hypergeometric(counts, total, PERMUTATIONS)
        drawn[1:, :, 0] = counts - drawn[1:, :, 1]
    else:
        shuffled = generator.permuted(np.tile(kinds, (PERMUTATIONS, 1)), axis=1)
        shuffled += len(rows) * (part_of + len(counts) * np.arange(PERMUTATIONS)[:, np.newaxis])
        flat = np.bincount(shuffled.ravel(), minlength=drawn[1:].size)
        drawn[1:] = flat.reshape(drawn[1:].shape)
    sums: Floats = drawn @ rows
    return sums
