"""Errors whose message is written for the user: what was wrong, and what to do about it.

All other exceptions are for the log.
"""

from datetime import datetime

from django.core.exceptions import PermissionDenied
from django.utils.formats import date_format


class UserError(Exception):
    """Its message can be shown to the person whose action caused it.

    ``code`` names the case for programs and tests: the sentence may be reworded and translated.
    """

    code = ""

    def __init__(self, message: str = "", code: str = "") -> None:
        super().__init__(message)
        self.code = code or self.code


class ReleaseError(UserError):
    """The release cannot be imported or used."""


class StateError(UserError):
    """The action does not fit the state or the person."""


class NotAllowedError(StateError):
    """The action is reserved for others, whatever the state."""

    code = "not_allowed"

    def __init__(self) -> None:
        super().__init__("You do not have permission to do this.")


class SecondFactorNeededError(PermissionDenied):
    """The page needs a role whose rights wait for a second factor."""


class QuotaError(UserError):
    """A quota is used up; ``opens`` is when the next upload is possible, if that is known."""

    code = "quota"

    def __init__(
        self, opens: datetime | None = None, message: str = "", code: str = "", **values: object
    ) -> None:
        """``message`` may name ``values``, and ``when`` it opens."""
        when = date_format(opens, "Y-m-d H:i") if opens else ""
        message = message or "Your quota is used up. You can submit again from %(when)s UTC."
        super().__init__(message % {"when": when, **values}, code)
        self.opens = opens
