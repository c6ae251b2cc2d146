"""``infinitebench download``: the files of a submission of yours, or of a public entry."""

import os
import re
import tempfile
from argparse import ArgumentParser, Namespace
from contextlib import suppress
from pathlib import Path

from scoring.cli.site.options import EXIT_CODES, SUBMISSIONS, add_site_arguments, at_site
from scoring.cli.terminal import Bar, write_json
from scoring.cli.unusable import UnusableError
from scoring.site.connection import Site

_OF_SUBMISSIONS = {
    "report": ("report/", "report.json"),
    "predictions": ("predictions/", "predictions.zip"),
    "examples": ("examples/", "examples.jsonl"),
}
_OF_ENTRIES = {
    "report": "report.json",
    "predictions": "predictions.zip",
    "examples": "examples.jsonl",
    "examples-csv": "examples.csv",
    "breakdowns": "breakdowns.csv",
    "metrics": "metrics.json",
    "eval-results": "eval-results.yaml",
}

_DESCRIPTION = """\
Download files of a submission of yours (report, predictions, examples), or with
--entry of a public entry. A file is there only when it is complete.
"""

_EPILOG = f"""\
examples:
  infinitebench download ID --what report,examples --out results/
  infinitebench download --entry ENTRY --what predictions

{EXIT_CODES}"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument("id", metavar="ID", help="as status, the board or an address shows it")
    parser.add_argument("--entry", action="store_true", help="ID is that of a public entry")
    parser.add_argument(
        "--what",
        default="report",
        metavar="A,B",
        help=f"some of {', '.join(_OF_SUBMISSIONS)}; of an entry also "
        f"{', '.join(name for name in _OF_ENTRIES if name not in _OF_SUBMISSIONS)} "
        "(default: report)",
    )
    parser.add_argument(
        "--out", type=Path, default=Path(), metavar="DIR", help="a folder (default: this one)"
    )
    add_site_arguments(parser, "the names of the files")


def run(arguments: Namespace) -> int:
    if arguments.id.startswith("reported-"):
        raise UnusableError("A reported entry has no files: only its scores are known.")
    wanted = [name.strip() for name in arguments.what.split(",") if name.strip()]
    known = list(_OF_ENTRIES if arguments.entry else _OF_SUBMISSIONS)
    if unknown := [name for name in wanted if name not in known]:
        raise UnusableError(f"{unknown[0]!r} is none of {', '.join(known)}.")
    return at_site(
        arguments, lambda site: _download(site, wanted, arguments), needs_token=not arguments.entry
    )


def _download(site: Site, wanted: list[str], arguments: Namespace) -> int:
    # No ID has other characters: what has is as unknown to the site as any wrong one, and is no
    # part of a path there or here.
    part, folder = re.sub(r"[^\w-]", "-", arguments.id, flags=re.ASCII), Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name in wanted:
        if arguments.entry:
            ending = _OF_ENTRIES[name]
            path = f"/entries/{part}/{ending}"
        else:
            address, ending = _OF_SUBMISSIONS[name]
            path = f"{SUBMISSIONS}{part}/{address}"
        file = folder / f"{part[:8]}-{ending}"
        _fetch(site, path, file)
        files.append(str(file))
        if arguments.json != "-":
            print(file)
    if arguments.json:
        write_json(arguments.json, {"files": files})
    return 0


def _fetch(site: Site, path: str, file: Path) -> None:
    """Raises ``SiteError``; then there is no file."""
    descriptor, unfinished = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
    try:
        with (
            os.fdopen(descriptor, "wb") as stream,
            site.opened(path) as download,
            Bar(file.name) as bar,
        ):
            done = 0
            for chunk in download.chunks():
                stream.write(chunk)
                done += len(chunk)
                bar(done, download.size)
        mask = os.umask(0)
        os.umask(mask)
        Path(unfinished).chmod(0o666 & ~mask)
        Path(unfinished).replace(file)
    finally:
        with suppress(FileNotFoundError):
            Path(unfinished).unlink()
