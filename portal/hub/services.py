"""Requests of authors to fetch files from the Hub and submit them. A worker does it (``fetching``);
nothing here opens a connection, so pages need not load the client."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models.functions import Now

from portal.endpoint_runs.keys import encrypt_key, host_of
from portal.errors import QuotaError, StateError
from portal.hub import jobs
from portal.hub.sources import HubSource
from portal.language_models.services import create_language_model
from portal.models import HubFetch, LanguageModel, Release, Submission, User, hub_site
from portal.queue import enqueue_fetch_on_commit
from portal.submissions.files.originals import KeptFile
from portal.submissions.quotas import lock_quota, quota_of
from portal.submissions.services import SubmissionSettings, check_submittable

_AT_ONCE = 3  # for one author
_DAILY = 100  # likewise, however they end: the Hub counts the requests of each as ours
_WINDOW = timedelta(hours=24)


def request_fetch(
    source: HubSource,
    *,
    owner: User,
    language_model: LanguageModel,
    release: Release,
    settings: SubmissionSettings,
    token: str = "",
    task: str = "",
    previous: Submission | None = None,
    kept: Sequence[KeptFile] = (),
    fetch_id: UUID | None = None,
) -> HubFetch:
    """Store the request, with the token encrypted, and wake a worker.

    An id that the owner has used before returns the first request. A language model without a row
    is created. Raises ``StateError``, ``QuotaError`` and ``EndpointKeyError``.
    """
    check_submittable(owner, previous, release=release)
    fetch = HubFetch(
        id=fetch_id or uuid4(),
        owner=owner,
        language_model=language_model,
        release=release,
        previous=previous,
        settings=asdict(settings),
        kept=[(one.original.pk, one.tasks) for one in kept],
        task=task,
        **asdict(source),
    )
    if token:
        fetch.key = encrypt_key(token, run_id=fetch.pk, host=host_of(hub_site()))
    with transaction.atomic():
        lock_quota(owner)
        if first := HubFetch.objects.filter(pk=fetch.pk).first():
            if first.owner_id != owner.pk:
                raise StateError("This form has expired. Please reload the page.", "out_of_date")
            return first
        if Submission.objects.filter(pk=fetch.pk).exists():
            raise StateError("This form has expired. Please reload the page.", "out_of_date")
        if refusal := quota_of(owner).refusal() or _fetch_refusal_for(owner):
            raise refusal
        if language_model.pk is None:
            create_language_model(language_model, owner=owner)
        fetch.save(force_insert=True)
        enqueue_fetch_on_commit(fetch.pk)
    return fetch


def _fetch_refusal_for(owner: User) -> QuotaError | None:
    own = HubFetch.objects.owned_by(owner)
    if own.open().count() >= _AT_ONCE:
        return QuotaError(
            message=(
                "%(count)s submissions of yours are being fetched from the Hub. Wait until one of "
                "them has arrived, or cancel one."
            ),
            code="too_many_fetches",
            count=_AT_ONCE,
        )
    recent = own.filter(created__gt=Now() - _WINDOW)
    if recent.count() < _DAILY:
        return None
    return QuotaError(
        recent[_DAILY - 1].created + _WINDOW,
        "You have had files fetched %(count)s times in 24 hours. Next time from %(when)s UTC.",
        "fetch_quota",
        count=_DAILY,
    )


def cancel_fetch(fetch: HubFetch) -> None:
    """Raises ``StateError``."""
    if not jobs.cancel(fetch):
        raise StateError("It has ended already.", "wrong_state")


def is_known(owner: User, submission_id: UUID) -> bool:
    """Whether a request with this id was made before; its submission may have been deleted."""
    return HubFetch.objects.owned_by(owner).filter(pk=submission_id).exists()


def submission_to_come(fetch: HubFetch) -> Submission:
    """The submission that the files will become; it has no row yet."""
    return Submission(
        id=fetch.pk,
        owner=fetch.owner,
        language_model=fetch.language_model,
        release=fetch.release,
        created=fetch.created,
        **fetch.settings,
    )
