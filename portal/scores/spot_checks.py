"""The spot checks of an entry as everybody may see them."""

from portal.models import CheckState, SpotCheck, Submission, SubmissionState


def ended_checks(submission: Submission) -> list[SpotCheck]:
    """The newest first, each with the nearest other entry if that is still published."""
    ended = [one for one in submission.spot_checks.all() if one.state == CheckState.ENDED]
    found = [one for one in ended if one.asked or one.verdict]
    for check in found:
        _hide_unpublished(check)
    return found


def newest_ended_check(submission: Submission) -> SpotCheck | None:
    """For its author, who also sees a check that has asked nothing."""
    ended = submission.spot_checks.filter(state=CheckState.ENDED)
    check = ended.select_related("nearest__language_model").first()
    if check:
        _hide_unpublished(check)
    return check


def _hide_unpublished(check: SpotCheck) -> None:
    if check.nearest and check.nearest.state != SubmissionState.PUBLISHED:
        check.nearest = None
