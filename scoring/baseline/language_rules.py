"""The language-specific patterns with which questions about a book are answered."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple


class LanguageRules(NamedTuple):
    """``facts`` and ``questions`` are patterns; in a fact ``<who>`` stands for a given text.

    The groups of a fact are its values: ``name``, ``giver``, ``price``, ``colour``,
    ``garment``, ``place``,
    ``night``.
    The groups of a question are its subjects: ``who``, ``whom``, ``key``, ``nth``.
    """

    facts: Mapping[str, tuple[str, ...]]
    questions: Mapping[str, re.Pattern[str]]
    untrue: re.Pattern[str]  # stands in sentences that say what did not happen after all
    name: re.Pattern[str]  # of a person, where no fact names one
    singular: Callable[[str], str]  # of goods
    parts: Mapping[str, str]  # of an outfit: “colour” and “garment” in this language
    number: Callable[[str], int]  # of a number in words or digits; 0 of other words
    unknown: str  # the answer where nothing is found
