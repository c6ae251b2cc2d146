"""Which worker has a fetch, when it is tried again, and how it ends.

A job is claimed by one conditional UPDATE and fenced by a number. Its token is deleted in the
statement that ends it, however it ends.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, InterfaceError, transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from portal.endpoint_runs.keys import EndpointKeyError, decrypt_key, host_of
from portal.hub.failures import HubError
from portal.models import HubFetch, HubJobState, hub_site
from portal.queue import enqueue_fetch

SECONDS = 150.0  # for all requests of one attempt
ATTEMPTS = 5
_WAITS = (10, 60, 300, 1_800)  # seconds before the next attempt, unless the Hub says
_DAY = timedelta(days=1)  # within which a worker must have begun

log = logging.getLogger(__name__)


class ClaimLostError(Exception):
    """Another worker has claimed the job, or it was cancelled."""


def claim(fetch_id: UUID) -> int | None:
    """The fence of the claim; None: another worker has the job, it is not due, or it has ended."""
    rows = HubFetch.objects.claimable().filter(pk=fetch_id, attempts__lt=ATTEMPTS)
    claimed = rows.update(
        state=HubJobState.RUNNING,
        fence=F("fence") + 1,
        attempts=F("attempts") + 1,
        lease_until=_expiry(),
    )
    if not claimed:
        return None
    return HubFetch.objects.values_list("fence", flat=True).get(pk=fetch_id)


def update(job: HubFetch, **columns: object) -> None:
    """Store these columns and renew the lease. Raises ``ClaimLostError``."""
    held = HubFetch.objects.held_by(job.pk, job.fence)
    if not held.update(lease_until=_expiry(), **columns):
        raise ClaimLostError


def token_of(job: HubFetch) -> str:
    """Raises ``HubError``."""
    if not job.key:
        return ""
    try:
        return decrypt_key(job.key, run_id=job.pk, host=host_of(hub_site()))
    except EndpointKeyError:
        raise HubError("token_lost") from None


@contextmanager
def failures_recorded(job: HubFetch) -> Iterator[None]:
    """An exception in the block ends the job, or schedules another attempt.

    Raises ``DatabaseError`` if the database is lost: then the lease expires.
    """
    try:
        yield
    except ClaimLostError:
        log.warning("a job of the Hub was cancelled, or given to another worker", extra=_of(job))
    except (DatabaseError, InterfaceError):
        raise
    except HubError as error:
        _retry_or_fail(job, error)
    except OSError:
        log.exception("no room for files of the Hub", extra=_of(job))
        _retry_or_fail(job, HubError("no_room"))
    except Exception:
        log.exception("a job of the Hub has failed", extra=_of(job))
        _retry_or_fail(job, HubError("our_failure"))


def _retry_or_fail(job: HubFetch, error: HubError) -> None:
    log.info("the Hub: %s", error, extra=_of(job))
    if not error.is_retried or job.attempts >= ATTEMPTS:
        end(job, HubJobState.FAILED, error.code, error.detail)
        return
    wait = error.retry_after or _WAITS[min(job.attempts, len(_WAITS)) - 1]
    held = HubFetch.objects.held_by(job.pk, job.fence)
    held.update(
        state=HubJobState.WAITING,
        lease_until=None,
        enqueued_at=None,
        due=Now() + timedelta(seconds=wait),
        reason=error.code,
        reason_details=error.detail,
    )


def give_back(job: HubFetch) -> None:
    """Leave the job to another worker, since this one stops. The attempt does not count."""
    held = HubFetch.objects.held_by(job.pk, job.fence)
    if held.update(
        state=HubJobState.WAITING, lease_until=None, due=Now(), attempts=F("attempts") - 1
    ):
        enqueue_fetch(job.pk)


def end(job: HubFetch, state: HubJobState, reason: str = "", details: str = "") -> bool:
    """End the job and delete its token. Returns whether it was still open."""
    rows = HubFetch.objects.filter(pk=job.pk, fence=job.fence)
    return bool(rows.end(state, reason, details))


def cancel(job: HubFetch) -> bool:
    """End the job. A worker that has it learns of this at its next heartbeat; a result that it
    stores before that is refused."""
    with transaction.atomic():
        locked = HubFetch.objects.select_for_update().get(pk=job.pk)
        return end(locked, HubJobState.CANCELLED, "cancelled")


def sweep_fetches() -> int:
    """Wake workers for jobs whose message or worker was lost and for those that are due again; end
    those that have lost a worker in every attempt, or found none. Returns how many. Any number of
    sweepers may run at once."""
    lost = Q(state=HubJobState.RUNNING, lease_until__lt=Now(), attempts__gte=ATTEMPTS)
    ended = 0
    for job in HubFetch.objects.filter(lost):
        ended += end(job, HubJobState.FAILED, "worker_lost")
    for job in HubFetch.objects.filter(state=HubJobState.WAITING, created__lt=Now() - _DAY):
        ended += end(job, HubJobState.FAILED, "not_begun")
    long_ago = Now() - timedelta(seconds=settings.RESEND)
    unsent = Q(enqueued_at=None) | Q(enqueued_at__lt=long_ago) | Q(enqueued_at__lt=F("due"))
    resent = 0
    for job_id in HubFetch.objects.claimable().filter(unsent).values_list("pk", flat=True)[:100]:
        if not enqueue_fetch(job_id):
            break
        resent += 1
    return ended + resent


def _expiry() -> object:
    return Now() + timedelta(seconds=settings.LEASE)


def _of(job: HubFetch) -> dict[str, str]:
    return {"hub_job": str(job.pk)}
