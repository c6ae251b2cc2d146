"""The filters and options of a board: read from a query string, and printed as one."""

import dataclasses
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args
from urllib.parse import urlencode

from leaderboard.columns import COLUMN_IDS, OVERALL
from leaderboard.entries import Entry, Mark
from scoring.metrics import METRIC_SETS

Direction = Literal["forward", "back"]  # forward: the best first, or A first
Entries = Literal["best", "all"]
Weights = Literal["any", "open", "closed"]
Switch = Literal["on", "off"]

BY_MODEL = "model"
OWN_LABELS = "own"  # of entries whose labels are those of no version as a whole
_MAX_SEARCH = 100  # characters
# By field: its name in a query string, and its values. A missing or unknown value means the
# default; unknown names are ignored.
_PARAMETERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "metric_set": ("set", tuple(METRIC_SETS)),
    "sort": ("sort", (*COLUMN_IDS, BY_MODEL)),
    "direction": ("dir", get_args(Direction)),
    "entries": ("entries", get_args(Entries)),
    "weights": ("weights", get_args(Weights)),
    "heat": ("heat", get_args(Switch)),
    "errors": ("errors", get_args(Switch)),
}
_MARKS, _SEARCH, _LABELS = "marks", "q", "labels"
_SLUG = re.compile(r"[-a-z0-9_]{1,60}")


@dataclass(frozen=True, slots=True)
class Filters:
    metric_set: str = next(iter(METRIC_SETS))
    sort: str = OVERALL  # a column, or the names of the models
    direction: Direction = "forward"
    entries: Entries = "best"  # of each model, or all
    weights: Weights = "any"
    heat: Switch = "on"
    errors: Switch = "off"  # standard errors in every cell
    marks: tuple[Mark, ...] = tuple(Mark)
    search: str = ""
    labels: str = ""  # the slug of a label version, or ``OWN_LABELS``; empty: of any

    @classmethod
    def from_query(cls, query: Mapping[str, list[str]]) -> Self:
        """Never an error, whatever the query string says."""
        chosen: dict[str, Any] = {
            field: value
            for field, (name, values) in _PARAMETERS.items()
            for value in query.get(name, [])[-1:]
            if value in values
        }
        sent = query.get(_MARKS, [])
        marks = tuple(mark for mark in Mark if mark in sent)
        # A form always sends an empty one, so that choosing none differs from not choosing.
        if not marks and (not sent or any(sent)):
            marks = tuple(Mark)
        words = " ".join(query.get(_SEARCH, [""])[-1].split())[:_MAX_SEARCH].strip()
        labels = query.get(_LABELS, [""])[-1]
        labels = labels if _SLUG.fullmatch(labels) else ""
        return cls(**chosen, marks=marks, search=words, labels=labels)

    def replace(self, **changes: Any) -> Self:
        return dataclasses.replace(self, **changes)

    def valid_for(self, columns: Collection[str], versions: Collection[str] = ()) -> Self:
        """The same for a board with these columns, which may lack the one to sort by, and these
        label versions."""
        sort = self.sort if self.sort in (*columns, BY_MODEL) else OVERALL
        known = (*versions, OWN_LABELS) if versions else ()
        return self.replace(sort=sort, labels=self.labels if self.labels in known else "")

    def pairs(self) -> list[tuple[str, str]]:
        """Names and values of the query string: of everything that is not the default."""
        default = type(self)()
        pairs = [
            (name, getattr(self, field))
            for field, (name, _) in _PARAMETERS.items()
            if getattr(self, field) != getattr(default, field)
        ]
        if self.marks != default.marks:
            pairs += [(_MARKS, str(mark)) for mark in self.marks or [""]]
        if self.labels:
            pairs.append((_LABELS, self.labels))
        return [*pairs, (_SEARCH, self.search)] if self.search else pairs

    def matches_query(self, query: Mapping[str, list[str]]) -> bool:
        """Whether the query string says exactly this, in any order, and names no default."""
        known = {_MARKS, _SEARCH, _LABELS, *(name for name, _ in _PARAMETERS.values())}
        sent = [(name, value) for name, values in query.items() for value in values]
        return sorted(pair for pair in sent if pair[0] in known) == sorted(self.pairs())

    def __str__(self) -> str:
        """The query string with its question mark; empty if everything is the default."""
        return f"?{urlencode(self.pairs())}" if self.pairs() else ""

    @property
    def href(self) -> str:
        """The same as a link on the page of a board: an empty link would keep the query string."""
        return str(self) or "."

    def sorted_by(self, column: str) -> Self:
        """After a click on the head of a column; a second click reverses the order."""
        is_second = column == self.sort and self.direction == "forward"
        return self.replace(sort=column, direction="back" if is_second else "forward")

    def accepts(self, entry: Entry) -> bool:
        """Whether it is on the board, by where its scores come from and by its labels."""
        if self.labels:
            versions = entry.label_versions
            is_own = versions is not None and not versions
            if not (is_own if self.labels == OWN_LABELS else self.labels in (versions or ())):
                return False
        return entry.mark in self.marks

    def includes(self, entry: Entry) -> bool:
        """Whether its line is shown. Hidden lines keep their ranks."""
        return self.weights in ("any", entry.model.weights) and entry.matches(self.search)
