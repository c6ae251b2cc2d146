"""Length × depth: cells with enough examples to say something."""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from scoring.breakdowns.answers import TaskAnswers
from scoring.breakdowns.bins import (
    LEAST,
    Bin,
    depth_group,
    known,
    length_group,
    make_bin,
    quantile_groups,
)


def length_depth_cells(answers: TaskAnswers, most: int) -> list[Bin]:
    """Row by row, by ascending length and depth: the cells of a grid, each with at least ``LEAST``
    examples where there are as many.

    Rows are target lengths, or quantiles of length; columns are quantiles of depth, the same in
    each row. There are at most ``most`` quantiles of either.
    """
    depths = known(one.depth for one in answers.facets)
    found = ((index, answers.length_of(index)) for index in depths)
    lengths = {index: length for index, length in found if length is not None}
    depths = {index: depths[index] for index in lengths}
    rows, edges = _grid(lengths, depths, most, is_by_target=answers.is_by_target)
    cells: list[tuple[int, int, list[int]]] = []
    for number, row in enumerate(rows):
        columns: list[list[int]] = [[] for _ in range(len(edges) + 1)]
        for index in row:
            columns[bisect_right(edges, depths[index])].append(index)
        cells += [(number, place, indices) for place, indices in enumerate(columns)]
    differences = _shrunk_differences(answers.scores, cells)
    ends = list(zip([0.0, *edges], [*edges, 1.0], strict=True))
    of_rows = [length_group(lengths, row) for row in rows]
    bins = []
    for (number, place, indices), difference in zip(cells, differences, strict=True):
        start, end, of_length, _ = of_rows[number]
        _, _, of_depth, _ = depth_group(*ends[place], indices)
        cell = make_bin(answers, (start, end, f"{of_length}, {of_depth}", indices))
        bins.append(replace(cell, depths=ends[place], shrunk=difference))
    return bins


def _grid(
    lengths: Mapping[int, int], depths: Mapping[int, float], most: int, *, is_by_target: bool
) -> tuple[list[list[int]], list[float]]:
    """The indices of each row, and the depths at which the columns after the first begin: as many
    rows as leave room for two columns, then as many columns as possible."""
    square = math.isqrt(len(lengths) // LEAST)
    most_rows = len(set(lengths.values())) if is_by_target else min(most, square)
    for count in range(most_rows, 0, -1):
        rows = quantile_groups(lengths, count, 2 * LEAST)
        of_rows = [np.array([depths[index] for index in row]) for row in rows]
        for columns in range(min(most, min(map(len, rows)) // LEAST), 1, -1):
            edges = [depths[group[0]] for group in quantile_groups(depths, columns)[1:]]
            sizes = [
                np.bincount(np.searchsorted(edges, row, "right"), minlength=len(edges) + 1)
                for row in of_rows
            ]
            if edges and np.min(sizes) >= LEAST:
                return rows, edges
    return [sorted(lengths)], []


def _shrunk_differences(
    scores: Sequence[float], cells: Sequence[tuple[int, int, Sequence[int]]]
) -> list[float]:
    """Of each cell, by row and column, from the mean of all, in percentage points.

    What a cell scores counts for n of n + κ, and for the rest what its row and column let expect,
    m = row mean + column mean − mean; with one row or column, the mean. That is the posterior mean
    of a share with a beta distribution around m, where κ = (1 − ρ)/ρ. The correlation ρ inside
    cells comes from the moments of what the shares vary by beyond chance, X²/df = 1 + (n̄ − 1)ρ:
    J. C. Kleinman, “Proportions with Extraneous Variance” (JASA, 1973); D. A. Williams,
    “Extra-Binomial Variation in Logistic Linear Models” (Applied Statistics, 1982). Scores between
    0 and 1 vary less than m(1 − m), by a factor that is estimated from all cells.
    """
    means = [_mean(scores, indices) for _, _, indices in cells]
    overall = _mean(scores, [index for _, _, indices in cells for index in indices])
    rows, columns = ({cell[side] for cell in cells} for side in (0, 1))
    of_rows, of_columns = (
        {
            value: _mean(scores, [i for cell in cells if cell[side] == value for i in cell[2]])
            for value in values
        }
        for side, values in enumerate((rows, columns))
    )
    is_grid = len(rows) > 1 and len(columns) > 1
    df = (len(rows) - 1) * (len(columns) - 1) if is_grid else len(cells) - 1
    total = sum(len(indices) for _, _, indices in cells)
    least = 1 / (2 * total)  # a share of 0 would vary by nothing
    expected = [
        min(max(of_rows[r] + of_columns[c] - overall if is_grid else overall, least), 1 - least)
        for r, c, _ in cells
    ]
    squares = math.fsum(
        (scores[index] - mean) ** 2
        for mean, (_, _, indices) in zip(means, cells, strict=True)
        for index in indices
    )
    most = math.fsum(len(cell[2]) * p * (1 - p) for p, cell in zip(means, cells, strict=True))
    factor = squares / most if squares else 1.0
    chi_square = math.fsum(
        len(cell[2]) * (p - m) ** 2 / (factor * m * (1 - m))
        for p, m, cell in zip(means, expected, cells, strict=True)
    )
    beyond = chi_square / df - 1 if df else 0.0
    rho = min(1.0, max(0.0, beyond / (total / len(cells) - 1))) if beyond > 0 else 0.0
    found = []
    for p, m, (_, _, indices) in zip(means, expected, cells, strict=True):
        own = len(indices) * rho / (1 + (len(indices) - 1) * rho)
        found.append(100 * (own * p + (1 - own) * m - overall))
    return found


def _mean(scores: Sequence[float], indices: Sequence[int]) -> float:
    return math.fsum(scores[index] for index in indices) / len(indices)
