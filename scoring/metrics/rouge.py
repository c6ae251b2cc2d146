"""ROUGE-Lsum, bit for bit as the ``rouge-score`` package computes it, about fifty times faster.

Lin (2004), section 3.2: for each reference sentence, the union over all candidate sentences of one
longest common subsequence (LCS) with it. The package fills a table cell by cell; here a row of the
table is one Python integer (Hyyrö, 2004): bit i of the row after j candidate tokens is 0 exactly
where the LCS with them grows from i to i+1 reference tokens. That is all that is needed to walk
back through the table by the package's own rule, so that ties fall the same way.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

WORDS = re.compile(r"[a-z0-9]+")

Tokens = tuple[str, ...]


class Overlap(NamedTuple):
    """Counts of tokens: hits, and the length of either side."""

    hits: int
    reference: int
    candidate: int

    @property
    def f_measure(self) -> float:
        if not self.hits:
            return 0.0
        recall, precision = self.hits / self.reference, self.hits / self.candidate
        return 2 * precision * recall / (precision + recall)


def rouge_lsum(prediction: str, references: Iterable[str]) -> Overlap:
    """The overlap with the reference that gives the highest F-measure (0 to 1), the first on ties.

    No stemming; a sentence ends at a newline.
    """
    candidate = _sentences(prediction)
    overlaps = [_summary_overlap(_sentences(reference), candidate) for reference in references]
    return max(overlaps, key=lambda overlap: overlap.f_measure, default=Overlap(0, 0, 0))


def _sentences(text: str) -> list[Tokens]:
    lines = (tuple(WORDS.findall(line)) for line in text.lower().split("\n"))
    return [tokens for tokens in lines if tokens]


def _summary_overlap(reference: Sequence[Tokens], candidate: Sequence[Tokens]) -> Overlap:
    """A token counts as a hit at most as often as it occurs in the candidate."""
    left = Counter(token for sentence in candidate for token in sentence)
    total = left.total()
    distinct = [(sentence, frozenset(sentence)) for sentence in dict.fromkeys(candidate)]
    hits = 0
    for sentence in reference:
        # Tokens that no candidate sentence has are in no common subsequence: leave them out.
        shared = [token for token in sentence if token in left]
        for index in _union_lcs(shared, distinct):
            if left[shared[index]] > 0:
                left[shared[index]] -= 1
                hits += 1
    return Overlap(hits, sum(map(len, reference)), total)


def _union_lcs(
    reference: Sequence[str], candidate: Iterable[tuple[Tokens, frozenset[str]]]
) -> list[int]:
    """Indices into ``reference`` that belong to its LCS with any of the candidate sentences."""
    masks = token_masks(reference)
    known = masks.keys()
    union: set[int] = set()
    for sentence, words in candidate:
        if not known.isdisjoint(words):
            union.update(lcs_indices(sentence, masks, len(reference)))
    return sorted(union)


def token_masks(tokens: Iterable[str]) -> dict[str, int]:
    """For each token, a bit for every position at which it occurs."""
    masks: dict[str, int] = {}
    for position, token in enumerate(tokens):
        masks[token] = masks.get(token, 0) | 1 << position
    return masks


def _lcs_columns(
    sentence: Tokens, masks: Mapping[str, int], everything: int
) -> list[tuple[int, int]]:
    """Row and mask after each candidate token; tokens that the reference lacks make one column."""
    row = everything
    columns: list[tuple[int, int]] = []
    after_match = False
    for mask in map(masks.get, sentence):
        if mask:
            matched = row & mask
            row = ((row + matched) | (row - matched)) & everything
            columns.append((row, mask))
            after_match = True
        elif after_match:
            columns.append((row, 0))
            after_match = False
    return columns


def lcs_indices(sentence: Tokens, masks: Mapping[str, int], length: int) -> list[int]:
    """One LCS, as indices into the reference, last first.

    The walk from the last cell: on a match both sides go back; else the candidate, where that
    keeps the length (the row has a 0 there); else the reference. The steps of the reference are
    taken at once, to the highest bit that is a match or a 0.
    """
    below = (1 << length) - 1  # a 1 for each reference token that is not passed yet
    indices = []
    for row, mask in reversed(_lcs_columns(sentence, masks, below)):
        index = ((~row | mask) & below).bit_length() - 1
        if index < 0:
            break
        below = (2 << index) - 1
        if mask >> index & 1:
            indices.append(index)
            below >>= 1
    return indices
