"""Bad inputs by name: the content of a file, and the codes that the reader must give for it.

The list of SECURITY, "Uploads", and what was seen in released files. ``GOOD`` is a row that
comes before and after the bad one wherever a single row is bad, and must still be read.
"""
# ruff: noqa: E501 - tables

import json
import pickle
import random
from collections.abc import Callable
from typing import NamedTuple

MIB = 1 << 20
GOOD = b'{"id": 0, "prediction": "71432"}\n'
NOISE = random.Random(0).randbytes(9_000)
LAST = b'{"id": 9, "prediction": "15921"}\n'


class Bad(NamedTuple):
    make: Callable[[], bytes]
    codes: set[str]  # errors and warnings
    predictions: list[str | None]  # rows that are read


def _between(row: bytes) -> Callable[[], bytes]:
    return lambda: GOOD + row + b"\n" + LAST


def _two_million_keys() -> bytes:
    """Made only when it is needed, since that takes a second."""
    keys = b",".join(b'"%d":0' % key for key in range(2_000_000))
    return _between(b"{%b}" % keys)()


def _row(code: str, row: bytes, text: str | None = None) -> Bad:
    """A bad row between two good ones."""
    return Bad(_between(row), {code}, ["71432", text, "15921"])


def _file(code: str, content: bytes, *texts: str | None) -> Bad:
    return Bad(lambda: content, {code} if code else set(), list(texts))


def _cut(line: bytes) -> Bad:
    """A file whose last line is truncated."""
    return _file("file_cut", GOOD + line, "71432", None)


def _whole(*codes: str, content: bytes = b"") -> Bad:
    return Bad(lambda: content, set(codes), [])


