"""The designs of data sets, how their examples were chosen: intervals of scores depend on them."""

from collections.abc import Collection, Hashable

from portal.models import Example, TaskDataSet
from scoring.catalog import TASKS
from scoring.intervals import Design
from scoring.releases.design import design_of
from scoring.releases.facets import Facets

_COLUMNS = ("data_set", "context", "target_tokens", "ladder", "depth", "hops", "kind")


def designs_of(data_sets: Collection[TaskDataSet]) -> dict[int, Design]:
    """By primary key of the data set. One query."""
    examples: dict[int, list[tuple[Hashable, Facets]]] = {one.pk: [] for one in data_sets}
    rows = Example.objects.filter(data_set__in=examples).order_by("data_set", "index")
    for data_set, context, *facets in rows.values_list(*_COLUMNS):
        examples[data_set].append((context, Facets(*facets)))
    return {one.pk: design_of(TASKS[one.task], examples[one.pk]) for one in data_sets}
