"""Who belongs to the organisation that makes a language model, and who has confirmed it.

Nothing is stored with an entry. Whether it is “by the model's makers” follows, whenever it is
asked, from the organisation that its language model names, the confirmed addresses, and what admins
have confirmed.
"""

from typing import NamedTuple, Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from portal.models.account import User
from portal.models.language_model import spelled_alike
from portal.models.organisation import PUBLIC_MAIL, OrganisationDomain
from portal.models.submission import Submission
from portal.models.team import Membership, Team


class AffiliationQuerySet(models.QuerySet["Affiliation"]):
    def in_force(self) -> Self:
        return self.filter(revoked=None)


class Affiliation(models.Model):
    """An admin knows that an account or a team belongs to an organisation."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="affiliations",
        null=True,
        blank=True,
        verbose_name="account",
    )
    team = models.ForeignKey(
        Team, models.CASCADE, related_name="affiliations", null=True, blank=True
    )
    organisation = models.CharField(
        "organisation", max_length=120, help_text="As its language models name it."
    )
    reason = models.CharField(
        "reason", max_length=300, help_text="How you know. Shown to reviewers and admins."
    )
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        related_name="confirmed_affiliations",
        null=True,  # of old rows, which did not store it
        editable=False,
    )
    confirmed = models.DateTimeField(db_default=Now(), editable=False)
    revoked = models.DateTimeField(null=True, editable=False)

    objects = AffiliationQuerySet.as_manager()

    class Meta:
        ordering = ["-confirmed", "-pk"]
        constraints = [
            models.CheckConstraint(
                name="an_affiliation_is_of_an_account_or_a_team",
                condition=models.Q(user=None, team__isnull=False)
                | models.Q(user__isnull=False, team=None),
            )
        ]

    def __str__(self) -> str:
        return f"{self.user or self.team}: {self.organisation}"


class AffiliationAddressQuerySet(models.QuerySet["AffiliationAddress"]):
    def confirmed(self) -> Self:
        return self.exclude(confirmed=None)


class AffiliationAddress(models.Model):
    """An email address that only shows where its owner belongs. It is not the address of the
    account: it cannot be used to sign in or to reset a password, and gets no other mail.

    Its confirmation link works once, until it expires, and only for the account that asked for it.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="affiliation_addresses"
    )
    email = models.EmailField()  # in lower case and ASCII
    digest = models.CharField(max_length=64, editable=False)  # of the link's token; empty: used
    sent = models.DateTimeField(db_default=Now())
    expires = models.DateTimeField()  # of the link
    confirmed = models.DateTimeField(null=True)

    objects = AffiliationAddressQuerySet.as_manager()

    class Meta:
        ordering = ["email"]
        constraints = [
            models.UniqueConstraint("user", "email", name="an_affiliation_address_once"),
            models.UniqueConstraint(
                "email",
                condition=models.Q(confirmed__isnull=False),
                name="an_affiliation_address_of_one_account",
            ),
            models.CheckConstraint(
                name="an_affiliation_address_has_a_link_until_it_is_confirmed",
                condition=models.Q(confirmed=None) & ~models.Q(digest="")
                | models.Q(confirmed__isnull=False, digest=""),
            ),
        ]

    def __str__(self) -> str:
        return self.email


class Confirmation(NamedTuple):
    """How it is known that someone belongs to an organisation."""

    domain: str = ""  # of confirmed addresses; empty: an admin has confirmed it
    affiliation: Affiliation | None = None


def confirmation(holder: User | Team, organisation: str) -> Confirmation | None:
    """How it is known that this account or team belongs to the organisation; None: it is not known.

    A team belongs to it if each of its owners has a confirmed address at its domain: one member
    does not make it the makers' team.
    """
    wanted = spelled_alike(organisation)
    if not wanted:
        return None
    if isinstance(holder, Team):
        owners = Membership.objects.owners().filter(team=holder, user__is_active=True)
        people = [one.user for one in owners.select_related("user")]
    else:
        people = [holder]
    for one in holder.affiliations.all():
        if one.revoked is None and spelled_alike(one.organisation) == wanted:
            return Confirmation(affiliation=one)
    domains = [_domain_at(person, wanted) for person in people]
    return Confirmation(domains[0]) if domains and all(domains) else None


def organisations_of(user: User) -> list[tuple[str, Confirmation]]:
    """The organisations that this account is known to belong to, by name, and how it is known."""
    said = Affiliation.objects.filter(user=user).in_force()
    found = {one.organisation: Confirmation(affiliation=one) for one in said}
    domains = _domains_of(user)
    for known in OrganisationDomain.objects.filter(domain__in=domains):
        found.setdefault(known.organisation, Confirmation(known.domain))
    return sorted(found.items())


def makers_of(submission: Submission) -> Confirmation | None:
    """How it is known that an entry is by the makers of its language model; None: it is not
    known."""
    holder = submission.team or submission.owner
    return confirmation(holder, submission.language_model.organisation) if holder else None


def _domain_at(person: User, wanted: str) -> str:
    """The domain of the organisation at which this person has a confirmed address; or empty.

    The whole domain is compared, in ASCII: a subdomain may be anybody's, and so may one with
    letters that look like others, or become others in lower case (the Kelvin sign).
    """
    domains = _domains_of(person)
    for known in OrganisationDomain.objects.filter(domain__in=domains) if domains else ():
        if spelled_alike(known.organisation) == wanted:
            return known.domain
    return ""


def _domains_of(person: User) -> set[str]:
    """The domains of all addresses that this person has confirmed, that of the account included."""
    # allauth's reverse relation, which the type stubs do not know
    addresses = person.emailaddress_set.all()  # type: ignore[attr-defined]
    verified = [one.email for one in addresses if one.verified]
    others = [one.email for one in person.affiliation_addresses.all() if one.confirmed]
    domains = {address.rpartition("@")[2] for address in (*verified, *others)}
    return {domain.lower() for domain in domains if domain.isascii()} - PUBLIC_MAIL
