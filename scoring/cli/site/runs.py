"""``infinitebench runs``: endpoint runs by the site, which asks your endpoint in your place."""

import os
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from scoring.cli.counts import counted
from scoring.cli.site.options import (
    API,
    EXIT_CODES,
    add_site_arguments,
    at_site,
    said,
    submission_id,
    when,
)
from scoring.cli.terminal import Progress, write_answer, write_json
from scoring.cli.unusable import UnusableError
from scoring.report import aligned
from scoring.site.connection import Site, path_of

KEY_VARIABLE = "ENDPOINT_API_KEY"
_RUNS = f"{API}runs/"
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 15.0  # seconds between two questions to the site
_LOOKS_FOR_SUBMISSION = 10  # after the end; a run without a single answer has none

_DESCRIPTION = """\
Configure an endpoint run from the file of settings that “infinitebench run” reads too, look at its
estimate, start it, and follow it until its answers are a submission of yours.
"""
_EPILOG = f"""\
examples:
  {KEY_VARIABLE}=… infinitebench runs create run.yaml --release infinitebench --model longreader-8b
  infinitebench runs start ID && infinitebench runs status ID --follow
  infinitebench runs stop ID

The key is read from the variable {KEY_VARIABLE}; the site deletes it when the run has ended.

status --follow: 0 it has ended and has a submission; 1 it ended without one; 3 it has paused, or is
a draft: start or resume it.

{EXIT_CODES}"""
_ACTIONS = {
    "test": ("test-connection", "ask the endpoint a few questions; status has the report"),
    "estimate": ("estimate", "compute the estimate of a draft again"),
    "start": ("start", "ask all questions, which costs what the endpoint charges"),
    "pause": ("pause", "what is in flight is still answered, and kept"),
    "resume": ("resume", "go on; what was answered is not asked again"),
    "stop": ("stop", "for good: what was answered becomes a submission"),
}


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, summary: str, document: str, *, of_run: bool = True) -> ArgumentParser:
        found = actions.add_parser(
            name, help=summary, description=summary, formatter_class=RawDescriptionHelpFormatter
        )
        if of_run:
            found.add_argument("id", type=submission_id, metavar="ID", help="of a run of yours")
        add_site_arguments(found, document)
        return found

    action("list", "your runs, the newest first", "the list", of_run=False)
    create = action("create", "configure a run; it waits to be started", "the run", of_run=False)
    create.add_argument(
        "settings",
        type=Path,
        metavar="FILE",
        help="its settings, as YAML, and what else its page asks for; options come before them",
    )
    create.add_argument("--release", metavar="NAME", help="needed where there are several")
    model = create.add_mutually_exclusive_group()
    model.add_argument("--model", metavar="NAME", help="one that the site has, as in its address")
    model.add_argument("--new-model", metavar="TITLE", help="one that it does not have yet")
    create.add_argument("--weights", choices=("open", "closed"), help="of a new model")
    create.add_argument("--method", metavar="TEXT", help="built around the model: InfLLM, RAG")
    create.add_argument("--note", metavar="TEXT", help="what is special about this run")
    status = action("status", "its settings, estimate or progress", "the run")
    status.add_argument("--follow", action="store_true", help="wait until it ends or pauses")
    for name, (_, summary) in _ACTIONS.items():
        action(name, summary, "the run as it is then")
    action("delete", "delete a draft with its key", "which one was deleted")


def run(arguments: Namespace) -> int:
    try:
        fields = _fields(arguments) if arguments.action == "create" else {}
    except ValueError as error:
        raise UnusableError(str(error)) from error

    def act(site: Site) -> int:
        if arguments.action == "list":
            return _list(site, arguments)
        if arguments.action == "create":
            return _show(arguments, site.post(_RUNS, fields).document())
        address = f"{_RUNS}{arguments.id}/"
        if arguments.action == "delete":
            site.delete(address)
            return write_answer(arguments, {"deleted": arguments.id}, f"{arguments.id}  deleted")
        if arguments.action == "status":
            found = _follow(site, address) if arguments.follow else site.get(address).document()
            return _show(arguments, found) or (_code_of(found) if arguments.follow else 0)
        sent = {"key": key} if arguments.action == "resume" and (key := _key()) else {}
        end, _summary = _ACTIONS[arguments.action]
        return _show(arguments, site.post(f"{address}{end}/", sent).document())

    return at_site(arguments, act)


def _key() -> str:
    return os.environ.get(KEY_VARIABLE, "").strip()


