"""A short hash of what a reviewer was shown, which the form of the decision sends back."""

import json
from hashlib import sha256
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model

from portal.models import (
    Action,
    AnswerCheck,
    AuditEntry,
    Evaluation,
    LanguageModel,
    Submission,
    SubmissionFile,
)

_LENGTH = 32  # hexadecimal digits
_OF_THE_REVIEW = {"state", "claimed_by", "claimed_at"}


def review_fingerprint(submission_id: UUID) -> str:
    """Changes with newer scores, with what stands out in the answers, with other submissions of the
    same ones, with any edit of the settings or the language model, and with a reply by the author.

    Compute it before reading the data of the page, so that a change in between counts as unseen.
    """
    scored = Evaluation.objects.scored().filter(submission=submission_id).first()
    checks = AnswerCheck.objects.filter(evaluation=scored)
    digest = scored.predictions_hash if scored else ""
    same = Evaluation.objects.scored().filter(predictions_hash=digest).exclude(predictions_hash="")
    settings = Submission.objects.filter(pk=submission_id)
    model = LanguageModel.objects.filter(submissions=submission_id)
    files = SubmissionFile.objects.filter(submission=submission_id)
    replies = AuditEntry.objects.filter(submission=submission_id, action=Action.REPLY)
    rows = [
        scored.pk if scored else None,
        [one for one in checks.values_list("flags", "copies") if any(one)],
        same.order_by().values("submission").distinct().count(),
        settings.values(*_columns(Submission)).first(),
        model.values(*_columns(LanguageModel)).first(),
        list(files.values_list("original__hash", "kept_tasks")),
        replies.count(),
    ]
    text = json.dumps(rows, cls=DjangoJSONEncoder)
    return sha256(text.encode()).hexdigest()[:_LENGTH]


def _columns(model: type[Model]) -> list[str]:
    """All columns except those of the review itself, so that a new one cannot be forgotten."""
    return [one.attname for one in model._meta.concrete_fields if one.name not in _OF_THE_REVIEW]
