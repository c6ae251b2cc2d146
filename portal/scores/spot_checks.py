"""The spot checks of an entry as everybody may see them."""

from portal.models import CheckState, SpotCheck, Submission, SubmissionState


def ended_checks(submission: Submission) -> list[SpotCheck]:
    """The newest first, each with the nearest other entry if that is still published."""
    ended = SpotCheck.objects.counted().filter(submission=submission, state=CheckState.ENDED)
    found = list(ended.select_related("nearest__language_model"))
    for check in found:
        if check.nearest and check.nearest.state != SubmissionState.PUBLISHED:
            check.nearest = None
    return found
