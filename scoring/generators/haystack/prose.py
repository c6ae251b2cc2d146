"""The paragraphs of an operator's texts, without what could be taken for a fact of ours."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
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
# How a book would speak of the things that questions may be about.
_ASKED = [word for kind in ("things", "secrets", "calamities") for word in ENGLISH.words[kind]]
_ASKED += [f"night of the {night}" for night in ENGLISH.words["nights"]]
_SAID = re.compile("|".join(map(re.escape, [*_ASKED, "petition for"])))
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
    before, *rest = _MARKS.split(text)
    return rest[1] if rest[:1] == ["START"] else before


def _cut(line: str) -> Iterator[str]:
    """A paragraph as one, or as several where it is very long."""
    sentences = _SENTENCE.split(line)
    if max(map(len, sentences)) > _CHARACTERS:
        return
    pieces = [""]
    for sentence in sentences:
        longer = f"{pieces[-1]} {sentence}".lstrip()
        if pieces[-1] and estimate_tokens(longer) > _LONGEST:
            pieces.append(sentence)
        else:
            pieces[-1] = longer
    yield from pieces


def first_sentences(text: str, room: float) -> str:
    """As many as there is room for."""
    parts = [f"{sentence} " for sentence in _SENTENCE.split(text)]
    ends = [*accumulate(map(estimate_tokens, parts))]
    return "".join(parts[: bisect_right(ends, room)]).rstrip()


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


def may_stand(
    text: str,
    names: frozenset[str],
    phrases: re.Pattern[str],
    pairs: Iterable[tuple[frozenset[str], frozenset[str]]] = (),
) -> bool:
    """Whether a paragraph has none of the names and phrases, and no two names of a pair."""
    words = frozenset(WORD.findall(text))
    return (
        words.isdisjoint(names)
        and not phrases.search(text.lower())
        and not any(words & one and words & other for one, other in pairs)
    )
