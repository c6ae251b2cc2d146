"""Organisations that make language models, known by the domains of their email addresses."""

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models

_DOMAIN = RegexValidator(
    r"\A[a-z0-9]([a-z0-9.-]*[a-z0-9])?\Z", "Write a domain in lower case, for example 01.ai."
)
# Domains where everybody can get an address, even for a few minutes: one of these would make
# anybody the maker of a model.
PUBLIC_MAIL = frozenset(
    {
        "10minutemail.com", "126.com", "139.com", "163.com", "189.cn", "aliyun.com", "aol.com",
        "daum.net", "dispostable.com", "duck.com", "fastmail.com", "foxmail.com", "getnada.com",
        "gmail.com", "gmx.at", "gmx.ch", "gmx.com", "gmx.de", "gmx.net", "googlemail.com",
        "guerrillamail.com", "hanmail.net", "hey.com", "hotmail.com", "hushmail.com", "icloud.com",
        "live.cn", "live.com", "mac.com", "mail.com", "mail.ru", "maildrop.cc", "mailinator.com",
        "me.com", "msn.com", "naver.com", "outlook.com", "pm.me", "proton.me", "protonmail.com",
        "qq.com", "rediffmail.com", "sharklasers.com", "sina.cn", "sina.com", "sohu.com",
        "temp-mail.org", "tempmail.com", "throwawaymail.com", "trashmail.com", "tuta.com",
        "tutanota.com", "vip.qq.com", "web.de", "yahoo.co.jp", "yahoo.com", "yandex.com",
        "yandex.ru", "yeah.net", "ymail.com", "yopmail.com", "zoho.com",
    }
)  # fmt: skip


class OrganisationDomain(models.Model):
    """Set by an admin: accounts with a confirmed address there belong to the organisation."""

    domain = models.CharField(
        "domain",
        max_length=120,
        unique=True,
        validators=[_DOMAIN],
        help_text="What follows the @ of its email addresses. Its subdomains do not count.",
    )
    organisation = models.CharField(
        "organisation", max_length=120, help_text="As its language models name it."
    )

    class Meta:
        ordering = ["organisation", "domain"]

    def clean(self) -> None:
        if self.domain in PUBLIC_MAIL:
            raise ValidationError(
                {
                    "domain": ValidationError(
                        "Everybody can have an address there, so it confirms nothing.",
                        "public_mail",
                    )
                }
            )

    def __str__(self) -> str:
        return f"{self.organisation}: {self.domain}"
