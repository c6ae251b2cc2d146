"""What a search finds in a text for a question."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

SENTENCES = 30  # that BM25 keeps
_K1, _B = 1.2, 0.75  # of BM25 (Robertson and Zaragoza 2009), as in Lucene
_SENTENCE = re.compile(r"[^\n.!?。！？]+(?:[.!?。！？]+[\"”’」』]*|\n|$)")
_WORD = re.compile(r"[^\W_\u2e80-\U0010ffff]+|[\u2e80-\U0010ffff](?=([\u2e80-\U0010ffff]))")
_COMMON = frozenset(
    """
    a an and are as at be been book by did do does for from had has have he her him his how in is
    it its many much of on or she so than that the their them then there they this to was were what
    when where which who whom whose why will with you your all one
    """.split()  # noqa: SIM905 - as a list it would take 66 lines
)


def sentences_of(text: str) -> list[str]:
    return [one.strip() for one in _SENTENCE.findall(text) if one.strip()]


def words_of(text: str) -> list[str]:
    """In lower case, without the most common ones; for Chinese, all pairs of characters."""
    found = ((match[0] + (match[1] or "")).lower() for match in _WORD.finditer(text))
    return [word for word in found if word not in _COMMON]


def grep(text: str, question: str) -> str:
    """All sentences with two words of the question."""
    wanted = set(words_of(question))
    return _joined(text, lambda words: [len(wanted.intersection(one)) > 1 for one in words])


def bm25(text: str, question: str) -> str:
    """The sentences that rank highest for the question, in the order of the text."""
    wanted = set(words_of(question))

    def chosen(words: Sequence[Sequence[str]]) -> list[bool]:
        scores = bm25_scores(words, wanted)
        best = sorted(range(len(scores)), key=lambda at: -scores[at])[:SENTENCES]
        return [at in best and scores[at] > 0 for at in range(len(scores))]

    return _joined(text, chosen)


def _joined(text: str, choose: Callable[[Sequence[Sequence[str]]], Sequence[bool]]) -> str:
    sentences = sentences_of(text)
    kept = choose([words_of(one) for one in sentences])
    return "\n".join(one for one, is_kept in zip(sentences, kept, strict=True) if is_kept)


def bm25_scores(documents: Sequence[Sequence[str]], wanted: Iterable[str]) -> list[float]:
    """Okapi BM25 of each document for the words that are wanted."""
    if not documents:
        return []
    mean = sum(map(len, documents)) / len(documents) or 1
    counts = [Counter(one) for one in documents]
    scores = [0.0] * len(documents)
    for word in set(wanted):
        having = sum(word in one for one in counts)
        weight = math.log(1 + (len(documents) - having + 0.5) / (having + 0.5))
        for at, (one, document) in enumerate(zip(counts, documents, strict=True)):
            if times := one[word]:
                norm = _K1 * (1 - _B + _B * len(document) / mean)
                scores[at] += weight * times * (_K1 + 1) / (times + norm)
    return scores
