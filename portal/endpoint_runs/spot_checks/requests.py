"""Requests for spot checks of uploaded entries. A worker makes the checks (``checks``); nothing
here opens a connection, so that pages need not import what does.

The seed of the questions is the head of the audit log at the time of the request, so that nobody
can choose them.
"""

from dataclasses import asdict, replace
from datetime import timedelta

from django.conf import settings as site
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from portal.audit.records import log_spot_check
from portal.endpoint_runs.keys import encrypt_key, host_of
from portal.errors import NotAllowedError, QuotaError, StateError
from portal.models import AuditHead, EndpointRun, Evaluation, Example, SpotCheck, Submission, User
from portal.permissions.access import owns
from portal.queue import enqueue_spot_check_on_commit
from scoring.endpoint.settings import Caps, RunSettings
from scoring.endpoint.spot_check import COMPARED

WINDOW = timedelta(days=7)  # in which an entry may have one check that counts
_IN_VAIN = 3  # checks in that time that do not count: they cost the endpoint something too
_AT_ONCE = 4  # requests
_ATTEMPTS = 3  # of a question
_SECONDS = 1_500  # of a batch; a request that is in flight then has its own time on top


def why_no_check(submission: Submission, user: User) -> StateError | None:
    """Why this user may not have it checked; None if they may. Quotas: ``why_not_yet``."""
    if not owns(user, submission):
        return NotAllowedError()
    if EndpointRun.objects.filter(submission=submission).exists():
        return StateError(
            "The site has asked the endpoint itself: there is nothing to check.", "run_by_us"
        )
    evaluation = submission.evaluations.scored().first()
    if evaluation is None:
        return StateError("It has no scores yet.", "not_scored")
    if not askable_questions(evaluation).exists():
        return StateError(
            "The texts of this release are not here, so its questions cannot be asked.",
            "no_texts",
        )
    return None


def why_not_yet(submission: Submission) -> QuotaError | None:
    """The error says when the next check is possible; None: now."""
    recent = SpotCheck.objects.filter(submission=submission, created__gt=Now() - WINDOW)
    if last := recent.counted().first():
        message = "An entry is checked once a week. The next check is possible from %(when)s UTC."
        return QuotaError(last.created + WINDOW, message, "checked_this_week")
    in_vain = list(recent[:_IN_VAIN])  # the newest first
    if len(in_vain) < _IN_VAIN:
        return None
    message = (
        "%(count)s checks of this entry have ended this week before a question was compared: the "
        "next one is possible from %(when)s UTC."
    )
    return QuotaError(in_vain[-1].created + WINDOW, message, "checks_in_vain", count=_IN_VAIN)


def request_spot_check(
    submission: Submission, settings: RunSettings, key: str, by: User
) -> SpotCheck:
    """Store the key encrypted, and wake a worker. An empty key: the endpoint wants none.

    Raises ``StateError``, and ``QuotaError`` for a second check within a week, or for a fourth
    after three that did not count.
    """
    with transaction.atomic():
        locked = Submission.objects.select_for_update(no_key=True).get(pk=submission.pk)
        if refusal := why_no_check(locked, by):
            raise refusal
        if refused := why_not_yet(locked):
            raise refused
        head = AuditHead.objects.first()
        check = SpotCheck(
            submission=locked,
            requested_by=by,
            settings={**asdict(settings), "tasks": list(settings.tasks)},
            seed=f"{head.entries}:{head.hash}" if head else "0:",
        )
        check.key = encrypt_key(key, run_id=check.pk, host=host_of(settings.url)) if key else ""
        check.save(force_insert=True)
        log_spot_check(check, by=by)
        enqueue_spot_check_on_commit(check.pk)
    return check


def settings_for_check(settings: RunSettings) -> RunSettings:
    """The author's settings within the limits of a check."""
    return replace(
        settings,
        concurrency=min(settings.concurrency, _AT_ONCE),
        attempts=min(settings.attempts, _ATTEMPTS),
        timeout=min(settings.timeout, site.RUN_TIMEOUT),
        caps=Caps(seconds=_SECONDS),
        subset="all",
        limit=None,
    )


def askable_questions(evaluation: Evaluation) -> QuerySet[Example]:
    """The questions of the evaluation whose contexts are stored. With hidden labels without
    Math.Calc, where agreement depends on the label."""
    hidden = evaluation.submission.release.hidden
    return Example.objects.filter(
        data_set__scores__evaluation=evaluation,
        data_set__task__in=[task for task in COMPARED if not (hidden and task == "math_calc")],
        context__isnull=False,
    ).distinct()
