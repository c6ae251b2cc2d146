"""The scores of entries as vectors, and how they vary from text to text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

# A variance is 0 below this share of what it is the difference of: the rest is rounding.
ROUNDING = 1e-12


class TaskVector(NamedTuple):
    """One entry's scores of the questions of one task; the arrays have one element a question."""

    scores: Floats  # from 0 to 1
    questions: Ints  # codes: equal code = same question with an equal label, in any data set
    texts: Ints  # codes: equal code = same text, in any task
    strata: Ints  # codes of what is fixed by design (depth, hops, kind); all 0 without a design
    fractional: bool  # scores between 0 and 1 occur, as with F1 and ROUGE


Entry: TypeAlias = Mapping[str, TaskVector]  # by task


@dataclass(frozen=True, eq=False)
class Layout:
    """The questions of a task in one data set, sorted by text and question."""

    questions: Ints
    texts: Ints
    strata: Ints  # from 0 to their number − 1

    @classmethod
    def of(cls, vector: TaskVector) -> tuple[Ints, "Layout"]:
        """Where each question is in the vector, and the layout.

        Raises ``ValueError`` where the vector is empty or its arrays differ in length.
        """
        sizes = {len(array) for array in vector[:4]}
        if len(sizes) != 1 or 0 in sizes:
            raise ValueError("a task vector needs four arrays of one length, not 0")
        order = np.lexsort((vector.strata, vector.questions, vector.texts)).astype(np.int64)
        texts = vector.texts[order]
        return order, cls(vector.questions[order], texts, _strata(texts, vector.strata[order]))

    @cached_property
    def digest(self) -> bytes:
        parts = (self.questions, self.texts, self.strata)
        return blake2b(b"".join(array.tobytes() for array in parts), digest_size=16).digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    @cached_property
    def number_of_texts(self) -> int:
        return int(np.count_nonzero(np.diff(self.texts))) + 1

    @cached_property
    def stratum_sizes(self) -> Ints:
        return np.bincount(self.strata).astype(np.int64)

    @cached_property
    def df(self) -> int:
        """Degrees of freedom: texts − strata; 0 where there is only one text."""
        return self.number_of_texts - len(self.stratum_sizes)

    @cached_property
    def effective_df(self) -> float:
        """``df`` with n² / Σ n_g² in place of the number of texts, at least 1: with many questions
        on few of the texts the variance is less certain. C. A. Carter, K. T. Schnepel and D. G.
        Steigerwald, “Asymptotic Behavior of a t-Test Robust to Cluster Heterogeneity” (Review of
        Economics and Statistics, 2017), with equal correlation in all texts."""
        _, sizes = np.unique(self.texts, return_counts=True)
        effective = len(self.texts) ** 2 / float(np.sum(sizes**2))
        return max(1.0, effective - len(self.stratum_sizes)) if self.df else 0.0

    @cached_property
    def one_question_a_text(self) -> bool:
        return self.number_of_texts == len(self.texts)

    def stratum_means(self, scores: Floats) -> Floats:
        """The mean in each stratum, (k, strata), of scores (k, n) in the order of this layout."""
        if len(self.stratum_sizes) == 1:
            mean: Floats = scores.mean(axis=1, keepdims=True)
            return mean
        members = np.zeros((len(self.strata), len(self.stratum_sizes)))
        members[np.arange(len(self.strata)), self.strata] = 1
        means: Floats = scores @ members / self.stratum_sizes
        return means

    def influence(self, scores: Floats, means: Floats) -> Floats:
        """What each question contributes to the deviation of the mean, (k, n).

        Summed over the questions of each text and squared, they add up to the variance of the mean,
        G / (G − H) Σ_g (Σ_{i∈g} (yᵢ − ȳ_h))² / n² for G texts, H strata and n questions: CR1 with
        deviations from the mean of the stratum. A. C. Cameron and D. L. Miller, “A Practitioner's
        Guide to Cluster-Robust Inference” (2015), section II; E. Miller, “Adding Error Bars to
        Evals” (arXiv 2411.00640), section 2.2.
        """
        scale = np.sqrt(self.number_of_texts / self.df) if self.df else 1.0
        deviations: Floats = scores - means[:, self.strata]
        deviations *= scale / len(self.questions)
        return deviations


