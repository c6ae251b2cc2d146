"""The metric set ``official-2024-06``: the rules of OpenBMB/InfiniteBench at revision 88b3daa.

The paper's table 3 and the official README were made with these. Weak rules are kept as they are,
because the point of this module is to reproduce the published numbers. Where the official code
raises, the score is 0 with a reason that says so.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile
from operator import eq

from scoring.labels import Choice, Integers, Texts
from scoring.metrics.overlap import F1, best_f1, chinese_tokens, english_tokens
from scoring.metrics.rouge import rouge_lsum
from scoring.metrics.rule import Question, Rule
from scoring.metrics.verdict import Verdict

DIGITS = re.compile(r"[0-9]+")
RUN_OF_SPACES = re.compile(" {2,}")
FIRST_NUMBER = re.compile(r"\d+\.\d+|\d+")

LOOSE_PUNCTUATION = str.maketrans(dict.fromkeys("\n:\"'.,?!{}", " "))
RUN_PUNCTUATION = str.maketrans(dict.fromkeys("\n.`'\":", " "))
DEBUG_PUNCTUATION = str.maketrans(dict.fromkeys("\n`'\"-*", " "))
CHOICE_PUNCTUATION = str.maketrans(dict.fromkeys("\n\"'.,?!{}", " "))

_DEBUG_CUES = ("answer is:", "is:", "answer:", "correct option is:")
_CHOICE_CUES = ("answer is:", "answer:", "answer is", "option is")

# Python refuses to read longer whole numbers, and with it the official code.
LONGEST_INTEGER = 4300


def judged(right: bool, extracted: str) -> Verdict:
    """Score 1 or 0 for the extracted text."""
    return Verdict(float(right), extracted, "match" if right else "mismatch")


def nothing(wanted: str) -> Verdict:
    """Score 0: the prediction contains no such value."""
    return Verdict(0.0, None, "nothing_found", {"wanted": wanted})


def first_digits(prediction: str, label: str, question: Question) -> Verdict:
    """The first run of ASCII digits equals the label."""
    found = DIGITS.search(prediction)
    return judged(found[0] == label, found[0]) if found else nothing("digits")


def loose_words(text: str) -> list[str]:
    """The words of a text once its punctuation is white space."""
    return text.translate(LOOSE_PUNCTUATION).split()


def key_value(prediction: str, label: str | Texts, question: Question) -> Verdict:
    """The label is one of the words; a label in a list matches nothing at this revision."""
    if not isinstance(label, str):
        return Verdict(0.0, None, "label_in_list")
    return any_word(label, loose_words(prediction))


def any_word(label: str, words: Sequence[str]) -> Verdict:
    """The label is one of the words."""
    if label in words:
        return Verdict(1.0, label, "word_found")
    return Verdict(0.0, None, "word_absent", {"label": label})


def code_run(prediction: str, label: int, question: Question) -> Verdict:
    """The last word, read as Python reads a whole number, equals the label."""
    words = prediction.strip().translate(RUN_PUNCTUATION).split()
    if not words:
        return nothing("a word")
    try:
        return judged(int(words[-1]) == label, words[-1])
    except ValueError:
        return Verdict(0.0, words[-1], "last_word_no_integer")


def math_find(prediction: str, label: int | float, question: Question) -> Verdict:
    """The first number, without its sign, equals the label."""
    found = FIRST_NUMBER.search(prediction)
    if not found:
        return nothing("a number")
    try:
        number = float(found[0]) if isinstance(label, float) else int(found[0])
    except ValueError:
        return Verdict(0.0, found[0], "official_crash_no_integer")
    return judged(number == label, found[0])


def math_calc(prediction: str, label: Integers, question: Question) -> Verdict:
    """The share of the label's values that are right before the first wrong one."""
    runs = DIGITS.findall(prediction)
    if any(len(run) > LONGEST_INTEGER for run in runs):
        return Verdict(0.0, None, "official_crash_long_number", {"limit": LONGEST_INTEGER})
    return correct_prefix([int(run) for run in runs[question.drop_first :]], label)


def correct_prefix(numbers: Sequence[int], label: Integers) -> Verdict:
    """Counts equal values from the start; none is left out or skipped."""
    right = sum(takewhile(bool, map(eq, numbers, label)))
    counts = {"right": right, "total": len(label)}
    score = right / len(label) if label else 0.0
    if right < min(len(numbers), len(label)):
        step = {"wanted": str(label[right])}
        return Verdict(score, str(numbers[right]), "prefix_broken", counts | step)
    return Verdict(score, None, "prefix_ended", counts)


