"""Labels as people type them into forms."""

import json
import re
from collections.abc import Mapping, Sequence

from django.core.exceptions import ValidationError

from scoring.catalog import Kind, Task
from scoring.labels import LETTERS, Label, LabelError, release_label

_MOST_ANSWERS = 50  # of a label; the official ones have no more than ten
_LETTER_AND_TEXT = re.compile(rf"([{LETTERS}])[.):]\s+(.+)")
_NO_OPTIONS = (
    "The letter of the right option and its text, such as “B. Her brother”: the options of this "
    "question are not stored here."
)

HELP: Mapping[Kind, str] = {
    Kind.TEXT: "The answer, on one line.",
    Kind.TEXTS: "Every answer that is right, each on a line of its own.",
    Kind.CHOICE: "The letter of the right option, or its text.",
    Kind.INTEGER: "A whole number.",
    Kind.NUMBER: "A number.",
    Kind.INTEGERS: "Every value of the calculation, with commas or spaces between them.",
}


def help_of(task: Task, options: Sequence[str]) -> str:
    return _NO_OPTIONS if task.kind is Kind.CHOICE and not options else HELP[task.kind]


def read_label(task: Task, typed: str, options: Sequence[str]) -> object:
    """The label as JSON values, in the form in which releases are stored. Raises
    ``ValidationError``."""
    lines = [line.strip() for line in typed.splitlines() if line.strip()]
    match task.kind:
        case Kind.INTEGERS:
            answers = typed.replace(",", " ").split()
        case Kind.TEXTS:
            answers = list(dict.fromkeys(lines))
            if len(answers) > _MOST_ANSWERS:
                message = "A label has at most %(most)d answers; these are %(given)d."
                values = {"most": _MOST_ANSWERS, "given": len(answers)}
                raise ValidationError(message % values, "too_many_answers")
        case Kind.CHOICE:
            answers = _letter_and_text(lines, options)
        case _:
            answers = lines
    try:
        if not answers:
            raise LabelError("must not be empty")
        label = release_label(task, answers, options)
    except LabelError as error:
        message = "The task has no such labels. Needed: %(help)s"
        raise ValidationError(message % {"help": help_of(task, options)}, "label") from error
    return as_json(label)


def _letter_and_text(lines: list[str], options: Sequence[str]) -> list[str]:
    """“B. Her brother” split into the two parts of a label, unless it is an option itself, or does
    not match the options."""
    found = _LETTER_AND_TEXT.fullmatch(lines[0]) if len(lines) == 1 else None
    if found is None or lines[0] in options:
        return lines
    letter, text = found.groups()
    fits = not options or (text, letter) in zip(options, LETTERS, strict=False)
    return [text, letter] if fits else lines


def as_json(label: Label) -> object:
    """The label as a JSON column returns it."""
    return json.loads(json.dumps(label))


def written_label(task: Task, label: object, options: Sequence[str]) -> str:
    """The label as text that ``read_label`` reads."""
    if not isinstance(label, list):
        return str(label)
    if task.kind is Kind.CHOICE:
        text, letter = label
        return str(letter) if options else f"{letter}. {text}"
    return (", " if task.kind is Kind.INTEGERS else "\n").join(map(str, label))
