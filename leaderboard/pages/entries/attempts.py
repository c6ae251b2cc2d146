"""How many attempts an entry was chosen from, and how much choosing gains by luck."""

from typing import NamedTuple

from leaderboard.pages.entries.entry import EntryDetails
from portal.ledger.attempts import Attempts, attempts_behind_all
from portal.scores.scores import REPORTED_UNDER, mean_of, scores_by_set
from scoring.stats import expected_maximum


class Choice(NamedTuple):
    attempts: Attempts
    # By how many points the best of so many equally good variants would exceed their true score.
    # An upper bound, for variants with independent errors. None: the overall score has no error.
    luck: float | None


def choice_behind(details: EntryDetails) -> Choice | None:
    """None if nothing was counted, as for entries that the site has imported."""
    if details.submission is None or details.evaluation is None:
        return None
    attempts = attempts_behind_all([details.submission]).get(details.submission.pk)
    if attempts is None:
        return None
    release = details.submission.release
    scores = scores_by_set(details.evaluation, exact=not release.hidden)[REPORTED_UNDER]
    overall = mean_of(sorted(one.task for one in release.data_sets.all()), scores)
    error = overall.stderr if overall else None
    return Choice(attempts, None if error is None else error * expected_maximum(attempts.scored))
