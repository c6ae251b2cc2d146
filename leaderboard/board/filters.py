"""What a reader asks of a board: read from an address, and printed back into one."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self, get_args
from urllib.parse import urlencode

from leaderboard.columns import COLUMN_IDS, OVERALL
from leaderboard.entries import Mark, Model
from scoring.metrics import METRIC_SETS

Direction = Literal["forward", "back"]  # forward: the best first, or A first
Entries = Literal["best", "all"]
Weights = Literal["any", "open", "closed"]
Switch = Literal["on", "off"]

BY_MODEL = "model"
_SEARCH_CAP = 100  # characters
# How each field is called in an address, and what it can be. Its default is meant where it is left
# out or is something else; whatever else stands in an address is not looked at.
_VALUES: dict[str, tuple[str, tuple[str, ...]]] = {
    "metric_set": ("set", tuple(METRIC_SETS)),
    "sort": ("sort", (*COLUMN_IDS, BY_MODEL)),
    "direction": ("dir", get_args(Direction)),
    "entries": ("entries", get_args(Entries)),
    "weights": ("weights", get_args(Weights)),
    "heat": ("heat", get_args(Switch)),
    "errors": ("errors", get_args(Switch)),
}
_MARKS, _SEARCH = "marks", "q"


@dataclass(frozen=True, slots=True)
class Filters:
    metric_set: str = next(iter(METRIC_SETS))
    sort: str = OVERALL  # a column, or the models' names
    direction: Direction = "forward"
    entries: Entries = "best"  # of each model, or all
    weights: Weights = "any"
    heat: Switch = "on"
    errors: Switch = "off"  # standard errors in every cell
    marks: tuple[Mark, ...] = tuple(Mark)
    search: str = ""

    @classmethod
    def read(cls, asked: Mapping[str, list[str]]) -> Self:
        """What the values of a query string mean; never an error."""
        chosen: dict[str, Any] = {
            field: value
            for field, (name, values) in _VALUES.items()
            for value in asked.get(name, [])[-1:]
            if value in values
        }
        chosen["marks"] = _marks(asked.get(_MARKS))
        words = " ".join(asked.get(_SEARCH, [""])[-1].split())[:_SEARCH_CAP].strip()
        return cls(**chosen, search=words)

    def but(self, **changes: Any) -> Self:  # noqa: ANN401 - any field's
        return replace(self, **changes)

    def within(self, columns: Collection[str]) -> Self:
        """The same on a board with these columns."""
        return self if self.sort in (*columns, BY_MODEL) else self.but(sort=OVERALL)

    def pairs(self) -> list[tuple[str, str]]:
        """What differs from a board without any choice, as names and values of an address."""
        plain = {field.name: field.default for field in fields(self)}
        pairs = [
            (name, getattr(self, field))
            for field, (name, _) in _VALUES.items()
            if getattr(self, field) != plain[field]
        ]
        if self.marks != plain["marks"]:
            pairs += [(_MARKS, str(mark)) for mark in self.marks or [""]]
        return [*pairs, (_SEARCH, self.search)] if self.search else pairs

    def are_said_by(self, asked: Mapping[str, list[str]]) -> bool:
        """Whether the query string says just this, in whatever order, and no default."""
        ours = {_MARKS, _SEARCH, *(name for name, _ in _VALUES.values())}
        said = [(name, value) for name, values in asked.items() for value in values]
        return sorted(pair for pair in said if pair[0] in ours) == sorted(self.pairs())

    def __str__(self) -> str:
        """A query string with its question mark, empty where there is nothing to say."""
        return f"?{urlencode(self.pairs())}" if self.pairs() else ""

    @property
    def href(self) -> str:
        """The same as a link on the page of a board: an empty one would lead nowhere."""
        return str(self) or "."

    def sorted_by(self, column: str) -> Self:
        """As a click on the head of a column has it: a second one turns the order round."""
        turned = column == self.sort and self.direction == "forward"
        return self.but(sort=column, direction="back" if turned else "forward")

    def finds(self, model: Model) -> bool:
        """Whether its rows are shown. Those that are not keep their ranks."""
        return self.weights in ("any", model.weights) and model.is_found_by(self.search)


def _marks(asked: list[str] | None) -> tuple[Mark, ...]:
    """All of them where none is named; none where a form says so, by an empty one."""
    named = tuple(mark for mark in Mark if mark in (asked or ()))
    return named or (() if asked and not any(asked) else tuple(Mark))
