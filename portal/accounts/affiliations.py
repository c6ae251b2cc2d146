"""Addresses by which people show that they belong to the maker of a language model.

Asking for one discloses nothing about other accounts: only somebody who has the mailbox, and is
signed in to the account that asked, is told that it belongs to another.
"""

import logging
import secrets
from datetime import timedelta
from hashlib import sha256

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.timezone import now

from portal.board_version import raise_board_version
from portal.errors import QuotaError, StateError
from portal.mail.outbox import queue_account_email
from portal.models import (
    PUBLIC_MAIL,
    AffiliationAddress,
    Notice,
    NoticeKind,
    OrganisationDomain,
    User,
)

LIFE = timedelta(days=1)  # of a link; the mail is not kept for longer either
MAX_ADDRESSES = 5  # for one person
_MAX_MAILS = 10  # about accounts, to one person in 24 hours; then no more can be requested
_MAX_SENT = 3  # to one address in 24 hours, whoever asks; further requests send no mail
_DAY = timedelta(days=1)

log = logging.getLogger("portal.accounts")


def add_address(user: User, email: str) -> AffiliationAddress:
    """Mail a link that confirms it. If it is requested again, only the last link counts.

    Raises ``StateError``, ``QuotaError`` and Django's ``ValidationError``.
    """
    validate_email(email)
    if not email.isascii():  # before some letter becomes an ASCII one in lower case
        message = "Write the address in ASCII: a domain in other letters as xn--…"
        raise StateError(message, "not_ascii")
    email = email.lower()
    _check_domain(email.rpartition("@")[2])
    token = secrets.token_urlsafe(24)
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        own = AffiliationAddress.objects.filter(user=user)
        if own.confirmed().filter(email=email).exists():
            raise StateError("This address is confirmed already.", "confirmed")
        if own.exclude(email=email).count() >= MAX_ADDRESSES:
            message = "You have %(most)s addresses: remove one first."
            raise QuotaError(message=message, code="too_many_addresses", most=MAX_ADDRESSES)
        mails = Notice.objects.filter(recipient=user, kind=NoticeKind.ACCOUNT)
        if mails.filter(created__gt=Now() - _DAY).count() >= _MAX_MAILS:
            message = "You have been sent as many mails as possible today. Try again tomorrow."
            raise QuotaError(message=message, code="too_many_mails")
        sent = AffiliationAddress.objects.filter(email=email, sent__gt=Now() - _DAY)
        is_mailed = sent.exclude(user=user).count() < _MAX_SENT
        address, _is_new = AffiliationAddress.objects.update_or_create(
            {"digest": _digest(token), "sent": now(), "expires": now() + LIFE},
            user=user,
            email=email,
        )
        if is_mailed:
            _send(address, token)
    return address


def _check_domain(domain: str) -> None:
    """Raises ``StateError``."""
    if domain in PUBLIC_MAIL:
        raise StateError(
            "Everybody can have an address there, so it confirms nothing.", "public_mail"
        )
    if not OrganisationDomain.objects.filter(domain=domain).exists():
        raise StateError(
            (
                "We do not know whose domain this is; its subdomains and parents do not count. Ask "
                "an admin of this site to add it."
            ),
            "unknown_domain",
        )


def _send(address: AffiliationAddress, token: str) -> None:
    context = {
        "who": address.user.username,
        "link": settings.SITE_URL + reverse("affiliation-confirm", args=[token]),
        "hours": LIFE // timedelta(hours=1),
        "site": settings.SITE_URL,
    }
    queue_account_email(
        "Confirm where you belong",
        render_to_string("mail/affiliation.txt", context),
        address=address.email,
        user=address.user,
    )


def address_to_confirm(user: User, token: str) -> AffiliationAddress | None:
    """The address that a link stands for, if this account has asked for the link."""
    waiting = AffiliationAddress.objects.filter(user=user, confirmed=None, expires__gt=Now())
    return waiting.filter(digest=_digest(token)).first()


def confirm_address(user: User, token: str) -> AffiliationAddress:
    """Raises ``StateError`` if the link was used, is too old or for another account, and if the
    address belongs to another account."""
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        address = address_to_confirm(user, token)
        if address is None or not _confirm(address):
            raise StateError("This link has already been used or has expired.", "expired")
        raise_board_version()  # entries say who is confirmed to belong to the maker
    log.info("affiliation confirmed", extra={"user": user.pk})
    return address


def _confirm(address: AffiliationAddress) -> bool:
    """Returns whether the address was still there. Raises ``StateError``."""
    of_accounts = EmailAddress.objects.filter(email__iexact=address.email, verified=True)
    row = AffiliationAddress.objects.filter(pk=address.pk)
    try:
        if not of_accounts.exclude(user=address.user_id).exists():
            with transaction.atomic():
                return bool(row.update(confirmed=Now(), digest=""))
    except IntegrityError:
        pass  # another account has confirmed it
    message = "This address belongs to another account. Remove it there first."
    raise StateError(message, "of_another")


def remove_address(user: User, address_id: int) -> bool:
    """Returns whether the user had it. It confirms nothing any more, and its link does nothing."""
    with transaction.atomic():
        removed, _rows = AffiliationAddress.objects.filter(user=user, pk=address_id).delete()
        if removed:
            raise_board_version()
    return bool(removed)


def end_use_by_others(user: User, email: str) -> None:
    """Take an address that this account has confirmed as its own from all other accounts."""
    with transaction.atomic():
        AffiliationAddress.objects.filter(email=email.lower()).exclude(user=user).delete()
        raise_board_version()


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()
