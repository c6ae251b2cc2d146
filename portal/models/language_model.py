"""Language models: what is ranked."""

from typing import Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class LanguageModelQuerySet(models.QuerySet["LanguageModel"]):
    def owned_by(self, user: object) -> Self:
        return self.filter(owner=user)

    def offered_to(self, user: object) -> Self:
        """Models whose names this person may see: their own, used before, or public."""
        known = models.Q(submissions__owner=user) | models.Q(submissions__state="published")
        return self.filter(models.Q(owner=user) | models.Q(owner=None) | known).distinct()

    def with_uses(self) -> Self:
        """``used`` counts submissions of its owner; ``used_by_all`` must not be shown."""
        own = models.Q(submissions__owner=models.F("owner"))
        count = models.Count("submissions")
        return self.annotate(used=models.Count("submissions", filter=own), used_by_all=count)


class LanguageModel(models.Model):
    class Weights(models.TextChoices):
        OPEN = "open", _("open weights")
        CLOSED = "closed", _("closed weights")
        UNKNOWN = "", _("not stated")

    slug = models.SlugField(_("address"), max_length=80, unique=True)
    name = models.CharField(_("name"), max_length=120)
    organisation = models.CharField(_("organisation"), max_length=120, blank=True)
    parameters = models.CharField(
        _("parameters"), max_length=40, blank=True, help_text=_("For example 8B, 47B (13B active).")
    )
    licence = models.CharField(_("licence"), max_length=80, blank=True)
    weights = models.CharField(
        _("weights"), max_length=10, choices=Weights, default=Weights.UNKNOWN, blank=True
    )
    context_window = models.PositiveIntegerField(
        _("claimed context window"), null=True, blank=True, help_text=_("In tokens.")
    )
    link = models.URLField(_("link"), blank=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        related_name="language_models",
        null=True,  # those of the site have none
        blank=True,
    )
    created = models.DateTimeField(auto_now_add=True)

    objects = LanguageModelQuerySet.as_manager()

    class Meta:
        ordering = ["name", "slug"]

    def __str__(self) -> str:
        return self.name
