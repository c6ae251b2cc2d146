"""Errors whose message is written for the user: what was wrong, and what to do about it.

All other exceptions are for the log.
"""

from datetime import datetime

from django.utils.formats import date_format
from django.utils.translation import gettext as _


class UserError(Exception):
    """Its message can be shown to the person whose action caused it."""


class ReleaseError(UserError):
    """The release cannot be imported or used."""


class StateError(UserError):
    """The action does not fit the state or the person."""


class NotAllowedError(StateError):
    """The action is reserved for others, whatever the state."""

    def __init__(self) -> None:
        super().__init__(_("You may not do this."))


class QuotaError(UserError):
    """The quota is used up; ``opens`` is when the next upload is possible."""

    def __init__(self, opens: datetime | None) -> None:
        when = date_format(opens, "Y-m-d H:i") if opens else ""
        super().__init__(
            _("Your quota is used up. The next time is possible from %(when)s UTC.")
            % {"when": when}
        )
        self.opens = opens
