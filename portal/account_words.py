"""What the accounts' package says to people, in the words of this site."""

from allauth.account.adapter import DefaultAccountAdapter
from django.utils.translation import gettext_lazy as _

from portal.account_times import OneHashForSignUp

_NO_MATCH = _("This name or address and this password do not belong together.")


class InOurWords(OneHashForSignUp):
    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": _NO_MATCH,
        "email_password_mismatch": _NO_MATCH,
        "too_many_login_attempts": _(
            "Too many wrong passwords: now not even the right one opens. Wait five minutes, or an "
            "hour after very many, or reset your password, which signs you in at once."
        ),
        "incorrect_password": _("This is not your password."),
        "enter_current_password": _("This is not your password."),
        "username_taken": _("This name is taken."),
        "email_taken": _("There is an account with this address already."),
        "duplicate_email": _("This is the address of your account already."),
        "same_as_current": _("This is the address of your account already."),
        "rate_limited": _("Too many attempts. Wait a few minutes."),
    }
