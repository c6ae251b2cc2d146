"""How the examples of data sets were chosen, which the intervals of scores depend on."""

from collections.abc import Collection, Hashable

from portal.models import Example, TaskDataSet
from scoring.catalog import TASKS
from scoring.intervals import Design
from scoring.releases.design import design_of
from scoring.releases.facets import Facets

_COLUMNS = ("data_set", "context", "target_tokens", "ladder", "depth", "hops", "kind")


def designs_of(data_sets: Collection[TaskDataSet]) -> dict[int, Design]:
    """By the number of the data set, in one query."""
    examples: dict[int, list[tuple[Hashable, Facets]]] = {one.pk: [] for one in data_sets}
    rows = Example.objects.filter(data_set__in=examples).order_by("data_set", "index")
    for data_set, context, *facets in rows.values_list(*_COLUMNS):
        examples[data_set].append((context, Facets(*facets)))
    return {one.pk: design_of(TASKS[one.task], examples[one.pk]) for one in data_sets}
