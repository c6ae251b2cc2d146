"""Requests of authors for pull requests with the scores of their entry. A worker opens them
(``pull_requests``); nothing here opens a connection, so pages need not load the client."""

from datetime import timedelta
from uuid import uuid4

from django.db import transaction
from django.db.models.functions import Now

from portal.endpoint_runs.keys import encrypt_key, host_of
from portal.errors import NotAllowedError, QuotaError, StateError
from portal.hub import jobs
from portal.hub.sources import model_repository
from portal.models import (
    CardRequest,
    HubJobState,
    Submission,
    User,
    hub_site,
)
from portal.permissions.access import owns
from portal.queue import enqueue_pull_request_on_commit
from portal.submissions.quotas import lock_quota

_DAILY = 20  # for one author, however they end
_WINDOW = timedelta(hours=24)


def check_public(submission: Submission) -> None:
    """Raises ``StateError``, unless the scores may be put on a model card."""
    if not submission.is_for_model_cards:
        raise StateError(
            (
                "Only an entry that is published under its name, on a release with public labels, "
                "can be put on a model card."
            ),
            "not_published",
        )


def repository_on_hub(submission: Submission) -> str:
    """Where its language model is, if its links say so; else empty."""
    return model_repository(submission.language_model.link) or model_repository(submission.link)


def request_pull_request(
    submission: Submission, repository: str, token: str, *, by: User
) -> CardRequest:
    """Store the request, with the token encrypted, and wake a worker.

    Raises ``StateError``, ``QuotaError`` and ``EndpointKeyError``.
    """
    if not owns(by, submission):
        raise NotAllowedError
    check_public(submission)
    request = CardRequest(id=uuid4(), owner=by, submission=submission, repository=repository)
    request.key = encrypt_key(token, run_id=request.pk, host=host_of(hub_site()))
    with transaction.atomic():
        lock_quota(by)
        # Only one of several requests at once succeeds.
        Submission.objects.select_for_update(no_key=True).get(pk=submission.pk)
        earlier = submission.card_requests.all()
        if earlier.open().exists():
            raise StateError("A pull request is being opened already.", "being_opened")
        if earlier.filter(repository__iexact=repository, state=HubJobState.DONE).exists():
            raise StateError(
                "There has been a pull request in this repository already.", "already_opened"
            )
        recent = CardRequest.objects.owned_by(by).filter(created__gt=Now() - _WINDOW)
        if recent.count() >= _DAILY:
            raise QuotaError(
                recent[_DAILY - 1].created + _WINDOW,
                "You have asked for %(count)s pull requests in 24 hours. Next at %(when)s UTC.",
                "card_quota",
                count=_DAILY,
            )
        request.save(force_insert=True)
        enqueue_pull_request_on_commit(request.pk)
    return request


def cancel_pull_request(submission: Submission, *, by: User) -> None:
    """Only while it waits: what a worker has begun may have reached the Hub.

    Raises ``StateError``.
    """
    if not owns(by, submission):
        raise NotAllowedError
    with transaction.atomic():
        waiting = submission.card_requests.filter(state=HubJobState.WAITING)
        request = waiting.select_for_update().first()
        if request is None or not jobs.end(request, HubJobState.CANCELLED, "cancelled"):
            raise StateError("No pull request is waiting.", "wrong_state")
