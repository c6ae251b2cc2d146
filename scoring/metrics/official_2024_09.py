"""The metric set ``official-2024-09``: the rules of OpenBMB/InfiniteBench at revision 51d9b37.

Upstream's newest. It is more lenient than ``official-2024-06`` in four tasks and equal in eight.
"""

import re

from scoring.labels import Choice, Texts
from scoring.metrics import official_2024_06 as before
from scoring.metrics.rule import Question, Rule
from scoring.metrics.verdict import Verdict

LETTERS_TO_D = re.compile(r"\b[A-D]\b")
LETTERS_TO_J = re.compile(r"\b[A-J]\b")


def key_value(prediction: str, label: str | Texts, question: Question) -> Verdict:
    """The label, also one in a list, is one of the words."""
    value = label if isinstance(label, str) else label[0]
    return before.any_word(value, before.loose_words(prediction))


def letter_on_line(text: str, letters: re.Pattern[str]) -> re.Match[str] | None:
    """The last single letter on the first line that has one.

    The official pattern looks ahead from every letter to the end of its line, which takes
    quadratic time; this walks once from letter to letter.
    """
    found: re.Match[str] | None = None
    for match in letters.finditer(text):
        if found and "\n" in text[found.end() : match.start()]:
            break
        found = match
    return found


def code_debug(prediction: str, label: Choice, question: Question) -> Verdict:
    """The right letter on a line, the answer at the start, or the rule of 2024-06."""
    text = prediction.strip()
    name, letter = label
    found = letter_on_line(text, LETTERS_TO_J)
    if found and found[0] == letter:
        return Verdict(1.0, letter, "letter_on_line")
    if before.marked(text, letter):
        return Verdict(1.0, text[:2], "starts_right")
    text = before.debug_cleaned(text)
    if text.startswith((letter, name)):
        return Verdict(1.0, text[:40], "starts_right")
    return before.debug_cue(text, label)


def multiple_choice(prediction: str, label: Choice, question: Question) -> Verdict:
    """The right letter on a line, or the rule of 2024-06."""
    found = letter_on_line(prediction.strip(), LETTERS_TO_D)
    if found and found[0] in label:
        return Verdict(1.0, found[0], "letter_on_line")
    return before.multiple_choice(prediction, label, question)


def dialogue(prediction: str, label: Texts, question: Question) -> Verdict:
    """The upper-cased prediction contains one of the upper-cased labels anywhere."""
    text = prediction.upper()
    for name in label:
        if name.upper() in text:
            return Verdict(1.0, name, "name_found")
    return Verdict(0.0, None, "name_absent")


RULES: dict[str, Rule] = before.RULES | {
    "kv_retrieval": key_value,
    "longbook_choice_eng": multiple_choice,
    "longdialogue_qa_eng": dialogue,
    "code_debug": code_debug,
}