def _strata(texts: Ints, codes: Ints) -> Ints:
    """Strata from 0; those of fewer than two texts form one, and where no degree of freedom would
    be left all do."""
    _, strata = np.unique(codes, return_inverse=True)
    pairs = np.unique(np.stack([strata, texts]), axis=1)
    small = np.bincount(pairs[0]) < 2
    strata = np.where(small[strata], -1, strata)
    values, strata = np.unique(strata, return_inverse=True)
    if len(np.unique(texts)) <= len(values):
        return np.zeros(len(texts), dtype=np.int64)
    return strata.astype(np.int64)


def shared_questions(a: Layout, b: Layout) -> tuple[Ints, Ints]:
    """The positions in both layouts of the questions that both have, in the order of ``a``.

    Where a data set has a question more than once, the first matches the first, and so on.
    """
    if a == b:
        everything = np.arange(len(a.questions))
        return everything, everything
    _, places = np.unique(np.concatenate([a.questions, b.questions]), return_inverse=True)
    size = len(a.questions)
    numbered_a, numbered_b = (
        codes * len(places) + _occurrences(codes) for codes in (places[:size], places[size:])
    )
    _, in_a, in_b = np.intersect1d(numbered_a, numbered_b, assume_unique=True, return_indices=True)
    order = np.argsort(in_a)
    return in_a[order].astype(np.int64), in_b[order].astype(np.int64)


def _occurrences(codes: Ints) -> Ints:
    """For each element, how many equal ones precede it."""
    order = np.argsort(codes, kind="stable")
    ranked = codes[order]
    starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
    lengths = np.diff(np.append(starts, len(codes)))
    occurrences = np.empty(len(codes), dtype=np.int64)
    occurrences[order] = np.arange(len(codes)) - np.repeat(starts, lengths)
    return occurrences


def degrees_of_freedom(layouts: Sequence[Layout], weights: Sequence[float]) -> float:
    """Of the weighted mean of tasks, as if a text in each varied as much as in the others.

    With one task effective texts − strata (``Layout.effective_df``). With more
    (Σ wₜ²/Gₜ)² / Σ (wₜ²/Gₜ)²/dfₜ: B. L. Welch, “The Generalization of ‘Student's’ Problem”
    (Biometrika, 1947), by design instead of by estimated variances, so that it is the same for all
    entries of a data set. 0 where a task has only one text and its variance cannot be known.
    """
    if not all(layout.df for layout in layouts):
        return 0.0
    if len(layouts) == 1:
        return layouts[0].effective_df
    parts = [w * w / layout.number_of_texts for layout, w in zip(layouts, weights, strict=True)]
    return sum(parts) ** 2 / sum(
        part * part / layout.effective_df for part, layout in zip(parts, layouts, strict=True)
    )


def unit_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """The weights of tasks scaled to a sum of 1, without those of 0.

    Raises ``ValueError`` where one is negative or not finite, or none is above 0.
    """
    total = sum(weights.values())
    if not all(0 <= weight < float("inf") for weight in weights.values()) or total <= 0:
        raise ValueError("weights need to be 0 or more, and one of them above 0")
    return {task: weight / total for task, weight in weights.items() if weight}


def shared_texts(in_a: Ints, in_b: Ints) -> Ints:
    """Codes from 0 for the texts of shared questions, of which both data sets have a code."""
    if np.array_equal(in_a, in_b):
        _, codes = np.unique(in_a, return_inverse=True)
    else:
        _, codes = np.unique(np.stack([in_a, in_b]), axis=1, return_inverse=True)
    return codes.astype(np.int64).reshape(-1)
