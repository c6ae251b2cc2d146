"""Links from the scores of a board to the answers behind them."""

from collections.abc import Mapping

from leaderboard.board.board import Board
from leaderboard.example_links import list_address, releases_with_questions
from portal.models import Evaluation
from scoring.metrics import PAPER_SET


def lists_of_chosen(board: Board) -> Mapping[str, Mapping[str, str]]:
    """By entry and task, the address of the list of its examples.

    Only for rows that are pinned or focused: with a link in every cell a board would be a fifth
    larger. Hidden releases, reported scores and means of repeated runs have none.
    """
    if board.release.hidden or board.baseline:
        return {}
    chosen = {
        line.entry.evaluation: line.entry.id
        for line in board.page_lines
        if (line.is_pinned or line.entry.id == board.filters.focus)
        and line.entry.evaluation is not None
        and not line.entry.run_ids
    }
    if not chosen:
        return {}
    metric_set = board.filters.metric_set
    rule = "" if metric_set == PAPER_SET else metric_set
    evaluations = Evaluation.objects.filter(pk__in=chosen).select_related("submission__release")
    return {
        entry: {
            task: list_address(slug, task, ("entry", entry), ("set", rule))
            for task, slug in releases_with_questions(evaluation).items()
        }
        for evaluation in evaluations
        for entry in (chosen[evaluation.pk],)
    }
