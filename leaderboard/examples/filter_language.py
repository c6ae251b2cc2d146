"""The filter language: parses what is typed into a value."""

import re
from collections.abc import Sequence

from leaderboard.examples.filters import (
    NAMES,
    PUBLIC_STATES,
    RANGES,
    SORTS,
    STATES,
    TERM,
    TEXTS,
    Filter,
    FilterError,
    Range,
)
from scoring.metrics import METRIC_SETS, PAPER_SET

LONGEST = 500  # characters of a query
MOST_WORDS = 12
_HALF_WIDTH = str.maketrans("：＜＞＝“”„＂。", ':<>="""".')  # as typed on Chinese keyboards


def parse_filter(query: str) -> Filter:
    """Raises ``FilterError``."""
    if len(query) > LONGEST:
        raise FilterError(
            "too_long",
            query,
            (LONGEST, len(query)),
            f"The filter is longer than {LONGEST} characters.",
            "Leave something out.",
        )
    return _Reader(query).read()


class _Reader:
    def __init__(self, query: str) -> None:
        self._query = query.translate(_HALF_WIDTH)
        self._ranges: dict[str, Range] = {}
        self._values: dict[str, list[str]] = {}

    def read(self) -> Filter:
        end = 0
        while found := TERM.match(self._query, end):
            end = found.end()
            place = found.span("term")
            if found["name"]:
                self._read_field(found["name"], found["operator"], found["value"], place)
            else:
                self._read_word(found, place)
        values = {name: tuple(dict.fromkeys(found)) for name, found in self._values.items()}
        texts = {attribute: values.get(name, ()) for name, attribute in TEXTS.items()}
        return Filter(
            words=values.get("", ()),
            ranges=tuple((name, self._ranges[name]) for name in RANGES if name in self._ranges),
            states=values.get("is", ()),
            metric_set=values.get("set", (PAPER_SET,))[0],
            sort=values.get("sort", ("place",))[0],
            **texts,
        )

    def _open_quote(self, place: tuple[int, int]) -> FilterError:
        sentence, fix = "A quotation mark is not closed.", "Add a second one."
        return FilterError("open_quote", self._query, place, sentence, fix)

    def _read_word(self, found: "re.Match[str]", place: tuple[int, int]) -> None:
        if found["phrase"] is not None and not found["end"]:
            raise FilterError(
                "open_quote",
                self._query,
                place,
                "A quotation mark is not closed.",
                "Add a second one.",
            )
        word = " ".join((found["phrase"] or found["word"] or "").split())
        if not any(character.isalnum() for character in word):
            raise FilterError(
                "no_word",
                self._query,
                place,
                "There is no word to search for.",
                "Type letters, digits or Chinese characters.",
            )
        words = self._values.setdefault("", [])
        words.append(word)
        if len(words) > MOST_WORDS:
            raise FilterError(
                "too_many_words",
                self._query,
                place,
                f"More than {MOST_WORDS} words and phrases.",
                "Leave some out, or make a phrase of them with quotation marks.",
            )

    def _read_field(self, name: str, operator: str, value: str, place: tuple[int, int]) -> None:
        if name not in NAMES:
            raise FilterError(
                "unknown_field",
                self._query,
                place,
                f"There is no field “{name}”.",
                f"Use one of: {', '.join(NAMES)}. To search for this text, put it between "
                "quotation marks.",
            )
        if value.startswith('"') and (len(value) == 1 or not value.endswith('"')):
            raise FilterError(
                "open_quote",
                self._query,
                place,
                "A quotation mark is not closed.",
                "Add a second one.",
            )
        text = " ".join(value.strip('"').split())
        if name in RANGES:
            self._read_range(name, operator, text, place)
            return
        if operator not in (":", "="):
            raise FilterError(
                "no_number",
                self._query,
                place,
                f"“{name}” is no number, so nothing is more or less.",
                f"Write {name}:… instead.",
            )
        if not text:
            raise FilterError(
                "no_value",
                self._query,
                place,
                f"Nothing follows “{name}”.",
                "Add a value, or leave the name out.",
            )
        if known := _known_values(name):
            self._check_known(name, text, known, place)
        self._values.setdefault(name, []).append(text)

    def _check_known(
        self, name: str, text: str, known: Sequence[str], place: tuple[int, int]
    ) -> None:
        if text not in known:
            raise FilterError(
                "unknown_value",
                self._query,
                place,
                f"“{name}” cannot be “{text}”.",
                "Use one of: {names}.".format(names=", ".join(_offered(name, known))),
            )
        if name != "is" and set(self._values.get(name, ())) - {text}:
            raise FilterError(
                "twice",
                self._query,
                place,
                f"“{name}” is there twice.",
                "Keep one of the two.",
            )

    def _read_range(self, name: str, operator: str, text: str, place: tuple[int, int]) -> None:
        read, example = RANGES[name].read, RANGES[name].example
        low, between, high = text.partition("..")
        ends = [read(one) if one else None for one in (low, high)]
        is_between = (
            bool(between) and operator in (":", "=") and any(end is not None for end in ends)
        )
        wrong = any(one and end is None for one, end in zip((low, high), ends, strict=True))
        if wrong or not text or (between and not is_between):
            raise FilterError(
                "no_number",
                self._query,
                place,
                f"“{name}” needs a number, or two with “..” between them.",
                f"For example: {example}.",
            )
        value = ends[0]
        found = {
            "<": Range(high=value, below=True),
            "<=": Range(high=value),
            ">": Range(low=value, above=True),
            ">=": Range(low=value),
        }.get(operator) or Range(value, ends[1] if between else value)
        both = found.intersection(self._ranges.get(name, Range()))
        if both.is_empty:
            raise FilterError(
                "no_overlap",
                self._query,
                place,
                f"No “{name}” can be in this range.",
                "The first number has to be the smaller one, and two ranges need to overlap.",
            )
        self._ranges[name] = both


def _offered(name: str, known: Sequence[str]) -> Sequence[str]:
    """The fields for every reader, without those for reviewers only."""
    return tuple(PUBLIC_STATES) if name == "is" else known


def _known_values(name: str) -> Sequence[str]:
    """The values of a field that has few; empty: any text."""
    match name:
        case "is":
            return tuple(STATES)
        case "set":
            return tuple(METRIC_SETS)
        case "sort":
            return (*SORTS, *(f"-{one}" for one in SORTS))
    return ()
