"""The lines of a release's files: compact JSON in UTF-8, the same from every writer.

So the files of a generated release and those that a site offers for download are the same bytes.
"""

from collections.abc import Iterable, Iterator, Mapping

import orjson

from scoring.keys import Key

_CONTEXT = b'"context":"'


def example_line(
    key: object,
    context: str,
    question: str,
    answer: object,
    options: object,
    *,
    answer_type: object = "",
) -> bytes:
    """A row in the official format, without other fields but the type of an answer that has one."""
    row = {"id": key, "context": context, "input": question, "answer": answer, "options": options}
    if answer_type:
        row["answer_type"] = answer_type
    return orjson.dumps(row) + b"\n"


def example_pieces(
    key: Key,
    context: Iterable[str],
    question: str,
    answer: object,
    options: object,
    *,
    answer_type: object = "",
) -> Iterator[bytes]:
    """The same line in pieces, so that a long context is never in memory as a whole."""
    line = example_line(key, "", question, answer, options, answer_type=answer_type)
    before, mark, after = line.partition(_CONTEXT)  # in a text, its quotes would be escaped
    yield before + mark
    for piece in context:
        yield orjson.dumps(piece)[1:-1]
    yield after


def object_line(key: Key | None, fields: Mapping[str, object]) -> bytes:
    """A row of ``facets/`` or ``tokens/``: the fields of the example with that id."""
    return orjson.dumps({"id": key, **fields}) + b"\n"
