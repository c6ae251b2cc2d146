"""What of the submissions the public sees: the one place that decides it by their states.

A submission that is sealed is not public before its day, whatever else is asked for. One that is
public and anonymous is so as any other: its row has no name then (``portal.review.anonymity``).
"""

from django.db import models
from django.utils.translation import gettext_lazy as _


class SubmissionState(models.TextChoices):
    PRIVATE = "private", _("private")
    IN_REVIEW = "in review", _("in review")
    QUESTION = "question", _("question to the author")  # a reviewer waits for the reply
    SEALED = "sealed", _("sealed")  # decided, and public by itself on the day that was asked for
    PUBLISHED = "published", _("published")
    HIDDEN = "hidden", _("hidden")  # for a while, by an admin
    REJECTED = "rejected", _("rejected")
    WITHDRAWN = "withdrawn", _("withdrawn")


def is_public(path: str = "") -> models.Q:
    """Of submissions; ``path`` leads to them from other rows: ``submissions__``."""
    return models.Q((f"{path}state", SubmissionState.PUBLISHED))


def was_public(path: str = "") -> models.Q:
    """Is so, or was. Also what was never public can be withdrawn: the log tells them apart, which
    may find a row several times."""
    gone = (SubmissionState.HIDDEN, SubmissionState.WITHDRAWN)
    published = (f"{path}audit_entries__after", SubmissionState.PUBLISHED)
    return is_public(path) | models.Q((f"{path}state__in", gone), published)
