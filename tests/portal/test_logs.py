"""Log lines that programs read."""

import json
import logging
import sys

from portal.logs import JsonLines


def line_of(**more: object) -> dict[str, object]:
    record = logging.LogRecord("portal.jobs", logging.WARNING, "", 1, "“%s”\n!", ("x",), None)
    record.__dict__.update(more)
    text = JsonLines().format(record)
    assert "\n" not in text
    found: dict[str, object] = json.loads(text)
    return found


def test_a_line_says_when_how_bad_where_and_what() -> None:
    line = line_of()
    assert str(line.pop("at")).endswith("+00:00")
    assert line == {"level": "warning", "logger": "portal.jobs", "message": "“x”\n!"}


def test_a_line_names_what_it_is_about() -> None:
    line = line_of(evaluation=7, submission="s")
    assert (line["evaluation"], line["submission"]) == ("7", "s")


def test_an_error_is_on_the_same_line() -> None:
    try:
        raise ValueError("no\nthing")
    except ValueError:
        line = line_of(exc_info=sys.exc_info())
    assert "ValueError: no\nthing" in str(line["error"])
