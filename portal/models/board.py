"""The version of what boards show."""

from django.db import models


class BoardVersion(models.Model):
    """One row, see ``portal.board_version``."""

    number = models.PositiveBigIntegerField(default=1)

    def __str__(self) -> str:
        return str(self.number)


class KeptRegion(models.Model):
    """See ``portal.kept_regions``."""

    key = models.CharField(max_length=64, primary_key=True)
    version = models.PositiveBigIntegerField()  # of the boards
    claimed = models.DateTimeField()
    content = models.TextField(null=True)  # JSON; null: it is being made

    def __str__(self) -> str:
        return self.key
