"""Whether two entries give the same wrong answers more often than by chance: a sign of copying."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scoring.item_analysis.items import Floats, Ints

Answers = Sequence[Sequence[str | None]]  # entries × questions, as ``wrong_answer`` gives them


class SharedAnswers(NamedTuple):
    """What one entry has in common with another."""

    entry: int  # the other one
    both: int  # questions to which both give a wrong answer
    same: int  # of these, those to which they give the same
    expected: float  # so many by chance
    p: float  # of so many or more by chance, one-sided
    adjusted: float  # p by Holm's method, for all entries that this one was compared with


def shared_wrong_answers(wrong: Answers, entry: int) -> list[SharedAnswers]:
    """The entry's wrong answers beside those of every other entry, the smallest p first.

    ``wrong`` has one row for each entry, as ``wrong_answer`` gives it. The test is a permutation
    test: given which entries miss a question, and with which answers, their answers are dealt to
    them anew, question by question, so that a wrong answer that many give counts for little. Two
    of n entries then agree with probability Σ nₐ (nₐ − 1) / (n (n − 1)), and how many questions
    agree has the Poisson-binomial distribution, which is computed and not drawn: p is exact, and
    needs no seed. Questions that only these two miss say nothing.

    The test takes all entries for equally likely to give each wrong answer. Versions of one model,
    or models that share a teacher, agree beyond that; so do strong ones where a label is wrong.
    """
    codes = _codes(wrong)
    chances = _chances(codes)
    both = (codes >= 0) & (codes[entry] >= 0)
    both[entry] = False
    same = both & (codes == codes[entry])
    tails = _tails(np.where(both, chances, 0.0), same.sum(axis=1))
    others = [other for other in range(len(codes)) if other != entry]
    adjusted = _holm(tails[others])
    found = [
        SharedAnswers(
            other,
            int(both[other].sum()),
            int(same[other].sum()),
            float(chances[both[other]].sum()),
            float(tails[other]),
            float(p),
        )
        for other, p in zip(others, adjusted, strict=True)
    ]
    return sorted(found, key=lambda shared: (shared.p, shared.entry))


def _codes(wrong: Answers) -> Ints:
    """Numbers for answers, (entries, questions): equal in a column where these are; −1: none."""
    columns = []
    for answers in zip(*wrong, strict=True):
        known = {
            answer: code for code, answer in enumerate(dict.fromkeys(answers)) if answer is not None
        }
        columns.append([-1 if answer is None else known[answer] for answer in answers])
    return np.array(columns, dtype=np.int64).reshape(-1, len(wrong)).T


def _chances(codes: Ints) -> Floats:
    """For each question the probability that two entries that miss it agree, (questions,)."""
    chances = np.zeros(codes.shape[1])
    for question, column in enumerate(codes.T):
        counts = np.bincount(column[column >= 0])
        total = counts.sum()
        if total >= 2:
            chances[question] = (counts * (counts - 1)).sum() / (total * (total - 1))
    return chances


def _tails(chances: Floats, least: Ints) -> Floats:
    """For each row the probability of so many successes or more, (rows,), by the recursion over the
    questions: the distribution after each is that before it, moved by one with its probability."""
    distribution = np.zeros((len(chances), chances.shape[1] + 1))
    distribution[:, 0] = 1.0
    for chance in chances.T[chances.any(axis=0)]:
        moved = distribution[:, :-1] * chance[:, None]
        distribution[:, :-1] -= moved
        distribution[:, 1:] += moved
    counted = np.arange(distribution.shape[1]) >= least[:, None]
    tails: Floats = np.where(counted, distribution, 0.0).sum(axis=1).clip(0, 1)
    return tails


def _holm(p: Floats) -> Floats:
    """Adjusted p values (S. Holm, Scandinavian Journal of Statistics, 1979)."""
    order = np.argsort(p)
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)).clip(0, 1)
    adjusted = np.empty_like(p)
    adjusted[order] = steps
    return adjusted
