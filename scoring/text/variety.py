"""How varied a text is: its compression ratio, and the share of sentences that occur once."""

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_LEVEL = 9  # of zlib: the best it can

# A sentence ends after its stop and what closes with it, or with the line. A full-width stop needs
# no space after it; a half-width one does, so that 3.5 and “x.y” are not cut.
_SENTENCE = re.compile(
    r"[^\n]*?(?:[.!?…]+[\"'”’)\]]*(?=\s|$)|[。！？…]+[”’」』）]*|(?=\n)|$)", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Variety:
    compressed: float  # bytes out / bytes in: 1 of noise, 0.3 to 0.4 of a written novel
    sentences: int
    distinct: float  # of the sentences: the share of different ones, 1 if none comes twice

    def __str__(self) -> str:
        return f"compresses to {self.compressed:.1%}; {self.distinct:.1%} of sentences distinct"


def variety(pieces: Iterable[str]) -> Variety:
    """For a text in pieces, each of which ends with a line break; English or Chinese. Nothing stays
    in memory but a number for each sentence."""
    compressor = zlib.compressobj(_LEVEL)
    read = written = count = 0
    seen: set[int] = set()
    for piece in pieces:
        data = piece.encode()
        read += len(data)
        written += len(compressor.compress(data))
        for sentence in sentences(piece):
            count += 1
            seen.add(hash(sentence))
    written += len(compressor.flush())
    return Variety(written / max(1, read), count, len(seen) / max(1, count))


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, without the space around them; a line ends one."""
    for match in _SENTENCE.finditer(text):
        if sentence := match[0].strip():
            yield sentence
