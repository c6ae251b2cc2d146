"""ROUGE-Lsum, bit for bit as the ``rouge-score`` package computes it, about fifty times faster.

Lin (2004), section 3.2: for each reference sentence, the union over all candidate sentences of one
longest common subsequence (LCS) with it. The package fills a table cell by cell; here a row of the
table is one Python integer (Hyyrö, 2004): bit i of ``rows[j]`` is 0 exactly where the LCS of the
first j candidate tokens grows from i to i+1 reference tokens. That is all that is needed to walk
back through the table by the package's own rule, so that ties fall the same way.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_WORDS = re.compile(r"[a-z0-9]+")

Tokens = tuple[str, ...]


class Overlap(NamedTuple):
    """Tokens of the reference that were found, and how many each side has."""

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
    lines = (tuple(_WORDS.findall(line)) for line in text.lower().split("\n"))
    return [tokens for tokens in lines if tokens]


def _summary_overlap(reference: Sequence[Tokens], candidate: Sequence[Tokens]) -> Overlap:
    """Hits are counted at most as often as the token stands on the scarcer side."""
    left = Counter(token for sentence in candidate for token in sentence)
    distinct = [(sentence, frozenset(sentence)) for sentence in dict.fromkeys(candidate)]
    total = left.total()
    hits = 0
    for sentence in reference:
        for index in _union_lcs(sentence, distinct):
            if left[sentence[index]] > 0:
                left[sentence[index]] -= 1
                hits += 1
    return Overlap(hits, sum(map(len, reference)), total)


def _union_lcs(reference: Tokens, candidate: Iterable[tuple[Tokens, frozenset[str]]]) -> list[int]:
    """Indices into ``reference`` that belong to its LCS with any of the candidate sentences."""
    masks = _masks(reference)
    known = masks.keys()
    union: set[int] = set()
    for sentence, words in candidate:
        if not known.isdisjoint(words):
            union.update(_lcs_indices(reference, sentence, masks))
    return sorted(union)


def _masks(reference: Tokens) -> dict[str, int]:
    """For each token, an integer with a bit for every place where it stands."""
    masks: dict[str, int] = {}
    for index, token in enumerate(reference):
        masks[token] = masks.get(token, 0) | (1 << index)
    return masks


def _lcs_rows(sentence: Tokens, masks: dict[str, int], length: int) -> list[int]:
    everything = (1 << length) - 1
    row = everything
    rows = [row]
    for token in sentence:
        if mask := masks.get(token):
            matched = row & mask
            row = ((row + matched) | (row - matched)) & everything
        rows.append(row)
    return rows


def _lcs_indices(reference: Tokens, sentence: Tokens, masks: dict[str, int]) -> list[int]:
    """One LCS, as indices into ``reference``, last first.

    The walk from the last cell: on a match both sides go back; else the candidate, where that
    keeps the length (the row has a 0 there); else the reference. The steps of the reference are
    taken at once, by the highest bit that is a match or a 0.
    """
    rows = _lcs_rows(sentence, masks, len(reference))
    below = (1 << len(reference)) - 1  # a 1 for each reference token that is not passed yet
    indices = []
    for j in range(len(sentence), 0, -1):
        mask = masks.get(sentence[j - 1], 0)
        i = ((~rows[j] | mask) & below).bit_length() - 1
        if i < 0:
            break
        below = (1 << i) - 1
        if mask >> i & 1:
            indices.append(i)
        else:
            below |= 1 << i
    return indices
