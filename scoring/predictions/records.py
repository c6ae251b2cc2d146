"""A file of untrusted bytes as records: its lines, or the members of the one document it holds."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, count
from typing import NamedTuple

from scoring.limits import MIB, Budget
from scoring.predictions.dialects import HELMET, OPENCOMPASS, Dialect
from scoring.predictions.json_rows import JsonError, split_lines
from scoring.predictions.json_stream import Document, without_long_strings


class Record(NamedTuple):
    number: int | None  # from 1; None: a fault of the file as a whole
    raw: bytes = b""
    fault: JsonError | None = None  # why there is no row to be read
    is_long: bool = False  # longer than a row of the official dialect may be
    dialect: Dialect | None = None  # where the form of the file determines it
    id: int | None = None  # where it is not inside the row


_HEAD = 4_096
_BOM = b"\xef\xbb\xbf"
_LIST = re.compile(rb"\s*+\[(?:\s*+\n)?\s*+\{(?!.*\]\s*\n\{)")  # and no row on a line after it
_DOCUMENT = re.compile(rb'\s*+\{(?:[ \t\r]*+\n\s*+"|\s*+(?:"\d+"\s*+:\s*+\{|"(?:args|data)"\s*+:))')
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")


def records(chunks: Iterable[bytes], budget: Budget) -> Iterator[Record]:
    """The records of a file. Raises ``LimitError`` where nothing more may be read."""
    stream = iter(chunks)
    head = b""
    for chunk in stream:
        head += chunk
        if len(head) >= _HEAD:
            break
    head = head.removeprefix(_BOM)
    whole = chain([head], stream)
    if _LIST.match(head):
        yield Record(None, fault=JsonError("document_is_list"))
    elif _DOCUMENT.match(head):
        yield from _members(whole, budget)
    else:
        yield from _lines(whole, budget)


def _lines(chunks: Iterable[bytes], budget: Budget) -> Iterator[Record]:
    numbers = count(1)  # ``enumerate`` would hold on to the last line
    for line in split_lines(chunks, budget.limits.record):
        number = next(numbers)
        budget.take_line()
        if line is None or len(line) > budget.limits.line:
            raw = None if line is None else without_long_strings(line, budget)
            line = None  # noqa: PLW2901 - up to 32 MiB, not to be held while the row is read
            if raw is None:
                fault = JsonError("line_too_long", limit=budget.limits.line // MIB)
                yield Record(number, fault=fault)
            else:
                yield Record(number, raw, is_long=True)
        elif line and not line.isspace():
            yield Record(number, line)


def _members(chunks: Iterable[bytes], budget: Budget) -> Iterator[Record]:
    document = Document(chunks, budget)
    number = 0
    for member in document.members():
        dialect, id_ = HELMET, None
        if member.name is not None:
            if not _NUMBER.fullmatch(member.name):
                continue  # settings, means
            dialect, id_ = OPENCOMPASS, int(member.name)
        number += 1
        budget.take_line()
        if member.raw is None:
            fault = JsonError("row_too_large", limit=budget.limits.record_kept // MIB)
            yield Record(number, fault=fault)
        else:
            yield Record(number, member.raw, dialect=dialect, id=id_)
    yield from _faults(document, number)


def _faults(document: Document, rows: int) -> Iterator[Record]:
    try:
        rest = document.check()
    except JsonError as error:
        broken = error.code == "json_broken"
        yield Record(None, fault=JsonError("document_broken", rows=rows) if broken else error)
        return
    if rest:
        yield Record(None, fault=JsonError("text_after_document", text=rest))
    if not rows:
        yield Record(None, fault=JsonError("document_unknown"))
