"""``infinitebench teams``: your teams, who is in them, and invitations."""

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from scoring.cli.site.options import API, EXIT_CODES, add_site_arguments, at_site, said, when
from scoring.cli.terminal import write_answer
from scoring.report import aligned
from scoring.site.connection import Site

_ROLES = ("member", "owner")
# By the action: the method, the address, and the options that are sent.
_REQUESTS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "list": ("GET", "teams/", ()),
    "create": ("POST", "teams/", ("name", "link")),
    "edit": ("POST", "teams/{team}/", ("name", "link")),
    "invitations": ("GET", "teams/{team}/invitations/", ()),
    "accept": ("POST", "invitations/{invitation}/accept/", ()),
    "decline": ("POST", "invitations/{invitation}/decline/", ()),
    "invite": ("POST", "teams/{team}/invitations/", ("invited", "role")),
    "cancel-invitation": ("DELETE", "teams/{team}/invitations/{invitation}/", ()),
    "role": ("POST", "teams/{team}/members/{username}/", ("role",)),
    "remove": ("DELETE", "teams/{team}/members/{username}/", ()),
    "show": ("POST", "teams/{team}/show/", ("shown",)),
    "leave": ("POST", "teams/{team}/leave/", ()),
    "delete": ("DELETE", "teams/{team}/", ()),
    "move-model": ("POST", "my-models/{model}/move/", ("team",)),
}
_EPILOG = f"""\
examples:
  infinitebench teams create "Long Lab"
  infinitebench teams invite long-lab alice@lab.example --role owner
  infinitebench teams move-model my-model long-lab

TEAM is the ID in the first column of the list, INVITATION the number that invitations shows.

{EXIT_CODES}"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = "Your teams. Owners decide who is in a team."
    parser.epilog = _EPILOG
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, summary: str, *names: str) -> ArgumentParser:
        found = actions.add_parser(
            name, help=summary, description=summary, formatter_class=RawDescriptionHelpFormatter
        )
        for one in names:
            found.add_argument(one, metavar=one.upper())
        add_site_arguments(found, "what the site answers")
        return found

    action("list", "your teams, with their members")
    create = action("create", "create a team: you are its first owner", "name")
    edit = action("edit", "change its name, while nobody else knows it, or its link", "team")
    edit.add_argument("--name", metavar="TEXT")
    for one in (create, edit):
        one.add_argument("--link", metavar="URL", help="where more is said of it")
    invited = action("invitations", "open invitations to you, or to a team of yours")
    invited.add_argument("team", nargs="?", metavar="TEAM")
    action("accept", "accept an invitation", "invitation")
    action("decline", "decline an invitation", "invitation")
    invite = action("invite", "invite a user name or an email address", "team", "invited")
    invite.add_argument("--role", choices=_ROLES, default=_ROLES[0])
    action("cancel-invitation", "cancel an invitation to a team", "team", "invitation")
    role = action("role", "change the role of a member", "team", "username")
    role.add_argument("role", choices=_ROLES)
    action("remove", "remove a member", "team", "username")
    show = action("show", "show your name on the public page of the team", "team")
    show.add_argument("--hide", dest="shown", action="store_false", help="hide it")
    action("leave", "leave a team", "team")
    action("delete", "delete a team to which nothing belongs", "team")
    action("move-model", "give a model of yours to a team, for ever", "model", "team")


def run(arguments: Namespace) -> int:
    return at_site(arguments, lambda site: _show(arguments, _done(site, arguments)))


def _done(site: Site, arguments: Namespace) -> dict[str, Any]:
    """What the site answers; empty where there is nothing to say."""
    method, path, names = _REQUESTS[arguments.action]
    given = vars(arguments)
    if arguments.action == "invitations" and not arguments.team:
        path = "invitations/"
    address = API + path.format_map(
        {name: quote(str(value), safe="") for name, value in given.items()}
    )
    if method == "GET":
        return site.get(address).document()
    sent = {name: given[name] for name in names if given[name] is not None}
    answer = site.delete(address) if method == "DELETE" else site.post(address, sent)
    return answer.document() if answer.body else {}


def _show(arguments: Namespace, found: dict[str, Any]) -> int:
    return write_answer(arguments, found, _text(found))


def _text(found: dict[str, Any]) -> str:
    if "teams" in found:
        return "\n".join(map(_team_text, found["teams"])) or "You are in no team."
    if "invitations" in found:
        heads = ["invitation", "team", "invited", "role", "by", "until"]
        rows = [_invitation_row(one) for one in found["invitations"]]
        return aligned([heads, *rows]) if rows else "No invitation is open."
    if "members" in found:
        return _team_text(found)
    if "invited" in found:
        return f"invitation {said(found['id'])} to {said(found['invited'])}"
    if "name" in found:
        return f"{said(found['id'])} belongs to {said(found['team'])}"
    return "Done."


def _team_text(team: dict[str, Any]) -> str:
    lines = [f"{said(team['id'])}  {said(team['name'])}, you: {said(team['role'])}"]
    lines += [f"  {said(one['username'])}  {said(one['role'])}" for one in team["members"]]
    return "\n".join(lines)


def _invitation_row(one: dict[str, Any]) -> list[str]:
    names = (one["id"], one["team"], one.get("invited", "you"), one["role"], one["invited_by"])
    return [*map(said, names), when(one["expires"])]
