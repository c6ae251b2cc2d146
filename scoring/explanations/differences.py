"""Differences of two texts by words, and by characters where Chinese or Japanese is written."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from scoring.explanations.text_alignment import Run, common_passages, common_words

LONGEST = 1 << 18  # characters of each text that are compared

Kind: TypeAlias = Literal["equal", "only_a", "only_b", "left_out", "not_compared"]
Part: TypeAlias = tuple[int, int]  # [start, end) in characters; may be empty

_LETTER = r"[^\W\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_PART_OF_WORD = re.compile(f"{_LETTER}*")
_WORD = re.compile(rf"{_LETTER}+|\S")
_BLOCK = 1 << 25  # pairs of words that are compared at once: rows of 4 MB
_BUDGET = 1 << 26  # pairs of words in all
_WORD_COST = 1 << 10  # of a word, in pairs: many short stretches cost as much as one long


class Segment(NamedTuple):
    """A part of both texts; for what only one has, that of the other is empty.

    ``left_out`` is what a shortened list does not show, ``not_compared`` the end of long texts.
    """

    kind: Kind
    a: Part
    b: Part


def word_differences(a: str, b: str) -> list[Segment]:
    """The segments of two texts in order; together they are all of either.

    A word is a run of letters and digits, an ideograph, or any other sign. White space belongs to
    none: it is equal where it is the same between equal words. Equal words that are shorter than
    what both texts have differently before and after them are part of the difference. A long
    stretch without any common phrase is different as a whole, and so are stretches that follow very
    many differences; what follows the first ``LONGEST`` characters of a text is not compared.
    """
    cut_a, cut_b = a[:LONGEST], b[:LONGEST]
    segments: list[Segment] = []
    end_a = end_b = 0
    for part_a, part_b in _significant(cut_a, cut_b):
        segments += _different(a, b, (end_a, part_a[0]), (end_b, part_b[0]))
        segments += _equal(a, b, part_a, part_b)
        end_a, end_b = part_a[1], part_b[1]
    segments += _different(a, b, (end_a, len(cut_a)), (end_b, len(cut_b)))
    if len(a) > LONGEST or len(b) > LONGEST:
        segments.append(Segment("not_compared", (len(cut_a), len(a)), (len(cut_b), len(b))))
    return _joined(segments)


def _significant(a: str, b: str) -> Iterator[tuple[Part, Part]]:
    """Runs of equal words that are no chance, as an article in a passage written anew is one."""
    runs = [*_runs(a, b), ((len(a), len(a)), (len(b), len(b)))]
    end_a = end_b = 0
    for ((start_a, stop_a), (start_b, stop_b)), (next_a, next_b) in pairwise(runs):
        before = min(len(a[end_a:start_a].strip()), len(b[end_b:start_b].strip()))
        after = min(len(a[stop_a : next_a[0]].strip()), len(b[stop_b : next_b[0]].strip()))
        if stop_a - start_a > min(before, after):
            yield (start_a, stop_a), (start_b, stop_b)
            end_a, end_b = stop_a, stop_b


def _runs(a: str, b: str) -> Iterator[tuple[Part, Part]]:
    """Equal words with nothing but white space between them, which may differ."""
    last_a = last_b = (0, 0)
    for part_a, part_b in _equal_words(a, b):
        if (a[last_a[1] : part_a[0]] + b[last_b[1] : part_b[0]]).strip():
            yield last_a, last_b
            last_a, last_b = part_a, part_b
        else:
            last_a, last_b = (last_a[0], part_a[1]), (last_b[0], part_b[1])
    yield last_a, last_b


def _equal_words(a: str, b: str) -> Iterator[tuple[Part, Part]]:
    """Passages of whole words, and words between them."""
    budget = _BUDGET
    end_a = end_b = 0
    for start_a, start_b, size in (*_whole_words(a, b), (len(a), len(b), 0)):
        words_a = _WORD.findall(a, end_a, start_a)
        words_b = _WORD.findall(b, end_b, start_b)
        pairs = len(words_a) * len(words_b)
        cost = pairs + _WORD_COST * (len(words_a) + len(words_b))
        if 0 < pairs <= _BLOCK and cost <= budget:
            budget -= cost
            places_a = [word.span() for word in _WORD.finditer(a, end_a, start_a)]
            places_b = [word.span() for word in _WORD.finditer(b, end_b, start_b)]
            for i, j in reversed(common_words(words_a, words_b)):
                yield places_a[i], places_b[j]
        end_a, end_b = start_a + size, start_b + size
        if size:
            yield (start_a, end_a), (start_b, end_b)


def _whole_words(a: str, b: str) -> Iterator[Run]:
    """Common passages without the parts of words with which they start or end."""
    for start_a, start_b, size in common_passages(a, b):
        end_a, end_b = start_a + size, start_b + size
        passage = a[start_a:end_a]
        first = last = 0
        if _is_letter(a[start_a - 1 : start_a]) or _is_letter(b[start_b - 1 : start_b]):
            first = _letters_at_start(passage)
        if _is_letter(a[end_a : end_a + 1]) or _is_letter(b[end_b : end_b + 1]):
            last = _letters_at_start(passage[::-1])
        if first + last < size:
            yield start_a + first, start_b + first, size - first - last


def _letters_at_start(text: str) -> int:
    found = _PART_OF_WORD.match(text)
    return found.end() if found else 0


def _is_letter(character: str) -> bool:
    return _letters_at_start(character) > 0


def _equal(a: str, b: str, part_a: Part, part_b: Part) -> Iterator[Segment]:
    """Equal words, and the white space between them where it differs."""
    if a[slice(*part_a)] == b[slice(*part_b)]:
        yield Segment("equal", part_a, part_b)
        return
    (end_a, _), (end_b, _) = part_a, part_b
    for word_a, word_b in zip(_WORD.finditer(a, *part_a), _WORD.finditer(b, *part_b), strict=True):
        yield from _different(a, b, (end_a, word_a.start()), (end_b, word_b.start()))
        yield Segment("equal", word_a.span(), word_b.span())
        end_a, end_b = word_a.end(), word_b.end()
    yield from _different(a, b, (end_a, part_a[1]), (end_b, part_b[1]))


def _different(a: str, b: str, part_a: Part, part_b: Part) -> Iterator[Segment]:
    """The segments between equal words: the white space that both ends share, and what differs."""
    (start_a, end_a), (start_b, end_b) = part_a, part_b
    first = _common_space(a[start_a:end_a], b[start_b:end_b])
    last = _common_space(a[start_a + first : end_a][::-1], b[start_b + first : end_b][::-1])
    yield Segment("equal", (start_a, start_a + first), (start_b, start_b + first))
    yield Segment("only_a", (start_a + first, end_a - last), (start_b + first, start_b + first))
    yield Segment("only_b", (end_a - last, end_a - last), (start_b + first, end_b - last))
    yield Segment("equal", (end_a - last, end_a), (end_b - last, end_b))


def _common_space(a: str, b: str) -> int:
    """The number of white-space characters that both start with."""
    size = 0
    for one, other in zip(a, b, strict=False):
        if one != other or not one.isspace():
            break
        size += 1
    return size


def _joined(segments: Iterable[Segment]) -> list[Segment]:
    """Without empty ones; neighbours of one kind become one."""
    joined: list[Segment] = []
    for kind, a, b in segments:
        if a[0] == a[1] and b[0] == b[1]:
            continue
        if joined and joined[-1].kind == kind:
            last = joined[-1]
            joined[-1] = Segment(kind, (last.a[0], a[1]), (last.b[0], b[1]))
        else:
            joined.append(Segment(kind, a, b))
    return joined


def shortened(segments: Sequence[Segment], margin: int = 200) -> list[Segment]:
    """With at most so many characters on either side of each edge of a difference.

    Everything further away, in equal parts and in long differences, becomes ``left_out``.
    """
    short: list[Segment] = []
    for number, segment in enumerate(segments):
        outer = segment.kind == "equal"  # nothing differs before the first and after the last
        head = 0 if outer and number == 0 else margin
        tail = 0 if outer and number == len(segments) - 1 else margin
        size = max(segment.a[1] - segment.a[0], segment.b[1] - segment.b[0])
        if segment.kind == "not_compared" or size <= head + tail:
            short.append(segment)
        else:
            short += [
                _part_of(segment, segment.kind, 0, head),
                _part_of(segment, "left_out", head, size - tail),
                _part_of(segment, segment.kind, size - tail, size),
            ]
    return _joined(short)


def _part_of(segment: Segment, kind: Kind, start: int, end: int) -> Segment:
    a, b = (
        (part[0] + start, part[0] + end) if part[0] < part[1] else part
        for part in (segment.a, segment.b)
    )
    return Segment(kind, a, b)
