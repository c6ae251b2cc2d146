"""The gold answers of examples, as pages show them."""

from portal.models import Example
from scoring.catalog import Kind, Task
from scoring.labels import Label, LabelError, canonical_label


def label_of(task: Task, example: Example) -> Label | None:
    """None if the label is not of the task's kind, which imports refuse."""
    try:
        return canonical_label(task, example.label, example.options)
    except LabelError:
        return None


def gold_answers(task: Task, label: Label | None, values: int | None = None) -> list[str]:
    """All right answers: an option with its letter; the values of a calculation as one list, of
    which at most ``values`` are shown."""
    if label is None:
        return []
    if not isinstance(label, tuple):
        return [str(label)]
    if task.kind is Kind.CHOICE:
        return [f"{label[1]}. {label[0]}"]
    if task.kind is Kind.INTEGERS:
        more = "…" if values is not None and len(label) > values else ""
        return [", ".join(map(str, label[:values])) + more]
    return list(map(str, label))
