"""What was sealed when: public at once, so that nobody can choose later what to publish."""

from django.db import models

from portal.models.release import Release
from portal.models.submission import Submission


class Commitment(models.Model):
    """To the predictions and the scores that were decided about. Only the hash is public until the
    entry is: ``portal.scores.documents.commitments`` says of what. It is never deleted."""

    submission = models.ForeignKey(Submission, models.PROTECT, related_name="commitments")
    release = models.ForeignKey(Release, models.PROTECT, related_name="commitments")
    hash = models.CharField(max_length=64, unique=True)  # hexadecimal
    payload = models.TextField()  # what the hash is of, byte for byte; it has a nonce
    model_nonce = models.CharField(max_length=64)  # of the name, which may stay secret for longer
    model_name = models.CharField(max_length=220)  # with the method
    sealed = models.DateTimeField()
    announced_for = models.DateTimeField()  # when all of it was to be public, as first said
    opened = models.DateTimeField(null=True)
    taken_back = models.DateTimeField(null=True)  # withdrawn or decided anew before it opened

    class Meta:
        ordering = ["-sealed", "-pk"]

    def __str__(self) -> str:
        return self.hash
