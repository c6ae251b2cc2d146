"""Organisations that make language models, known by the domains of their email addresses."""

from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

_DOMAIN = RegexValidator(
    r"\A[a-z0-9]([a-z0-9.-]*[a-z0-9])?\Z", _("Write a domain in lower case, for example 01.ai.")
)


class OrganisationDomain(models.Model):
    """Set by an admin: accounts with a confirmed address there belong to the organisation."""

    domain = models.CharField(
        _("domain"),
        max_length=120,
        unique=True,
        validators=[_DOMAIN],
        help_text=_("What follows the @ of its email addresses. Its subdomains do not count."),
    )
    organisation = models.CharField(
        _("organisation"), max_length=120, help_text=_("As its language models name it.")
    )

    class Meta:
        ordering = ["organisation", "domain"]

    def __str__(self) -> str:
        return f"{self.organisation}: {self.domain}"
