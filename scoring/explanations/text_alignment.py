"""What two texts have in common, in order: long passages first, then words between them.

Words are matched by a longest common subsequence in rows of bits (H. Hyyrö, “Bit-Parallel
LCS-Length Computation Revisited”, 2004). That costs the product of both lengths, so long texts are
first cut at phrases which either has once, in the manner of patience diff.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

_PHRASE = 16  # characters
_SHORT = 1 << 22  # pairs of characters: texts of 2,048 need no cutting
_SEARCHES = 1 << 20  # characters in which phrases are searched for, in all

Run: TypeAlias = tuple[int, int, int]  # where it starts in a and in b, and how long it is


def common_passages(a: str, b: str) -> list[Run]:
    """Runs of equal characters, in order in both texts, apart from each other, none of them empty.

    Texts that are short have those with which they start and end, at most.
    """
    runs: list[Run] = []
    pending, searches = [(0, len(a), 0, len(b))], _SEARCHES
    while pending:
        start_a, end_a, start_b, end_b = pending.pop()
        size = _common_start(a[start_a:end_a], b[start_b:end_b])
        runs.append((start_a, start_b, size))
        start_a, start_b = start_a + size, start_b + size
        size = _common_start(a[start_a:end_a][::-1], b[start_b:end_b][::-1])
        end_a, end_b = end_a - size, end_b - size
        runs.append((end_a, end_b, size))
        length_a, length_b = end_a - start_a, end_b - start_b
        if length_a * length_b <= _SHORT or length_a + length_b > searches:
            continue
        searches -= length_a + length_b
        places = [
            (start_a + i, start_b + j)
            for i, j in _common_phrases(a[start_a:end_a], b[start_b:end_b])
        ]
        if places:
            edges = [(start_a, start_b), *places, (end_a, end_b)]
            pending += [(i, next_i, j, next_j) for (i, j), (next_i, next_j) in pairwise(edges)]
    return joined(sorted(run for run in runs if run[2]))


def _common_start(a: str, b: str) -> int:
    """With how many characters both start, by halving: slices are compared fast."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def joined(runs: Sequence[Run]) -> list[Run]:
    """Runs of which one begins where another ends become one."""
    found: list[Run] = []
    for a, b, size in runs:
        last_a, last_b, last = found[-1] if found else (-1, -1, 0)
        if (a, b) == (last_a + last, last_b + last):
            found[-1] = (last_a, last_b, last + size)
        else:
            found.append((a, b, size))
    return found


def _common_phrases(a: str, b: str) -> list[tuple[int, int]]:
    """Where the phrases that follow one another in ``a`` stand in ``b``: of those that either has
    once, the longest series that is in order in both."""
    places: dict[str, int] = {}
    repeated: set[int] = set()
    for i in range(0, len(a) - _PHRASE + 1, _PHRASE):
        first = places.setdefault(a[i : i + _PHRASE], i)
        if first != i:
            repeated.add(first)
    found: dict[int, int] = {}
    for j in [j for j in range(len(b) - _PHRASE + 1) if b[j : j + _PHRASE] in places]:
        i = places[b[j : j + _PHRASE]]
        if found.setdefault(i, j) != j:
            repeated.add(i)
    return _longest_increasing([pair for pair in sorted(found.items()) if pair[0] not in repeated])


def _longest_increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence of pairs whose second parts increase, by patience sorting."""
    tops: list[int] = []  # the smallest second part that ends a subsequence of each length
    ends: list[int] = []  # the pair that has it
    before: list[int] = []
    for index, (_, second) in enumerate(pairs):
        length = bisect_left(tops, second)
        before.append(ends[length - 1] if length else -1)
        tops[length : length + 1] = [second]
        ends[length : length + 1] = [index]
    chain: list[tuple[int, int]] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]


def common_words(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """The pairs of indices of a longest common subsequence, last first."""
    if len(a) < len(b):  # steps are dearer than bits
        return [(i, j) for j, i in common_words(b, a)]
    masks: dict[str, int] = {}
    for place, word in enumerate(a):
        masks[word] = masks.get(word, 0) | 1 << place
    everything = row = (1 << len(a)) - 1
    rows = [row]  # a 0 where the subsequence with the words of b so far grows
    for word in b:
        if matched := row & masks.get(word, 0):
            row = ((row + matched) | (row - matched)) & everything
        rows.append(row)
    pairs, below = [], everything
    for j in reversed(range(len(b))):
        i = (~rows[j + 1] & below).bit_length() - 1
        if i < 0:
            break
        below = (2 << i) - 1
        if rows[j] >> i & 1:
            pairs.append((i, j))
            below >>= 1
    return pairs
