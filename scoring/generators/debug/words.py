"""Names and words of the packages: ``words.toml``."""

import tomllib
from pathlib import Path

from scoring.generators.grammar import Grammar

_WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))

PACKAGES: tuple[str, ...] = tuple(_WORDS["packages"])
FOLDERS: tuple[str, ...] = tuple(_WORDS["folders"])
VERBS: tuple[str, ...] = tuple(_WORDS["verbs"])
FIRST: tuple[str, ...] = tuple(_WORDS["first"])
SECOND: tuple[str, ...] = tuple(_WORDS["second"])
THINGS: tuple[str, ...] = tuple(_WORDS["things"])
# For the placeholders of the steps, and for values by their kind.
LOCALS: dict[str, list[str]] = _WORDS["locals"]
CONSTANTS: dict[str, list[str]] = _WORDS["constants"]
STRINGS: dict[str, list[str]] = _WORDS["strings"]
PRIMES = (11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97)
PROSE = Grammar({**_WORDS["prose"], "noun": SECOND, "adjective": FIRST})
