"""Which addresses a frozen site has: every one of the site is in one of these two tables."""

import re
from enum import StrEnum
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlencode

from django.urls import Resolver404, resolve

_NAME = r"[-\w]+"
_SET = rf"set={_NAME}"
# Of boards: each metric set with each domain, and further pages of a long board.
_BOARD = rf"({_SET}&?)?(tasks={_NAME})?|(entries=all&?)?(page=\d+&?)?({_SET})?"
_LONGEST = 200  # bytes of a part of a path; file systems take 255
_PLAIN = re.compile(r"[-\w.]+")


class Kept(NamedTuple):
    """What is kept of an address; its parts are what differs between pages (an id, a slug).

    ``query``: a regular expression for the query strings that are kept, decoded, with their names
    in order. ``falls_back``: links with another query string lead to the page without any.
    ``data``: the address of the API with the same parts, or, after a question mark, with the part
    as this parameter. ``is_sample``: an example; only the first ones of a task are kept.
    ``has_answers``: a file with the answer to every question, which the command may leave out.
    ``reads``: names the data that pages of this address have in common, and that can be read for
    many of their parts at once. ``beside``: the address with the same part to which each of these
    pages leads, made from the same data.
    """

    query: str = ""
    falls_back: bool = False
    data: str = ""
    is_sample: bool = False
    has_answers: bool = False
    reads: str = ""
    beside: str = ""


KEPT = {
    "home": Kept(rf"({_SET})?|page=\d+"),
    "board": Kept(_BOARD, data="api-entries?release"),
    "board-csv": Kept(f"({_SET})?"),
    "board-json": Kept(f"({_SET})?"),
    "board-latex": Kept(f"({_SET})?"),
    "board-markdown": Kept(f"({_SET})?"),
    "board-metrics": Kept(falls_back=True),
    "board-metrics-csv": Kept(),
    "board-metrics-svg": Kept(),
    "board-metrics-json": Kept(),
    "board-feed": Kept(f"({_SET})?"),
    "board-picture": Kept(),
    "entry": Kept(falls_back=True, reads="entry", beside="entry-receipt"),
    "entry-runs-csv": Kept(),
    "entry-runs-json": Kept(),
    "entry-run": Kept(),
    "entry-report": Kept(has_answers=True),
    "entry-receipt": Kept(reads="entry"),
    "entry-predictions": Kept(has_answers=True),
    "entry-examples-jsonl": Kept(has_answers=True),
    "receipt-keys": Kept(),
    "compare": Kept(),
    "claims": Kept(),
    "commitments": Kept(r"(page=\d+)?"),
    "commitment-payload": Kept(),
    "ledger": Kept(falls_back=True),  # its newest entries; all are in the file
    "ledger-head": Kept(),
    "ledger-jsonl": Kept(),
    "ledger-csv": Kept(falls_back=True),
    "ledger-feed": Kept(),
    "language-models": Kept(),
    "language-model": Kept(falls_back=True, reads="model"),
    "team": Kept(),
    "tasks": Kept(),
    "task": Kept(falls_back=True, data="api-task"),
    "task-svg": Kept(falls_back=True),
    "reproduction": Kept(falls_back=True),
    "reproduction-csv": Kept(),
    "reproduction-json": Kept(),
    "releases": Kept(data="api-releases"),
    "release": Kept(falls_back=True, data="api-release"),
    "ladder": Kept(rf"({_SET}&?)?(task={_NAME})?"),
    "ladder-csv": Kept(rf"({_SET}&?)?(task={_NAME})?"),
    "ladder-svg": Kept(rf"({_SET}&?)?(task={_NAME})?"),
    "ladder-json": Kept(rf"({_SET}&?)?(task={_NAME})?"),
    "release-checksums": Kept(),
    "release-manifest": Kept(),
    "release-croissant": Kept(),
    "release-eval": Kept(),
    "release-composition": Kept(),
    "release-composition-svg": Kept(),
    "release-coverage": Kept(),
    "release-coverage-svg": Kept(),
    "release-facets": Kept(),
    "example-index": Kept(),
    "examples": Kept(falls_back=True),
    "examples-json": Kept(),
    "example": Kept(falls_back=True, is_sample=True),
    "example-json": Kept(falls_back=True, is_sample=True),
    "example-markdown": Kept(falls_back=True, is_sample=True),
    "api-entries": Kept(rf"(page=\d+&)?release={_NAME}"),
    "api-models": Kept(r"(cursor=[-\w]+&?)?"),
    "api-releases": Kept(r"(cursor=[-\w]+&?)?"),
    "api-release": Kept(),
    "api-tasks": Kept(),
    "api-task": Kept(),
    "api-commitments": Kept(r"(cursor=[-\w]+&?)?"),
    "api-ledger": Kept(falls_back=True),
    "api-ledger-head": Kept(),
    "api": Kept(),
    "api-docs": Kept(),
    "api-schema": Kept(r"(format=\w+)?"),
    "disputes": Kept(falls_back=True),
    "dispute": Kept(falls_back=True),
    "formats": Kept(),
    "about": Kept(),
    "generated-releases": Kept(),
    "privacy": Kept(),
    "terms": Kept(),
}


