"""Answers out of an Inspect log (``.eval``, or the ``.json`` of old), one sample at a time.

The form was looked up in inspect-ai 0.3.285 and inspect-evals 0.26.0: ``header.json`` (while a log
is written, ``_journal/start.json``) names the task; ``samples/ID_epoch_N.json`` is a sample, whose
ids are those of the data set. Samples in pieces (version 3, which nothing writes by default) are
read as far as the answer stands in ``samples/ID_epoch_N/sample.json``. A ``.json`` log is one
object with ``eval`` and, behind it, the list ``samples``.
"""

import re
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from scoring.limits import Budget, LimitError
from scoring.logs.answers import LOG_LIMITS, Log, LogError, chunks_of
from scoring.logs.eval_zip import DamagedMemberError, EvalZip
from scoring.predictions.dialects import TASK_NAMES, squeezed
from scoring.predictions.json_rows import JsonError, decode
from scoring.predictions.json_stream import Document, outermost_values

TOOL = "inspect"
_SAMPLE = re.compile(r"samples/.+_epoch_(\d{1,9})(?:/sample)?\.json", re.DOTALL)
_JSON = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:')
_HEAD = 4_096
_HEADERS = ("header.json", "_journal/start.json")
_PREFIX = re.compile(r"(?:.*/)?(?:infinite_?bench_)?", re.DOTALL | re.IGNORECASE)
_ATTACHMENT = "attachment://"
_WANTED = ("id", "output")


def is_inspect_json(path: Path) -> bool:
    """By how such a log begins. Raises ``OSError``."""
    if path.suffix != ".json":
        return False
    with path.open("rb") as stream:
        return _JSON.match(stream.read(_HEAD)) is not None


def read_inspect_json(path: Path, task: str = "") -> Log:
    """Raises as ``read_inspect_log`` does."""
    log = Log(path.name, TOOL, task)
    document = Document(chunks_of(path), Budget(LOG_LIMITS), "samples")
    for member in document.members():
        try:
            value = decode(member.raw)[0] if member.raw else None
        except JsonError:
            value = None
        if member.name == "eval":
            log.task = log.task or _task_called(value, str(path))
        elif member.name is None and isinstance(value, dict):
            if value.get("epoch", 1) == 1:
                _add(log, value)
            else:
                log.lost["epochs"] += 1
        elif member.name is None:
            log.lost["sample_broken"] += 1
    try:
        document.check()
    except JsonError as error:
        raise LogError(f"{path} is damaged or incomplete.") from error
    if not log.task:
        raise LogError(f"{path} does not name its task: give it with --task.")
    return log


def read_inspect_log(path: Path, task: str = "") -> Log:
    """``task``: where the log does not name one of ours. Raises ``LogError``, ``OSError``."""
    with path.open("rb") as stream:
        return read_inspect_stream(stream, str(path), task)


def read_inspect_stream(stream: BinaryIO, name: str, task: str = "") -> Log:
    """Raises as ``read_inspect_log`` does."""
    with EvalZip(stream, name) as archive:
        log = Log(PurePath(name).name, TOOL, task or _task_of(archive, name))
        for member in archive.members:
            if sample := _SAMPLE.fullmatch(member):
                if int(sample[1]) > 1:
                    log.lost["epochs"] += 1
                else:
                    _read_sample(archive, member, log)
    return log


def _task_of(archive: EvalZip, file: str) -> str:
    name = next((name for name in _HEADERS if name in archive.members), None)
    if name is None:
        raise LogError(f"{file} is no Inspect log: it has no {_HEADERS[0]}.")
    return _task_called(_values(archive, name, ("eval",)).get("eval"), file)


def _task_called(header: object, file: str) -> str:
    called = header.get("task", "") if isinstance(header, dict) else ""
    task = TASK_NAMES.get(squeezed(_PREFIX.sub("", str(called), count=1)))
    if task is None:
        raise LogError(f"{file} is of {called!r}, which is no task: give it with --task.")
    return task


def _read_sample(archive: EvalZip, name: str, log: Log) -> None:
    try:
        values = _values(archive, name, _WANTED)
    except (JsonError, LimitError, DamagedMemberError):
        log.lost["sample_broken"] += 1
        return
    _add(log, values)


def _add(log: Log, values: Mapping[str, Any]) -> None:
    text = _completion(values.get("output"))
    if isinstance(text, str) and text.startswith(_ATTACHMENT):
        log.lost["answer_elsewhere"] += 1
        text = None
    log.add(values.get("id"), text)


def _values(archive: EvalZip, name: str, wanted: tuple[str, ...]) -> dict[str, Any]:
    found = outermost_values(archive.chunks(name), wanted, Budget(LOG_LIMITS))
    if None in found.values():
        raise JsonError("row_too_large")
    return {key: decode(raw)[0] for key, raw in found.items() if raw}


def _completion(output: object) -> object:
    """What the model said: the completion, otherwise the text of the first choice."""
    if not isinstance(output, dict):
        return None
    choices = output.get("choices")
    if not output.get("completion") and isinstance(choices, list) and choices:
        first = choices[0]
        message = first.get("message") if isinstance(first, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, list):  # text, and reasoning, which is no part of the answer
            texts = [part.get("text") for part in content if isinstance(part, dict)]
            return "".join(text for text in texts if isinstance(text, str))
        return content
    return output.get("completion") if choices else output.get("completion") or None