def _fields(arguments: Namespace) -> dict[str, object]:
    """Raises ``SettingsError``, ``OSError`` and ``ModuleNotFoundError``."""
    reader = import_module("scoring.endpoint.settings_file")  # YAML, which nothing else here needs
    with arguments.settings.open(encoding="utf-8", errors="replace") as file:
        text = file.read(reader.LARGEST_FILE + 1)
    page, settings = reader.split_document(reader.yaml_document(text))
    if not isinstance(settings, dict):
        raise reader.SettingsError(f"{arguments.settings} has no settings.")
    model = "new" if arguments.new_model else arguments.model or page.language_model
    if not model:
        raise reader.SettingsError(
            f"{arguments.settings} names no language model: give --model or --new-model."
        )
    new = {"model-name": arguments.new_model, "model-weights": arguments.weights}
    given = {
        "settings": settings,
        "key": _key(),
        "release": arguments.release or page.release,
        "language_model": model,
        "method": page.method if arguments.method is None else arguments.method,
        "note": page.note if arguments.note is None else arguments.note,
        "same_questions_as": page.same_questions_as,
        **(new if arguments.new_model else {}),
    }
    return {name: value for name, value in given.items() if value}


def _follow(site: Site, address: str) -> dict[str, Any]:
    """The run, once it does nothing any more. Its answers become a submission soon after."""
    wait, told, left = _FIRST_WAIT, "", _LOOKS_FOR_SUBMISSION
    with Progress() as progress:
        while True:
            found = site.get(address).document()
            if found["state"] in ("draft", "paused") or found["submission"]:
                return found
            if found["state"] == "ended":
                if not left:
                    return found
                left -= 1
            done = found["progress"]
            line = (
                f"{said(found['sentence'], 300)} {done['ended']:,} of "
                f"{counted(done['total'], 'question')}"
            )
            if line != told:
                told, wait = line, _FIRST_WAIT
            progress(line)
            time.sleep(wait)
            wait = min(_LONGEST_WAIT, wait * 1.5)


def _code_of(found: Mapping[str, Any]) -> int:
    if found["state"] != "ended":
        return 3
    return 0 if found["submission"] else 1


def _list(site: Site, arguments: Namespace) -> int:
    path, found = _RUNS, []
    while path:
        page = site.get(path).document()
        found += page["runs"]
        path = path_of(page["next"] or "")
    if arguments.json:
        write_json(arguments.json, {"runs": found})
    if arguments.json != "-":
        names = ("id", "state", "language_model", "release")
        rows = [[*(said(one[name]) for name in names), when(one["created"])] for one in found]
        heads = ["id", "state", "model", "release", "configured"]
        print(aligned([heads, *rows]) if rows else "You have no runs yet.")
    return 0


def _show(arguments: Namespace, found: Mapping[str, Any]) -> int:
    return write_answer(arguments, found, _text(found))


def _text(found: Mapping[str, Any]) -> str:
    lines = [
        f"{said(found['id'])}  {said(found['state'])}: {said(found['sentence'], 300)}",
        f"  {said(found['language_model'])} on {said(found['release'])}, {when(found['created'])}",
        f"  {said(found['url'], 300)}",
    ]
    if estimate := found["estimate"]:
        lines.append(f"  estimate: {_estimate(estimate)}")
    steps = found["connection"]["steps"]
    lines += [f"  connection: {said(step['sentence'], 300)}" for step in steps]
    for use in (found["progress"] or {}).get("uses", ()):
        cap = f" of {use['cap']:,.10g}" if use["cap"] is not None else ""
        lines.append(f"  {said(use['name'])}: {use['used']:,.10g}{cap}")
    failures = (found["progress"] or {}).get("failures", ())
    lines += [f"  ! {one['attempts']} × {said(one['sentence'], 300)}" for one in failures]
    if found["submission"]:
        lines.append(f"  submission: infinitebench status {said(found['submission'])} --follow")
    if found["actions"]:
        lines.append(f"  you may: {', '.join(said(one) for one in found['actions'])}")
    return "\n".join(lines)


def _estimate(estimate: Mapping[str, Any]) -> str:
    if estimate["state"] != "complete":
        return f"{said(estimate['state'])} ({estimate['percent']} %)"
    about = "" if estimate["is_exact"] else "≈ "
    cost = f", costs at most {estimate['cost']:,.2f}" if estimate["cost"] is not None else ""
    return (
        f"{counted(estimate['requests'], 'request')}, "
        f"{about}{counted(estimate['input_tokens'], 'token')} in, "
        f"at most {estimate['output_tokens']:,} out{cost}"
    )
