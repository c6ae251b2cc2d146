"""``infinitebench submit``: check prediction files here, and send them to a site."""

import os
import re
import secrets
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from scoring.cli.arguments import tasks_of_files
from scoring.cli.site.options import (
    EXIT_CODES,
    SUBMISSIONS,
    add_settings_arguments,
    add_site_arguments,
    at_site,
    report_error,
    settings_of,
    show,
    submission_id,
)
from scoring.cli.site.status import code_of, follow
from scoring.cli.terminal import (
    Bar,
    add_notes_argument,
    add_task_argument,
    print_problems,
    write_json,
)
from scoring.cli.unusable import UnusableError
from scoring.limits import LIMITS, Budget
from scoring.predictions.archive import open_path
from scoring.predictions.dialects import may_hold_rows, named
from scoring.predictions.members import Member, is_clutter
from scoring.predictions.reader import Predictions, read_members
from scoring.problems import ProblemLog
from scoring.report import problem_json
from scoring.site.connection import Site
from scoring.site.errors import SiteError
from scoring.site.upload import SentFile, Upload

_DESCRIPTION = """\
Check prediction files as “check” does, and send them to a site, where they are scored in private.
An upload that breaks off is sent again; the same files with the same settings are submitted once,
however often the command is run.
"""

_EPILOG = f"""\
examples:
  infinitebench submit preds.zip --release infinitebench --model my-model
  infinitebench submit predictions/ --release infinitebench --new-model "Longreader 8B" \\
    --organisation "Example Lab" --weights open --input-limit 131072 --truncation middle --follow
  infinitebench submit --hub my-lab/my-model@main:preds --model my-model --follow

{EXIT_CODES}"""

_HUB_TOKEN = "HF_TOKEN"  # noqa: S105 - the name of a variable
_ARCHIVE = re.compile(r"\.(?:zip|tar|tgz|tar\.gz)\Z", re.IGNORECASE)
_MODEL = ("organisation", "parameters", "context_window", "licence", "weights", "released")


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument(
        "predictions",
        type=Path,
        nargs="*",
        metavar="PREDICTIONS",
        help="files, folders, or one archive (.zip, .tar.gz, .jsonl.gz)",
    )
    parser.add_argument(
        "--hub",
        metavar="SOURCE",
        help="the site fetches them from the Hub instead: OWNER/NAME[@REVISION][:PATH], with "
        "datasets/ before it where it is no model, or an address there",
    )
    parser.add_argument(
        "--hub-token",
        action="store_true",
        help=f"of a private or gated repository: send the token in {_HUB_TOKEN}, used once",
    )
    parser.add_argument(
        "--release", metavar="NAME", help="as in its address; needed where a site has several"
    )
    parser.add_argument(
        "--previous", type=submission_id, metavar="ID", help="it is a new version of this one"
    )
    _add_model_arguments(parser)
    add_task_argument(parser)
    add_settings_arguments(parser)
    parser.add_argument(
        "--drop-first",
        action="store_true",
        help="Math.Calc answers repeat the first operand: drop it",
    )
    parser.add_argument("--follow", action="store_true", help="wait until it is scored")
    parser.add_argument(
        "--anyway", action="store_true", help="submit although the check found errors"
    )
    parser.add_argument(
        "--again", action="store_true", help="submit the very same files a second time"
    )
    add_notes_argument(parser)
    add_site_arguments(parser, "the submission")


