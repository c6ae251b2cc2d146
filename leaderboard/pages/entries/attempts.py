"""What an entry was chosen from, and what choosing gains by luck."""

from typing import NamedTuple

from portal.ledger.attempts import Attempts, attempts_behind
from portal.models import Evaluation, Submission
from portal.scores.scores import REPORTED_UNDER, mean_of, scores_by_set
from scoring.stats import expected_maximum


class Choice(NamedTuple):
    attempts: Attempts
    # By how many points the best of so many equally good variants would exceed what they are worth.
    # At most: it is of variants that err independently. None: the overall score has no error.
    luck: float | None


def choice_behind(submission: Submission, evaluation: Evaluation) -> Choice | None:
    """Of a public entry; None where nothing was counted, as of what the site has imported."""
    attempts = attempts_behind(submission)
    if attempts is None:
        return None
    scores = scores_by_set(evaluation, exact=not submission.release.hidden)[REPORTED_UNDER]
    tasks = sorted(submission.release.data_sets.values_list("task", flat=True))
    overall = mean_of(tasks, scores)
    error = overall.stderr if overall else None
    return Choice(attempts, None if error is None else error * expected_maximum(attempts.scored))
