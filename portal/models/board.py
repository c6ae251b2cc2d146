"""The version of what boards show."""

from django.db import models


class BoardVersion(models.Model):
    """One row, see ``portal.board_version``."""

    number = models.PositiveBigIntegerField(default=1)

    def __str__(self) -> str:
        return str(self.number)
