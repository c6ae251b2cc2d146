"""Strict JSON from untrusted bytes, one bounded row at a time.

``json`` alone accepts too much: duplicate keys, NaN, numbers without bounds, halves of surrogate
pairs. Its C scanner is kept, with hooks that refuse; what has no hook is found by searches for
single bytes, and the slow checks run only on rows where those find something.

Most rows are flat and plain. Those are read by orjson in a fifth of the time, where a few byte
counts prove that nothing can hide in them: the command has to stay far quicker than rouge-score.
"""

import json
import math
import mmap
import re
from collections.abc import Iterable, Iterator
from json import JSONDecodeError

import orjson

from scoring.limits import MIB
from scoring.problems import Parameter, visible

CHUNK = 1 << 18  # bytes read at a time
MAX_DEPTH = 32
MAX_DIGITS = 19  # as many as 64 bits can have


class JsonError(ValueError):
    """A row cannot be used; ``code`` is one of ``PROBLEMS``, with its parameters."""

    def __init__(self, code: str, **params: Parameter) -> None:
        super().__init__(code)
        self.code = code
        self.params = params


class JsonNumber(float):
    """A number that remembers how it was written: 48.0, 1e5, -0."""

    __slots__ = ("text",)
    text: str


def split_lines(chunks: Iterable[bytes], cap: int) -> Iterator[bytes | None]:
    """The lines of a file without their ends; None for one of more than ``cap`` bytes.

    Holds at most ``cap`` bytes and two chunks, however long a line is.
    """
    parts: list[bytes] = []
    size = 0
    for chunk in chunks:
        first, *others = chunk.split(b"\n")
        parts.append(first)
        size += len(first)
        if others:
            yield _joined(parts) if size <= cap else None
            *whole, last = others
            yield from (line if len(line) <= cap else None for line in whole)
            parts, size = [last], len(last)
        if size > cap:
            parts.clear()
    if size:
        yield _joined(parts) if size <= cap else None


def _joined(parts: list[bytes]) -> bytes:
    """The parts joined, and released: a long line must not be in memory twice."""
    line = b"".join(parts)
    parts.clear()
    return line


def decode(raw: bytes, *, as_written: bool = False) -> tuple[object, str]:
    """The first JSON value in the bytes, and the text after it. Raises ``JsonError``.

    ``as_written`` makes numbers remember their text, at a cost for each of them.
    """
    plain = None if as_written else _decode_plain(raw)
    if plain is not None:
        return plain, ""
    if b"\0" in raw:
        raise JsonError("text_nul")
    try:
        text = raw.decode().strip(" \t\r\n")
    except UnicodeDecodeError as error:
        raise JsonError("line_not_utf8", byte=error.start + 1) from error
    decoder = _AS_WRITTEN if as_written else _BOUNDED if _may_have_long_integer(raw) else _FAST
    try:
        value, end = decoder.raw_decode(text)
    except JSONDecodeError as error:
        raise JsonError("json_broken", why=error.msg, column=error.pos + 1) from error
    except RecursionError as error:
        raise JsonError("json_too_deep") from error
    return value, text[end:].strip(" \t\r\n")


def _decode_plain(raw: bytes) -> dict[str, object] | None:
    """A flat object, or None where the careful way has to look.

    orjson keeps the last of two equal keys and rounds long integers. With no white space before a
    colon, every key has ``":`` behind it; if that stands as often as the object has keys, then none
    came twice, none is nested and none is a part of a text.
    """
    keys = raw.count(b'":')
    if raw.count(b":") != keys and _SPACED_COLON.search(raw):
        return None
    if _may_have_long_integer(raw):
        return None
    _memory.check(len(raw))
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    return value if type(value) is dict and keys == len(value) else None


class _MemoryProbe:
    """Checks after every mebibyte whether there is memory for what the next one may become.

    orjson crashes where an allocation fails, and then the box could not say why it ended.
    """

    def __init__(self) -> None:
        self._bytes = 0  # to be decoded before the next check

    def check(self, size: int) -> None:
        """Raises ``MemoryError``."""
        self._bytes -= size
        if self._bytes < 0:
            self._bytes = MIB
            try:
                mmap.mmap(-1, _GROWTH * (MIB + size), flags=_UNTOUCHED).close()
            except OSError as error:
                raise MemoryError from error


def check_text(text: str) -> None:
    """Raises ``JsonError`` where a decoded text has NUL, or halves of surrogate pairs."""
    if "\0" in text:
        raise JsonError("text_nul")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise JsonError("text_surrogate") from error


def check_value(value: object, raw: bytes) -> None:
    """Raises ``JsonError`` where a value from the row has such text, or is nested too deep."""
    if isinstance(value, str):
        check_text(value)
    elif isinstance(value, list | dict) and (
        b"\\u" in raw or raw.count(b"[") + raw.count(b"{") > MAX_DEPTH
    ):
        _check_inside(value)


def _check_inside(value: object) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        inner: list[object] = []
        for item in level:
            if isinstance(item, str):
                check_text(item)
            elif isinstance(item, list):
                inner.extend(item)
            elif isinstance(item, dict):
                inner.extend(item)
                inner.extend(item.values())
        level = inner
        if not level:
            return
    raise JsonError("json_too_deep")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise JsonError("json_key_twice", key=visible(key))
            seen.add(key)
    return found


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise JsonError("json_number_large", value=visible(text))
    return number


def _float_as_written(text: str) -> JsonNumber:
    number = JsonNumber(_float(text))
    number.text = text
    return number


def _integer(text: str) -> int:
    if len(text.lstrip("-")) > MAX_DIGITS:
        raise JsonError("json_number_large", value=visible(text))
    return int(text)


def _constant(text: str) -> None:
    raise JsonError("json_constant", value=visible(text))


def _may_have_long_integer(raw: bytes) -> bool:
    """Whether there is a run of 19 digits or more; every fifth byte rules out most rows."""
    return _RUN_THINNED in raw[::5].translate(_DIGITS) and _LONG_RUN in raw.translate(_DIGITS)


_FAST = json.JSONDecoder(object_pairs_hook=_object, parse_float=_float, parse_constant=_constant)
_BOUNDED = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_float=_float,
    parse_int=_integer,
    parse_constant=_constant,
)
_AS_WRITTEN = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_float=_float_as_written,
    parse_int=lambda text: _float_as_written(text) if text == "-0" else _integer(text),
    parse_constant=_constant,
)
_SPACED_COLON = re.compile(rb":(?<=[ \t\r\n]:)")  # the colon first: it is looked for at once
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_LONG_RUN = b"0" * MAX_DIGITS  # shorter ones fit into 64 bits whatever their sign
_RUN_THINNED = b"0" * (MAX_DIGITS // 5)
_GROWTH = 32  # times: of "[]," and the like
_UNTOUCHED = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS  # it costs no memory, only addresses
_memory = _MemoryProbe()
