"""Which worker has a job, when it is tried again, and how it ends: for all jobs that ask the Hub.

A job is claimed by one conditional UPDATE and fenced by a number. Its token is deleted in the
statement that ends it, however it ends.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, InterfaceError, transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from portal.endpoint_runs.keys import EndpointKeyError, decrypt_key, host_of
from portal.hub.failures import HubError
from portal.models import HubJob, HubJobState, hub_site

SECONDS = 150.0  # of one attempt, with everything that it asks for
ATTEMPTS = 5
_WAITS = (10, 60, 300, 1_800)  # seconds before the next attempt, where the Hub does not say
_DAY = timedelta(days=1)  # in which a worker must have begun

log = logging.getLogger(__name__)


class ClaimLostError(Exception):
    """Another worker has claimed the job, or it was cancelled."""


def claim(model: type[HubJob], job_id: UUID) -> int | None:
    """The fence of the claim; None: another worker has it, it is not due, or it has ended."""
    rows = model.objects.claimable().filter(pk=job_id, attempts__lt=ATTEMPTS)
    claimed = rows.update(
        state=HubJobState.RUNNING,
        fence=F("fence") + 1,
        attempts=F("attempts") + 1,
        lease_until=_expiry(),
    )
    if not claimed:
        return None
    return model.objects.values_list("fence", flat=True).get(pk=job_id)


def update(job: HubJob, **columns: object) -> None:
    """Renews the lease. Raises ``ClaimLostError``."""
    held = type(job).objects.held_by(job.pk, job.fence)
    if not held.update(lease_until=_expiry(), **columns):
        raise ClaimLostError


def token_of(job: HubJob) -> str:
    """Raises ``HubError``."""
    if not job.key:
        return ""
    try:
        return decrypt_key(job.key, run_id=job.pk, host=host_of(hub_site()))
    except EndpointKeyError:
        raise HubError("token_lost") from None


@contextmanager
def failures_recorded(job: HubJob) -> Iterator[None]:
    """What goes wrong within ends the job, or puts it off.

    Raises ``DatabaseError`` where the database is lost: then the lease expires.
    """
    try:
        yield
    except ClaimLostError:
        log.warning("a job of the Hub was cancelled, or given to another worker", extra=_of(job))
    except (DatabaseError, InterfaceError):
        raise
    except HubError as error:
        _put_off(job, error)
    except OSError:
        log.exception("no room for files of the Hub", extra=_of(job))
        _put_off(job, HubError("no_room"))
    except Exception:
        log.exception("a job of the Hub has failed", extra=_of(job))
        _put_off(job, HubError("our_failure"))


def _put_off(job: HubJob, error: HubError) -> None:
    log.info("the Hub: %s", error, extra=_of(job))
    if not error.is_retried or job.attempts >= ATTEMPTS:
        end(job, HubJobState.FAILED, error.code, error.detail)
        return
    wait = error.retry_after or _WAITS[min(job.attempts, len(_WAITS)) - 1]
    held = type(job).objects.held_by(job.pk, job.fence)
    held.update(
        state=HubJobState.WAITING,
        lease_until=None,
        enqueued_at=None,
        due=Now() + timedelta(seconds=wait),
        reason=error.code,
        reason_details=error.detail,
    )


def give_back(job: HubJob, send: Callable[[UUID], object]) -> None:
    """The worker is being stopped: this attempt does not count."""
    held = type(job).objects.held_by(job.pk, job.fence)
    if held.update(
        state=HubJobState.WAITING, lease_until=None, due=Now(), attempts=F("attempts") - 1
    ):
        send(job.pk)


def end(
    job: HubJob, state: HubJobState, reason: str = "", details: str = "", **columns: object
) -> bool:
    """Whether it was open until now. The token is deleted here."""
    rows = type(job).objects.filter(pk=job.pk, fence=job.fence)
    return bool(rows.end(state, reason, details, **columns))


def cancel(job: HubJob) -> bool:
    """A worker that has it finds out at its next heartbeat, and its result is refused before."""
    with transaction.atomic():
        locked = type(job).objects.select_for_update().get(pk=job.pk)
        return end(locked, HubJobState.CANCELLED, "cancelled")


def sweep(model: type[HubJob], send: Callable[[UUID], bool]) -> int:
    """Wake workers for those whose message or worker was lost and those that are due again; end
    those that lose every worker, or find none. Returns how many. Any number may run at once."""
    lost = Q(state=HubJobState.RUNNING, lease_until__lt=Now(), attempts__gte=ATTEMPTS)
    ended = 0
    for job in model.objects.filter(lost):
        ended += end(job, HubJobState.FAILED, "worker_lost")
    for job in model.objects.filter(state=HubJobState.WAITING, created__lt=Now() - _DAY):
        ended += end(job, HubJobState.FAILED, "not_begun")
    long_ago = Now() - timedelta(seconds=settings.RESEND)
    unsent = Q(enqueued_at=None) | Q(enqueued_at__lt=long_ago) | Q(enqueued_at__lt=F("due"))
    resent = 0
    for job_id in model.objects.claimable().filter(unsent).values_list("pk", flat=True)[:100]:
        if not send(job_id):
            break
        resent += 1
    return ended + resent


def _expiry() -> object:
    return Now() + timedelta(seconds=settings.LEASE)


def _of(job: HubJob) -> dict[str, str]:
    return {"hub_job": str(job.pk)}
