"""The answers that ``strict`` reads from predictions, in a normal form, so that those of different
predictions can be compared."""

import re
from collections.abc import Callable

from scoring.catalog import TASKS, Kind
from scoring.labels import LETTERS, Label
from scoring.metrics.overlap import chinese_tokens, english_tokens
from scoring.metrics.rule import Question
from scoring.metrics.strict.guess import OneGuess, plain
from scoring.metrics.strict.rules import number, strict_rule
from scoring.metrics.verdict import Verdict

TOKENS: dict[str, Callable[[str], list[str]]] = {
    "longbook_qa_eng": english_tokens,
    "longbook_qa_chn": chinese_tokens,
}
_WORD = re.compile(r"\w[\w-]*")


def normal_answer(task: str, text: str, verdict: Verdict, question: Question) -> str | None:
    """What a prediction gives as its answer; None where nothing is read, and in En.Sum. ``text`` is
    the prediction up to its task's cap, ``verdict`` that of ``strict`` on it.

    Equal texts are equal answers: a number has one form, an option is its letter where the options
    are known, a name and a UUID are in small letters, an answer of En.QA or Zh.QA is its tokens.
    Of Math.Calc it is the first wrong value with its place, after which nothing is scored, or the
    place alone where the values end.
    """
    rule = strict_rule(task, question)
    if isinstance(rule, OneGuess):
        guess = rule.read(text, question.options)
        return guess and _normal_guess(task, rule, guess.text, question.options)
    return _normal_value(task, verdict)


def _normal_guess(
    task: str, rule: OneGuess[Label], guess: str, options: tuple[str, ...]
) -> str | None:
    if TASKS[task].kind is Kind.INTEGER or rule is number:
        return str(int(guess.replace(",", "").partition(".")[0]))
    if TASKS[task].kind is Kind.CHOICE:
        choices = zip(options, LETTERS, strict=False)
        meant = [letter for text, letter in choices if rule.is_right(guess, (text, letter))]
        if meant:
            return meant[0]
    return " ".join(_WORD.findall(plain(guess).lower())) or None


def _normal_value(task: str, verdict: Verdict) -> str | None:
    if task == "math_calc":
        right, wrong = verdict.params.get("right", 0), verdict.extracted
        return f"{right}: {wrong or ''}".strip() if right or wrong else None
    if verdict.extracted is None:
        return None
    if task in TOKENS:
        return " ".join(TOKENS[task](verdict.extracted)) or None
    if task == "math_find":
        return f"{float(verdict.extracted):.15g}"
    return verdict.extracted