# fmt: off
FILES: dict[str, Bad] = {
    # Accepted oddities
    "CRLF": _file("", GOOD.replace(b"\n", b"\r\n") + LAST, "71432", "15921"),
    "no final newline": _file("", GOOD + LAST.rstrip(), "71432", "15921"),
    "one BOM at the start": _file("", b"\xef\xbb\xbf" + GOOD, "71432"),
    "blank lines between rows": _file("", GOOD + b"\n \r\n" + LAST, "71432", "15921"),
    "text after the object": _row("text_after_object", b'{"id": 1, "pred": "x"} stray', "x"),
    "an empty prediction": _file("", b'{"id": 1, "prediction": ""}', ""),
    "a mix of pred and prediction": _file("", GOOD + b'{"id": 1, "pred": "x"}', "71432", "x"),
    "a number as prediction": _file("", b'{"id": 1, "prediction": 48.0}', "48.0"),
    "a number with an exponent": _file("", b'{"id": 1, "prediction": 1e5}', "1e5"),
    "a whole number as prediction": _file("", b'{"id": 1, "prediction": 7}', "7"),
    "minus nought as prediction": _file("", b'{"id": 1, "prediction": -0}', "-0"),
    "markup in a prediction": _file("", b'{"id": 1, "prediction": "<script>"}', "<script>"),
    "direction overrides": _file("", b'{"id": 1, "prediction": "\xe2\x80\xae"}', "\u202e"),
    "zalgo": _file("", '{"id": 1, "prediction": "a\u0300\u0301"}'.encode(), "a\u0300\u0301"),
    "an escaped pair": _file("", rb'{"id": 1, "prediction": "\ud83d\ude00"}', "😀"),
    "a backslash before u0000": _file("", rb'{"id": 1, "prediction": "\\u0000"}', r"\u0000"),
    "a label with a bad number": _row("json_number_large", b'{"id": 1, "pred": "x", "label": 1e999}'),
    # The file as a whole
    "empty file": _whole("file_empty"),
    "blank lines only": _whole("file_empty", content=b"\n\r\n  \n" * 100),
    "UTF-16": _whole("file_utf16", content=GOOD.decode().encode("utf-16")),
    "UTF-32": _whole("file_utf16", content=GOOD.decode().encode("utf-32")),
    "array at the top": _whole("document_is_list", content=b'[{"id": 0, "prediction": "x"}]'),
    "array at the top, over lines": _whole("document_is_list", content=b"[\n" + GOOD + b"]"),
    "100 MB without newline": Bad(lambda: b"x" * 100_000_000, {"line_too_long"}, [None]),
    "85 MiB of lists": Bad(lambda: b"[]," * (85 * MIB // 3), {"line_too_long"}, [None]),
    "85 MiB of lists in an object": Bad(
        lambda: b'{"data":[' + b"[]," * (85 * MIB // 3), {"values_too_many"}, []
    ),
    "100 MB of line ends": Bad(lambda: b"\n" * 100_000_000, {"lines_too_many"}, []),
    "more than 100 MiB": Bad(lambda: b"\n" * (100 * MIB + 1), {"file_too_large"}, []),
    # Other formats, by their first bytes
    "random bytes": _whole("file_binary", content=NOISE),
    "zeros": _whole("file_binary", content=bytes(5_000)),
    "PDF": _whole("file_not_rows", content=b"%PDF-1.7\n" + NOISE),
    "PNG": _whole("file_not_rows", content=b"\x89PNG\r\n\x1a\n" + NOISE),
    "JPEG": _whole("file_not_rows", content=b"\xff\xd8\xff\xe0" + NOISE),
    "a Python pickle": _whole("file_not_rows", content=pickle.dumps([{"id": 0, "prediction": "x"}])),
    "Parquet": _whole("file_not_rows", content=b"PAR1" + NOISE),
    "HTML error page": _whole("file_is_page", content=b"\n<!doctype html>\n<title>502 Bad Gateway</title>"),
    "HTML without a doctype": _whole("file_is_page", content=b"<HTML><body>Sign in</body></HTML>"),
    "XML error page": _whole("file_is_page", content=b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'),
    "git-lfs pointer": _whole("file_is_pointer", content=b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 9\n"),
    "CSV": _whole("file_is_table", content=b"id,prediction\n0,71432\n1,69079\n"),
    "CSV with semicolons and quotes": _whole("file_is_table", content=b'\xef\xbb\xbf"ID";"Prediction"\r\n0;"71432"\r\n'),
    "TSV": _whole("file_is_table", content=b"question_id\tanswer\n0\t71432\n"),
    "UTF-16 without a mark": _whole("file_utf16", content=(GOOD * 9).decode().encode("utf-16-le")),
    "a last line that stops in a text": _cut(b'{"id": 1, "prediction": "The pa'),
    "a last line that stops in a key": _cut(b'{"id": 1, "predi'),
    "a last line that stops after a brace": _cut(b"{"),
    "a last line that stops in a character": _cut(b'{"id": 1, "prediction": "\xe6\x98'),
    "a last line that stops, and line ends": _cut(b'{"id": 1, "prediction": "The pa\n\n'),
    # Bytes of a row
    "a Latin-1 byte": _row("line_not_utf8", b'{"id": 1, "prediction": "caf\xe9"}'),
    "overlong UTF-8": _row("line_not_utf8", b'{"id": 1, "prediction": "\xc0\xaf"}'),
    "a surrogate in UTF-8": _row("line_not_utf8", b'{"id": 1, "prediction": "\xed\xa0\x80"}'),
    "raw NUL": _row("text_nul", b'{"id": 1, "prediction": "a\0b"}'),
    "2 MiB line": _row("line_too_long", b'{"id": 1, "prediction": "' + b"x" * 2 * MIB + b'"}'),
    "a mebibyte of U+202E": _row("line_too_long", b'{"id": 1, "prediction": "' + b"\xe2\x80\xae" * MIB + b'"}'),
    "2 MiB line of nothing": _row("line_too_long", b"x" * 2 * MIB),
    # JSON of a row
    "escaped NUL": _row("text_nul", rb'{"id": 1, "prediction": "a\u0000b"}'),
    "lone surrogate": _row("text_surrogate", rb'{"id": 1, "prediction": "\ud800"}'),
    "lone surrogate in an id": _row("id_unusable", rb'{"id": "\udfff", "prediction": "x"}', "x"),
    "lone surrogate in a label": _row(
        "text_surrogate", rb'{"id": 1, "prediction": "x", "label": ["\ud800"]}', "x"
    ),
    "NaN": _row("json_constant", b'{"id": 1, "prediction": NaN}'),
    "minus Infinity": _row("json_constant", b'{"id": 1, "prediction": -Infinity}'),
    "1e999": _row("json_number_large", b'{"id": 1, "prediction": 1e999}'),
    "5,000-digit int": _row("json_number_large", b'{"id": 1, "prediction": ' + b"7" * 5_000 + b"}"),
    "20-digit int": _row("json_number_large", b'{"id": 1, "prediction": -12345678901234567890}'),
    "[ x 100k": _row("json_too_deep", b"[" * 100_000),
    '{"a": x 50k': _row("json_too_deep", b'{"a":' * 50_000),
    "a deep label": _row(
        "json_too_deep", b'{"id": 1, "prediction": "x", "label": ' + b"[" * 40 + b"]" * 40 + b"}", "x"
    ),
    "2M keys in one object": Bad(_two_million_keys, {"line_too_long"}, ["71432", None, "15921"]),
    "90k keys in one object": _row(
        "prediction_missing", b'{"id": 1' + b"".join(b',"%d":0' % key for key in range(90_000)) + b"}"
    ),
    "options nested as deep as the label": _row(
        "json_too_deep",
        b'{"id": 1, "prediction": "x", "label": %s, "options": [%s, 1, 2, 3]}' % ((b"[" * 400 + b"]" * 400,) * 2),
        "x",
    ),
    "duplicate key": _row("json_key_twice", b'{"id": 1, "prediction": "x", "prediction": "y"}'),
    "duplicate key inside a label": _row("json_key_twice", b'{"id": 1, "label": {"a": 1, "a": 1}}'),
    "two objects on a line": _row(
        "two_objects", b'{"id": 1, "prediction": "x"} {"id": 2, "prediction": "y"}', "x"
    ),
    "half an object": _row("json_broken", b'{"id": 1, "prediction": "x'),
    "a trailing comma": _row("json_broken", b'{"id": 1, "prediction": "x",}'),
    "single quotes": _row("json_broken", b"{'id': 1}"),
    "a control character": _row("json_broken", b'{"id": 1, "prediction": "a\x07b"}'),
    # What a row says
    "a list as row": _row("row_not_object", b'[1, "x"]'),
    "text as row": _row("row_not_object", b'"x"'),
    "null as row": _row("row_not_object", b"null"),
    "null prediction": _row("prediction_unusable", b'{"id": 1, "prediction": null}'),
    "list prediction": _row("prediction_unusable", b'{"id": 1, "prediction": ["x"]}'),
    "object prediction": _row("prediction_unusable", b'{"id": 1, "prediction": {}}'),
    "bool prediction": _row("prediction_unusable", b'{"id": 1, "prediction": true}'),
    "no prediction": _row("prediction_missing", b'{"id": 1, "answer": "x"}'),
    "one id missing": _row("id_missing", b'{"prediction": "x"}', "x"),
    "no ids at all": _file("ids_absent", b'{"prediction": "x"}\n{"prediction": "y"}', "x", "y"),
    "null id": _row("id_unusable", b'{"id": null, "prediction": "x"}', "x"),
    "bool id": _row("id_unusable", b'{"id": true, "prediction": "x"}', "x"),
    "list id": _row("id_unusable", b'{"id": [1], "prediction": "x"}', "x"),
    "fractional id": _row("id_unusable", b'{"id": 1.5, "prediction": "x"}', "x"),
    "a very long id": _row("id_unusable", b'{"id": "' + b"x" * 300 + b'", "prediction": "x"}', "x"),
    "a prediction over the cap": _row(
        "prediction_cut", b'{"id": 1, "prediction": "' + b"x" * 70_000 + b'"}', "x" * (1 << 16)
    ),
}
# fmt: on


def rows(*texts: str) -> bytes:
    """A file in the official dialect with these predictions."""
    return b"".join(
        json.dumps({"id": number, "prediction": text}).encode() + b"\n"
        for number, text in enumerate(texts)
    )
