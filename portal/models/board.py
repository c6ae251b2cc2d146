"""The version of what boards show."""

from django.db import models

from portal.models.release import Release


class BoardVersion(models.Model):
    """One row, see ``portal.board_version``."""

    number = models.PositiveBigIntegerField(default=1)

    def __str__(self) -> str:
        return str(self.number)


class Separation(models.Model):
    """Which entries of a board can be told apart, in one column
    (``portal.scores.comparison.separations``).

    It is valid for exactly these entries: with one more, every pair is tested at another level.
    """

    release = models.ForeignKey(Release, models.CASCADE, related_name="separations", db_index=False)
    metric_set = models.CharField(max_length=40)
    column = models.CharField(max_length=40)  # a task, a domain, …
    inputs = models.CharField(max_length=64)  # hash of all entries of the board
    entries = models.JSONField()  # a list of their keys: the order of rows and columns
    better = models.BinaryField()  # rows of bits: where the row's entry is better than the column's
    smallest_difference = models.FloatField(null=True)  # in points, that tells neighbours apart
    method = models.CharField(max_length=40)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["release", "metric_set", "column"], name="one_separation_of_a_column"
            )
        ]

    def __str__(self) -> str:
        return f"{self.column} under {self.metric_set}"


class KeptRegion(models.Model):
    """See ``portal.kept_regions``."""

    key = models.CharField(max_length=64, primary_key=True)
    version = models.PositiveBigIntegerField()  # of the boards
    claimed = models.DateTimeField()
    content = models.TextField(null=True)  # JSON; null: it is being computed

    def __str__(self) -> str:
        return self.key
