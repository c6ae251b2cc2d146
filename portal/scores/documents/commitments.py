"""Commitments: the hash of what was approved is public at once, the rest when the entry is.

So nobody can use an embargo to choose among results later, and the hash gives nothing away about
the entry. The file that is published afterwards is exactly what was hashed: ``sha256sum`` checks
it. The name of the model is in it as a hash of its own, since it may stay secret longer.
"""

import secrets
from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import NamedTuple

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.timezone import now

from portal.board_version import raise_board_version
from portal.models import Commitment, Submission, SubmissionState
from portal.scores.documents.reports import report_summary
from scoring.receipts import canonical_json

FORM = "infinitebench-commitment-1"
_NONCE = 32  # bytes


class CommitmentState(StrEnum):
    SEALED = "sealed"
    OPENED = "opened"
    TAKEN_BACK = "taken back"  # before the entry was public
    GONE = "gone"  # the entry was public, and is withdrawn or hidden


class PublicCommitment(NamedTuple):
    """What everybody may read of a commitment at present."""

    commitment: Commitment
    state: CommitmentState
    payload: str  # empty if it is not public
    name: str  # of the model, with the method; empty if it is not public

    @property
    def entry(self) -> str:
        """The id of the entry; empty if it is not public."""
        return str(self.commitment.submission_id) if self.payload else ""

    @property
    def nonce(self) -> str:
        """The nonce of the name."""
        return self.commitment.model_nonce if self.name else ""


def commit(submission: Submission, *, announced_for: datetime) -> Commitment:
    """Commit to its newest scores, which were decided about. Scoring it again changes nothing.

    Call it in the transaction of the decision, late in it."""
    evaluation = submission.evaluations.scored()[0]
    model_nonce, name, sealed = secrets.token_hex(_NONCE), submission.real_title, now()
    payload = canonical_json(
        {
            "form": FORM,
            "site": settings.SITE_URL,
            # Without the time, because the file is public while the entry is anonymous.
            "sealed": f"{sealed:%Y-%m-%d}",
            "submission": str(submission.pk),
            "evaluation": evaluation.pk,
            "release": submission.release.slug,
            "model": hash_of_model(name, model_nonce),
            "predictions": evaluation.predictions_hash,
            "nonce": secrets.token_hex(_NONCE),
            **report_summary(evaluation, exact=not submission.release.hidden),
        }
    )
    raise_board_version()
    return Commitment.objects.create(
        submission=submission,
        release=submission.release,
        hash=sha256(payload.encode()).hexdigest(),
        payload=payload,
        model_nonce=model_nonce,
        model_name=name,
        sealed=sealed,
        announced_for=announced_for,
    )


def hash_of_model(name: str, nonce: str) -> str:
    """SHA-256 of the nonce, a line feed and the name, in UTF-8."""
    return sha256(f"{nonce}\n{name}".encode()).hexdigest()


def open_commitments(submission: Submission) -> None:
    _pending(submission).update(opened=Now())


def take_back_commitments(submission: Submission) -> None:
    """They stay public, as sealed and never shown."""
    if _pending(submission).update(taken_back=Now()):
        raise_board_version()


def _pending(submission: Submission) -> QuerySet[Commitment]:
    return submission.commitments.filter(opened=None, taken_back=None)


def public_commitments(
    rows: QuerySet[Commitment] | None = None,
) -> Iterator[PublicCommitment]:
    """The newest first. The scores of a withdrawn or hidden entry are not shown here either."""
    found = Commitment.objects.all() if rows is None else rows
    for one in found.select_related("submission", "release"):
        submission = one.submission
        is_shown = bool(one.opened) and submission.state == SubmissionState.PUBLISHED
        if one.taken_back:
            state = CommitmentState.TAKEN_BACK
        elif not one.opened:
            state = CommitmentState.SEALED
        else:
            state = CommitmentState.OPENED if is_shown else CommitmentState.GONE
        is_named = is_shown and not submission.anonymous
        yield PublicCommitment(
            one, state, one.payload if is_shown else "", one.model_name if is_named else ""
        )
