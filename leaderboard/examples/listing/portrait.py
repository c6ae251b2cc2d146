"""The portrait of a task: all questions, easiest first, one column each."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from leaderboard.examples.addresses import list_address
from leaderboard.examples.filters import Filter, Range
from leaderboard.examples.listing.selection import Selection

HEIGHT, MARKS = 56, 10  # of the columns, and of the marks below them
_BINS = 12
_PLACES = 10**6  # the precision with which a filter prints numbers


class Bin(NamedTuple):
    """Neighbouring questions, as one link."""

    x: float
    width: float
    difficulties: tuple[float, float]
    n: int
    mean: float  # percent
    href: str


class Portrait(NamedTuple):
    """One unit wide for each question; ``path`` hangs down from the mean scores."""

    width: int
    path: str
    marks: str  # below the questions that the filter finds
    bins: Sequence[Bin]
    finding: str
    found: int | None  # the number of questions with a mark; None: all


def portrait_of(selection: Selection) -> Portrait | None:
    """None if nothing was answered, or the reader may not see verdicts."""
    if not selection.questions.shows_answers:
        return None
    difficulty = selection.items.difficulty
    known = np.flatnonzero(~np.isnan(difficulty))
    if not known.size:
        return None
    order = known[np.argsort(difficulty[known], kind="stable")]
    sorted_ones = difficulty[order]
    path = "".join(
        f"M{place}.5 {HEIGHT}V{HEIGHT * value:.1f}" for place, value in enumerate(sorted_ones)
    )
    # Words are searched for a page at a time, so not all questions with them are known.
    is_filtered = bool(str(selection.filter.replace(words=(), sort="place")))
    found = set(selection.order) if is_filtered and not selection.filter.words else None
    marks = "".join(
        f"M{place}.5 {HEIGHT + 2}v{MARKS - 2}"
        for place, index in enumerate(order.tolist())
        if found is not None and index in found
    )
    bins = [_bin(selection, sorted_ones, *ends) for ends in _ends(sorted_ones)]
    count = None if found is None else len(found)
    return Portrait(len(order), path, marks, bins, _finding(selection, order), count)


def _ends(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> list[tuple[int, int]]:
    """[start, end) of bins. Equal difficulties are in one bin, so that a filter can express it."""
    step = max(1, math.ceil(len(values) / _BINS))
    ends, start = [], 0
    while start < len(values):
        last = min(start + step, len(values)) - 1
        end = int(np.searchsorted(values, values[last] + 1e-9, side="right"))
        ends.append((start, end))
        start = end
    return ends


def _bin(
    selection: Selection,
    values: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    start: int,
    end: int,
) -> Bin:
    low = math.floor(values[start] * _PLACES) / _PLACES
    high = math.ceil(values[end - 1] * _PLACES) / _PLACES
    chosen = Filter(metric_set=selection.filter.metric_set, sort="difficulty")
    chosen = chosen.with_range("difficulty", Range(low, high))
    questions = selection.questions
    href = list_address(questions.release.slug, questions.task.id, chosen)
    mean = 100 * (1 - float(values[start:end].mean()))
    return Bin(start, end - start, (low, high), end - start, mean, href)


def _finding(selection: Selection, order: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> str:
    items = selection.items
    everybody = int(items.everybody_solves.sum())
    nobody = int(items.nobody_solves.sum())
    middle = int(order[len(order) // 2])
    return (
        "of {n} questions everybody solves {everybody} and nobody {nobody}; the one in the "
        "middle has a mean score of {score} %"
    ).format(
        n=len(order),
        everybody=everybody,
        nobody=nobody,
        score=f"{100 * (1 - items.difficulty[middle]):.0f}",
    )
