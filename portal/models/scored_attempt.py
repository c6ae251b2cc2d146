"""How many sets of predictions an account has had scored: an entry says how many it was chosen
from."""

from django.db import models
from django.db.models.functions import Now


class ScoredAttempt(models.Model):
    """One set of predictions that was scored for a language model on a release.

    The row stays when the submission, the model or the account is deleted: otherwise deleting would
    lower the count. So nothing here is a foreign key.
    """

    owner = models.BigIntegerField()  # primary key of the account
    release = models.CharField(max_length=80)  # its slug
    language_model = models.CharField(max_length=80)  # its slug, which stays when it is renamed
    model_name = models.CharField(max_length=120)  # finds it if it is deleted and described anew
    predictions = models.CharField(max_length=80)  # their hash, and how they were read
    submission = models.UUIDField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "release", "language_model", "predictions"],
                name="one_attempt_of_predictions",
            ),
            models.UniqueConstraint(
                fields=["submission", "release"], name="one_attempt_of_a_submission"
            ),
        ]

    def __str__(self) -> str:
        return f"attempt of account {self.owner} with {self.model_name} on {self.release}"
