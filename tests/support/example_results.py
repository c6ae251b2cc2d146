"""Write results of examples, which the site stores in blocks and shows through a view."""

from collections.abc import Mapping
from typing import Any

from django.db import connection
from django.db.models import Expression, QuerySet, Value

from portal.models import BLOCK_SIZE, Evaluation, ExampleResult, ResultBlock

_SET = """
UPDATE portal_resultblock SET {columns}
WHERE evaluation_id = %s AND task = %s AND block = %s
"""


def add_results(
    evaluation: Evaluation, sizes: Mapping[str, int], prediction: str | None = None
) -> None:
    """Add the same prediction, without scores, for this many examples of each task."""
    blocks = []
    for task, size in sizes.items():
        for start in range(0, size, BLOCK_SIZE):
            count = min(BLOCK_SIZE, size - start)
            nothing = [None] * count
            blocks.append(
                ResultBlock(
                    evaluation=evaluation, task=task, block=start // BLOCK_SIZE,
                    predictions=[prediction] * count, official_2024_06=nothing,
                    official_2024_09=nothing, strict=nothing,
                )
            )  # fmt: skip
    ResultBlock.objects.bulk_create(blocks)


def change_results(results: "QuerySet[ExampleResult]", **values: Any) -> int:
    """What ``results.update(**values)`` would do to rows of a table. Returns their number."""
    fields = {name: ExampleResult._meta.get_field(name) for name in values}
    expressions = {
        f"new_{name}": value
        if isinstance(value, Expression)
        else Value(value, output_field=fields[name])  # type: ignore[arg-type]
        for name, value in values.items()
    }
    columns = ("evaluation_id", "task", "index", *expressions)
    found = list(results.order_by().annotate(**expressions).values_list(*columns))
    with connection.cursor() as cursor:
        for evaluation, task, index, *new in found:
            block, place = divmod(index, BLOCK_SIZE)
            names = ("predictions" if name == "prediction" else name for name in values)
            places = ", ".join(f"{name}[{place + 1}] = %s" for name in names)
            cursor.execute(_SET.format(columns=places), [*new, evaluation, task, block])
    return len(found)
