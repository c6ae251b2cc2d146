"""What the commands that talk to a site share: their options, errors and output."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from uuid import UUID

from scoring.catalog import DOMAINS
from scoring.cli.terminal import add_json_argument, write_json
from scoring.problems import visible
from scoring.report import aligned
from scoring.site.connection import Site
from scoring.site.errors import RefusedError, SiteError
from scoring.site.login import SITE_VARIABLE, TOKEN_VARIABLE, find_login

SUBMISSIONS = "/api/v1/submissions/"

EXIT_CODES = """\
exit codes: 0 done; 1 done, but the answer is no; 2 the command or a file cannot be used; 3 a
question about the files is open; 4 the site refuses; 5 the site cannot be reached.
"""

TRUNCATION = ("middle", "end", "start", "none", "unknown")


def add_site_arguments(parser: ArgumentParser, document: str) -> None:
    parser.add_argument(
        "--site",
        default="",
        metavar="URL",
        help=f"its address (default: {SITE_VARIABLE}, else that of the last login; "
        f"{TOKEN_VARIABLE} comes before the stored token)",
    )
    add_json_argument(parser, document)


def add_submission_argument(parser: ArgumentParser) -> None:
    parser.add_argument("id", type=submission_id, metavar="ID", help="of a submission of yours")


def submission_id(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError as error:
        raise ArgumentTypeError(
            f"{text!r} is not the id of a submission: infinitebench status lists yours"
        ) from error


def add_settings_arguments(parser: ArgumentParser) -> None:
    """How the predictions were made; as on the page of the site, where each may stay unknown."""
    group = parser.add_argument_group("how the predictions were made")
    group.add_argument("--method", metavar="TEXT", help="built around the model: InfLLM, RAG")
    group.add_argument("--prompt-strategy", metavar="TEXT", help="official templates, zero-shot")
    group.add_argument("--input-limit", metavar="TOKENS")
    group.add_argument("--output-limit", metavar="TOKENS")
    group.add_argument(
        "--truncation", choices=TRUNCATION, help="what was cut of texts beyond the input limit"
    )
    group.add_argument("--link", metavar="URL", help="paper, code or model card")
    group.add_argument("--note", metavar="TEXT", help="what is special about this run")


SETTINGS = (
    "method", "prompt_strategy", "input_limit", "output_limit", "truncation", "link", "note",
)  # fmt: skip


def settings_of(arguments: Namespace) -> dict[str, str]:
    """Those that were given, by the names of the form's fields."""
    given = {name: getattr(arguments, name) for name in SETTINGS}
    return {name: value for name, value in given.items() if value is not None}


def at_site(arguments: Namespace, act: Callable[[Site], int]) -> int:
    """Do it with the site; its errors are sentences, and with ``--json`` documents."""
    try:
        return act(Site(find_login(arguments.site), waiting=_say))
    except SiteError as error:
        return report_error(error, arguments.json)


def report_error(error: SiteError, target: str | None) -> int:
    print(f"error: {error}", file=sys.stderr)
    if isinstance(error, RefusedError):
        for one in error.errors:
            field = f"{_option(str(one['field']))}: " if one.get("field") else ""
            print(f"    {field}{said(one.get('detail', ''), 500)}", file=sys.stderr)
        if hint := _HINTS.get(error.code):
            print(f"    → {hint}", file=sys.stderr)
    if target:
        write_json(target, error.document())
    return error.exit_code


def _option(field: str) -> str:
    """The option of the command for a field of the form."""
    if option := _OPTIONS.get(field):
        return option
    return "--" + said(field.removeprefix("model-").replace("_", "-"))


_OPTIONS: Mapping[str, str] = {  # of other names than the field
    "language_model": "--model",
    "model-name": "--new-model",
    "publish_on": "--on",
}
_MARKS = {"error": "✗", "warning": "!"}
_MOST_PLACES = 3  # of one problem

_HINTS: Mapping[str, str] = {
    "bad_token": "Make a token on your profile, and log in with it: infinitebench login ADDRESS",
    "not_authenticated": "Log in: infinitebench login ADDRESS",
    "deleted": "With --again the same files are submitted a second time.",
    "missing_scope": "Make a token with this scope on your profile, and log in with it.",
}


def act_on(arguments: Namespace, action: str, fields: Mapping[str, object]) -> int:
    """One of the actions of a submission; shows what has become of it."""

    def act(site: Site) -> int:
        found = site.post(f"{SUBMISSIONS}{arguments.id}/{action}/", fields).document()
        return show(arguments, found)

    return at_site(arguments, act)


def show(arguments: Namespace, found: Mapping[str, Any], site: Site | None = None) -> int:
    """Print a submission; with the ``site`` also its scores."""
    if arguments.json:
        write_json(arguments.json, found)
    if arguments.json != "-":
        print(submission_text(found))
        if site and (found["evaluation"] or {}).get("state") == "scored":
            print(_scores(site, str(found["id"])))
    return 0


