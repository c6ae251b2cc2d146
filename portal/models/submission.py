"""A submission: predictions of one language model, made with one set of settings."""

import uuid
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from portal.models.action import Action
from portal.models.language_model import LanguageModel, with_method
from portal.models.release import Release
from portal.models.visibility import SubmissionState, is_public

REVIEWED_SETTINGS = ("prompt_strategy", "truncation", "input_limit", "output_limit", "link")
NOT_STATED = ("", None, "unknown")


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def owned_by(self, user: object) -> Self:
        return self.filter(owner=user)

    def published(self) -> Self:
        return self.filter(is_public())

    def at(self, *entry_ids: str) -> Self:
        """Those whose public pages have these addresses, even if they were withdrawn or hidden."""
        return self.filter(slug__in=entry_ids)

    def unpublished(self) -> Self:
        """Neither public, nor hidden, nor withdrawn."""
        over = (SubmissionState.PUBLISHED, SubmissionState.HIDDEN, SubmissionState.WITHDRAWN)
        return self.exclude(state__in=over)

    def sent_to_review(self) -> Self:
        """Those that reviewers or everybody can see, or could."""
        return self.exclude(state=SubmissionState.PRIVATE)

    def decided(self) -> Self:
        """Those that reviewers have decided about, even if they were withdrawn later."""
        return self.exclude(state__in=(SubmissionState.PRIVATE, SubmissionState.IN_REVIEW))

    def in_use(self) -> Self:
        return self.exclude(state=SubmissionState.WITHDRAWN)

    def with_question(self) -> Self:
        """Those that wait for a reply by their author."""
        return self.filter(state=SubmissionState.QUESTION)

    def scheduled(self) -> Self:
        """In the order in which they become public."""
        return self.filter(state=SubmissionState.SCHEDULED).order_by("publish_on")

    def hidden(self) -> Self:
        return self.filter(state=SubmissionState.HIDDEN)

    def gone(self) -> Self:
        """Withdrawn or hidden, whether they were public before or not."""
        return self.filter(state__in=(SubmissionState.WITHDRAWN, SubmissionState.HIDDEN))

    def not_rejected(self) -> Self:
        return self.exclude(state=SubmissionState.REJECTED)

    def due_to_open(self) -> Self:
        """Scheduled ones whose day has come, by the database's clock."""
        return self.filter(state=SubmissionState.SCHEDULED, publish_on__lte=Now())

    def on_board_of(self, release: str, *, official: bool) -> Self:
        """Published ones on the board of the release with this slug. Historical entries are on the
        boards of all official releases."""
        shown = models.Q(release__slug=release, origin=Submission.Origin.UPLOADED)
        if official:
            shown |= models.Q(origin=Submission.Origin.HISTORICAL)
        return self.published().filter(shown)

    def for_model_cards(self) -> Self:
        """Those that are public, with scores that everybody can check."""
        uploaded = self.published().filter(origin=Submission.Origin.UPLOADED)
        return uploaded.filter(release__hidden=False)

    def with_known_settings(self) -> Self:
        """With all settings that decide how predictions are made."""
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
        MIDDLE = "middle", "middle removed, both ends kept"
        END = "end", "end truncated"
        START = "start", "start truncated"
        NONE = "none", "no truncation"
        UNKNOWN = "unknown", "unknown"

    class Origin(models.TextChoices):
        UPLOADED = "uploaded", "submitted"
        HISTORICAL = "historical", "re-scored"  # scored against the labels in its own files

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
        "method", max_length=80, blank=True
    )
    prompt_strategy = models.CharField("prompt strategy", max_length=200, blank=True)
    truncation = models.CharField(
        "truncation", max_length=10, choices=Truncation, default=Truncation.UNKNOWN
    )
    input_limit = models.PositiveIntegerField(
        "input limit", null=True, blank=True, help_text="In tokens."
    )
    output_limit = models.PositiveIntegerField(
        "output limit", null=True, blank=True, help_text="In tokens."
    )
    drop_first = models.BooleanField("Math.Calc answers repeat the first operand", default=False)
    link = models.URLField("link", blank=True, help_text="Paper, code or model card.")
    note = models.CharField(
        "note", max_length=300, blank=True, help_text="What is special about this run."
    )
    # Whether the author has stated, in a request for publication, that empty settings are not
    # known.
    unknown_confirmed = models.BooleanField(default=False, editable=False)
    # Whether the author says that it is by the maker of the model (None: not asked yet), and
    # whether a reviewer has confirmed it.
    by_maker = models.BooleanField(null=True, editable=False)
    maker_confirmed = models.BooleanField(default=False, db_default=False, editable=False)
    # The reviewer who is looking at the request; others see that, and may take over.
    claimed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        related_name="claimed_submissions",
        null=True,
        editable=False,
    )
    claimed_at = models.DateTimeField(null=True, editable=False)
    # The author's wishes in the request for publication. No day: public once it is approved.
    publish_on = models.DateTimeField(null=True, editable=False)
    show_account = models.BooleanField(default=True, db_default=True, editable=False)
    previous = models.ForeignKey(  # the version before this one
        "self", models.SET_NULL, null=True, blank=True, editable=False, related_name="versions"
    )

    # The address of the entry: given when it is published, and kept when it is hidden or withdrawn.
    slug = models.CharField(max_length=60, unique=True, null=True, editable=False)

    created = models.DateTimeField(auto_now_add=True)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ["-created", "pk"]
        constraints = [
            models.CheckConstraint(
                name="uploaded_submissions_have_an_owner",
                condition=models.Q(owner__isnull=False) | ~models.Q(origin="uploaded"),
            ),
            models.CheckConstraint(
                name="only_a_claim_to_be_the_maker_is_confirmed",
                condition=models.Q(by_maker=True) | models.Q(maker_confirmed=False),
            ),
            models.CheckConstraint(
                name="only_entries_that_were_published_have_a_slug",
                condition=models.Q(slug=None)
                | models.Q(
                    state__in=(
                        SubmissionState.PUBLISHED,
                        SubmissionState.HIDDEN,
                        SubmissionState.WITHDRAWN,
                    )
                ),
            ),
            models.CheckConstraint(
                name="scheduled_submissions_have_a_day",
                condition=models.Q(publish_on__isnull=False) | ~models.Q(state="scheduled"),
            ),
        ]
        indexes = [
            models.Index(
                fields=["release"],
                condition=models.Q(state=SubmissionState.PUBLISHED),
                name="submissions_published",
            ),
            models.Index(
                fields=["publish_on"],
                condition=models.Q(state=SubmissionState.SCHEDULED),
                name="submissions_scheduled",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title} {self.created:%Y-%m-%d}"

    @property
    def title(self) -> str:
        return with_method(self.language_model.name, self.method)

    @property
    def entry_id(self) -> str:
        """Its id in public addresses; its primary key if it was never published."""
        return self.slug or str(self.pk)

    @property
    def is_figures_only(self) -> bool:
        """Whether its scores were imported without its answers. One query."""
        return self.evaluations.filter(figures_only=True).exists()

    @property
    def is_for_model_cards(self) -> bool:
        """The same as the queryset's ``for_model_cards``. Reads the release."""
        is_public = self.state == SubmissionState.PUBLISHED
        return is_public and self.origin == self.Origin.UPLOADED and not self.release.hidden

    def missing_settings(self) -> list[str]:
        """The names of settings that reviewers ask for and that are not stated."""
        names = [name for name in REVIEWED_SETTINGS if getattr(self, name) in NOT_STATED]
        titles = {field.name: field.verbose_name for field in self._meta.fields}
        return [str(titles[name]) for name in names]
