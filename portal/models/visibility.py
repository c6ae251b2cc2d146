"""Which submissions are public: the one place that decides it, by their states."""

from django.db import models


class SubmissionState(models.TextChoices):
    PRIVATE = "private", "private"
    IN_REVIEW = "in review", "in review"
    QUESTION = "question", "question to the author"  # a reviewer waits for the reply
    SCHEDULED = (
        "scheduled",
        "scheduled",
    )  # approved; public by itself on its day
    PUBLISHED = "published", "published"
    HIDDEN = "hidden", "hidden"  # for a while, by an admin
    REJECTED = "rejected", "rejected"
    WITHDRAWN = "withdrawn", "withdrawn"


def is_public(path: str = "") -> models.Q:
    """Selects submissions; ``path`` leads to them from other rows: ``submissions__``."""
    return models.Q((f"{path}state", SubmissionState.PUBLISHED))
