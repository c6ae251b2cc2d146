"""What stands out in the answers of an evaluation, for reviewers."""

from django.db import models

from portal.models.evaluation import Evaluation


class AnswerCheck(models.Model):
    """``portal.review.answer_checks`` computes and reads it."""

    evaluation = models.OneToOneField(
        Evaluation, models.CASCADE, primary_key=True, related_name="answer_check"
    )
    # The newest evaluation that others than its owner had seen: newer ones are not compared yet.
    newest = models.BigIntegerField()
    flags = models.JSONField()  # by code, for each task: its id, so many answers, of so many
    # Evaluations with nearly the same answers, by number: likewise for each task.
    copies = models.JSONField()

    def __str__(self) -> str:
        return f"check of evaluation {self.evaluation_id}"
