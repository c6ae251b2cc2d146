"""The lines of a release's files, in one form wherever they are written: compact JSON in UTF-8.

So the files of a release that was generated and those that a site offers of it are the same bytes.
"""

from collections.abc import Iterable, Iterator, Mapping

import orjson

from scoring.keys import Key

_CONTEXT = b'"context":"'


def example_line(
    key: object, context: str, question: str, answer: object, options: object
) -> bytes:
    """A row in the official format, and nothing that it does not have."""
    row = {"id": key, "context": context, "input": question, "answer": answer, "options": options}
    return orjson.dumps(row) + b"\n"


def example_pieces(
    key: Key, context: Iterable[str], question: str, answer: object, options: object
) -> Iterator[bytes]:
    """The same line piece by piece, so that a context of any length never stands in memory."""
    line = example_line(key, "", question, answer, options)
    before, mark, after = line.partition(_CONTEXT)  # in a text, its quotes would be escaped
    yield before + mark
    for piece in context:
        yield orjson.dumps(piece)[1:-1]
    yield after


def object_line(key: Key | None, fields: Mapping[str, object]) -> bytes:
    """A row of ``facets/`` or ``tokens/``: what is known of the example with that id."""
    return orjson.dumps({"id": key, **fields}) + b"\n"
