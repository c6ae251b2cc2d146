"""What tells whether a board that was made earlier still says the truth."""

from django.db import models


class BoardVersion(models.Model):
    """One row, raised by whatever changes what a board shows: ``portal.board_version``."""

    number = models.PositiveBigIntegerField(default=1)

    def __str__(self) -> str:
        return str(self.number)
