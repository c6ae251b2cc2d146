"""A process that counts tokens: ``python -m scoring.text.counter``, started by ``text.counting``.

It reads texts from its input and writes what it counted, until the input ends: so it is gone as
soon as whoever started it is, however that ended.
"""

import os
import signal
import sys
from typing import BinaryIO

from scoring.text.counting import LENGTH
from scoring.text.text_index import build_index
from scoring.text.tokens import estimate_tokens, token_lengths


def answer_all(texts: BinaryIO, answers: BinaryIO) -> None:
    while head := texts.read(LENGTH.size):
        data = texts.read(LENGTH.unpack(head)[0])
        index = _index(data.decode())
        answers.write(LENGTH.pack(len(index)))
        answers.write(index)
        answers.flush()


def _index(text: str) -> bytes:
    lengths = token_lengths(text)
    tokens = estimate_tokens(text) if lengths is None else len(lengths)
    return build_index(text, tokens, lengths)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: whoever asks ends us
    try:
        answer_all(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:  # nobody wants to know any more
        os._exit(1)
