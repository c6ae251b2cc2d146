"""A small vocabulary under the name of the real one, for tests and their processes.

The folder above precedes ``site-packages`` in the module path, so that tiktoken finds this plugin
instead of its own: nothing is downloaded, and loading takes milliseconds. Texts are split into
words and punctuation like by the real vocabulary, but few words are a single token. Tests of
exact counts ask for the real one (``real_vocabulary`` in ``tests/conftest.py``).
"""

import os
from collections.abc import Iterator
from typing import Any

_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_WORDS = (
    "the a an of and to in is was were it that he she they with for on as at by from but not "
    "who what when where which said same text hello world line question answer number key value "
    "aaaaaaaa grass green sky blue sun yellow here we go there back again"
)
_SIGNS = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对"


def cl100k_base() -> dict[str, Any]:
    if os.environ.get("NO_VOCABULARY"):  # set by tests of estimates
        raise ConnectionError("no way to a vocabulary")
    tokens = list(dict.fromkeys(_tokens()))
    return {
        "name": "cl100k_base",
        "pat_str": _PATTERN,
        "mergeable_ranks": {token: rank for rank, token in enumerate(tokens)},
        "special_tokens": {"<|endoftext|>": len(tokens)},
    }


def _tokens() -> Iterator[bytes]:
    """Every single byte, then each token after those from which it is merged."""
    yield from (bytes([byte]) for byte in range(256))
    yield from (b"%02d" % number for number in range(100))
    yield from (b"%03d" % number for number in range(1_000))
    for word in _WORDS.split():
        for whole in (word, word.capitalize(), f" {word}"):
            yield from (whole[:end].encode() for end in range(2, len(whole) + 1))
    for sign in _SIGNS:
        yield from (sign.encode()[:end] for end in (2, 3))


ENCODING_CONSTRUCTORS = {"cl100k_base": cl100k_base}
