"""Wrong answers in a normal form, so that those of different entries can be compared."""

import re
from collections.abc import Callable

from scoring.catalog import TASKS, Kind
from scoring.labels import LETTERS, Label
from scoring.metrics import METRIC_SETS, Question, Verdict, capped
from scoring.metrics.overlap import chinese_tokens, english_tokens
from scoring.metrics.strict.guess import OneGuess, plain

SOLVED = 0.5  # the least score of a question that counts as solved

_WORD = re.compile(r"\w[\w-]*")
_TOKENS: dict[str, Callable[[str], list[str]]] = {
    "longbook_qa_eng": english_tokens,
    "longbook_qa_chn": chinese_tokens,
}


def wrong_answer(task: str, prediction: str, label: Label, question: Question) -> str | None:
    """What a prediction gives instead of the label, as ``strict`` reads it; None where it is right,
    where nothing is read, and in En.Sum.

    Equal texts are equal answers: a number has one form, an option is its letter where the options
    are known, a name and a UUID are in small letters, an answer of En.QA or Zh.QA is its tokens.
    Of Math.Calc it is the first wrong value with its place. A score of ``SOLVED`` or more is right,
    of Math.Calc only a full one.
    """
    rule, text = METRIC_SETS["strict"][task], capped(task, prediction)
    verdict = rule(text, label, question)
    if verdict.score >= (1 if task == "math_calc" else SOLVED):
        return None
    if isinstance(rule, OneGuess):
        guess = rule.read(text, question.options)
        return guess and _normal_guess(task, rule, guess.text, question.options)
    return _normal_value(task, verdict)


def contains_label(task: str, answer: str, label: Label) -> bool:
    """Whether what ``wrong_answer`` gave for a question of En.QA or Zh.QA has a right answer in it,
    with words around it; of other tasks never."""
    if task not in _TOKENS or not isinstance(label, tuple):
        return False
    right = (" ".join(_TOKENS[task](str(text))) for text in label)
    return any(text and f" {text} " in f" {answer} " for text in right)


def _normal_guess(
    task: str, rule: OneGuess[Label], guess: str, options: tuple[str, ...]
) -> str | None:
    if TASKS[task].kind is Kind.INTEGER:
        return str(int(guess.partition(".")[0]))
    if TASKS[task].kind is Kind.CHOICE:
        choices = zip(options, LETTERS, strict=False)
        meant = [letter for text, letter in choices if rule.is_right(guess, (text, letter))]
        if meant:
            return meant[0]
    return " ".join(_WORD.findall(plain(guess).lower())) or None


def _normal_value(task: str, verdict: Verdict) -> str | None:
    if verdict.extracted is None:
        return None
    if task in _TOKENS:
        return " ".join(_TOKENS[task](verdict.extracted)) or None
    if task == "math_calc":
        return f"{verdict.params['right']}: {verdict.extracted}"
    if task == "math_find":
        return f"{float(verdict.extracted):.15g}"
    return verdict.extracted
