"""``infinitebench status``: your submissions, and how far one of them is."""

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Any

from scoring.cli.site.options import (
    EXIT_CODES,
    SUBMISSIONS,
    add_site_arguments,
    at_site,
    evaluation_text,
    fetch_text,
    said,
    show,
    submission_id,
    when,
)
from scoring.cli.terminal import write_json
from scoring.cli.unusable import UnusableError
from scoring.report import aligned
from scoring.site.connection import Site, path_of

_FIRST_WAIT, _LONGEST_WAIT = 1.0, 15.0  # seconds between two questions to the site
_UNFINISHED = ("queued", "running")
_NOT_ARRIVED = ("waiting", "running")

_DESCRIPTION = """\
List your submissions, the newest first; or show one, with its problems, its question, what a
reviewer asks or gives as a reason, and what you may do. With --follow it is shown when it has been
scored, has failed, or asks something. --align answers the question which row belongs to which
example.
"""

_EPILOG = f"""\
examples:
  infinitebench status
  infinitebench status ID --follow && infinitebench publish ID
  infinitebench status ID --align order --follow

With an ID: 0 it is scored, or nothing is wrong so far; 1 scoring, or fetching it from the Hub,
failed; 3 it asks something.

{EXIT_CODES}"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument("id", type=submission_id, nargs="?", metavar="ID")
    parser.add_argument(
        "--align", choices=("id", "order"), help="rows are matched by their ids, or by their order"
    )
    parser.add_argument("--follow", action="store_true", help="wait until scoring has ended")
    parser.add_argument("--all", action="store_true", help="list all, not only the newest 50")
    add_site_arguments(parser, "the submission, or the list")


def run(arguments: Namespace) -> int:
    if not arguments.id and (arguments.follow or arguments.align):
        raise UnusableError("Say which submission: infinitebench status ID")

    def act(site: Site) -> int:
        if not arguments.id:
            return _list(site, arguments)
        address = f"{SUBMISSIONS}{arguments.id}/"
        if arguments.align:
            site.post(f"{address}answer/", {"align": arguments.align})
        found = follow(site, arguments.id) if arguments.follow else site.get(address).document()
        show(arguments, found, site)
        return code_of(found)

    return at_site(arguments, act)


def follow(site: Site, submission: str) -> dict[str, Any]:
    """The submission, once its evaluation has ended or asks something."""
    wait, told = _FIRST_WAIT, ""
    while True:
        found = site.get(f"{SUBMISSIONS}{submission}/").document()
        evaluation, fetch = found["evaluation"], found.get("fetch") or {}
        if evaluation:
            line, is_open = evaluation_text(evaluation), evaluation["state"] in _UNFINISHED
        else:
            line, is_open = fetch_text(fetch), fetch.get("state") in _NOT_ARRIVED
        if not is_open:
            return found
        if line != told:
            told, wait = line, _FIRST_WAIT
            print(f"… {line}", file=sys.stderr, flush=True)
        time.sleep(wait)
        wait = min(_LONGEST_WAIT, wait * 1.5)


def code_of(found: Mapping[str, Any]) -> int:
    state = (found["evaluation"] or found.get("fetch") or {}).get("state")
    return {"failed": 1, "cancelled": 1, "needs answer": 3}.get(str(state), 0)


def _list(site: Site, arguments: Namespace) -> int:
    rows, path = [], SUBMISSIONS
    while path:
        page = site.get(path).document()
        rows += page["submissions"]
        path = path_of(page["next"] or "")
        if not arguments.all:
            break
    if arguments.json:
        write_json(arguments.json, {"submissions": rows, "more": bool(path)})
    if arguments.json != "-":
        print(_table(rows) if rows else "You have submitted nothing yet.")
        if path:
            print("There are more; --all lists them.", file=sys.stderr)
    return 0


def _table(rows: list[dict[str, Any]]) -> str:
    names = ("id", "state", "language_model", "release")
    lines = [[*(said(row[name]) for name in names), when(row["created"])] for row in rows]
    return aligned([["id", "state", "model", "release", "submitted"], *lines])
