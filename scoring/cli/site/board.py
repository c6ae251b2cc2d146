"""``infinitebench board``: a leaderboard as a table."""

from argparse import ArgumentParser, Namespace
from typing import Any
from urllib.parse import urlencode

from scoring.catalog import DOMAINS
from scoring.cli.site.options import API, EXIT_CODES, add_site_arguments, at_site, said
from scoring.cli.terminal import write_json
from scoring.metrics import METRIC_SETS
from scoring.report import aligned
from scoring.site.connection import Site, path_of

_DESCRIPTION = """\
Show a leaderboard: rank, with the ranks that are plausible at 95 %, model, overall score and the
five domains, in percent. Needs no token.
"""

_EPILOG = f"""\
examples:
  infinitebench board --site https://HOST --metric-set strict
  infinitebench board --weights open --model llama --json - | jq .entries

{EXIT_CODES}"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument("--release", metavar="NAME", help="default: that of the site's first page")
    parser.add_argument("--metric-set", choices=list(METRIC_SETS))
    parser.add_argument("--labels", metavar="NAME", help="a label version, or “own”")
    parser.add_argument(
        "--all", action="store_true", help="all entries, not only the best of a model and method"
    )
    parser.add_argument("--model", metavar="TEXT", help="only with this in model or method")
    parser.add_argument("--weights", choices=("open", "closed"))
    parser.add_argument("--top", type=int, metavar="N", help="only the first N")
    add_site_arguments(parser, "the board, with every score and interval,")


def run(arguments: Namespace) -> int:
    return at_site(arguments, lambda site: _board(site, arguments), needs_token=False)


def _board(site: Site, arguments: Namespace) -> int:
    given = {
        "release": arguments.release,
        "metric_set": arguments.metric_set,
        "labels": arguments.labels,
        "entries": "all" if arguments.all else None,
    }
    query = urlencode({name: value for name, value in given.items() if value})
    path, entries = f"{API}entries/{'?' if query else ''}{query}", []
    document: dict[str, Any] = {}
    while path:
        page = site.get(path).document()
        document = document or page
        entries += [entry for entry in page["entries"] if _is_wanted(entry, arguments)]
        path = path_of(page["next"] or "")
    entries = entries[: arguments.top]
    facts = {name: document[name] for name in ("release", "metric_set", "labels")}
    if arguments.json:
        write_json(arguments.json, {**facts, "entries": entries})
    if arguments.json != "-":
        print(f"{said(facts['release'])}, {said(facts['metric_set'])}")
        print(_table(entries) if entries else "No entries match.")
    return 0


def _is_wanted(entry: dict[str, Any], arguments: Namespace) -> bool:
    if arguments.weights and entry["weights"] != arguments.weights:
        return False
    text = f"{entry['model']} {entry['method'] or ''}".casefold()
    return not arguments.model or arguments.model.casefold() in text


def _table(entries: list[dict[str, Any]]) -> str:
    rows = [["rank", "model", "overall", "95 %", *DOMAINS]]
    for entry in entries:
        method = f" + {entry['method']}" if entry["method"] else ""
        scores = [_percent(entry["domains"].get(domain)) for domain in DOMAINS]
        overall = entry["overall"]
        rows.append(
            [
                _rank(entry),
                said(f"{entry['model']}{method}", 40),
                _percent(overall),
                _interval(overall),
                *scores,
            ]
        )
    return aligned(rows)


def _rank(entry: dict[str, Any]) -> str:
    low, high = entry["rank_low"], entry["rank_high"]
    if entry["rank"] is None:
        return "·"
    return f"{entry['rank']} ({low}–{high})" if low and low != high else f"{entry['rank']}"


def _percent(score: dict[str, Any] | None) -> str:
    return "·" if score is None or score["mean"] is None else f"{score['mean']:.2f}"


def _interval(score: dict[str, Any] | None) -> str:
    if score is None or score["low"] is None:
        return ""
    return f"{score['low']:.1f}–{score['high']:.1f}"
