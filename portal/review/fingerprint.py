"""What somebody has looked at before they decide, as a short hash that their form brings back."""

import json
from hashlib import sha256
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model

from portal.models import Evaluation, LanguageModel, Submission

_LENGTH = 32  # hexadecimal digits
_NOT_SHOWN = ("state",)  # whether that has changed is told in words of its own


def review_fingerprint(submission_id: UUID) -> str:
    """Another one as soon as there are newer scores, or anything is told otherwise of the run or of
    its language model. To be asked for before the page is read that it stands for: what is changed
    between the two then counts as not seen.
    """
    scored = Evaluation.objects.scored().filter(submission=submission_id)
    run = Submission.objects.filter(pk=submission_id)
    model = LanguageModel.objects.filter(submissions=submission_id)
    rows = [
        scored.values_list("pk", flat=True).first(),
        run.values(*_columns(Submission)).first(),
        model.values(*_columns(LanguageModel)).first(),
    ]
    text = json.dumps(rows, cls=DjangoJSONEncoder)
    return sha256(text.encode()).hexdigest()[:_LENGTH]


def _columns(model: type[Model]) -> list[str]:
    """All of them, so that none that is new can be forgotten here."""
    return [one.attname for one in model._meta.concrete_fields if one.name not in _NOT_SHOWN]