def code_debug(prediction: str, label: Choice, question: Question) -> Verdict:
    """The letter with a mark at the start, or letter or name after the first cue."""
    text = prediction.strip()
    if marked(text, label[1]):
        return Verdict(1.0, text[:2], "starts_right")
    return debug_cue(debug_cleaned(text), label)


def marked(text: str, letter: str) -> bool:
    """The text starts with the letter and a full stop or a colon."""
    return text.startswith((letter + ".", letter + ":"))


@lru_cache(maxsize=1)  # both revisions need it, one after the other
def debug_cleaned(text: str) -> str:
    """Quotes, bullets and the word option become spaces; runs of spaces become one."""
    bare = text.translate(DEBUG_PUNCTUATION).replace("Option", " ").replace("option", " ")
    return RUN_OF_SPACES.sub(" ", bare)


def debug_cue(text: str, label: Choice) -> Verdict:
    """The first cue that is present decides: letter or name must follow, one character on."""
    return after_cue(text, _DEBUG_CUES, (label[1], label[0])) or Verdict(0.0, None, "no_cue")


def after_cue(text: str, cues: Sequence[str], answers: tuple[str, ...]) -> Verdict | None:
    """The verdict of the first cue of the list that the text has, None where it has none.

    One character after the cue is skipped, whatever it is, as the official code does.
    """
    for cue in cues:
        _before, found, after = text.partition(cue)
        if found:
            right = after[1:].startswith(answers)
            code = "cue_right" if right else "cue_wrong"
            return Verdict(float(right), after[1:41], code, {"cue": cue})
    return None


def multiple_choice(prediction: str, label: Choice, question: Question) -> Verdict:
    """The first character, the whole text, what follows a cue, or the first word out of “ABCD”."""
    answers = label
    text = prediction.strip()
    if not text:
        return nothing("an option")
    if text[0] in "ABCD":
        return Verdict(float(text[0] in answers), text[0], "first_character")
    if text in answers:
        return judged(True, text)
    text = RUN_OF_SPACES.sub(" ", text.translate(CHOICE_PUNCTUATION))
    if verdict := after_cue(text, _CHOICE_CUES, answers):
        return verdict
    for word in text.split():
        if word in "ABCD":
            return Verdict(float(word in answers), word, "first_letter_word")
    return nothing("an option")


def dialogue(prediction: str, label: Texts, question: Question) -> Verdict:
    """The first label alone is one of the upper-cased words; a name of two words never is."""
    if not label:
        return Verdict(0.0, None, "label_unusable", {"why": "it is empty"})
    words = [word.upper() for word in loose_words(prediction.strip())]
    return any_word(label[0], words)


def qa_english(prediction: str, label: Texts, question: Question) -> Verdict:
    """The best token F1 over the labels."""
    return _f1(prediction, best_f1(prediction, label, english_tokens))


def qa_chinese(prediction: str, label: Texts, question: Question) -> Verdict:
    """The best character F1 over the labels."""
    return _f1(prediction, best_f1(prediction, label, chinese_tokens))


def _f1(prediction: str, best: F1 | None) -> Verdict:
    if best is None:
        return Verdict(0.0, None, "label_unusable", {"why": "it is empty"})
    counts = {"common": best.common, "predicted": best.predicted, "wanted": best.wanted}
    return Verdict(best.score, prediction, "token_overlap", counts | {"label": best.label})


def summary(prediction: str, label: Texts, question: Question) -> Verdict:
    """The best ROUGE-Lsum F-measure over the labels."""
    best = rouge_lsum(prediction, label)
    counts = {"hits": best.hits, "predicted": best.candidate, "wanted": best.reference}
    return Verdict(best.f_measure, None, "rouge_overlap", counts)


RULES: dict[str, Rule] = {
    "passkey": first_digits,
    "number_string": first_digits,
    "kv_retrieval": key_value,
    "longbook_sum_eng": summary,
    "longbook_qa_eng": qa_english,
    "longbook_choice_eng": multiple_choice,
    "longbook_qa_chn": qa_chinese,
    "longdialogue_qa_eng": dialogue,
    "code_debug": code_debug,
    "code_run": code_run,
    "math_calc": math_calc,
    "math_find": math_find,
}
