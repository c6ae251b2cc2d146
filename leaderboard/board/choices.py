"""The facets of a board as controls: checkboxes with counts, and what they hide."""

from collections.abc import Iterator
from typing import NamedTuple

from leaderboard.board.board import Board
from leaderboard.board.ranking.facets import FACETS, OWN_LABELS, UNKNOWN, Facet, Values
from scoring.text.plurals import plural

_MOST_OPTIONS = 40  # of one facet; search finds the others
_IN_FRONT = ("weights", "size", "window")  # so that all controls have room on one line


class Option(NamedTuple):
    """A checkbox."""

    value: str
    title: str
    lines: int  # if only this one is chosen of its facet
    is_chosen: bool


class FacetChoice(NamedTuple):
    name: str
    title: str
    options: list[Option]

    @property
    def in_front(self) -> bool:
        """Whether it has a menu of its own; all others share one."""
        return self.name in _IN_FRONT

    @property
    def chosen(self) -> int:
        return sum(option.is_chosen for option in self.options)


class Chip(NamedTuple):
    """A filter that is on, whose link turns it off."""

    facet: str
    title: str
    href: str
    is_search: bool = False


class HiddenNote(NamedTuple):
    """How many lines are hidden only because the sources say nothing; the link shows them."""

    text: str
    href: str


def facet_choices(board: Board) -> list[FacetChoice]:
    """Only facets that divide the board: where all entries agree there is nothing to choose."""
    return [
        FacetChoice(facet.name, facet.title, list(_options(facet, board)))
        for facet in FACETS
        if facet.name in board.facets or getattr(board.filters, facet.name)
    ]


def _options(facet: Facet, board: Board) -> Iterator[Option]:
    chosen, counts = getattr(board.filters, facet.name), board.counts[facet.name]
    titles = titles_of(facet, board)
    values = [value for value in titles if counts.get(value) or value in chosen]
    if not facet.values:
        values.sort(key=lambda value: (value == UNKNOWN, -counts.get(value, 0), value))
    for value in values[:_MOST_OPTIONS] + [one for one in values[_MOST_OPTIONS:] if one in chosen]:
        yield Option(value, titles[value], counts.get(value, 0), value in chosen)


def titles_of(facet: Facet, board: Board) -> Values:
    """The titles of all values, including those in the address that no entry has."""
    if facet.values:
        return facet.values
    titles: dict[str, str] = {one: one for one in getattr(board.filters, facet.name)}
    if facet.name == "labels":
        versions = board.release.versions
        return {**versions, OWN_LABELS: "labels of its own"} if versions else {}
    return {**titles, **board.titles[facet.name], UNKNOWN: "not stated"}


def chips_of(board: Board) -> list[Chip]:
    filters = board.filters
    chips = []
    for facet in FACETS:
        chosen, titles = getattr(filters, facet.name), titles_of(facet, board)
        for value in chosen:
            left = tuple(one for one in chosen if one != value)
            href = filters.replace(**{facet.name: left}).href
            chips.append(Chip(facet.title, titles[value], href))
    if filters.search:
        chips.append(Chip("Search", filters.search, filters.replace(search="").href, True))
    return chips


def hidden_notes(board: Board) -> list[HiddenNote]:
    filters = board.filters
    notes = []
    for facet in FACETS:
        chosen = getattr(filters, facet.name)
        hidden = board.counts[facet.name].get(UNKNOWN, 0)
        if facet.unknown and chosen and UNKNOWN not in chosen and hidden:
            text = (
                f"{hidden} {plural(hidden, 'entry', 'entries')} whose {facet.unknown} not stated "
                f"{plural(hidden, 'is', 'are')} hidden."
            )
            shown = facet.read([*chosen, UNKNOWN])
            notes.append(HiddenNote(text, filters.replace(**{facet.name: shown}).href))
    return notes


def count_in_words(board: Board) -> str:
    """How many of the board's lines are shown."""
    every = len(board.all_lines)
    return f"{len(board.lines):,} of {every:,} {plural(every, 'entry', 'entries')} shown"
