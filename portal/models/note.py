"""What reviewers write for each other about an example, or about one prediction."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from portal.models.release import Example
from portal.models.submission import Submission

NOTE_CAP = 4_000  # characters


class Note(models.Model):
    example = models.ForeignKey(Example, models.PROTECT, related_name="notes")
    # Whose prediction the note is about; None: the question. The audit log outlives both.
    submission = models.ForeignKey(Submission, models.CASCADE, null=True, related_name="notes")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="notes")
    text = models.TextField(max_length=NOTE_CAP)
    written = models.DateTimeField(db_default=Now())
    edited = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(name="a_note_says_something", condition=~models.Q(text=""))
        ]

    def __str__(self) -> str:
        return f"note {self.pk} on {self.example_id}"