def _scores(site: Site, submission: str) -> str:
    report = site.get(f"{SUBMISSIONS}{submission}/report/").document()
    rows = [["  percent", "overall", *DOMAINS]]
    for name, overall in report["overall"].items():
        domains = (report["domains"].get(domain, {}).get(name) for domain in DOMAINS)
        cells = ("·" if one is None else f"{one:.2f}" for one in (overall, *domains))
        rows.append([f"  {said(name)}", *cells])
    return aligned(rows)


def _say(line: str) -> None:
    print(f"… {line}", file=sys.stderr, flush=True)


def submission_text(found: Mapping[str, Any]) -> str:
    """What the site says of a submission, for people."""
    lines = [
        f"{said(found['id'])}  {said(found['state'])}",
        f"  {said(found['language_model'])} on {said(found['release'])}, {when(found['created'])}",
        f"  {said(found['url'], 300)}",
    ]
    lines += _reason_lines(found)
    evaluation = found.get("evaluation")
    if fetch := found.get("fetch"):
        lines.append(f"  from the Hub: {fetch_text(fetch)}")
    if evaluation:
        lines.append(f"  scoring: {evaluation_text(evaluation)}")
        lines += _problem_lines(evaluation["problems"])
        if question := evaluation["question"]:
            lines += _question_lines(found["id"], question)
    if actions := found.get("actions"):
        lines.append(f"  you may: {', '.join(said(action) for action in actions)}")
    return "\n".join(lines)


def evaluation_text(evaluation: Mapping[str, Any]) -> str:
    failure = f" ({said(evaluation['failure'])})" if evaluation["failure"] else ""
    waits = evaluation["waits"]
    return f"{said(evaluation['state'])}{failure}" + (
        f": {said(waits['sentence'], 500)}{_place_text(waits)}" if waits else ""
    )


def _place_text(waits: Mapping[str, Any]) -> str:
    """Where in the queue it is, where the site says so."""
    ahead, seconds = waits.get("ahead"), waits.get("seconds")
    if ahead is None:
        return ""
    return f" {ahead:,} before you" + (f", about {seconds:,} s" if seconds else "")


def fetch_text(fetch: Mapping[str, Any]) -> str:
    if not fetch:
        return ""
    place = f"{said(fetch['repository'], 200)} at {said(fetch['commit'] or fetch['revision'], 200)}"
    if fetch["state"] == "done":
        return place
    size = f", {fetch['received']:,} of {fetch['size']:,} bytes" if fetch["size"] else ""
    why = f": {said(fetch['detail'], 500)} ({said(fetch['code'])})" if fetch["code"] else ""
    return f"{said(fetch['state'])}: {place}{size}{why}"


def _problem_lines(problems: Iterable[Mapping[str, Any]]) -> list[str]:
    """As ``scoring.report.problem_lines`` has them, those with the same words together."""
    places: dict[tuple[str, str, str], list[str]] = {}
    for problem in problems:
        mark = _MARKS.get(str(problem.get("severity")), "·")
        words = (mark, said(problem.get("message"), 500), said(problem.get("fix") or "", 500))
        file, line = problem.get("file"), problem.get("line")
        where = f"{said(file, 200)}{f', line {said(line)}' if line else ''}" if file else ""
        places.setdefault(words, []).append(where)
    lines = []
    for (mark, message, fix), found in places.items():
        first = ", ".join(filter(None, found[:_MOST_PLACES]))
        more = f" and {len(found) - _MOST_PLACES} more" if len(found) > _MOST_PLACES else ""
        lines.append(f"  {mark} {first}{more}{': ' if first else ''}{message}")
        lines += [f"      → {fix}"] if fix else []
    return lines


def _reason_lines(found: Mapping[str, Any]) -> list[str]:
    """What a reviewer wants to know, or why it is rejected, hidden or withdrawn."""
    reason = found.get("reason", "")
    if not reason:
        return []
    words = [f"      {said(line, 2_000)}" for line in reason.splitlines() if line.strip()]
    if found["state"] == "question":
        return ["  ? A reviewer asks, and waits for your reply on its page:", *words]
    return ["  reason:", *words]


def _question_lines(submission: object, question: Mapping[str, Any]) -> list[str]:
    sentence = f"  ? {said(question['sentence'], 1_000)}"
    if question["kind"] != "alignment":
        return [sentence, "  Answer the question on its page."]
    lines = [sentence, "  Answer the question (alignment) with one of:"]
    for answer in question["answers"]:
        best = "   (fits best)" if answer == question["advice"] else ""
        command = f"infinitebench status {said(submission)} --align {said(answer['align'])}"
        lines.append(f"      {command}{best}")
    return lines


def when(moment: object) -> str:
    """2026-11-23 17:40 UTC, of a moment in ISO form."""
    return f"{said(moment)[:16].replace('T', ' ')} UTC"


def said(value: object, limit: int = 100) -> str:
    """A text of the site, which may be anybody's, without what would steer the terminal."""
    return visible(str(value), limit)
