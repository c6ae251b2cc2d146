"""Token overlap of En.QA and Zh.QA: F1 between bags of tokens, the best over all labels.

Source: both official revisions, functions behind ``qa_f1_score`` and ``qa_f1_score_zh``.
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

ARTICLES = re.compile(r"\b(?:a|an|the)\b")
ASCII_PUNCTUATION = dict.fromkeys(map(ord, string.punctuation))


# The official list, as code points or ranges of them; 《〈〉· are not on it.
_CHINESE_RANGES = (
    "2013-2014 2018-2019 201B-201F 2026-2027 3001-3003 300B-3011 3014-301F 3030 303E-303F "
    "FE4F FF01-FF0D FF0F FF1A-FF20 FF3B-FF40 FF5B-FF64"
)
_CHINESE_PUNCTUATION = dict.fromkeys(
    code
    for part in _CHINESE_RANGES.split()
    for code in range(int(part[:4], 16), int(part[-4:], 16) + 1)
)
ALL_PUNCTUATION = ASCII_PUNCTUATION | _CHINESE_PUNCTUATION


class F1(NamedTuple):
    """The token overlap with one label."""

    common: int
    predicted: int
    wanted: int
    label: str

    @property
    def score(self) -> float:
        """Harmonic mean of precision and recall, 0 to 1."""
        if not self.common:
            return 0.0
        precision, recall = self.common / self.predicted, self.common / self.wanted
        return (2 * precision * recall) / (precision + recall)


def english_tokens(text: str) -> list[str]:
    """Lower-case words without ASCII punctuation and articles."""
    bare = text.lower().translate(ASCII_PUNCTUATION)
    return ARTICLES.sub(" ", bare).split()


def chinese_tokens(text: str) -> list[str]:
    """Lower-case characters without ASCII and Chinese punctuation and white space."""
    return list("".join(text.lower().translate(ALL_PUNCTUATION).split()))


def best_f1(
    prediction: str, labels: Iterable[str], tokens: Callable[[str], Sequence[str]]
) -> F1 | None:
    """The highest F1 over all labels, the first on ties; None without any label."""
    predicted = Counter(tokens(prediction))
    best: F1 | None = None
    for label in labels:
        wanted = Counter(tokens(label))
        common = (predicted & wanted).total()
        overlap = F1(common, predicted.total(), wanted.total(), label)
        if best is None or overlap.score > best.score:
            best = overlap
    return best
