"""What was sealed, and when: public at once, so that nobody can choose later what to publish."""

from django.db import models

from portal.models.release import Release
from portal.models.submission import Submission


class Commitment(models.Model):
    """A commitment to the predictions and scores that were approved. Only the hash is public until
    the entry is; ``portal.scores.documents.commitments`` says what it covers. Never deleted."""

    submission = models.ForeignKey(Submission, models.PROTECT, related_name="commitments")
    release = models.ForeignKey(Release, models.PROTECT, related_name="commitments")
    hash = models.CharField(max_length=64, unique=True)  # hexadecimal
    payload = models.TextField()  # the exact text that is hashed; it contains a nonce
    model_nonce = models.CharField(max_length=64)  # of the name, which may stay secret longer
    model_name = models.CharField(max_length=220)  # with the method
    sealed = models.DateTimeField()
    announced_for = models.DateTimeField()  # when it was to be public in full, as first announced
    opened = models.DateTimeField(null=True)
    taken_back = models.DateTimeField(null=True)  # withdrawn, or decided anew, before it opened

    class Meta:
        ordering = ["-sealed", "-pk"]

    def __str__(self) -> str:
        return self.hash
