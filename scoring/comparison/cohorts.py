"""Entries with the same data set: their scores as matrices, and the t of every pair of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import blake2b

import numpy as np

from scoring.comparison.mcnemar import FEW_DISCORDANT, equivalent_t
from scoring.comparison.vectors import (
    ROUNDING,
    Floats,
    Ints,
    Layout,
    degrees_of_freedom,
    shared_questions,
    shared_texts,
)


@dataclass(frozen=True, eq=False)
class TaskScores:
    """The scores in a task of the k entries with one data set."""

    layout: Layout
    fractional: bool
    means: Floats  # (k,) from 0 to 1
    stratum_means: Floats  # (k, strata)
    influence: Floats  # (k, questions), as ``Layout.influence``
    digests: tuple[bytes, ...]  # of questions and scores, to order equal means by

    @classmethod
    def of(cls, layout: Layout, rows: Sequence[Floats], fractional: bool) -> "TaskScores":
        """From scores in the order of the layout."""
        scores = np.stack(rows)
        stratum_means = layout.stratum_means(scores)
        return cls(
            layout,
            fractional,
            scores.mean(axis=1),
            stratum_means,
            layout.influence(scores, stratum_means),
            tuple(blake2b(layout.digest + row.tobytes(), digest_size=8).digest() for row in scores),
        )

    def followed_by(self, other: "TaskScores") -> "TaskScores":
        return TaskScores(
            self.layout,
            self.fractional or other.fractional,
            np.concatenate([self.means, other.means]),
            np.concatenate([self.stratum_means, other.stratum_means]),
            np.concatenate([self.influence, other.influence]),
            self.digests + other.digests,
        )


@dataclass(frozen=True, eq=False)
class Cohort:
    """The k entries of a column that have the same data set in each of its tasks."""

    tasks: tuple[TaskScores, ...]
    weights: tuple[float, ...]  # their sum is 1
    rows: Ints  # (tasks, k): where in each the entries are
    members: Ints  # (k,): their places in the column
    means: Floats  # (k,) from 0 to 1
    variances: Floats  # (k,) of the means
    stratum_means: Floats  # (k, strata of all tasks)
    digests: tuple[bytes, ...]

    @classmethod
    def of(
        cls, tasks: Sequence[TaskScores], weights: Sequence[float], rows: Ints, members: Ints
    ) -> "Cohort":
        means = np.zeros(len(members))
        for task, weight, these in zip(tasks, weights, rows, strict=True):
            means += weight * task.means[these]
        parts = [task.stratum_means[these] for task, these in zip(tasks, rows, strict=True)]
        digests = [
            b"".join(task.digests[row] for task, row in zip(tasks, column, strict=True))
            for column in rows.T.tolist()
        ]
        cohort = cls(
            tuple(tasks),
            tuple(weights),
            rows,
            members,
            means,
            np.zeros(len(members)),
            np.concatenate(parts, axis=1),
            tuple(digests),
        )
        return replace(cohort, variances=np.sum(cohort.text_sums(*cohort.texts) ** 2, axis=1))

    def followed_by(self, other: "Cohort") -> "Cohort":
        """With the entries of another cohort that has the same data sets."""
        return Cohort(
            self.tasks,
            self.weights,
            np.concatenate([self.rows, other.rows], axis=1),
            np.concatenate([self.members, other.members]),
            np.concatenate([self.means, other.means]),
            np.concatenate([self.variances, other.variances]),
            np.concatenate([self.stratum_means, other.stratum_means]),
            self.digests + other.digests,
        )

    def on(self, scores: Mapping[Layout, TaskScores]) -> "Cohort":
        """The same entries after the scores of each task have grown."""
        return replace(self, tasks=tuple(scores[layout] for layout in self.layouts))

    @property
    def size(self) -> int:
        return len(self.members)

    @cached_property
    def layouts(self) -> tuple[Layout, ...]:
        return tuple(task.layout for task in self.tasks)

    @cached_property
    def df(self) -> float:
        return degrees_of_freedom(self.layouts, self.weights)

    @cached_property
    def texts(self) -> tuple[list[Ints], Ints]:
        """The positions of all questions in each task, and the codes of their texts."""
        positions, codes = shared_positions(self.layouts, self.layouts)
        return [these for these, _ in positions], codes

    def text_sums(self, positions: Sequence[Ints], codes: Ints) -> Floats:
        """The contribution of each text to the deviation of the means, (k, texts).

        ``positions`` are those of the questions in each task, ``codes`` the texts of them all.
        """
        parts = [
            weight * task.influence[np.ix_(rows, these)]
            for task, weight, rows, these in zip(
                self.tasks, self.weights, self.rows, positions, strict=True
            )
        ]
        together = np.concatenate(parts, axis=1)
        order = np.argsort(codes, kind="stable")
        starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
        if len(starts) < len(codes):
            sums: Floats = np.add.reduceat(together[:, order], starts, axis=1)
            return sums
        return together[:, order]

    def covariances(self, other: "Cohort") -> Floats:
        """(k, other k), of the means, from the questions that both data sets have."""
        positions, codes = shared_positions(self.layouts, other.layouts)
        result = np.zeros((self.size, other.size))
        if not len(codes):
            return result
        sums = other.text_sums([theirs for _, theirs in positions], codes)
        start = 0
        for task, weight, rows, (these, _) in zip(
            self.tasks, self.weights, self.rows, positions, strict=True
        ):
            spread = weight * sums[:, codes[start : start + len(these)]].T
            start += len(these)
            influence = task.influence
            if len(these) < len(task.layout.texts):
                influence = influence[:, these]
            if other.size > 1:
                result += (influence if len(rows) == len(influence) else influence[rows]) @ spread
            else:
                # To multiply all rows is cheaper than to copy the right ones; and BLAS would wait
                # for threads that have too little to do.
                result[:, 0] += np.einsum("kn,n->k", influence, spread[:, 0].copy())[rows]
        return result

    def statistics(self, other: "Cohort") -> tuple[Floats, Floats]:
        """The t of the difference of every entry and every one of ``other``, and its standard error
        (0–1), both (k, other k); as ``scoring.comparison.pairs.compare`` has them.

        For the exact test it is the t with the same p.
        """
        if not (self.df and other.df):
            return np.zeros((self.size, other.size)), np.zeros((self.size, other.size))
        differences = self.means[:, None] - other.means
        variances = -2 * self.covariances(other)
        variances += self.variances[:, None]
        variances += other.variances
        constant = np.nonzero(variances <= ROUNDING * self.variances[:, None])
        variances[constant] = 0.0
        if self.exact_where_few(other):
            layout, n = self.layouts[0], len(self.layouts[0].texts)
            scale = layout.number_of_texts / layout.df
            discordant = np.rint((variances / scale + self._moments(other)) * n * n)
            few = np.nonzero(discordant < FEW_DISCORDANT)
            ahead = (discordant[few] + np.rint(n * differences[few])).astype(np.int64) // 2
            exact = equivalent_t(self.df)[ahead, discordant[few].astype(np.int64) - ahead]
        if np.any(np.abs(differences[constant]) > ROUNDING):
            variances[constant] = self._moments(other)[constant]
        errors = np.sqrt(variances, out=variances)
        differences[constant] *= np.abs(differences[constant]) > ROUNDING
        t = np.divide(differences, errors, out=differences, where=errors > 0)
        if self.exact_where_few(other):
            t[few] = exact
        return t, errors

    def exact_where_few(self, other: "Cohort") -> bool:
        """Whether the exact test of McNemar is used where few questions tell two entries apart: for
        right and wrong answers to the same questions, each about a text of its own."""
        return (
            self.layouts == other.layouts
            and len(self.layouts) == 1
            and self.layouts[0].one_question_a_text
            and not (self.tasks[0].fractional or other.tasks[0].fractional)
        )

    def _moments(self, other: "Cohort") -> Floats:
        """Second moments about 0 of the differences of the means of strata, clustered by text:
        what is missing from the variance where the scores do not vary within strata."""
        own = np.einsum("kh,hj,kj->k", self.stratum_means, self._shares, self.stratum_means)
        theirs = np.einsum("kh,hj,kj->k", other.stratum_means, other._shares, other.stratum_means)
        moments: Floats = own[:, None] + theirs
        if self.layouts == other.layouts:
            moments -= 2 * self.stratum_means @ self._shares @ other.stratum_means.T
        return np.maximum(moments, 0.0)

    @cached_property
    def _shares(self) -> Floats:
        """(strata of all tasks)²: Σ over texts of the product of their shares in the strata."""
        positions, codes = self.texts
        shares = np.zeros((len(codes), self.stratum_means.shape[1]))
        start = first = 0
        for layout, weight, these in zip(self.layouts, self.weights, positions, strict=True):
            texts = codes[start : start + len(these)]
            np.add.at(shares, (texts, first + layout.strata), weight / len(these))
            start += len(these)
            first += len(layout.stratum_sizes)
        return shares.T @ shares


@lru_cache(maxsize=128)
def shared_positions(
    layouts: tuple[Layout, ...], others: tuple[Layout, ...]
) -> tuple[list[tuple[Ints, Ints]], Ints]:
    """For each task, the positions in both of the questions that both have; and the codes of their
    texts."""
    positions = [shared_questions(*pair) for pair in zip(layouts, others, strict=True)]
    in_a, in_b = (
        np.concatenate([one.texts[pair[i]] for one, pair in zip(side, positions, strict=True)])
        for i, side in enumerate((layouts, others))
    )
    return positions, shared_texts(in_a, in_b)
