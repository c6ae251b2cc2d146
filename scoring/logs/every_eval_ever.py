"""Answers out of the instance-level lines of Every Eval Ever.

The form was looked up in the schemas and converters of every-eval-ever 0.3.0: a line for each
sample under each metric. The task stands in ``sample_id`` (``TASK/ID``, as this site writes it) or
in ``evaluation_name``; other ids are those of the tool that the line was converted from. Beside the
lines lies a document of scores, which has no answers.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from scoring.limits import Budget, LimitError
from scoring.logs.answers import LOG_LIMITS, Log, LogError, usable_key
from scoring.predictions.dialects import TASK_NAMES, squeezed
from scoring.predictions.formats import EVERY_EVAL_EVER
from scoring.predictions.json_rows import JsonError, decode
from scoring.predictions.records import records

TOOL = EVERY_EVAL_EVER
_WORD = re.compile(r"[\w.\-]+")
_LONGEST_NAME = 1_000  # characters
_PREFIX = re.compile(r"infinite_?bench_", re.IGNORECASE)


def read_every_eval_ever(file: str, chunks: Iterable[bytes], task: str = "") -> list[Log]:
    """A log for each task. ``task``: of lines that do not name one of ours. Raises ``LogError``."""
    logs: dict[str, Log] = {}
    rest = Log(file, TOOL, task)  # what belongs to no task
    seen: dict[tuple[str, object], str | None] = {}
    budget = Budget(LOG_LIMITS)
    try:
        for record in records(chunks, budget):
            line = None if record.fault else _decoded(record.raw)
            if line is None:
                rest.lost["sample_broken"] += 1
                continue
            found, key = _task_and_key(line, task)
            if not found:
                rest.lost["task_unknown"] += 1
                continue
            log = logs.setdefault(found, Log(file, TOOL, found, budget=budget))
            answer, usable = _answer(line), usable_key(key)
            if (found, usable) in seen:
                if seen[found, usable] != answer:  # else it is there under another metric
                    log.lost["trials"] += 1
                continue
            if usable is not None:
                seen[found, usable] = answer
            log.add(key, answer)
    except LimitError as error:
        raise LogError(f"{file} is too large: {error.code}, {error.limit}.") from error
    if not logs:
        if rest.lost["task_unknown"]:
            raise LogError(f"{file} does not name its task: give it with --task.")
        raise LogError(f"{file} is damaged or empty.")
    next(iter(logs.values())).lost.update(rest.lost)
    return list(logs.values())


def _decoded(raw: bytes) -> dict[str, Any] | None:
    try:
        value, _ = decode(raw)
    except JsonError:
        return None
    return value if isinstance(value, dict) else None


def _task_and_key(line: Mapping[str, Any], task: str) -> tuple[str, object]:
    key = line.get("sample_id")
    if isinstance(key, str):
        before, slash, after = key.partition("/")
        if slash and after and (named := TASK_NAMES.get(squeezed(before))):
            return named, after
    words = _WORD.findall(str(line.get("evaluation_name", ""))[:_LONGEST_NAME])
    names = (TASK_NAMES.get(squeezed(_PREFIX.sub("", word, count=1))) for word in words)
    return next((name for name in names if name), task), key


def _answer(line: Mapping[str, Any]) -> str | None:
    """The first response, or the last turn of the model; None where it gave none."""
    output, messages = line.get("output"), line.get("messages")
    if isinstance(output, dict):
        raw = output.get("raw")
        text = raw[0] if isinstance(raw, list) and raw else None
    elif isinstance(messages, list):
        turns = (one for one in reversed(messages) if isinstance(one, dict))
        text = next((one.get("content") for one in turns if one.get("role") == "assistant"), None)
    else:
        text = None
    has_failed = text == "" and line.get("error")
    return text if isinstance(text, str) and not has_failed else None
