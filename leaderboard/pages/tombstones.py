"""What remains of withdrawn and hidden entries: the model's name, the data, dates; no scores."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.db.models import OuterRef, Subquery

from portal.models import AuditEntry, LanguageModel, Submission, SubmissionState
from portal.models.submission import SubmissionQuerySet

_PUBLIC = (SubmissionState.PUBLISHED, SubmissionState.HIDDEN)  # a hidden one was public before


class Tombstone(NamedTuple):
    submission: Submission
    published: datetime
    ended: datetime

    @property
    def is_withdrawn(self) -> bool:
        """Otherwise it is hidden, and may come back."""
        return self.submission.state == SubmissionState.WITHDRAWN


def entry_tombstone(entry_id: str) -> Tombstone | None:
    """None if there is no such entry, if it is public, or if it was private when it was
    withdrawn."""
    found = _tombstones(Submission.objects.at(entry_id))
    return found[0] if found else None


def model_tombstones(model: LanguageModel) -> list[Tombstone]:
    """Newest first."""
    found = _tombstones(model.submissions.all())
    return sorted(found, key=lambda tombstone: tombstone.ended, reverse=True)


def _tombstones(submissions: SubmissionQuerySet) -> list[Tombstone]:
    history = AuditEntry.objects.filter(submission=OuterRef("pk")).order_by("number")
    changes = history.exclude(before="").order_by("-number")
    gone: Iterable[Submission] = (
        submissions.gone()
        .select_related("language_model", "release")
        .annotate(
            public_before=Subquery(changes.filter(after=OuterRef("state")).values("before")[:1]),
            published=Subquery(history.filter(after=SubmissionState.PUBLISHED).values("at")[:1]),
            ended=Subquery(changes.filter(before=SubmissionState.PUBLISHED).values("at")[:1]),
        )
        .filter(public_before__in=_PUBLIC, published__isnull=False, ended__isnull=False)
    )
    return [Tombstone(one, one.published, one.ended) for one in gone]  # type: ignore[attr-defined]
