"""Labels as reviewers type them."""

import json
from collections.abc import Mapping

from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.catalog import Kind, Task
from scoring.labels import Label, LabelError, release_label

HELP: Mapping[Kind, str | Promise] = {
    Kind.TEXT: gettext_lazy("The answer, on one line."),
    Kind.TEXTS: gettext_lazy("Every answer that is right, each on a line of its own."),
    Kind.CHOICE: gettext_lazy("The letter of the right option, or its text."),
    Kind.INTEGER: gettext_lazy("A whole number."),
    Kind.NUMBER: gettext_lazy("A number."),
    Kind.INTEGERS: gettext_lazy(
        "Every value of the calculation, with commas or spaces between them."
    ),
}


def read_label(task: Task, typed: str, options: list[str]) -> object:
    """The label as JSON values, in the form in which a release is stored. Raises
    ``ValidationError``."""
    lines = [line.strip() for line in typed.splitlines() if line.strip()]
    answers = typed.replace(",", " ").split() if task.kind is Kind.INTEGERS else lines
    try:
        if not answers:
            raise LabelError("must not be empty")
        label = release_label(task, answers, options)
    except LabelError as error:
        message = _("The task has no such labels. Needed: %(help)s")
        raise ValidationError(message % {"help": HELP[task.kind]}, "label") from error
    return as_json(label)


def as_json(label: Label) -> object:
    """As a column with JSON gives it back."""
    return json.loads(json.dumps(label))


def written_label(task: Task, label: object) -> str:
    """As ``read_label`` reads it."""
    if not isinstance(label, list):
        return str(label)
    if task.kind is Kind.CHOICE:
        return str(label[-1])
    return (", " if task.kind is Kind.INTEGERS else "\n").join(map(str, label))