class Reason(StrEnum):
    ACCOUNT = "account"
    ANSWERS = "answers"
    CHOICE = "choice"
    EXAMPLES = "examples"
    EXPORT = "export"
    LISTED = "listed"
    PICTURE = "picture"
    SEARCH = "search"
    SITE = "site"
    TEXTS = "texts"


REASONS: dict[Reason, str] = {
    Reason.ACCOUNT: "Signing in, submitting and reviewing need the site itself.",
    Reason.ANSWERS: "This copy was made without the files that hold the answer to every question.",
    Reason.CHOICE: (
        "Filters, other orders, comparisons of chosen entries and the answers that metric sets "
        "disagree about are endless: the site computes each when somebody asks for it."
    ),
    Reason.EXAMPLES: (
        "Of the examples of each task the first have a page; all answers are in the files of the "
        "entries."
    ),
    Reason.EXPORT: (
        "Further exports of an entry are made on demand, from the predictions, the examples and "
        "the report that are here."
    ),
    Reason.LISTED: "The lists of the API have every entry and every model; they have no file each.",
    Reason.PICTURE: "Badges, and figures as files of their own: the pages show the figures.",
    Reason.SEARCH: "Searching needs the site itself.",
    Reason.SITE: "What is about the running site and says nothing here.",
    Reason.TEXTS: (
        "The questions and texts of the releases are large: they are on the Hub, or generated from "
        "a seed; their hashes are here."
    ),
}
# By name, or by the start of a path that ends with a slash.
LEFT_OUT = {
    "entry-badge": Reason.PICTURE,
    "entry-picture": Reason.PICTURE,
    "entry-costs-svg": Reason.PICTURE,
    "entry-metrics-svg": Reason.PICTURE,
    "entry-figure": Reason.PICTURE,
    "model-profile-svg": Reason.PICTURE,
    "entry-breakdowns": Reason.EXPORT,
    "entry-metrics": Reason.CHOICE,
    "entry-metrics-csv": Reason.EXPORT,
    "entry-metrics-json": Reason.EXPORT,
    "entry-examples-csv": Reason.EXPORT,  # as the lines of JSON
    "entry-every-eval-ever": Reason.EXPORT,
    "entry-inspect": Reason.EXPORT,
    "entry-lm-eval": Reason.EXPORT,
    "entry-eval-results": Reason.EXPORT,
    "release-rows": Reason.TEXTS,
    "proposal": Reason.TEXTS,
    "proposal-file": Reason.TEXTS,
    "examples-contexts": Reason.SEARCH,
    "examples-matrix": Reason.EXAMPLES,
    "example-context": Reason.TEXTS,
    "example-search": Reason.SEARCH,
    "api-entry": Reason.LISTED,
    "api-model": Reason.LISTED,
    "api-breakdowns": Reason.CHOICE,
    "api-compare": Reason.CHOICE,
    "api-task-examples": Reason.EXAMPLES,
    "api-example": Reason.EXAMPLES,
    "api-context": Reason.TEXTS,
    "api-context-search": Reason.SEARCH,
    "dispute-new": Reason.ACCOUNT,
    "dispute-decide": Reason.ACCOUNT,
    "sitemap": Reason.SITE,
    "robots": Reason.SITE,
    "api-docs-index": Reason.SITE,
    "security-txt": Reason.SITE,
    "healthz": Reason.SITE,
    "readyz": Reason.SITE,
    "metrics": Reason.SITE,
    "theme": Reason.SITE,
    "language": Reason.SITE,
    "/accounts/": Reason.ACCOUNT,
    "/admin/": Reason.ACCOUNT,
    "/api/v1/affiliations/": Reason.ACCOUNT,
    "/api/v1/disputes/": Reason.ACCOUNT,
    "/api/v1/my-models/": Reason.ACCOUNT,
    "/api/v1/notes/": Reason.ACCOUNT,
    "/api/v1/reviews/": Reason.ACCOUNT,
    "/api/v1/runs/": Reason.ACCOUNT,
    "/api/v1/submissions/": Reason.ACCOUNT,
    "/api/v1/invitations/": Reason.ACCOUNT,
    "/api/v1/teams/": Reason.ACCOUNT,
    "/demo/": Reason.SITE,
    "/my-models/": Reason.ACCOUNT,
    "/my-teams/": Reason.ACCOUNT,
    "/profile/": Reason.ACCOUNT,
    "/review/": Reason.ACCOUNT,
    "/runs/": Reason.ACCOUNT,
    "/submissions/": Reason.ACCOUNT,
    "/submit/": Reason.ACCOUNT,
}


