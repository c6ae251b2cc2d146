"""How long the right answers of a release are, and whether they are in its contexts."""

import logging
from collections.abc import Iterable

from django.db import transaction
from django.db.models import Q

from portal.board_version import raise_board_version
from portal.models import Example, Release
from portal.releases.context_search import count_up_to
from scoring.catalog import TASKS, Kind, Task
from scoring.labels import Label, answer_text, canonical_label
from scoring.text.text_index import WindowError
from scoring.text.tokens import NO_TOKENS, TokenCount, count_tokens

log = logging.getLogger(__name__)

# Their answers are copied from the context: one that is not there is worth a look.
EXTRACTIVE = ("passkey", "number_string", "kv_retrieval", "longdialogue_qa_eng", "code_debug")
_BATCH = 100  # rows at once
_DIGITS = 3  # of a number in one token


@transaction.atomic
def count_answers(release: Release) -> None:
    """Count the tokens of the answers in each data set that has not been counted yet, or only been
    estimated. This process loads the vocabulary, which takes memory and time."""
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


def find_answers(release: Release) -> None:
    """Look for the gold answers of extractive tasks in the stored contexts, where that has not been
    done yet. Each context is read up to the first occurrence."""
    examples = Example.objects.filter(
        data_set__in=release.data_sets.filter(task__in=EXTRACTIVE),
        context__isnull=False,
        answer_in_context=None,
    )
    waiting = list(examples.order_by("data_set", "index").values_list("pk", flat=True))
    for start in range(0, len(waiting), _BATCH):
        batch = Example.objects.filter(pk__in=waiting[start : start + _BATCH])
        found = list(batch.select_related("context", "data_set").defer("question", "evidence"))
        for example in found:
            example.answer_in_context = _is_in_context(example)
        Example.objects.bulk_update(found, ["answer_in_context"])


def _is_in_context(example: Example) -> bool | None:
    """Whether any right answer is in the context, whatever its case; None if unreadable."""
    task = TASKS[example.data_set.task]
    if example.context is None:
        return None
    label = canonical_label(task, example.label, example.options)
    values = label if isinstance(label, tuple) else (label,)
    answers = [str(value) for value in (values[:1] if task.kind is Kind.CHOICE else values)]
    try:
        return any(count_up_to(example.context, one, 1)[0] for one in answers if one)
    except (OSError, WindowError):
        log.exception("context %s cannot be read", example.context)
        return None


def answer_tokens(task: Task, labels: Iterable[Label]) -> TokenCount:
    """The tokens of all answers together."""
    if task.kind is not Kind.INTEGERS:
        return sum((count_tokens(answer_text(task, label)) for label in labels), NO_TOKENS)
    # Hundreds of thousands of numbers: to tokenize them would take longer than all the rest. In the
    # vocabulary, up to three digits are one token, and a comma and a space are one each.
    total = 0
    for label in labels:
        values = label if isinstance(label, tuple) else (label,)
        total += sum(-(-len(str(value)) // _DIGITS) + 2 for value in values) - 2
    return TokenCount(total, estimated=False)
