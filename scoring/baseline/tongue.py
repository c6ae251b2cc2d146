"""What the reader must know of a language to answer questions about a book."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple


class Tongue(NamedTuple):
    """``facts`` and ``questions`` are patterns; in a fact ``<who>`` stands for a given text.

    The groups of a fact are what it tells: ``name``, ``giver``, ``price``, ``outfit``, ``place``,
    ``night``.
    The groups of a question are what it names: ``who``, ``whom``, ``key``, ``nth``.
    """

    facts: Mapping[str, tuple[str, ...]]
    questions: Mapping[str, re.Pattern[str]]
    untrue: re.Pattern[str]  # stands in sentences that say what did not happen after all
    name: re.Pattern[str]  # of a person, where no fact tells one
    singular: Callable[[str], str]  # of goods
    number: Callable[[str], int]  # of a number in words or digits; 0 of other words
    unknown: str  # said where nothing is found