class Page(NamedTuple):
    """An address of the site, decoded; the names of its query string in order."""

    path: str
    query: str = ""

    @classmethod
    def of(cls, path: str, query: str = "") -> "Page":
        return cls(unquote(path), urlencode(sorted(parse_qsl(query, keep_blank_values=True))))

    def file(self, ending: str) -> str:
        """Its path below the folder. ``ending``: for addresses that have none."""
        path = self.path.lstrip("/")
        if not self.path.endswith("/"):
            stem, dot, ending = path.rpartition(".")
            if not dot or "/" in ending:
                stem, ending = path, ""
        else:
            stem = f"{path}index"
        if self.query:
            readable = self.query.replace("=", "-").replace("&", "_")
            plain = _PLAIN.fullmatch(readable) and len(readable) <= _LONGEST // 2
            stem += f".{readable if plain else sha256(self.query.encode()).hexdigest()[:16]}"
        return f"{stem}.{ending}" if ending else stem


def is_writable(path: str) -> bool:
    """Whether the parts of a path can be file names on any system: releases choose the keys of
    their examples."""
    parts = path.strip("/").split("/")
    return path == "/" or all(
        part not in ("", ".", "..")
        and len(part.encode()) <= _LONGEST
        and not re.search(r'[\0-\x1f<>:"\\|?*]', part)
        for part in parts
    )


class Place(NamedTuple):
    """What the tables above say of a page; ``page`` is the one that a link to it leads to."""

    name: str
    parts: dict[str, str]
    page: Page | None
    reason: Reason | None  # why it is left out


def place_of(page: Page) -> Place | None:
    """None: the site has no such page."""
    try:
        match = resolve(page.path)
    except Resolver404:
        return None
    name, parts = match.url_name or "", {key: str(part) for key, part in match.kwargs.items()}
    reason = reason_for(name, page.path)
    if reason is not None or not is_writable(page.path):
        return Place(name, parts, None, reason or Reason.EXAMPLES)
    kept = KEPT[name]
    if re.fullmatch(kept.query, unquote(page.query)):
        return Place(name, parts, page, None)
    if kept.falls_back:
        return Place(name, parts, Page(page.path), None)
    return Place(name, parts, None, Reason.CHOICE)


def reason_for(name: str, path: str) -> Reason | None:
    """Why an address is left out; None: it is kept. Raises ``KeyError`` if neither table has it."""
    if name in KEPT:
        return None
    if name in LEFT_OUT:
        return LEFT_OUT[name]
    for start, reason in LEFT_OUT.items():
        if start.endswith("/") and path.startswith(start):
            return reason
    raise KeyError(name)
