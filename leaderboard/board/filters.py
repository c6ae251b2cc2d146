"""The filters and options of a board: read from a query string, and written back as one."""

import dataclasses
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args
from urllib.parse import urlencode

from leaderboard.board.ranking.facets import FACETS, OWN_LABELS
from leaderboard.columns import COLUMN_IDS, Selection, group_of, selection_of
from portal.permissions.access import current_ids
from scoring.catalog import GROUPS, OVERALL, TASKS
from scoring.metrics import METRIC_SETS, PAPER_SET

Direction = Literal["forward", "back"]  # forward: the best first, or A first
Entries = Literal["best", "all"]
Switch = Literal["on", "off"]

BY_MODEL = "model"
MOST_PINS = 8
_MAX_SEARCH = 100  # characters
# By field: its name in a query string, and its values. A missing or unknown value means the
# default; unknown names are ignored.
_PARAMETERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "metric_set": ("set", tuple(METRIC_SETS)),
    "sort": ("sort", (*COLUMN_IDS, BY_MODEL)),
    "direction": ("dir", get_args(Direction)),
    "entries": ("entries", get_args(Entries)),
    "heat": ("heat", get_args(Switch)),
    "errors": ("errors", get_args(Switch)),
}
_FACET_NAMES = tuple(facet.name for facet in FACETS)
_TASKS, _PIN, _FOCUS, _PAGE, _SEARCH = "tasks", "pin", "focus", "page", "q"
_BASELINE = "baseline"
# From the form for a reader's own tasks: the chosen ones, and the weight of each.
_FORM_TASK, _FORM_WEIGHT = "task", "weight-"
_NAMES = {
    *(_TASKS, _PIN, _FOCUS, _BASELINE, _PAGE, _SEARCH, _FORM_TASK, *_FACET_NAMES),
    *(name for name, _ in _PARAMETERS.values()),
    *(f"{_FORM_WEIGHT}{task}" for task in TASKS),
}
_ENTRY_ID = re.compile(r"[-a-z0-9]{1,60}")
_PAGE_NUMBER = re.compile(r"[1-9][0-9]{0,3}")
_WEIGHT = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class Filters:
    """For each facet the accepted values; empty: all."""

    metric_set: str = PAPER_SET
    sort: str = OVERALL  # a column, or the names of the models
    direction: Direction = "forward"
    entries: Entries = "best"  # of each model, or all
    heat: Switch = "on"
    errors: Switch = "off"  # intervals in every cell
    organisation: tuple[str, ...] = ()
    weights: tuple[str, ...] = ()
    size: tuple[str, ...] = ()
    window: tuple[str, ...] = ()
    input: tuple[str, ...] = ()
    method: tuple[str, ...] = ()
    prompt: tuple[str, ...] = ()
    trust: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()  # slugs of label versions, and ``OWN_LABELS``
    complete: tuple[str, ...] = ()
    tasks: Selection = ()  # their mean replaces the overall mean
    pins: tuple[str, ...] = ()  # ids of the entries to show on top
    focus: str = ""  # id of an entry: those indistinguishable from it are marked
    baseline: str = ""  # id of an entry: differences to it replace scores
    page: int = 1
    search: str = ""

    @classmethod
    def from_query(cls, query: Mapping[str, list[str]]) -> Self:
        """Never raises, whatever the query string says."""
        chosen: dict[str, Any] = {
            field: value
            for field, (name, values) in _PARAMETERS.items()
            for value in query.get(name, [])[-1:]
            if value in values
        }
        chosen |= {facet.name: facet.read(query.get(facet.name, [])) for facet in FACETS}
        pins = (pin for pin in dict.fromkeys(query.get(_PIN, [])) if _ENTRY_ID.fullmatch(pin))
        number, focus, baseline = (query.get(name, [""])[-1] for name in (_PAGE, _FOCUS, _BASELINE))
        return cls(
            **chosen,
            tasks=_read_tasks(query),
            pins=tuple(pins)[:MOST_PINS],
            focus=focus if _ENTRY_ID.fullmatch(focus) else "",
            baseline=baseline if _ENTRY_ID.fullmatch(baseline) else "",
            page=int(number) if _PAGE_NUMBER.fullmatch(number) else 1,
            search=" ".join(query.get(_SEARCH, [""])[-1].split())[:_MAX_SEARCH].strip(),
        )

    def replace(self, **changes: Any) -> Self:
        """Any change leads back to the first page."""
        return dataclasses.replace(self, **({"page": 1} | changes))

    def with_current_ids(self) -> Self:
        """With the ids that its entries have now: they may have been named otherwise before."""
        if not (self.pins or self.focus or self.baseline):
            return self
        current = current_ids((*self.pins, self.focus, self.baseline))
        return dataclasses.replace(
            self,
            pins=tuple(dict.fromkeys(current.get(pin, pin) for pin in self.pins)),
            focus=current.get(self.focus, self.focus),
            baseline=current.get(self.baseline, self.baseline),
        )

    def without_filters(self) -> Self:
        """The same view of all entries."""
        return self.replace(**dict.fromkeys(_FACET_NAMES, ()), search="")

    def for_preview(self) -> Self:
        """The view of preview pictures and of the canonical address: one of few."""
        tasks = self.tasks if group_of(self.tasks) else ()
        sort = OVERALL if self.sort == BY_MODEL else self.sort
        return type(self)(metric_set=self.metric_set, sort=sort, tasks=tasks)

    def for_feed(self) -> Self:
        """What decides which entries are accepted; everything else is presentation."""
        default = type(self)(metric_set=self.metric_set, search=self.search)
        return default.replace(**{name: getattr(self, name) for name in _FACET_NAMES})

    def valid_for(self, columns: Collection[str], versions: Collection[str] = ()) -> Self:
        """Adapted to a board with these columns, which may lack the one to sort by, and these label
        versions."""
        known = (*versions, OWN_LABELS) if versions else ()
        return dataclasses.replace(
            self,
            sort=self.sort if self.sort in (*columns, BY_MODEL) else OVERALL,
            labels=tuple(value for value in self.labels if value in known),
        )

    def pairs(self) -> list[tuple[str, str]]:
        """Names and values of the query string, for everything that differs from the default."""
        default = type(self)()
        pairs = [
            (name, getattr(self, field))
            for field, (name, _) in _PARAMETERS.items()
            if getattr(self, field) != getattr(default, field)
        ]
        pairs += [(name, value) for name in _FACET_NAMES for value in getattr(self, name)]
        if self.tasks:
            pairs.append((_TASKS, group_of(self.tasks) or _print_tasks(self.tasks)))
        pairs += [(_PIN, pin) for pin in self.pins]
        if self.focus:
            pairs.append((_FOCUS, self.focus))
        if self.baseline:
            pairs.append((_BASELINE, self.baseline))
        if self.page > 1:
            pairs.append((_PAGE, str(self.page)))
        return [*pairs, (_SEARCH, self.search)] if self.search else pairs

    def matches_query(self, query: Mapping[str, list[str]]) -> bool:
        """Whether the query string says exactly this, in any order, without naming a default."""
        sent = [(name, value) for name, values in query.items() for value in values]
        return sorted(pair for pair in sent if pair[0] in _NAMES) == sorted(self.pairs())

    def __str__(self) -> str:
        """The query string with its question mark; empty if everything is the default."""
        return f"?{urlencode(self.pairs(), safe=',:')}" if self.pairs() else ""

    @property
    def href(self) -> str:
        """The same as a link on a board's page: an empty link would keep the current query
        string."""
        return str(self) or "."

    @property
    def chosen(self) -> list[tuple[str, str]]:
        """Each chosen value, with the name of its facet."""
        return [(name, value) for name in _FACET_NAMES for value in getattr(self, name)]

    @property
    def hides_entries(self) -> bool:
        return bool(self.chosen or self.search)

    @property
    def is_one_of_many(self) -> bool:
        """Whether there are too many such choices for each of them to be kept."""
        free_texts = (*self.organisation, *self.prompt, *self.pins, self.focus, self.baseline)
        own_tasks = self.tasks and not group_of(self.tasks)
        return bool(self.search or any(free_texts) or own_tasks or len(self.chosen) > 1)

    def sorted_by(self, column: str) -> Self:
        """After a click on the head of a column; a second click reverses the order."""
        is_second = column == self.sort and self.direction == "forward"
        return self.replace(sort=column, direction="back" if is_second else "forward")


def _read_tasks(query: Mapping[str, list[str]]) -> Selection:
    """From the form or an address; anything but tasks and positive weights is ignored."""
    if _FORM_TASK in query:
        found = [(task, query.get(f"{_FORM_WEIGHT}{task}", [""])[-1]) for task in query[_FORM_TASK]]
    else:
        text = query.get(_TASKS, [""])[-1]
        parts = (one.partition(":") for one in GROUPS.get(text) or text.split(",", 50))
        found = [(task, weight) for task, _, weight in parts]
    numbers = {
        task: float(weight or 1)
        for task, weight in found
        if task in TASKS and (not weight or _WEIGHT.fullmatch(weight))
    }
    return selection_of({task: number for task, number in numbers.items() if number > 0})


def _print_tasks(selection: Selection) -> str:
    return ",".join(
        task if weight == 1 else f"{task}:{weight:.3f}".rstrip("0").rstrip(".")
        for task, weight in selection
    )
