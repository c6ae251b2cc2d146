"""Questions whose label may be wrong: capable entries of several makers agree on another answer."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scoring.item_analysis.items import Floats
from scoring.item_analysis.wrong_answers import SOLVED

LEAST_ORGANISATIONS = 3

Answers = Sequence[Sequence[str | None]]  # entries × questions, as ``wrong_answer`` gives them


class Suspect(NamedTuple):
    """A question that entries of several organisations miss with the same answer."""

    question: int
    answer: str  # in its normal form
    entries: tuple[int, ...]  # those that give it
    organisations: int  # different ones among them
    share: float  # of all wrong answers to the question, 0 to 1
    evidence: float  # that this answer is right and the label is not: natural logarithm of the odds


def suspects(scores: Floats, wrong: Answers, organisations: Sequence[str]) -> list[Suspect]:
    """The questions that entries of three or more organisations miss with the same answer, those
    with the strongest evidence first.

    ``scores`` is (entries, questions), NaN where an entry was not asked; ``wrong`` has the wrong
    answers in normal form, None where an entry is right or says nothing; ``organisations`` are the
    makers of the entries.

    The evidence is that of A. P. Dawid and A. M. Skene, “Maximum Likelihood Estimation of Observer
    Error-Rates Using the EM Algorithm” (Applied Statistics, 1979), with one error rate for each
    observer: an entry that is right with probability p, and wrong with any certain answer with
    probability (1 − p) c, speaks for its answer by log(p / ((1 − p) c)). Those that give the other
    answer speak for it, those that give the label against it. c is the probability that two entries
    of different makers who both miss a question miss it with the same answer. The entries of one
    organisation speak with one voice, their mean: they are often wrong together. An entry that is
    no better than chance is not heard.
    """
    not_wrong = np.array([[answer is None for answer in row] for row in wrong], dtype=bool)
    right = not_wrong.reshape(scores.shape) & (scores >= SOLVED)
    ability = (right.sum(axis=1) + 1) / ((~np.isnan(scores)).sum(axis=1) + 2)
    chance = chance_agreement(wrong, organisations)
    voices = np.log(ability / (1 - ability) / chance).clip(0)
    makers = np.unique(organisations, return_inverse=True)[1]
    found = []
    for question in range(scores.shape[1]):
        asked = makers[~np.isnan(scores[:, question])]
        weights = voices / np.bincount(asked, minlength=len(makers)).clip(1)[makers]
        against = weights[right[:, question]].sum()
        groups = _by_answer(wrong, question)
        answered = sum(map(len, groups.values()))
        for answer, entries in groups.items():
            count = len({organisations[entry] for entry in entries})
            if count >= LEAST_ORGANISATIONS:
                evidence = float(weights[entries].sum() - against)
                share = len(entries) / answered
                found.append(Suspect(question, answer, tuple(entries), count, share, evidence))
    return sorted(found, key=lambda suspect: (-suspect.evidence, suspect.question))


def chance_agreement(wrong: Answers, organisations: Sequence[str]) -> float:
    """How often two entries of different organisations that both answer a question wrongly give the
    same answer, from 0 to 1; one agreement is added to those counted."""
    same = pairs = 0
    for question in range(len(wrong[0]) if wrong else 0):
        groups = _by_answer(wrong, question)
        makers = [[organisations[entry] for entry in entries] for entries in groups.values()]
        same += sum(map(_pairs_of_two, makers))
        pairs += _pairs_of_two([maker for of_answer in makers for maker in of_answer])
    return (same + 1) / (pairs + 1)


def _by_answer(wrong: Answers, question: int) -> dict[str, list[int]]:
    """The entries that give each wrong answer to a question."""
    groups: dict[str, list[int]] = defaultdict(list)
    for entry, answers in enumerate(wrong):
        answer = answers[question]
        if answer is not None:
            groups[answer].append(entry)
    return groups


def _pairs_of_two(makers: Sequence[str]) -> int:
    """Twice the pairs of different organisations."""
    return len(makers) ** 2 - sum(count**2 for count in Counter(makers).values())
