"""How many tokens a text has, by tiktoken, or about how many where its vocabulary is out of reach.

tiktoken downloads a vocabulary on first use. A machine without the network must neither fail nor
hang for it, so loading has a time limit, and counts fall back on an estimate that says it is one.
Scoring does not need this module, and importing it costs 30 ms: only ``generate`` does.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from threading import Thread

import tiktoken

ENCODING = "cl100k_base"
PATIENCE = 30.0  # seconds for the download of 1.7 MB; tiktoken itself would wait for ever
CHUNK = 1 << 16  # characters handed to tiktoken at once: bounds memory, and its slow cases

# No token of cl100k_base or o200k_base goes on after a line break (but with a slash), or holds a
# space anywhere but at its start: cut at these places, a text has as many tokens as uncut.
_SAFE = re.compile(r"(?<=\n)(?=[^\s/])|(?<=\S)(?= \S)")

# About what cl100k_base does: up to seven letters with the sign or space before them, three digits,
# a run of signs, a run of space; a Chinese, Japanese or Korean character by itself.
# Measured: exact on the synthetic tasks but for UUIDs (3 % too low), within 4 % on English prose
# and Python, 24 % too low on Chinese.
_PIECES = re.compile(
    r"[\u2e80-\U0010ffff]|(?:[^\w\r\n]|_)?[^\W\d_\u2e80-\U0010ffff]{1,7}|\d{1,3}"
    r"| ?(?:[^\w\s]|_)+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s"
)


@dataclass(frozen=True, slots=True)
class TokenCount:
    value: int
    estimated: bool

    def __add__(self, other: "TokenCount") -> "TokenCount":
        return TokenCount(self.value + other.value, self.estimated or other.estimated)

    def __str__(self) -> str:
        return f"{'≈' if self.estimated else ''}{self.value:,}"


NO_TOKENS = TokenCount(0, estimated=False)


def count_tokens(text: str, encoding: str = ENCODING) -> TokenCount:
    """The number of tokens of a text, in which special ones like ``<|endoftext|>`` are plain text.

    Estimated where the vocabulary cannot be had. Raises ``ValueError`` for an encoding that
    tiktoken does not know. Time is linear in the length, memory does not grow with it.
    """
    vocabulary = _vocabulary(encoding)
    if vocabulary is None:
        return TokenCount(estimate_tokens(text), estimated=True)
    pieces = _pieces(text)
    return TokenCount(sum(len(vocabulary.encode_ordinary(piece)) for piece in pieces), False)


def estimate_tokens(text: str) -> int:
    """About how many tokens cl100k_base makes of a text, from the text alone.

    Generated releases are planned with it: another answer here means other bytes there, and so a
    new ``scoring.synthetic.release.GENERATOR``.
    """
    return sum(1 for _ in _PIECES.finditer(text))


@cache
def _vocabulary(encoding: str) -> tiktoken.Encoding | None:
    """The vocabulary, or None where it cannot be loaded in time; asked once in each process."""
    if encoding not in tiktoken.list_encoding_names():
        raise ValueError(f"tiktoken knows no encoding called {encoding!r}")
    loaded: list[tiktoken.Encoding] = []

    def load() -> None:
        # A proxy, a full disk, a damaged cache: the estimate is the answer to all of them.
        with suppress(Exception):
            loaded.append(tiktoken.get_encoding(encoding))

    thread = Thread(target=load, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return loaded[0] if loaded else None


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces of up to two chunks, cut where no token crosses if there is such a place.

    Otherwise (a long run without a space) it is cut anyway, at the cost of about a token.
    """
    start = 0
    while len(text) - start > 2 * CHUNK:
        place = _SAFE.search(text, start + CHUNK, start + 2 * CHUNK)
        end = place.start() if place else start + CHUNK
        yield text[start:end]
        start = end
    yield text[start:]
