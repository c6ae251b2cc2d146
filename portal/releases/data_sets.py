"""Store the examples of a task, each set once; what is known of them now beside what was known."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from django.db.models import Q

from portal.models import Example, TaskDataSet
from portal.releases.context_store import ContextStore
from portal.releases.reader import DraftRow, TaskDraft
from portal.telling import Tell
from scoring.catalog import TASKS

_BATCH = 100  # rows at once: labels of Math.Calc are long
_OF_CONTEXTS = ("context", "tokens", "tokens_estimated")
_OF_FACETS = ("target_tokens", "ladder", "depth", "hops", "kind", "evidence")


def store_data_set(draft: TaskDraft, store: ContextStore, tell: Tell) -> tuple[TaskDataSet, bool]:
    """The data set of these hashes, and whether anything of it is new; to be called in a
    transaction.

    One that was known already stays what it is. What is found out about it is no part of it: a
    context that was not stored yet, other facets, a file to take away are added.
    """
    data_set, is_new = TaskDataSet.objects.get_or_create(
        task=draft.task,
        labels_hash=draft.labels_hash,
        questions_hash=draft.questions_hash,
        defaults={"size": draft.size, **draft.files},
    )
    if is_new:
        tell(f"storing {draft.size} examples of {TASKS[draft.task].title}")
        _create(data_set, draft, store)
    else:
        is_new = _complete(data_set, draft, store)
    return data_set, is_new


def _create(data_set: TaskDataSet, draft: TaskDraft, store: ContextStore) -> None:
    rows = enumerate(draft.rows())
    while batch := list(islice(rows, _BATCH)):
        Example.objects.bulk_create(
            Example(
                data_set=data_set,
                index=index,
                key=row.key,
                label=row.label,
                options=row.options,
                question=row.question,
                **_about(row, store),
            )
            for index, row in batch
        )


def _complete(data_set: TaskDataSet, draft: TaskDraft, store: ContextStore) -> bool:
    """Whether there was anything to add."""
    fields = [*_news_of_contexts(data_set, draft), *_news_of_facets(data_set, draft)]
    if fields:
        _update(data_set, draft, store, fields)
    news = {
        name: file
        for name, file in draft.files.items()
        if getattr(data_set, f"{name}_id") != file.pk
    }
    if news:
        TaskDataSet.objects.filter(pk=data_set.pk).update(**news)
    return bool(fields or news)


def _news_of_contexts(data_set: TaskDataSet, draft: TaskDraft) -> Sequence[str]:
    """Where contexts were not stored yet, or the lengths of some are no more than estimates."""
    missing = Q(context=None) | Q(tokens_estimated=True)
    is_news = draft.has_contexts and data_set.examples.filter(missing).exists()
    return _OF_CONTEXTS if is_news else ()


def _news_of_facets(data_set: TaskDataSet, draft: TaskDraft) -> Sequence[str]:
    is_news = draft.facets_file and draft.facets_file.pk != data_set.facets_file_id
    return _OF_FACETS if is_news else ()


def _update(
    data_set: TaskDataSet, draft: TaskDraft, store: ContextStore, fields: Sequence[str]
) -> None:
    keys = data_set.examples.order_by("index").values_list("pk", flat=True)
    rows = zip(list(keys), draft.rows(), strict=True)
    while batch := list(islice(rows, _BATCH)):
        known = Example.objects.only(*fields).in_bulk([pk for pk, _ in batch])
        for pk, row in batch:
            _take_over(known[pk], _about(row, store), fields)
        Example.objects.bulk_update(known.values(), fields)


def _take_over(example: Example, found: Mapping[str, Any], fields: Sequence[str]) -> None:
    """What was found out; what was known before, and is not told now, stays."""
    for field in fields:
        name = "context_id" if field == "context" else field
        if found.get(name) not in (None, ""):
            setattr(example, name, found[name])


def _about(row: DraftRow, store: ContextStore) -> dict[str, Any]:
    """The columns of an example that hold what was found out about it."""
    columns = row.facets._asdict()
    if row.context:
        tokens, estimated = _tokens(row, store)
        context = store.context(row.context).pk
        columns |= {"context_id": context, "tokens": tokens, "tokens_estimated": estimated}
    return columns


def _tokens(row: DraftRow, store: ContextStore) -> tuple[int, bool]:
    """Of context and question together, and whether they are estimated."""
    if row.tokens is not None:
        return row.tokens, False
    context, question = store.context(row.context), store.question(row.question)
    return context.tokens + question.tokens, context.estimated or question.estimated
