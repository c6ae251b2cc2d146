"""Answers out of HELM's ``scenario_state.json``, one request at a time.

The form was looked up in crfm-helm 0.5.16: ``request_states`` is a list of requests, each with its
``instance``, whose id is that of the data set, and a ``result``. The task stands in the name of the
folder only, such as ``infinite_bench_en_qa:max_num_words=131072,model=…``. HELM leaves out texts
that are too long, and has no other tasks than these.
"""

import re
from pathlib import Path
from typing import Any

from scoring.limits import Budget
from scoring.logs.answers import LOG_LIMITS, Log, LogError, chunks_of, usable_key
from scoring.predictions.json_rows import JsonError, decode
from scoring.predictions.json_stream import Document

TOOL = "helm"
FILE = "scenario_state.json"
_FOLDER = re.compile(r"infinite_bench_(en_\w+?)(?:[:,].*)?", re.DOTALL)
_TASKS = {
    "en_qa": "longbook_qa_eng",
    "en_mc": "longbook_choice_eng",
    "en_sum": "longbook_sum_eng",
}


def read_helm_log(path: Path, task: str = "") -> Log:
    """``task``: where the folder does not name one. Raises ``LogError``, ``OSError``."""
    named = _FOLDER.fullmatch(path.absolute().parent.name)
    found = task or _TASKS.get(named[1] if named else "", "")
    if not found:
        raise LogError(f"The folder of {path} does not name a task: give it with --task.")
    log = Log(f"{path.absolute().parent.name}/{path.name}", TOOL, found)
    seen: set[object] = set()
    document = Document(chunks_of(path), Budget(LOG_LIMITS), "request_states")
    for member in document.members():
        if member.name is None:
            _add(log, member.raw, seen)
    try:
        document.check()
    except JsonError as error:
        raise LogError(f"{path} is damaged or incomplete.") from error
    return log


def _add(log: Log, raw: bytes | None, seen: set[object]) -> None:
    try:
        request = decode(raw)[0] if raw else None
    except JsonError:
        request = None
    if not isinstance(request, dict):
        log.lost["sample_broken"] += 1
        return
    instance = _object(request.get("instance"))
    key = instance.get("id")
    is_plain = not (
        request.get("train_trial_index")
        or request.get("reference_index")
        or request.get("request_mode") == "calibration"
        or instance.get("perturbation")
    )
    known = usable_key(key)
    if not is_plain or known in seen:
        log.lost["trials"] += 1
        return
    if known is not None:
        seen.add(known)
    result = _object(request.get("result"))
    completions = result.get("completions")
    first = completions[0] if isinstance(completions, list) and completions else None
    answered = result.get("success") is not False
    log.add(key, _object(first).get("text") if answered else None)


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
