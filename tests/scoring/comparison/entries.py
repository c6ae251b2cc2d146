"""Entries with made-up scores."""

import numpy as np

from scoring.comparison.vectors import Floats, Ints, TaskVector


def vector(
    scores: object,
    texts: object = None,
    strata: object = None,
    *,
    first: int = 0,
    fractional: bool = False,
) -> TaskVector:
    """Questions are numbered from ``first``; without ``texts`` each has a text of its own."""
    values = np.asarray(scores, dtype=np.float64)
    questions = np.arange(first, first + len(values))
    return TaskVector(
        values,
        questions,
        questions.copy() if texts is None else np.asarray(texts, dtype=np.int64),
        np.zeros(len(values), np.int64) if strata is None else np.asarray(strata, dtype=np.int64),
        fractional,
    )


def clustered_scores(
    random: np.random.Generator,
    models: int,
    texts: int,
    questions: int | range,
    *,
    share: float,
    rho: float,
) -> tuple[Floats, Ints]:
    """Right and wrong answers of equally good models, (models, n), and the texts.

    Each model has its own share of right answers on each text, drawn from the beta distribution
    under which two answers about one text have the correlation ``rho``. With a range of
    questions, their number varies from text to text.
    """
    shares = np.full((models, texts), share)
    if rho:
        scale = 1 / rho - 1
        shares = random.beta(share * scale, (1 - share) * scale, (models, texts))
    sizes = questions if isinstance(questions, int) else random.choice(questions, texts)
    codes = np.repeat(np.arange(texts), sizes)
    answers = random.random((models, len(codes))) < shares[:, codes]
    return answers.astype(np.float64), codes
