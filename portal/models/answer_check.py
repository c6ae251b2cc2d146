"""What stands out in the answers of an evaluation, for reviewers."""

from typing import ClassVar

from django.db import models
from django.db.models.functions import Now

from portal.models.evaluation import Evaluation


class AnswerCheck(models.Model):
    """``portal.review.answers.checks`` computes and reads it."""

    evaluation = models.OneToOneField(
        Evaluation, models.CASCADE, primary_key=True, related_name="answer_check"
    )
    # A hash of the evaluations it was compared with: all that people besides their owners had seen.
    # None: it could not be checked yet.
    compared = models.BigIntegerField(null=True)
    # By code: for each task its id, the answers that match, and all answers.
    flags = models.JSONField(default=dict)
    # By primary key of an evaluation with nearly the same answers: the same for each task.
    copies = models.JSONField(default=dict)
    failures = models.PositiveSmallIntegerField(default=0)  # since the last success
    tried = models.DateTimeField(db_default=Now())  # the last attempt

    objects: ClassVar[models.Manager["AnswerCheck"]] = models.Manager()

    def __str__(self) -> str:
        return f"check of evaluation {self.evaluation_id}"
