"""Count the tokens of many texts in other processes, which bear tiktoken's memory and time."""

import os
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Self

from scoring.text.text_index import build_index
from scoring.text.tokens import estimate_tokens, token_lengths

PROCESSES = 2


class CountError(Exception):
    """A counting process has died; the message says so."""


class CountingPool:
    """Up to ``processes`` counting processes, started when needed and ended with the block.

    They end when this process does, even if it is killed.
    """

    def __init__(self, processes: int = PROCESSES) -> None:
        # Spawned, not forked: the caller may have threads, or a database connection.
        self._pool = ProcessPoolExecutor(
            processes, mp_context=get_context("spawn"), initializer=_end_with_parent
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def index(self, data: bytes) -> bytes:
        """The index file (``scoring.text.text_index``) of a text in UTF-8, its tokens counted.

        Waits for a process and the result, so that a caller with N threads has N texts in flight.
        Raises ``CountError`` where a process has died; the pool cannot be used any more then.
        """
        try:
            return self._pool.submit(_index, data).result()
        except BrokenProcessPool as error:
            raise CountError("The process that counts tokens has ended.") from error


def _index(data: bytes) -> bytes:
    text = data.decode()
    lengths = token_lengths(text)
    tokens = estimate_tokens(text) if lengths is None else len(lengths)
    return build_index(text, tokens, lengths)


def _end_with_parent() -> None:
    """In a new process: end as soon as the process that started it has ended in any way.

    Linux's parent-death signal would not do: it follows the thread that started the process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle

    def watch() -> None:
        if parent := parent_process():
            parent.join()
        os._exit(1)

    Thread(target=watch, daemon=True).start()
