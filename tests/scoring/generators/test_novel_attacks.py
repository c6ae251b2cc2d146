"""Scores on novels without reading them stay under the stated bounds, under ``strict``.

``python -m tests.tools.novel_attacks`` prints the same for any seed and length.
"""

from collections.abc import Callable
from functools import cache

import pytest

from tests.scoring.generators.attacks import BY_OPTIONS, GREPS, Asked, best_sentences
from tests.tools.novel_attacks import (
    Made,
    best_constant,
    by_kind,
    examples,
    lettered,
    means,
    reader_on,
)

QA = ("longbook_qa_eng", "longbook_qa_chn")
MC = "longbook_choice_eng"
SEED, OTHER_SEED = 20, 21
COUNT = 120
CLOSED, OPTIONS, BOOK = 8, 35, 50  # percent: the bounds
OF_A_KIND = 55  # about twenty examples each


@cache
def made(task: str, tokens: int = 4_000, seed: int = SEED) -> Made:
    return examples(task, seed, tokens, COUNT)


@pytest.mark.parametrize("task", QA)
def test_no_answer_is_right_without_the_book(
    task: str, summary_line: Callable[[str], None]
) -> None:
    """Neither one answer to everything, nor the most frequent of each kind, learned elsewhere."""
    constant, _ = best_constant(task, made(task))
    learned = means(task, made(task), by_kind(made(task, seed=OTHER_SEED)))["all"]
    summary_line(f"{task}: best constant {constant:.1f}, best label of each kind {learned:.1f}")
    assert constant < CLOSED
    assert learned < CLOSED


@pytest.mark.parametrize("tokens", [4_000, 16_000])
@pytest.mark.parametrize("task", QA)
def test_no_search_for_words_finds_the_answers(
    task: str, tokens: int, summary_line: Callable[[str], None]
) -> None:
    found = {str(grep): means(task, made(task, tokens), grep.answer)["all"] for grep in GREPS}
    best = max(found, key=found.__getitem__)
    summary_line(f"{task}, {tokens:,} tokens, {best}: {found[best]:.1f}")
    assert found[best] < BOOK


@pytest.mark.parametrize("tokens", [4_000, 16_000])
@pytest.mark.parametrize("task", QA)
def test_the_best_sentences_do_not_settle_the_questions(task: str, tokens: int) -> None:
    guess = reader_on(lambda asked: best_sentences(asked, 30))
    assert means(task, made(task, tokens)[:64], guess)["all"] < BOOK


@pytest.mark.parametrize("task", [*QA, MC])
def test_the_reader_by_rules_needs_the_evidence_only(task: str) -> None:
    every = [(one, evidence(asked, one.evidence)) for one, asked in made(task)]
    guess = reader_on(lambda asked: asked.text)
    assert means(task, every, guess)["all"] > 99


def evidence(asked: Asked, spans: tuple[tuple[int, int], ...]) -> Asked:
    text = "\n".join(asked.text[start:end] for start, end in spans)
    return Asked(asked.kind, text, asked.question, asked.right, asked.options)


@pytest.mark.parametrize("rule", BY_OPTIONS)
def test_no_rank_of_an_option_is_the_right_one(rule: str) -> None:
    found = means(MC, made(MC), lettered(BY_OPTIONS[rule]))
    assert found.pop("all") < OPTIONS
    assert max(found.values()) <= OF_A_KIND, found