def _add_model_arguments(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("the language model")
    model = group.add_mutually_exclusive_group(required=True)
    model.add_argument("--model", metavar="NAME", help="one that the site has, as in its address")
    model.add_argument("--new-model", metavar="TITLE", help="one that it does not have yet")
    group.add_argument("--organisation", metavar="TEXT", help="the maker of the new model")
    group.add_argument("--parameters", metavar="TEXT", help="8B, or 47B (13B active)")
    group.add_argument("--context-window", metavar="TOKENS", help="as its maker claims")
    group.add_argument("--licence", metavar="TEXT")
    group.add_argument("--weights", choices=("open", "closed"))
    group.add_argument("--released", metavar="DATE", help="2024-07-23, 2024-07 or 2024")


def run(arguments: Namespace) -> int:
    if bool(arguments.hub) == bool(arguments.predictions):
        raise UnusableError("Name prediction files, or a place on the Hub with --hub.")
    if arguments.hub:
        return _run_from_hub(arguments)
    code = _checked(arguments)
    if code and not (code == 1 and arguments.anyway):
        return code
    try:
        files = list(_files(arguments.predictions))
        _refuse_mixed(files)
        salt = secrets.token_hex() if arguments.again else ""
        upload = Upload(_fields(arguments), files, salt)
    except SiteError as error:
        return report_error(error, arguments.json)
    return at_site(arguments, lambda site: _submit(site, upload, arguments))


def _run_from_hub(arguments: Namespace) -> int:
    """What is there may change, so each time this is another submission."""
    fields = dict(_fields(arguments)) | {"repository": arguments.hub}
    if arguments.hub_token:
        token = os.environ.get(_HUB_TOKEN, "")
        if not token:
            raise UnusableError(f"--hub-token needs a token in {_HUB_TOKEN}.")
        fields["token"] = token
    upload = Upload(sorted(fields.items()), (), secrets.token_hex())

    def act(site: Site) -> int:
        found = site.upload(f"{SUBMISSIONS}from-hub/", upload).document()
        if arguments.follow:
            found = follow(site, str(found["id"]))
        show(arguments, found, site)
        return code_of(found)

    return at_site(arguments, act)


def _submit(site: Site, upload: Upload, arguments: Namespace) -> int:
    with Bar("sending") as bar:
        answer = site.upload(SUBMISSIONS, upload, bar)
    found = answer.document()
    if answer.headers.get("idempotency-replayed"):
        print(
            "These files were submitted before, with the same settings: nothing is submitted "
            "twice. --again does it all the same.",
            file=sys.stderr,
        )
    if arguments.follow:
        found = follow(site, str(found["id"]))
    show(arguments, found, site)
    return code_of(found)


def _checked(arguments: Namespace) -> int:
    """0 where the files may be sent; 1 with errors in some, 2 where there is nothing in them."""
    predictions = _read(arguments)
    print_problems(predictions.problems, notes=arguments.notes)
    has_errors = any(problem.severity == "error" for problem in predictions.problems)
    if predictions.readable and not has_errors:
        return 0
    why = "There are errors" if predictions.readable else "There is nothing to score"
    advice = " Mend the files, or submit them --anyway." if predictions.readable else ""
    if not (predictions.readable and arguments.anyway):
        print(f"error: {why}: nothing was sent.{advice}", file=sys.stderr)
        if arguments.json:
            problems = [problem_json(problem) for problem in predictions.problems]
            error = {"code": "not_sent", "detail": f"{why}: nothing was sent."}
            write_json(arguments.json, {"error": error, "problems": problems})
    return 1 if predictions.readable else 2


def _read(arguments: Namespace) -> Predictions:
    file_tasks = tasks_of_files(arguments)
    task, log = file_tasks.pop("", None), ProblemLog()
    paths: list[Path] = arguments.predictions

    def members() -> Iterator[Member]:
        for path in paths:
            yield from open_path(path, LIMITS, log)

    name = paths[0].name if len(paths) == 1 else ""
    budget = Budget(LIMITS)
    return read_members(name, members(), log, task=task, file_tasks=file_tasks, budget=budget)


def _files(paths: list[Path]) -> Iterator[SentFile]:
    """Of a folder those that may hold rows, with the folder's name before theirs. Raises
    ``OSError``."""
    for path in paths:
        if not path.is_dir():
            yield SentFile(path, path.name)
            continue
        for file in sorted(path.rglob("*")):
            name = file.relative_to(path).as_posix()
            if file.is_symlink() or not file.is_file() or is_clutter(name):
                continue
            if named(name) or may_hold_rows(name):
                yield SentFile(file, f"{path.absolute().name}/{name}")


def _refuse_mixed(files: Sequence[SentFile]) -> None:
    """The site packs several files into one archive, and opens none inside it."""
    archive = next((file for file in files if _ARCHIVE.search(file.name)), None)
    if archive and len(files) > 1:
        raise SiteError(
            f"{archive.path} is an archive, and there are other files: submit one archive, or the "
            "files themselves."
        )


def _fields(arguments: Namespace) -> list[tuple[str, str]]:
    file_tasks = tasks_of_files(arguments)
    fields = dict(settings_of(arguments))
    if task := file_tasks.pop("", None):
        fields["task"] = task
    fields |= {f"task-for:{file}": task for file, task in file_tasks.items()}
    if arguments.release:
        fields["release"] = arguments.release
    if arguments.previous:
        fields["previous"] = arguments.previous
    if arguments.drop_first:
        fields["drop_first"] = "on"
    fields["language_model"] = arguments.model or "new"
    if arguments.new_model:
        fields["model-name"] = arguments.new_model
        given = {name: getattr(arguments, name) for name in _MODEL}
        fields |= {f"model-{name}": value for name, value in given.items() if value}
    return sorted(fields.items())
