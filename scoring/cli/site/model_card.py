"""``infinitebench model-card``: the scores of an entry of yours for the model card on the Hub."""

import os
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoring.cli.site.options import (
    EXIT_CODES,
    SUBMISSIONS,
    add_site_arguments,
    add_submission_argument,
    at_site,
    said,
)
from scoring.cli.terminal import write_json
from scoring.cli.unusable import UnusableError
from scoring.problems import visible
from scoring.site.connection import Site

_HUB_TOKEN = "HF_TOKEN"  # noqa: S105 - the name of a variable
_WAIT = 2.0  # seconds between two questions to the site
_OPEN = ("waiting", "running")

_DESCRIPTION = f"""\
Print the file that shows the scores of a published entry on its model card on the Hub, or have the
site open a pull request with it. The token in {_HUB_TOKEN} must be able to write discussions and
pull requests in the repository; the site uses it once.
"""

_EPILOG = f"""\
examples:
  infinitebench model-card ID > infinitebench.yaml
  {_HUB_TOKEN}=… infinitebench model-card ID --pull-request my-lab/my-model --follow

With --pull-request: 0 it is open, or will be; 1 the Hub refused.

{EXIT_CODES}"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    add_submission_argument(parser)
    parser.add_argument(
        "--pull-request",
        nargs="?",
        const="",
        metavar="OWNER/NAME",
        help="open one in this repository (default: the one that the model links to)",
    )
    parser.add_argument("--follow", action="store_true", help="wait until it is open")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the file here")
    add_site_arguments(parser, "the file, and what became of pull requests")


def run(arguments: Namespace) -> int:
    asks = arguments.pull_request is not None
    token = os.environ.get(_HUB_TOKEN, "")
    if asks and not token:
        raise UnusableError(f"--pull-request needs a token in {_HUB_TOKEN}.")
    path = f"{SUBMISSIONS}{arguments.id}/model-card/"

    def act(site: Site) -> int:
        found = site.get(path).document()
        if asks:
            repository = arguments.pull_request or found["repository"]
            if not repository:
                raise UnusableError("The model links to no repository: name it.")
            found = site.post(path, {"repository": repository, "token": token}).document()
            if arguments.follow:
                found = _follow(site, path)
        if arguments.out:
            arguments.out.write_text(found["content"], encoding="utf-8")
        if arguments.json:
            write_json(arguments.json, found)
        if arguments.json != "-":
            _show(found, arguments, asks=asks)
        return int(asks and found["pull_requests"][0]["state"] in ("failed", "cancelled"))

    return at_site(arguments, act)


def _follow(site: Site, path: str) -> dict[str, Any]:
    told = ""
    while True:
        found = site.get(path).document()
        newest = found["pull_requests"][0]
        if newest["state"] not in _OPEN:
            return found
        if (line := _text(newest)) != told:
            told = line
            print(f"… {line}", file=sys.stderr, flush=True)
        time.sleep(_WAIT)


def _show(found: Mapping[str, Any], arguments: Namespace, *, asks: bool) -> None:
    """The file, or where it is; of pull requests what became of them."""
    if arguments.out:
        print(arguments.out)
    elif not asks:
        print("\n".join(visible(line, 1_000) for line in found["content"].splitlines()))
    print(f"→ {said(found['path'], 200)} in the repository of the model", file=sys.stderr)
    for one in found["pull_requests"]:
        print(_text(one), file=sys.stdout if asks else sys.stderr)


def _text(request: Mapping[str, Any]) -> str:
    why = f": {said(request['detail'], 500)} ({said(request['code'])})" if request["code"] else ""
    place = said(request["url"] or request["repository"], 500)
    return f"{said(request['state'])}  {place}{why}"
