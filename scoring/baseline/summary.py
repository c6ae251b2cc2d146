"""En.Sum: an extract of what happens to the first person of a book.

The main plot is in the paragraphs that name this person with companions who are named nowhere else:
all other people have lives of their own.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from scoring.baseline.truncation import VisiblePrompt

_NAME = re.compile(
    r"\b(?!The\b|In\b|At\b|On\b|For\b|From\b|By\b)[A-Z][\w'-]{1,30} [A-Z][\w'-]{1,30}"
)
_END = re.compile(r"[.!?]+[\"”’]*")
_CHAPTER = re.compile(r"Chapter \w+\.")
_ALWAYS = 0.8  # of the paragraphs that name the companion
_CIRCLE = 40  # companions at most: those named most often
_LONGEST = 3_000  # characters
_NOTHING = "The text is no book that could be summarized."


def summary_of_book(prompt: VisiblePrompt) -> str:
    """The sentences that name the first person of the book together with a companion."""
    paragraphs = [line for line in prompt.text.split("\n\n", 1)[-1].split("\n") if line.strip()]
    named = [(paragraph, frozenset(_NAME.findall(paragraph))) for paragraph in paragraphs]
    named = [
        (text, names)
        for text, names in named
        if names
        and not _CHAPTER.match(text)
        and _END.search(text)  # no line of the list of persons
    ]
    if not named:
        return _NOTHING
    hero = _hero(named)
    circle = _companions(named, hero)
    plot = [paragraph for paragraph, names in named if hero in names and names & circle]
    around = [paragraph for paragraph, names in named if hero in names]
    extract = [
        *_sentences(around[:1], {hero}),
        *_sentences(plot, circle),
        *_sentences(around[-1:], {hero}),
    ]
    return " ".join(dict.fromkeys(extract))[:_LONGEST] or _NOTHING


def _hero(named: Sequence[tuple[str, frozenset[str]]]) -> str:
    """The first person named."""
    first = _NAME.search(named[0][0])
    return first[0] if first else ""


def _companions(named: Sequence[tuple[str, frozenset[str]]], hero: str) -> set[str]:
    """Those who are named at least twice, and nearly always together with the hero."""
    every = Counter(name for _, names in named for name in names)
    together = Counter(name for _, names in named if hero in names for name in names)
    companions = (
        name
        for name, count in together.most_common()
        if name != hero and count > 1 and count >= _ALWAYS * every[name]
    )
    return set(islice(companions, _CIRCLE))


def _sentences(paragraphs: Sequence[str], names: set[str]) -> Iterator[str]:
    for paragraph in paragraphs:
        for sentence in _cut(paragraph):
            if any(name in sentence for name in names):
                yield sentence.strip()


def _cut(paragraph: str) -> Iterator[str]:
    """The finished sentences of a paragraph, found by their ends: there may be none."""
    start = 0
    for end in _END.finditer(paragraph):
        yield paragraph[start : end.end()]
        start = end.end()
