"""Gold answers in one canonical type for each kind of task.

A label comes in the release's own type (88), as a one-element list ([88]), nested ([[1, 2]]), or
as text ("88"), the form that a loader with declared features gives everything.
"""

from collections.abc import Callable, Sequence
from typing import cast

from scoring.catalog import Kind, Task

LETTERS = "ABCD"
NUMBER = "number"  # an answer type: ``strict`` compares such a label of En.QA or Zh.QA as a number
_TOO_LARGE = 1 << 63

Texts = tuple[str, ...]
Choice = tuple[str, str]  # the text of the right option and its letter
Integers = tuple[int, ...]
Label = str | int | float | Texts | Integers


class LabelError(ValueError):
    """The answer is not of its task's kind; the message says what it must be."""


def canonical_label(task: Task, answer: object, options: Sequence[str] = ()) -> Label:
    """The answer of an example in the type of its task's kind.

    Returns ``str`` for ``Kind.TEXT`` (a one-element tuple where Retrieve.KV's label came in a list:
    one official revision distinguishes the two), ``(text, letter)`` for ``Kind.CHOICE``, a tuple of
    strings or ints for the plural kinds, ``int`` or ``float`` for the numbers.
    Raises ``LabelError`` where the answer is none of these.
    """
    if task.kind is Kind.CHOICE:
        return _choice(answer, options)
    if task.kind is Kind.TEXT and task.id == "kv_retrieval" and isinstance(answer, list | tuple):
        return (_text(_single(answer)),)
    return _READERS[task.kind](answer)


def release_label(task: Task, answer: object, options: Sequence[str] = ()) -> Label:
    """Like ``canonical_label``, but for a release, where a list around a text is insignificant."""
    label = canonical_label(task, answer, options)
    return label[0] if task.kind is Kind.TEXT and isinstance(label, tuple) else label


def answer_text(task: Task, label: Label) -> str:
    """The right answer as a model could write it: the first one where several are right, the text
    of an option, the values of a calculation in a row."""
    if not isinstance(label, tuple):
        return str(label)
    return ", ".join(map(str, label)) if task.kind is Kind.INTEGERS else str(label[0])


def _single(answer: object) -> object:
    """The content of a one-element list, at any depth; anything else as it is."""
    while isinstance(answer, list | tuple) and len(answer) == 1:
        answer = answer[0]
    return answer


def _items(answer: object) -> Sequence[object]:
    """A list without the one-element lists around it; a scalar as a one-element list."""
    while (
        isinstance(answer, list | tuple)
        and len(answer) == 1
        and isinstance(answer[0], list | tuple)
    ):
        answer = answer[0]
    return answer if isinstance(answer, list | tuple) else [answer]


def _text(answer: object) -> str:
    if not isinstance(answer, str):
        raise LabelError(f"must be text, not {_named(answer)}")
    return answer


def _choice(answer: object, options: Sequence[str]) -> Choice:
    items = [_text(item) for item in _items(answer)]
    if len(items) == 2 and items[1] in tuple(LETTERS):
        return items[0], items[1]
    if len(items) != 1:
        raise LabelError("must be the text of the right option, with or without its letter")
    [found] = items
    if found in options[: len(LETTERS)]:
        return found, LETTERS[options.index(found)]
    if found in tuple(LETTERS) and len(options) == len(LETTERS):
        return options[LETTERS.index(found)], found
    raise LabelError("must be one of the example's four options")


def _integer(answer: object) -> int:
    number = _number(answer)
    if number != int(number):
        raise LabelError("must be a whole number")
    return int(number)


def _number(answer: object) -> int | float:
    value = _single(answer)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise LabelError(f"must be a number, not {_named(value)}")
    try:
        number = float(value) if isinstance(value, str) and "." in value else value
        number = int(number) if isinstance(number, str) else number
    except ValueError as error:
        raise LabelError("must be a number, not other text") from error
    if not abs(number) < _TOO_LARGE:
        raise LabelError("must be a number of at most 64 bits")
    return number


def _integers(answer: object) -> Integers:
    items = _items(answer)
    if all_integers(items):  # 15,000 values for each example of Math.Calc
        return cast("Integers", tuple(items))
    return tuple(_integer(item) for item in items)


def all_integers(items: Sequence[object]) -> bool:
    """Whether all items are integers, found by a sum: five times faster than a check of each."""
    try:
        return type(sum(cast("Sequence[int]", items))) is int
    except TypeError:
        return False


def _named(value: object) -> str:
    names = {"NoneType": "null", "bool": "true or false", "dict": "an object", "list": "a list"}
    kind = type(value).__name__
    return names.get(kind, f"of type {kind}")


_READERS: dict[Kind, Callable[[object], Label]] = {
    Kind.TEXT: lambda answer: _text(_single(answer)),
    Kind.TEXTS: lambda answer: tuple(_text(item) for item in _items(answer)),
    Kind.INTEGER: _integer,
    Kind.NUMBER: _number,
    Kind.INTEGERS: _integers,
}
