"""How many scored submissions an entry was chosen from, and how much choosing gains by luck."""

from typing import NamedTuple

from leaderboard.pages.entries.entry import EntryDetails
from portal.scores.attempts import scored_attempts
from portal.scores.scores import REPORTED_UNDER, mean_of, scores_by_set
from scoring.stats import expected_maximum


class Attempts(NamedTuple):
    scored: int
    # By how many points the best of so many equally good variants would exceed their true score.
    # An upper bound, for variants with independent errors. None: the overall score has no error.
    luck: float | None


def attempts_behind(details: EntryDetails) -> Attempts | None:
    """None if nothing was counted, as for entries that the site has imported."""
    submission, evaluation = details.submission, details.evaluation
    if submission is None or evaluation is None:
        return None
    scored = scored_attempts([submission.pk]).get(submission.pk)
    if scored is None:
        return None
    release = submission.release
    scores = scores_by_set(evaluation, exact=not release.hidden)[REPORTED_UNDER]
    overall = mean_of(sorted(row.task for row in release.data_sets.all()), scores)
    error = overall.stderr if overall else None
    return Attempts(scored, None if error is None else error * expected_maximum(scored))
