"""The board as it would be with one entry more."""

import dataclasses
from collections.abc import Sequence

from leaderboard.board.board import build_board
from leaderboard.board.filters import Filters
from leaderboard.board.ranges import with_ranges
from leaderboard.board.ranking.ranking import Line, ranks
from leaderboard.cache import cached_region
from leaderboard.columns import Kind
from leaderboard.entries import Entry
from leaderboard.queries import (
    BoardRelease,
    entries_of,
    find_release,
    releases_with_boards,
    submitted_entry,
)
from portal.models import Submission
from portal.scores.comparison.ranks import Rank, RankPreview
from portal.scores.samples import samples_among
from portal.scores.scores import ByTask
from scoring.catalog import OVERALL


def preview_ranks(submission: Submission, scores: ByTask, metric_set: str) -> RankPreview | None:
    """None if the release has no board."""
    slug = (submission.release.part_of or submission.release).slug
    found = cached_region(f"preview/{slug}/{metric_set}", lambda: _entries(slug, metric_set))
    if found is None:
        return None
    release, published = found
    evaluation = submission.evaluations.scored().first()
    samples = samples_among([evaluation.pk]) if evaluation else {}
    own = submitted_entry(submission, scores, {}, next(iter(samples.values()), None))
    preview = preview_among(release, published, own, metric_set)
    if preview.overall is None or all(entry.id != own.id for entry in published):
        return preview
    board = build_board(release, published, Filters(metric_set=metric_set)).on_one_page()
    for line in with_ranges(board).page_lines:
        if own.id in line.entry.ids:
            overall = preview.overall._replace(low=line.rank_low, high=line.rank_high)
            return preview._replace(overall=overall)
    return preview


def _entries(slug: str, metric_set: str) -> tuple[BoardRelease, list[Entry]] | None:
    release = find_release(releases_with_boards(), slug)
    return (release, entries_of(release, metric_set)) if release else None


def preview_among(
    release: BoardRelease, published: Sequence[Entry], own: Entry, metric_set: str
) -> RankPreview:
    """A pure function. If ``own`` is already published, its rank does not change."""
    entries = [entry for entry in published if entry.id != own.id]
    runs = next((entry.runs for entry in published if entry.id == own.id), ())
    own = dataclasses.replace(own, runs=runs)
    board = build_board(release, [*entries, own], Filters(metric_set=metric_set))
    is_best = any(own.id in line.entry.ids for line in board.all_lines)
    found = {
        column.id: _rank_of(own, board.all_lines, index)
        for index, column in enumerate(board.columns)
        if column.kind in (Kind.OVERALL, Kind.TASK)
    }
    overall = found.pop(OVERALL, None)
    tasks = {task: rank for task, rank in found.items() if rank and rank.ranked > 1}
    return RankPreview(release.slug, is_best, overall, tasks)


def _rank_of(own: Entry, lines: Sequence[Line], index: int) -> Rank | None:
    places = ranks([line.ranks_with(index) for line in lines])
    of_entries = zip(lines, places, strict=True)
    rank = next((rank for line, rank in of_entries if own.id in line.entry.ids), None)
    return Rank(rank, sum(place is not None for place in places)) if rank else None
