"""Which tokens a prediction shares with the gold answer that counts: F1 and ROUGE-Lsum."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from scoring.explanations.explanation import Explanation, Judged, Span, TokenMatch
from scoring.explanations.traced_text import TracedText
from scoring.metrics.overlap import ALL_PUNCTUATION, ARTICLES, ASCII_PUNCTUATION
from scoring.metrics.rouge import WORDS, lcs_indices, token_masks

_WORD = re.compile(r"\S+")
_LINE = re.compile(r"[^\n]+")


def _any_of(table: Mapping[int, None], more: str = "") -> re.Pattern[str]:
    return re.compile(f"[{re.escape(''.join(map(chr, table)))}{more}]+")


_ASCII_MARKS = _any_of(ASCII_PUNCTUATION)
_MARKS_AND_SPACE = _any_of(ALL_PUNCTUATION, r"\s")


class Tokens(NamedTuple):
    """The tokens of a text, and the first and last character of each (the last one excluded).

    Three sequences and no tuple for each token, of which a long text has very many.
    """

    texts: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, words: re.Pattern[str], text: str, source: TracedText) -> "Tokens":
        """The words of a text that has as many characters as the traced one."""
        places = [word.span() for word in words.finditer(text)]
        return cls(
            words.findall(text),
            [source.starts[start] for start, _ in places],
            [source.ends[end - 1] for _, end in places],
        )

    def spans(self, indices: Iterable[int]) -> tuple[Span, ...]:
        """In order; two tokens from one character (İ) have the same span."""
        found = {(self.starts[index], self.ends[index]) for index in indices}
        return tuple(sorted(found))


def qa_english(judged: Judged) -> Explanation:
    """Words: of one that occurs several times the first ones count."""
    return _bag_overlap(judged, english_words)


def qa_chinese(judged: Judged) -> Explanation:
    """Characters: of one that occurs several times the first ones count."""
    return _bag_overlap(judged, chinese_characters)


def english_words(text: str) -> Tokens:
    """The tokens of ``scoring.metrics.overlap.english_tokens``."""
    bare = TracedText.of(text).lower().replace(_ASCII_MARKS, "")
    return Tokens.of(_WORD, ARTICLES.sub(lambda found: " " * len(found[0]), bare.text), bare)


def chinese_characters(text: str) -> Tokens:
    """The tokens of ``scoring.metrics.overlap.chinese_tokens``."""
    bare = TracedText.of(text).lower().replace(_MARKS_AND_SPACE, "")
    return Tokens(bare.text, bare.starts, bare.ends)


def _bag_overlap(judged: Judged, tokens: Callable[[str], Tokens]) -> Explanation:
    verdict = judged.verdict
    if verdict.code != "token_overlap":
        return Explanation(verdict)
    gold = str(verdict.params["label"])
    written, wanted = tokens(judged.prediction), tokens(gold)
    match = TokenMatch(
        gold,
        written.spans(_shared(written.texts, wanted.texts)),
        wanted.spans(_shared(wanted.texts, written.texts)),
        *(int(verdict.params[count]) for count in ("common", "predicted", "wanted")),
    )
    return Explanation(verdict, match.in_prediction, match=match)


def _shared(tokens: Iterable[str], others: Iterable[str]) -> Iterator[int]:
    """The indices of tokens that the others have too, each at most as often as they have it."""
    left = Counter(others)
    for index, token in enumerate(tokens):
        if left.get(token, 0) > 0:
            left[token] -= 1
            yield index


def summary(judged: Judged) -> Explanation:
    """Words in the order of the reference with the highest F-measure, the first on ties."""
    candidate = _Summary.of(judged.prediction)
    matches = [_summary_match(gold, candidate) for gold in judged.label]
    best = max(matches, key=lambda match: match.f_measure, default=None)
    return Explanation(judged.verdict, best.in_prediction if best else (), match=best)


class _Summary(NamedTuple):
    """The words of a text, and which of them each line has."""

    tokens: Tokens
    lines: Sequence[range]

    @classmethod
    def of(cls, text: str) -> "_Summary":
        low = TracedText.of(text).lower()
        lines, end = [], 0
        for line in _LINE.finditer(low.text):
            start, end = end, end + len(WORDS.findall(line[0]))
            lines.append(range(start, end))
        return cls(Tokens.of(WORDS, low.text, low), [line for line in lines if line])

    def sentence(self, line: range) -> tuple[str, ...]:
        return tuple(self.tokens.texts[line.start : line.stop])


def _summary_match(gold: str, candidate: _Summary) -> TokenMatch:
    """As the metric counts, and besides which word of the prediction each hit is.

    That is the word that a subsequence has there; where these are matches of other words already,
    the first equal one that is left. The metric only counts, so that there always is one.
    """
    reference = _Summary.of(gold)
    wanted = set(reference.tokens.texts)
    left: dict[str, dict[int, None]] = defaultdict(dict)  # the words that match none yet
    for place, text in enumerate(candidate.tokens.texts):
        if text in wanted:
            left[text][place] = None
    sentences: dict[tuple[str, ...], int] = {}  # different ones, each with its first word
    for line in reversed(candidate.lines):
        sentences[candidate.sentence(line)] = line.start
    ordered = sorted(sentences.items(), key=lambda sentence: sentence[1])
    hits: dict[int, int] = {}
    for line in reference.lines:
        shared = [place for place in line if reference.tokens.texts[place] in left]
        aligned = _union_lcs([reference.tokens.texts[place] for place in shared], ordered)
        for position in sorted(aligned):
            free = left[reference.tokens.texts[shared[position]]]
            if free:
                in_order = (place for place in aligned[position] if place in free)
                found = next(in_order, None)
                found = next(iter(free)) if found is None else found
                del free[found]
                hits[shared[position]] = found
    return TokenMatch(
        gold,
        candidate.tokens.spans(hits.values()),
        reference.tokens.spans(hits),
        len(hits),
        len(candidate.tokens.texts),
        len(reference.tokens.texts),
    )


def _union_lcs(
    reference: Sequence[str], candidate: Iterable[tuple[tuple[str, ...], int]]
) -> dict[int, list[int]]:
    """The indices into ``reference`` of its LCS with any of the sentences, each with the words at
    which the sentences have it."""
    masks = token_masks(reference)
    union: dict[int, list[int]] = defaultdict(list)
    for sentence, first in candidate:
        if masks.keys().isdisjoint(sentence):
            continue
        place = -1
        for index in reversed(lcs_indices(sentence, masks, len(reference))):
            place = sentence.index(reference[index], place + 1)
            union[index].append(first + place)
    return union
