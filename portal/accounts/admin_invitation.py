"""An invitation for an admin: a link that sets the password, once.

It is the link of a forgotten password, which allauth signs over the account as it is now: it ends
with its first use, and after ``PASSWORD_RESET_TIMEOUT``.
"""

from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.urls import reverse

from portal.accounts.usernames import well_formed
from portal.audit.records import describe, log_record
from portal.errors import StateError
from portal.models import Role, User


def invite_admin(email: str, username: str) -> str:
    """Create an admin with this address, who has no password yet; returns the link.

    Whoever runs the command vouches for the address. Invited again, the admin who still has no
    password gets another link. Raises ``StateError`` and ``ValidationError``.
    """
    with transaction.atomic():
        same = Q(email__iexact=email) | Q(emailaddress__email__iexact=email)
        user = User.objects.filter(same).first()
        if user is None:
            well_formed(username)  # it may be a reserved name: those are for admins
            user = User(
                username=username, email=email, role=Role.ADMIN, is_staff=True, is_superuser=True
            )
            user.set_unusable_password()
            user.full_clean()
            user.save()
            EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
            author = {**describe(user), "role": Role.AUTHOR.value}  # as everybody else begins
            log_record(user, author, describe(user), by=None)
        elif user.role != Role.ADMIN or user.has_usable_password():
            raise StateError(
                "There is an account with this email address already.", "account_exists"
            )
    key = f"{user_pk_to_url_str(user)}-{default_token_generator.make_token(user)}"
    path = reverse("account_reset_password_from_key", kwargs={"uidb36": "UID", "key": "KEY"})
    return settings.SITE_URL + path.replace("UID-KEY", key)
