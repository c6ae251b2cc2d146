"""The entries of a board whose release asks the same questions at several lengths, as curves."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import NamedTuple, Self
from urllib.parse import urlencode

from leaderboard.board.ranking.ranking import Candidate
from leaderboard.board.ranking.standings import kept_standings
from leaderboard.cache import cached_by_evaluation, cached_forever
from leaderboard.columns import COLUMN_IDS, Column, columns_of
from leaderboard.entries import Entry
from leaderboard.queries import BoardRelease
from portal.endpoint_runs.results.context_gain import evidence_only_of
from portal.permissions.access import with_current_ids
from portal.scores.ladders import read_ladder_scores, read_ladder_tasks
from scoring.breakdowns.effective_context import SHARE
from scoring.breakdowns.ladder import (
    Curve,
    Envelope,
    Ladder,
    TaskLadder,
    curve_of,
    envelope_of,
    ladder_of,
    mean_of_runs,
)
from scoring.catalog import OVERALL
from scoring.metrics import METRIC_SETS, PAPER_SET

MOST_CURVES = 6
SHARES = (50, 70, 85, 90, 95)  # percent of the score at the shortest length
_SHARE = round(100 * SHARE)
_MOST_IDS, _MAX_ID, _MAX_SEARCH = 50, 60, 100
_NAMES = frozenset({"entry", "task", "metric_set", "share", "q", "interactive"})


@dataclass(frozen=True, slots=True)
class LadderChoice:
    ids: tuple[str, ...] = ()  # of the entries with a curve; empty: the best ones
    column: str = OVERALL  # a task, or a mean of some
    metric_set: str = PAPER_SET
    share: int = _SHARE  # percent that the score keeps within the effective context
    search: str = ""  # limits the entries that are offered
    interactive: bool = False  # with Plotly

    @classmethod
    def from_query(cls, query: Mapping[str, list[str]]) -> Self:
        """Never raises, whatever the query string says."""
        last = {name: values[-1] for name, values in query.items() if values}
        column, metric_set, share = (last.get(one, "") for one in ("task", "metric_set", "share"))
        ids = (one[:_MAX_ID] for one in query.get("entry", [])[:_MOST_IDS])
        return cls(
            ids=tuple(dict.fromkeys(filter(None, ids)))[:MOST_CURVES],
            column=column if column in COLUMN_IDS else OVERALL,
            metric_set=metric_set if metric_set in METRIC_SETS else PAPER_SET,
            share=int(share) if share in map(str, SHARES) else _SHARE,
            search=" ".join(last.get("q", "").split())[:_MAX_SEARCH].strip(),
            interactive=last.get("interactive") == "1",
        )

    def with_current_ids(self) -> Self:
        return replace(self, ids=with_current_ids(self.ids))

    def pairs(self) -> list[tuple[str, str]]:
        """Names and values of the query string, for everything that differs from the default."""
        others = (
            ("task", self.column, OVERALL),
            ("metric_set", self.metric_set, PAPER_SET),
            ("share", str(self.share), str(_SHARE)),
            ("q", self.search, ""),
            ("interactive", "1" if self.interactive else "", ""),
        )
        pairs = [(name, value) for name, value, default in others if value != default]
        return [*(("entry", one) for one in self.ids), *pairs]

    def __str__(self) -> str:
        return f"?{urlencode(self.pairs())}" if self.pairs() else ""

    def matches_query(self, query: Mapping[str, list[str]]) -> bool:
        """Whether the query string says exactly this, without naming a default."""
        sent = [(name, value) for name, values in query.items() for value in values]
        return sorted(pair for pair in sent if pair[0] in _NAMES) == sorted(self.pairs())

    @property
    def for_files(self) -> Self:
        return replace(self, search="", interactive=False)

    @property
    def toggled(self) -> Self:
        """With the interactive chart opened or closed."""
        return replace(self, interactive=not self.interactive)


class EntryCurve(NamedTuple):
    entry: Entry
    curve: Curve

    @property
    def claimed(self) -> int | None:
        """The context window of the model, in tokens."""
        return self.entry.model.context_window

    @property
    def configured(self) -> int | None:
        """The limit on input tokens that the author set."""
        return self.entry.run.input_limit if self.entry.run else None

    @property
    def cut(self) -> int | None:
        """The shortest length at which the run left something out."""
        run = self.entry.run
        lengths = (step.length for step in self.curve.steps)
        return next((one for one in lengths if run and run.cut_of(one)), None)


class Curves(NamedTuple):
    release: BoardRelease
    columns: Sequence[Column]  # the columns that have curves
    column: Column  # the chosen one
    ladder: Ladder
    chosen: Sequence[EntryCurve]
    others: Envelope | None  # of the entries whose curves are not drawn
    offered: Sequence[Entry]  # all that have a curve, best first
    unknown: int  # how many of the requested entries have no curve


def read_curves(release: BoardRelease, choice: LadderChoice) -> Curves | None:
    """None for releases without a ladder, for hidden ones, and for columns with tasks that are not
    on the ladder. Takes a fixed number of queries."""
    ladders = {} if release.hidden else _ladders(release)
    columns = columns_of(ladders)
    column = next((one for one in columns if one.id == choice.column), None)
    ladder = ladder_of({task: ladders[task] for task in column.tasks}) if column else None
    if column is None or ladder is None:
        return None
    standings = kept_standings(release, choice.metric_set)
    entries = (one for one in standings.best if not one.entry.control)
    best = {one.entry.id: one for one in entries if evaluations_of(one.entry)}
    everyone = {one.entry.id: one for one in standings.candidates if evaluations_of(one.entry)}
    asked = {one: found for one in choice.ids if (found := best.get(one) or everyone.get(one))}
    means = _means(release, ladder, column, choice.metric_set, {**best, **asked})
    offered = sorted(
        (one for one in best if one in means), key=lambda one: (-fmean(means[one]), one)
    )
    chosen = [one for one in asked if one in means] or offered[:MOST_CURVES]
    return Curves(
        release,
        columns,
        column,
        ladder,
        _curves(release, ladder, column, choice, [asked.get(one) or best[one] for one in chosen]),
        envelope_of([means[one] for one in offered if one not in chosen]),
        [best[one].entry for one in offered],
        len(choice.ids) - len(chosen) if choice.ids else 0,
    )


def _ladders(release: BoardRelease) -> dict[str, TaskLadder]:
    """By task. Data sets never change, so this is kept; but not where there are none, since lengths
    may be imported later."""
    name = f"ladders/{release.slug}/{sorted(release.labels.items())}"
    return cached_forever(name, lambda: read_ladder_tasks(release.slug) or None) or {}


def evaluations_of(entry: Entry) -> tuple[int, ...]:
    """The evaluations that its scores are the mean of: several for repeated runs, none for reported
    scores."""
    if entry.run_ids:
        return entry.runs
    return () if entry.evaluation is None else (entry.evaluation,)


def _means(
    release: BoardRelease,
    ladder: Ladder,
    column: Column,
    metric_set: str,
    candidates: Mapping[str, Candidate],
) -> dict[str, list[float]]:
    """By entry, its percentage at each length; without entries that lack one of the tasks."""

    def read(evaluations: Collection[int]) -> dict[int, list[float]]:
        rows = read_ladder_scores(release.slug, evaluations, metric_set, column.tasks)
        return {evaluation: ladder.means(scores) for evaluation, scores in rows}

    name = f"means/{_data_of(release, column, metric_set)}"
    wanted = {one: evaluations_of(candidate.entry) for one, candidate in candidates.items()}
    every = {evaluation for evaluations in wanted.values() for evaluation in evaluations}
    known = cached_by_evaluation(name, every, read)
    return {
        one: [fmean(of_length) for of_length in zip(*map(known.__getitem__, runs), strict=True)]
        for one, runs in wanted.items()
        if all(run in known for run in runs)
    }


def _data_of(release: BoardRelease, column: Column, metric_set: str) -> str:
    """What an evaluation's curves depend on besides its scores."""
    labels = ",".join(release.labels[task] for task in column.tasks)
    return f"{release.slug}/{labels}/{metric_set}/{column.id}"


def _curves(
    release: BoardRelease,
    ladder: Ladder,
    column: Column,
    choice: LadderChoice,
    chosen: Sequence[Candidate],
) -> list[EntryCurve]:
    wanted = [evaluations_of(one.entry) for one in chosen]
    controls = evidence_only_of({one for evaluations in wanted for one in evaluations})

    def read(missing: Collection[tuple[int, ...]]) -> dict[tuple[int, ...], Curve]:
        every = {evaluation for evaluations in missing for evaluation in evaluations}
        asked = every | {controls[one] for one in every if one in controls}
        rows = read_ladder_scores(release.slug, asked, choice.metric_set, column.tasks)
        scores = dict(rows)
        return {
            evaluations: curve_of(
                ladder,
                mean_of_runs([scores[one] for one in evaluations]),
                choice.share / 100,
                scores.get(controls.get(evaluations[0], 0)),
            )
            for evaluations in missing
        }

    of_controls = sorted(controls.items())
    name = f"curves/{_data_of(release, column, choice.metric_set)}/{choice.share}/{of_controls}"
    known = cached_by_evaluation(name, wanted, read)
    return [
        EntryCurve(one.entry, known[evaluations])
        for one, evaluations in zip(chosen, wanted, strict=True)
    ]
