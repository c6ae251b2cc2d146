"""Language models: what is ranked."""

import re
from collections.abc import Iterable
from typing import Any, Self
from unicodedata import normalize

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Now

from portal.models.visibility import is_public

# A day, a month or a year: sources often say no more.
RELEASED = r"\A[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?\Z"


def with_method(name: str, method: str) -> str:
    """What an entry is called: the language model, and the method around it if there is one."""
    return f"{name} + {method}" if method else name


_SEPARATORS = re.compile(r"[\s._\u2010-\u2015\u2212-]+")  # dots, dashes of any kind, and spaces


def spelled_alike(text: str) -> str:
    """Equal for texts that differ only in case, separators and compatibility forms."""
    return _SEPARATORS.sub("", normalize("NFKC", text).casefold())


def matches_words(search: str, texts: Iterable[str]) -> bool:
    """Whether every word is part of one of the texts, regardless of spelling: ``qwen3`` matches
    Qwen-3, and so does ``qwen 3``."""
    words = [spelled_alike(word) for word in search.split()]
    found = [spelled_alike(text) for text in texts] if words else []
    return all(any(word in text for text in found) for word in words)


class LanguageModelQuerySet(models.QuerySet["LanguageModel"]):
    def owned_by(self, user: object) -> Self:
        """Those that this person may edit."""
        return self.filter(owner=user)

    def offered_to(self, user: Any) -> Self:  # noqa: ANN401 - accounts import this module
        """Models whose names this person may see: their own, used before, or public."""
        own = models.Q(owner=user) | models.Q(submissions__owner=user)
        known = models.Q(owner=None) | is_public("submissions__")
        return self.filter(own | known).distinct()

    def known_to_all(self) -> Self:
        """Models that are mentioned in public."""
        shown = is_public("submissions__") | models.Q(reported_entries__isnull=False)
        return self.filter(models.Q(owner=None) | shown).distinct()

    def with_uses(self) -> Self:
        """``used`` counts the submissions of its owner; ``used_by_all`` counts all, and must not be
        shown."""
        own = models.Q(submissions__owner=models.F("owner"))
        count = models.Count("submissions")
        return self.annotate(used=models.Count("submissions", filter=own), used_by_all=count)


class LanguageModel(models.Model):
    class Weights(models.TextChoices):
        OPEN = "open", "open weights"
        CLOSED = "closed", "closed weights"
        UNKNOWN = "", "not stated"

    slug = models.SlugField("address", max_length=80, unique=True)
    name = models.CharField("name", max_length=120)
    organisation = models.CharField("organisation", max_length=120, blank=True)
    parameters = models.CharField(
        "parameters", max_length=40, blank=True, help_text="For example 8B, 47B (13B active)."
    )
    licence = models.CharField("licence", max_length=80, blank=True)
    weights = models.CharField(
        "weights", max_length=10, choices=Weights, default=Weights.UNKNOWN, blank=True
    )
    context_window = models.PositiveIntegerField(
        "claimed context window", null=True, blank=True, help_text="In tokens."
    )
    released = models.CharField(
        "release date",
        max_length=10,
        blank=True,
        validators=[RegexValidator(RELEASED, "Write 2024-07-23, 2024-07 or 2024.")],
        help_text="For example 2024-07-23, 2024-07 or 2024.",
    )
    link = models.URLField("link", blank=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        related_name="language_models",
        null=True,  # None: the site's own
        blank=True,
    )
    baseline = models.BooleanField(  # a baseline by the site, not offered to authors
        default=False, editable=False
    )
    created = models.DateTimeField(auto_now_add=True)

    objects = LanguageModelQuerySet.as_manager()

    class Meta:
        ordering = ["name", "slug"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_public(self) -> bool:
        """Whether people besides its owner may know its name."""
        return (
            self.owner_id is None
            or self.reported_entries.exists()
            or self.submissions.filter(is_public()).exists()
        )

    def sources(self) -> dict[str, str]:
        """By field, the address where its value was read. A value that was edited since has
        none."""
        return {
            fact.field: fact.source
            for fact in self.facts.all()
            if fact.value == str(getattr(self, fact.field))
        }

    def titles_by_source(self) -> dict[str, list[str]]:
        """The titles of the fields that were read at each address."""
        found: dict[str, list[str]] = {}
        for field, source in self.sources().items():
            found.setdefault(source, []).append(str(ModelFact.Field(field).label))
        return found


class ModelFact(models.Model):
    """Where a value of a language model was read, and the value at that time."""

    class Field(models.TextChoices):
        ORGANISATION = "organisation", "organisation"
        PARAMETERS = "parameters", "parameters"
        LICENCE = "licence", "licence"
        WEIGHTS = "weights", "weights"
        CONTEXT_WINDOW = "context_window", "claimed context window"
        RELEASED = "released", "release date"

    language_model = models.ForeignKey(
        LanguageModel, models.CASCADE, related_name="facts", db_index=False
    )
    field = models.CharField("field", max_length=20, choices=Field)
    value = models.CharField("value", max_length=120)
    source = models.URLField("source")

    class Meta:
        ordering = ["language_model", "field"]
        constraints = [
            models.UniqueConstraint(fields=["language_model", "field"], name="one_source_of_a_fact")
        ]

    def __str__(self) -> str:
        return f"{self.get_field_display()}: {self.value}"


class RenameRequest(models.Model):
    """The name that its owner wishes for a model, until a reviewer has decided. Nobody else sees
    it: before that, the model may be published under a working name."""

    language_model = models.OneToOneField(
        LanguageModel, models.CASCADE, related_name="rename_request"
    )
    name = models.CharField(max_length=120)
    organisation = models.CharField(max_length=120, blank=True)
    requested = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.language_model_id}: {self.name}"


class FormerModel(models.Model):
    """A model that was merged into another: its address redirects, and imports know its name."""

    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=120, blank=True)  # of a model of the site's own; else empty
    language_model = models.ForeignKey(LanguageModel, models.CASCADE, related_name="former_models")

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.slug
