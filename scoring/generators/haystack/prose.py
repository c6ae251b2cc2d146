"""The paragraphs of an operator's texts, without what could be taken for a fact of ours."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from scoring.generators.draws import shuffled
from scoring.generators.haystack.names import WORD, WORDS
from scoring.generators.haystack.texts import Text, read_texts
from scoring.generators.novel.english import ENGLISH
from scoring.text.tokens import estimate_tokens

_LONGEST = 320  # tokens of a paragraph: longer ones are cut between two sentences
_TOGETHER = 12  # paragraphs of a passage
_CHARACTERS = 1_500  # of a sentence: what has longer ones is no prose
_MARKS = re.compile(r"^\*\*\* ?(START|END) OF\b.*$", re.MULTILINE)  # of Project Gutenberg
_BLANK = re.compile(r"\n[ \t]*\n\s*")
_SPACE = re.compile(r"\s+")
_EMPHASIS = re.compile(r"(?<!\w)_([^_]{1,300})_(?!\w)")
_HEADING = re.compile(r"(?i:chapter|book|volume|part|letter|canto|section)\b.{0,80}|[IVXLC\d]+\.?")
_STARTS, _CLOSED = re.compile(r"[A-Z“‘\"'—(]"), "\"'”’)"
_SENTENCE = re.compile(r"(?<=[a-z]{3}[.!?]) |(?<=[.!?][\"”]) ")
_ENDS = re.compile(r"[.!?][\"”’]?\s+")  # as a reader may cut it
_STOPS = '.!?"”’“‘ '
_TRADE = re.compile(rf"\b(?:{WORDS['around']['trade']})\b")
_GOODS = re.compile(
    rf"\b(?:{'|'.join(word for one in ENGLISH.goods for word in (one.name, one.form))})\b"
)


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str
    opens: bool  # a chapter


def paragraphs(text: Text) -> Iterator[Paragraph]:
    """Those of prose, each on one line; chapters open where a heading stood. Contents, verse, notes
    and whatever has control characters are left out."""
    opens = True
    for part in _BLANK.split(_body(text.text)):
        line = _EMPHASIS.sub(r"\1", _SPACE.sub(" ", part.strip()))
        if _HEADING.fullmatch(line):
            opens = True
        elif _is_prose(line):
            for piece in _cut(line):
                yield Paragraph(piece, opens)
                opens = False


def _is_prose(line: str) -> bool:
    end = line[-8:].rstrip(_CLOSED)[-1:]
    is_finished = end != "" and end in ".!?:;,—-"
    has_words = line.isprintable() and any(map(str.islower, line[:_CHARACTERS]))
    return is_finished and has_words and bool(_STARTS.match(line))


def _body(text: str) -> str:
    """Without what stands before and after the book in Project Gutenberg's files."""
    start, end = 0, len(text)
    for mark in _MARKS.finditer(text):
        if mark[1] == "START":
            start = mark.end()
        else:
            end = mark.start()
            break
    return text[start:end]


def _cut(line: str) -> Iterator[str]:
    if estimate_tokens(line[: 8 * _LONGEST]) <= _LONGEST and len(line) <= 8 * _LONGEST:
        yield line
        return
    sentences = _SENTENCE.split(line)
    if max(map(len, sentences)) > _CHARACTERS:
        return
    piece: list[str] = []
    size = 0
    for sentence in sentences:
        size += estimate_tokens(sentence)
        if piece and size > _LONGEST:
            yield " ".join(piece)
            piece, size = [], estimate_tokens(sentence)
        piece.append(sentence)
    yield " ".join(piece)


def beginning(text: str, room: float) -> str:
    """As many sentences of a paragraph as there is room for."""
    kept = ""
    for sentence in _SENTENCE.split(text):
        longer = f"{kept} {sentence}".lstrip()
        if ENGLISH.tokens(longer) > room:
            break
        kept = longer
    return kept


def _phrases() -> Iterator[str]:
    """How a book would speak of the things that questions may be about."""
    words = ENGLISH.words
    yield from (words["things"] + words["secrets"] + words["calamities"])
    yield from (f"night of the {night}" for night in words["nights"])
    yield "petition for"


_SAID = re.compile("|".join(map(re.escape, _phrases())))


def may_be_a_fact(text: str) -> bool:
    """Whether a paragraph speaks of what a question may be about, in any world, or in its words."""
    lower = text.lower()
    if _SAID.search(lower) or (_TRADE.search(lower) and _GOODS.search(lower)):
        return True
    facts = ENGLISH.facts
    return any(facts.reads(sentence.strip().rstrip(_STOPS)) for sentence in _ENDS.split(text))


@lru_cache(maxsize=8)
def _lines(text: Text) -> tuple[str, ...]:
    return tuple(one.text for one in paragraphs(text))


def passages(
    rng: Random, paths: tuple[str, ...], names: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Distractors: some paragraphs together, and where they are from, in random order of the texts.
    None has one of the names, in whatever case."""
    unwanted = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)
    for text in shuffled(rng, read_texts(paths, ".txt")) if paths else ():
        kept = [line for line in _lines(text) if not unwanted.search(line)]
        for at in range(0, len(kept), _TOGETHER):
            yield text.name, "".join(f"{line}\n\n" for line in kept[at : at + _TOGETHER])


def first_lines(text: str, room: float) -> str:
    """As many lines as there is room for."""
    kept: list[str] = []
    for line in text.splitlines(keepends=True):
        room -= estimate_tokens(line)
        if room < 0:
            break
        kept.append(line)
    return "".join(kept).rstrip() + "\n\n" if len(kept) > 1 else ""


class Screen:
    """What may stand between the facts about certain people."""

    def __init__(
        self,
        names: frozenset[str],
        phrases: Iterable[str],
        pairs: Iterable[tuple[frozenset[str], frozenset[str]]] = (),
    ) -> None:
        self._names = names
        self._phrases = re.compile(rf"\b(?:{'|'.join(map(re.escape, phrases))})s?\b")
        self._pairs = tuple(pairs)

    def passes(self, text: str) -> bool:
        words = frozenset(WORD.findall(text))
        return (
            words.isdisjoint(self._names)
            and not self._phrases.search(text.lower())
            and not any(words & one and words & other for one, other in self._pairs)
        )
