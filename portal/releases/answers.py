"""How long the right answers of a release are."""

from collections.abc import Iterable

from django.db import transaction
from django.db.models import Q

from portal.board_version import raise_board_version
from portal.models import Release
from scoring.catalog import TASKS, Kind, Task
from scoring.labels import Label, answer_text, canonical_label
from scoring.text.tokens import NO_TOKENS, TokenCount, count_tokens

_DIGITS = 3  # of a number in one token


@transaction.atomic
def count_answers(release: Release) -> None:
    """Counts the tokens of the answers in each data set that has not been counted yet, or only been
    estimated. The caller bears the memory and time of the vocabulary."""
    uncounted = Q(answer_tokens=None) | Q(answer_tokens_estimated=True)
    data_sets = list(release.data_sets.filter(uncounted))
    for data_set in data_sets:
        task = TASKS[data_set.task]
        rows = data_set.examples.order_by("index").values_list("label", "options").iterator()
        labels = (canonical_label(task, label, options) for label, options in rows)
        count = answer_tokens(task, labels)
        data_set.answer_tokens, data_set.answer_tokens_estimated = count.value, count.estimated
        data_set.save(update_fields=["answer_tokens", "answer_tokens_estimated"])
    if data_sets:
        raise_board_version()


def answer_tokens(task: Task, labels: Iterable[Label]) -> TokenCount:
    """Of all of them together."""
    if task.kind is not Kind.INTEGERS:
        return sum((count_tokens(answer_text(task, label)) for label in labels), NO_TOKENS)
    # Hundreds of thousands of values, of which the vocabulary makes up to three digits a token, the
    # comma another and the space a third: to tokenize them would take longer than all the rest.
    total = 0
    for label in labels:
        values = label if isinstance(label, tuple) else (label,)
        total += sum(-(-len(str(value)) // _DIGITS) + 2 for value in values) - 2
    return TokenCount(total, estimated=False)
