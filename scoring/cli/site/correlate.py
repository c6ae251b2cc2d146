"""``infinitebench correlate``: whether two releases rank the same models alike."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from itertools import combinations
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlencode

from scoring.catalog import OVERALL, TASKS
from scoring.cli.site.options import API, EXIT_CODES, add_site_arguments, at_site, said
from scoring.cli.terminal import write_json
from scoring.metrics import METRIC_SETS
from scoring.report import aligned
from scoring.site.connection import Site, path_of

_DESCRIPTION = """\
Compare how two releases of a site rank the models that have a published entry on both: Kendall's
tau-b of the scores, overall and task by task, with a 95 % interval from resampled models. 1: the
same order; 0: unrelated; −1: the opposite order. Meant for a generated release against the
official one. Needs no token.
"""

_EPILOG = f"""\
examples:
  infinitebench correlate generated-2026 hf --site https://HOST --metric-set strict

{EXIT_CODES}"""

_FEWEST = 3  # models: two have an order by any scores
_RESAMPLES = 2_000
_Scores = Mapping[str, Mapping[str, float]]  # by model and column


class Correlation(NamedTuple):
    models: int
    tau: float | None  # None: fewer than three models, or one score for all
    low: float | None
    high: float | None


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument(
        "releases", nargs=2, metavar="RELEASE", help="slugs, generated and official"
    )
    parser.add_argument("--metric-set", choices=list(METRIC_SETS), default="strict")
    add_site_arguments(parser, "the correlations")


def run(arguments: Namespace) -> int:
    return at_site(arguments, lambda site: _correlate(site, arguments), needs_token=False)


def _correlate(site: Site, arguments: Namespace) -> int:
    one, other = (
        scores_of(_entries(site, release, arguments.metric_set)) for release in arguments.releases
    )
    found = {column: correlation(one, other, column) for column in (OVERALL, *TASKS)}
    if arguments.json:
        columns = {column: one._asdict() for column, one in found.items()}
        about = {"releases": arguments.releases, "metric_set": arguments.metric_set}
        write_json(arguments.json, {**about, "columns": columns})
    if arguments.json != "-":
        rows = [["", "models", "Kendall's tau-b", "95 %"]]
        rows += [[_title(column), str(one.models), *_shown(one)] for column, one in found.items()]
        print(f"{said(' and '.join(arguments.releases))}, {arguments.metric_set}")
        print(aligned(rows))
    return 0


def _entries(site: Site, release: str, metric_set: str) -> list[dict[str, Any]]:
    query = urlencode({"release": release, "metric_set": metric_set})
    path, entries = f"{API}entries/?{query}", []
    while path:
        page = site.get(path).document()
        entries += page["entries"]
        path = path_of(page["next"] or "")
    return entries


def scores_of(entries: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """By model and method: the means of an entry's columns, in percent; the first entry counts."""
    found: dict[str, dict[str, float]] = {}
    for entry in entries:
        columns = {OVERALL: entry["overall"], **entry["scores"]}
        means = {
            name: score["mean"]
            for name, score in columns.items()
            if score is not None and score["mean"] is not None
        }
        found.setdefault(f"{entry['model']}\n{entry['method'] or ''}", means)
    return found


def correlation(one: _Scores, other: _Scores, column: str) -> Correlation:
    """Of the models that have a score in the column of both."""
    shared = sorted(
        model for model in one if column in one[model] and column in other.get(model, {})
    )
    pairs = [(one[model][column], other[model][column]) for model in shared]
    tau = kendall(pairs) if len(pairs) >= _FEWEST else None
    if tau is None:
        return Correlation(len(pairs), None, None, None)
    random = Random(f"{column}{pairs}")  # noqa: S311 - the same interval for the same scores
    drawn = (kendall(random.choices(pairs, k=len(pairs))) for _ in range(_RESAMPLES))
    known = sorted(value for value in drawn if value is not None)
    low, high = known[int(0.025 * len(known))], known[int(0.975 * (len(known) - 1))]
    return Correlation(len(pairs), tau, low, high)


def kendall(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Tau-b (Kendall 1945): pairs in the same order minus those in the opposite one, over those
    without ties. None where all of one side are equal."""
    same = opposite = tied_one = tied_other = 0
    for (a, b), (c, d) in combinations(pairs, 2):
        product = (a - c) * (b - d)
        same += product > 0
        opposite += product < 0
        tied_one += a == c and b != d
        tied_other += b == d and a != c
    untied = (same + opposite + tied_one) * (same + opposite + tied_other)
    return (same - opposite) / untied**0.5 if untied else None


def _title(column: str) -> str:
    return TASKS[column].title if column in TASKS else "overall"


def _shown(one: Correlation) -> tuple[str, str]:
    if one.tau is None:
        return "·", ""
    return f"{one.tau:.2f}", f"{one.low:.2f}–{one.high:.2f}"
