"""From how many scored submissions of its model an entry was chosen.

Whoever has fourteen variants scored and publishes the best one has a better number by luck alone.
"""

from collections.abc import Collection
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Now

from portal.models import Action, AuditEntry, FormerModel, ScoredAttempt, Submission


def scored_attempts(submissions: Collection[UUID]) -> dict[UUID, int]:
    """By submission: how many different sets of predictions its account has had scored for this
    model on this release until it was published, or until now; those that were deleted since count
    too. Without submissions that the site itself has made. One query."""
    of_submission = OuterRef(OuterRef("pk"))
    published = AuditEntry.objects.filter(
        submission=of_submission, action__in=(Action.PUBLISH, Action.OPEN)
    )
    last_published = Subquery(published.order_by("-number").values("at")[:1])
    merged = FormerModel.objects.filter(language_model=OuterRef(OuterRef("language_model")))
    attempts = ScoredAttempt.objects.filter(
        Q(language_model=OuterRef("language_model__slug"))
        | Q(language_model__in=merged.values("slug"))
        | Q(model_name__iexact=OuterRef("language_model__name")),
        owner=OuterRef("owner"),
        release=OuterRef("release__slug"),
        at__lte=Coalesce(last_published, Now()),
    )
    predictions = attempts.order_by().values("predictions").distinct()
    rows = Submission.objects.filter(pk__in=submissions).order_by()
    counted = rows.values_list("pk", ArraySubquery(predictions))
    return {pk: len(hashes) for pk, hashes in counted if hashes}
