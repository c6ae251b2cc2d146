"""A submission: predictions of one language model, made with one set of settings."""

import uuid
from typing import Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from portal.models.action import Action
from portal.models.language_model import LanguageModel, with_method
from portal.models.release import Release


class SubmissionState(models.TextChoices):
    PRIVATE = "private", _("private")
    IN_REVIEW = "in review", _("in review")
    QUESTION = "question", _("question to the author")  # a reviewer waits for the reply
    PUBLISHED = "published", _("published")
    HIDDEN = "hidden", _("hidden")  # for a while, by an admin
    REJECTED = "rejected", _("rejected")
    WITHDRAWN = "withdrawn", _("withdrawn")


REVIEWED_SETTINGS = ("prompt_strategy", "truncation", "input_limit", "output_limit", "link")
NOT_STATED = ("", None, "unknown")


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def owned_by(self, user: object) -> Self:
        return self.filter(owner=user)

    def published(self) -> Self:
        return self.filter(state=SubmissionState.PUBLISHED)

    def on_board_of(self, release: str, *, official: bool) -> Self:
        """The published ones on the board of the release with this slug. Historical entries are on
        the boards of all official data."""
        shown = models.Q(release__slug=release, origin=Submission.Origin.UPLOADED)
        if official:
            shown |= models.Q(origin=Submission.Origin.HISTORICAL)
        return self.published().filter(shown)

    def with_known_settings(self) -> Self:
        """With all that decides how predictions are made."""
        stated = self.exclude(prompt_strategy="").exclude(truncation=Submission.Truncation.UNKNOWN)
        return stated.filter(input_limit__isnull=False, output_limit__isnull=False)

    def waiting_for_review(self) -> Self:
        """In the order in which publication was requested."""
        asking = models.Q(audit_entries__action=Action.REQUEST_PUBLICATION)
        asked = models.Max("audit_entries__at", filter=asking)
        waiting = self.filter(state=SubmissionState.IN_REVIEW).alias(asked=asked)
        return waiting.order_by("asked", "pk")


class Submission(models.Model):
    """Its settings are shown with every score: they can change it by ten points."""

    class Truncation(models.TextChoices):
        MIDDLE = "middle", _("middle removed, both ends kept")
        END = "end", _("end truncated")
        START = "start", _("start truncated")
        NONE = "none", _("no truncation")
        UNKNOWN = "unknown", _("unknown")

    class Origin(models.TextChoices):
        UPLOADED = "uploaded", _("submitted")
        HISTORICAL = "historical", _("re-scored")  # scored against the labels in its own files

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    origin = models.CharField(
        max_length=10, choices=Origin, default=Origin.UPLOADED, editable=False
    )
    owner = models.ForeignKey(  # None: the site itself
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="submissions", null=True
    )
    language_model = models.ForeignKey(LanguageModel, models.PROTECT, related_name="submissions")
    release = models.ForeignKey(Release, models.PROTECT, related_name="submissions")
    state = models.CharField(
        max_length=12, choices=SubmissionState, default=SubmissionState.PRIVATE, editable=False
    )

    method = models.CharField(  # what is built around the language model; empty: the model alone
        _("method"), max_length=80, blank=True
    )
    prompt_strategy = models.CharField(_("prompt strategy"), max_length=200, blank=True)
    truncation = models.CharField(
        _("truncation"), max_length=10, choices=Truncation, default=Truncation.UNKNOWN
    )
    input_limit = models.PositiveIntegerField(
        _("input limit"), null=True, blank=True, help_text=_("In tokens.")
    )
    output_limit = models.PositiveIntegerField(
        _("output limit"), null=True, blank=True, help_text=_("In tokens.")
    )
    drop_first = models.BooleanField(_("Math.Calc answers repeat the first operand"), default=False)
    link = models.URLField(_("link"), blank=True, help_text=_("Paper, code or model card."))
    note = models.CharField(
        _("note"), max_length=300, blank=True, help_text=_("What is special about this run.")
    )
    # Whether the author has said, in a request for publication, that empty settings are not known.
    unknown_confirmed = models.BooleanField(default=False, editable=False)
    # The reviewer who looks at the request; others see that, and may take it over.
    claimed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        related_name="claimed_submissions",
        null=True,
        editable=False,
    )
    claimed_at = models.DateTimeField(null=True, editable=False)
    previous = models.ForeignKey(  # the version before this one
        "self", models.SET_NULL, null=True, blank=True, editable=False, related_name="versions"
    )

    created = models.DateTimeField(auto_now_add=True)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ["-created", "pk"]
        constraints = [
            models.CheckConstraint(
                name="uploaded_submissions_have_an_owner",
                condition=models.Q(owner__isnull=False) | ~models.Q(origin="uploaded"),
            )
        ]
        indexes = [
            models.Index(
                fields=["release"],
                condition=models.Q(state=SubmissionState.PUBLISHED),
                name="submissions_published",
            )
        ]

    def __str__(self) -> str:
        return f"{self.title} {self.created:%Y-%m-%d}"

    @property
    def title(self) -> str:
        return with_method(self.language_model.name, self.method)

    def missing_settings(self) -> list[str]:
        """The names of settings that reviewers ask for and that are not stated."""
        names = [name for name in REVIEWED_SETTINGS if getattr(self, name) in NOT_STATED]
        titles = {field.name: field.verbose_name for field in self._meta.fields}
        return [str(titles[name]) for name in names]

    @property
    def localized_prompt_strategy(self) -> str:
        return localized_strategy(self.prompt_strategy, self.origin)


def localized_strategy(prompt_strategy: str, origin: str) -> str:
    """As its author wrote it; that of a historical entry, which the site wrote, translated."""
    if prompt_strategy and origin == Submission.Origin.HISTORICAL:
        return gettext(prompt_strategy)
    return prompt_strategy
