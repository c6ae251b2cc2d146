"""The paragraphs of an operator's texts, without what could be taken for a fact of ours."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scoring.generators.haystack.names import WORD
from scoring.generators.haystack.texts import Text
from scoring.generators.novel.english import ENGLISH
from scoring.text.tokens import estimate_tokens

_LONGEST = 320  # tokens of a paragraph: longer ones are cut between two sentences
_CHARACTERS = 1_500  # of a sentence: what has longer ones is no prose
_MARKS = re.compile(r"^\*\*\* ?(START|END) OF\b.*$", re.MULTILINE)  # of Project Gutenberg
_BLANK = re.compile(r"\n[ \t]*\n\s*")
_SPACE = re.compile(r"\s+")
_EMPHASIS = re.compile(r"(?<!\w)_([^_]{1,300})_(?!\w)")
_HEADING = re.compile(r"(?i:chapter|book|volume|part|letter|canto|section)\b.{0,80}|[IVXLC\d]+\.?")
_PROSE = re.compile(r"[A-Z“‘\"'—(].*[a-z].*[.!?:;,—-][\"'”’)]*")
_SENTENCE = re.compile(r"(?<=[a-z]{3}[.!?]) |(?<=[.!?][\"”]) ")
_ENDS = re.compile(r"[.!?][\"”’]?\s+")  # as a reader may cut it
_STOPS = '.!?"”’“‘ '
_TRADE = re.compile(
    r"\b(?:b[ou][uy]g?h?t?|buys|buying|purchas\w+|pa(?:y|id|ys|ying)|s[eo]ll?d?|sells|selling|"
    r"pric\w+|cost\w*|crowns?|bargain\w*)\b"
)
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
        elif line.isprintable() and _PROSE.fullmatch(line):
            for piece in _cut(line):
                yield Paragraph(piece, opens)
                opens = False


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
