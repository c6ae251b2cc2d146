"""What was changed of a run or of a language model, as the audit log has it, in the reader's words.

The log keeps a line for each column: its name, and what stood there before and after.
"""

from django.core.exceptions import FieldDoesNotExist
from django.db.models import Field, Model

_ARROW = " → "


def changes_told(text: str, model: type[Model]) -> str:
    """The lines, with columns and choices called as on pages; as they are, where none is known."""
    return "\n".join(_told(line, model) for line in text.split("\n"))


def _told(line: str, model: type[Model]) -> str:
    name, colon, values = line.partition(": ")
    try:
        field = model._meta.get_field(name.replace(" ", "_"))
    except FieldDoesNotExist:
        return line
    if not isinstance(field, Field):
        return line
    choices = {str(value): str(title) for value, title in field.flatchoices}
    shown = _ARROW.join(choices.get(value, value) for value in values.split(_ARROW))
    return f"{field.verbose_name}{colon}{shown}"
