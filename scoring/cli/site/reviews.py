"""``infinitebench reviews``: what waits for review, and decisions on it."""

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from typing import Any

from scoring.cli.site.options import (
    API,
    EXIT_CODES,
    add_site_arguments,
    add_submission_argument,
    at_site,
    said,
    when,
)
from scoring.cli.terminal import write_answer, write_json
from scoring.report import aligned
from scoring.site.connection import Site, path_of

_REVIEWS = f"{API}reviews/"
_STATES = ("in review", "question", "hidden")
_DESCRIPTION = """\
For reviewers, with a token of the scope review. list has the queue; show has what a decision is
made on, and the command that publishes exactly this: publishing is refused where something has
changed since you have looked.
"""
_EPILOG = f"""\
examples:
  infinitebench reviews list
  infinitebench reviews show ID
  infinitebench reviews publish ID --seen 4f1c… --reason "Settings and answers fit."
  infinitebench reviews reject ID --reason "The answers are of another release."

{EXIT_CODES}"""
_DECISIONS = {
    "publish": "put it on the leaderboard",
    "reject": "send it back; its author can mend it and ask again",
    "ask": "ask its author: the reason is the question",
    "claim": "show others that you are at it",
    "hide": "for admins: take an entry off the leaderboard",
    "restore": "for admins: put it there again",
    "withdraw": "for admins: withdraw it for its author, for ever",
    "undo": "take back your own decision, within 15 minutes",
}


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, summary: str) -> ArgumentParser:
        return actions.add_parser(
            name, help=summary, description=summary, formatter_class=RawDescriptionHelpFormatter
        )

    listing = action(
        "list",
        "what waits, those first that have waited longest; with ✗ where scores may mean nothing or "
        "predictions are those of another entry",
    )
    listing.add_argument("--state", choices=_STATES, default=_STATES[0])
    add_site_arguments(listing, "the list")
    shown = action("show", "one submission as a reviewer sees it")
    add_submission_argument(shown)
    add_site_arguments(shown, "the submission as a reviewer sees it")
    for name, summary in _DECISIONS.items():
        decision = action(name, summary)
        add_submission_argument(decision)
        if name in ("publish", "restore"):
            decision.add_argument(
                "--seen", required=True, metavar="CODE", help="what show has named"
            )
        if name not in ("claim", "undo"):
            decision.add_argument(
                "--reason", required=True, metavar="TEXT", help="its author can see it"
            )
        add_site_arguments(decision, "the submission as it is then")


def run(arguments: Namespace) -> int:
    def act(site: Site) -> int:
        if arguments.action == "list":
            return _list(site, arguments)
        address = f"{_REVIEWS}{arguments.id}/"
        if arguments.action == "show":
            return _show(arguments, site.get(address).document())
        fields = {
            name: value for name in ("reason", "seen") if (value := vars(arguments).get(name))
        }
        return _show(arguments, site.post(f"{address}{arguments.action}/", fields).document())

    return at_site(arguments, act)


def _list(site: Site, arguments: Namespace) -> int:
    path, found = f"{_REVIEWS}?state={arguments.state.replace(' ', '%20')}", []
    while path:
        page = site.get(path).document()
        found += page["reviews"]
        path = path_of(page["next"] or "")
    if arguments.json:
        write_json(arguments.json, {"reviews": found})
    if arguments.json != "-":
        rows = [
            [
                said(one["id"]),
                said(one["language_model"]["name"]),
                said(one["release"]),
                when(one["requested"]) if one["requested"] else "·",
                _unusual(one["warnings"]),
                said(one["claimed_by"] or "·"),
            ]
            for one in found
        ]
        heads = ["id", "model", "release", "requested", "unusual", "reviewer"]
        print(aligned([heads, *rows]) if rows else "Nothing waits.")
    return 0


def _unusual(warnings: Sequence[Mapping[str, Any]]) -> str:
    is_critical = any(one["is_critical"] for one in warnings)
    return f"{len(warnings)}{' ✗' if is_critical else ''}"


def _show(arguments: Namespace, found: Mapping[str, Any]) -> int:
    return write_answer(arguments, found, _text(found))


def _text(found: Mapping[str, Any]) -> str:
    summary = found["summary"]
    model = summary["language_model"]
    overall = _overall(summary["overall"])
    lines = [
        f"{said(summary['id'])}  {said(summary['state'])}",
        f"  {said(model['name'])} on {said(summary['release'])}, by {said(summary['owner'])}",
        f"  {said(summary['url'], 300)}",
        f"  {summary['answered']} answered, {summary['missing']} missing; {overall}",
    ]
    for warning in (*summary["warnings"], *found["flags"]):
        mark = "✗" if warning["is_critical"] else "!"
        lines.append(f"  {mark} {said(warning['sentence'], 500)}")
    waits = summary["state"] == "in review"
    if waits and found["copies"] is None:
        lines.append("  · Its answers have not been compared with those of other entries yet.")
    if found["others"]:
        lines.append("  others of this name:")
    lines += [f"      {_other(other)}" for other in found["others"]]
    publish = f"infinitebench reviews publish {said(summary['id'])} --seen {said(found['seen'])}"
    lines += [f"  publish: {publish} --reason …"] if waits else []
    return "\n".join(lines)


def _other(other: Mapping[str, Any]) -> str:
    one = other["submission"]
    rejected = f": {said(other['rejected'], 300)}" if other["rejected"] else ""
    scores = _overall(other["overall"])
    return f"{said(one['title'])}, {said(one['state'])}{rejected}; {scores}  {said(one['id'])}"


def _overall(scores: Mapping[str, float | None]) -> str:
    found = (f"{said(name)} {score:.2f}" for name, score in scores.items() if score is not None)
    return ", ".join(found) or "no mean"
