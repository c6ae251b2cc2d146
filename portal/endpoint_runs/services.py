"""What people and workers do with runs: start, pause, resume, stop, end.

``STEPS`` says who may do what, and when. Each step is one transaction with its audit entry, under
the lock of the run's row. Nothing here waits for workers: they check the row every second.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Literal, NamedTuple

from django.conf import settings as site
from django.db import transaction
from django.db.models import Case, DurationField, ExpressionWrapper, F, When
from django.db.models.functions import Extract, Now
from django.utils import timezone

from portal.audit.records import log_run
from portal.endpoint_runs.configuration.wording import in_words
from portal.endpoint_runs.keys import decrypt_key, encrypt_key, host_of, idle_key_end
from portal.endpoint_runs.limits import check_at_once, check_day
from portal.endpoint_runs.questions import plan_run, settings_of_run
from portal.errors import NotAllowedError, StateError
from portal.models import (
    EndpointRun,
    QuestionState,
    RunAction,
    RunEnding,
    RunQuestion,
    RunSlice,
    RunState,
    User,
)
from portal.permissions.access import Reader, owns
from portal.queue import enqueue_hand_in_on_commit, enqueue_slices_on_commit
from portal.submissions.quotas import count_upload, lock_quota
from scoring.endpoint.run.records import Outcome
from scoring.endpoint.settings import RunSettings, SettingsError, check_money_cap
from scoring.endpoint.templates import Strategy
from scoring.endpoint.transport.hosts import check_key_is_safe

Actor = Literal["owner", "admin", "site"]  # site: a worker


class Step(NamedTuple):
    actors: frozenset[Actor]
    before: frozenset[RunState]


_OPEN = frozenset({RunState.RUNNING, RunState.PAUSED})
STEPS: Mapping[RunAction, Step] = {
    RunAction.START: Step(frozenset({"owner"}), frozenset({RunState.DRAFT})),
    RunAction.PAUSE: Step(frozenset({"owner", "admin", "site"}), frozenset({RunState.RUNNING})),
    RunAction.RESUME: Step(frozenset({"owner"}), frozenset({RunState.PAUSED})),
    RunAction.STOP: Step(frozenset({"owner", "admin"}), _OPEN),
    RunAction.END: Step(frozenset({"site"}), _OPEN),
}

# Outcomes of questions that a resumed run asks again.
UNANSWERED = (Outcome.ENDPOINT_FAILED, Outcome.OUR_FAILURE)
_NOT_ASKED = {
    "state": QuestionState.WAITING, "outcome": "", "detail": "", "ended_at": None,
    "counted": None, "estimated": False, "sight": "", "lost": None,
}  # fmt: skip

# How long a run in the state RUNNING has been running, without its pauses.
RUNNING_SECONDS = F("active_seconds") + Extract(
    ExpressionWrapper(Now() - F("resumed"), output_field=DurationField()), "epoch"
)


def why_not(run: EndpointRun, action: RunAction, user: Reader | None) -> StateError | None:
    """Why this user may not do it, or not now; None if they may. ``user`` None: the site itself."""
    step = STEPS[action]
    if step.actors.isdisjoint(_actors(run, user)):
        return NotAllowedError()
    if run.state not in step.before:
        message = "The status of the run is now “%(state)s”, so this is not possible."
        return StateError(message % {"state": run.get_state_display()}, "wrong_state")
    if run.ending and action != RunAction.END:
        return StateError("The run is coming to its end.", "wrong_state")
    return None


def _actors(run: EndpointRun, user: Reader | None) -> set[Actor]:
    if user is None:
        return {"site"}
    found: set[Actor] = set()
    if owns(user, run):
        found.add("owner")
    if isinstance(user, User) and user.is_admin:
        found.add("admin")
    return found


def state_seen(run: EndpointRun) -> str:
    """A hash of what the page shows before the start, which another tab may change meanwhile."""
    questions = run.same_questions_as_id
    seen = (run.settings, run.release_id, run.language_model_id, run.method, run.key, questions)
    return hashlib.sha256(json.dumps(seen, sort_keys=True, default=str).encode()).hexdigest()[:16]


def start_run(
    run: EndpointRun, by: User, key: str | None = None, seen: str | None = None
) -> EndpointRun:
    """Fix the questions and their order, and wake the workers. The stored key is used unless
    another is given, which is stored encrypted; an empty key: the endpoint wants none. ``seen``:
    what the person has agreed to (``state_seen``).

    Returns the run as it is then. Raises ``StateError``, ``QuotaError``, ``ReleaseError`` and
    ``EndpointKeyError``.
    """
    with transaction.atomic():
        lock_quota(by)
        check_at_once(by)
        locked = _lock_for(RunAction.START, run, by)
        if seen is not None and seen != state_seen(locked):
            raise StateError(
                "It was changed since this page was opened: look at it again before you start.",
                "changed_meanwhile",
            )
        check_day(by)
        if locked.release.hidden:  # its scores reveal as much about the labels as an upload's
            count_upload(by, locked.pk)
        if not locked.release.accepts_submissions:
            raise StateError("This release is closed for submissions.", "release_closed")
        settings = _checked(locked, key)
        try:
            check_money_cap(settings)
        except SettingsError as error:
            raise StateError(in_words(error), "settings") from error
        if locked.release.hidden and settings.strategy == Strategy.EVIDENCE_ONLY:
            raise StateError(
                "On a hidden release the evidence is secret: choose another prompt strategy.",
                "hidden_evidence",
            )
        if not plan_run(locked):
            raise StateError("These settings leave no questions to ask.", "no_questions")
        _share_out(locked, settings)
        if key is not None:
            locked.key = _encrypted(locked, settings, key)
        _go(locked, RunAction.START, by)
    return _now(locked)


def pause_run(run: EndpointRun, by: User) -> EndpointRun:
    """Send no more requests; answers in flight are still stored. Raises ``StateError``."""
    with transaction.atomic():
        locked = _lock_for(RunAction.PAUSE, run, by)
        change_to_paused(locked, by, reason="by_owner")
    return _now(locked)


def pause_run_as_admin(run: EndpointRun, by: User, reason: str) -> EndpointRun:
    """``reason``: in words, for the author and the log. Raises ``StateError``."""
    with transaction.atomic():
        locked = _lock_for(RunAction.PAUSE, run, by)
        change_to_paused(locked, by, reason="by_admin", details=reason, logged=reason)
    return _now(locked)


def change_to_paused(
    locked: EndpointRun, by: User | None, *, reason: str, details: str = "", logged: str = ""
) -> None:
    """``locked``: a running run, in the transaction that has locked it. ``reason`` is a code of
    ``portal.endpoint_runs.progress.sentences``. The details may be the
    endpoint's own words, so the audit log, from which nothing is ever deleted, gets the code, or
    ``logged`` if that is given."""
    before, locked.state = locked.state, RunState.PAUSED
    rows = EndpointRun.objects.filter(pk=locked.pk)
    rows.update(
        state=RunState.PAUSED,
        reason=reason,
        reason_details=details,
        active_seconds=RUNNING_SECONDS,
        key_until=Case(When(key="", then=None), default=idle_key_end()),
    )
    log_run(locked, RunAction.PAUSE, before, by=by, reason=logged or reason)


def resume_run(
    run: EndpointRun, by: User, key: str | None = None, concurrency: int | None = None
) -> EndpointRun:
    """Go on, with another key or concurrency if given. Questions that have failed are asked again,
    answered ones never. Raises ``StateError`` and ``QuotaError``."""
    with transaction.atomic():
        lock_quota(by)
        check_at_once(by)
        locked = _lock_for(RunAction.RESUME, run, by)
        before = settings_of_run(locked).concurrency
        if concurrency is not None and concurrency != before:
            locked.settings = {**locked.settings, "concurrency": concurrency}
            change = [timezone.now().isoformat(), before, concurrency]
            locked.concurrency_changes = [*(locked.concurrency_changes or []), change]
        settings = _checked(locked, key)
        if key is not None:
            locked.key = _encrypted(locked, settings, key)
        failed = RunQuestion.objects.filter(run=locked, outcome__in=UNANSWERED)
        failed.ended().update(**_NOT_ASKED)
        _share_out(locked, settings)
        _go(locked, RunAction.RESUME, by)
    return _now(locked)


def stop_run(run: EndpointRun, by: User) -> EndpointRun:
    """End it for good with the answers so far, once the workers have given back their slices, which
    takes seconds. Raises ``StateError``."""
    with transaction.atomic():
        locked = _lock_for(RunAction.STOP, run, by)
        locked.reason = locked.reason_details = ""  # of an earlier pause
        _stop(locked, by)
    return _now(run)


def stop_run_as_admin(run: EndpointRun, by: User, reason: str) -> EndpointRun:
    """``reason``: in words, for the author and the log. Raises ``StateError``."""
    with transaction.atomic():
        locked = _lock_for(RunAction.STOP, run, by)
        locked.reason, locked.reason_details = "stopped_by_admin", reason
        _stop(locked, by, reason)
    return _now(run)


def _stop(locked: EndpointRun, by: User, logged: str = "") -> None:
    locked.ending = RunEnding.STOPPED
    locked.save(update_fields=["ending", "reason", "reason_details"])
    log_run(locked, RunAction.STOP, locked.state, by=by, reason=logged)
    end_if_over(locked)


def end_if_over(locked: EndpointRun) -> None:
    """End the run if no worker has a slice of it, and either nothing is left to ask or it is ending
    anyway. Called in the transaction that has locked it.

    A run that was stopped or reached a cap while its last answers were in flight has asked all of
    its questions: it counts as finished."""
    if locked.state not in _OPEN or locked.slices.exclude(lease_until=None).exists():
        return
    is_left = locked.questions.exclude(state=QuestionState.ENDED).exists()
    if not locked.ending and (is_left or locked.state != RunState.RUNNING):
        return
    if not is_left:
        if locked.ending == RunEnding.CAP:
            locked.reason = locked.reason_details = ""
        locked.ending = RunEnding.FINISHED
    end_run(locked)


def end_run(locked: EndpointRun) -> None:
    """Deletes the key; after commit the answers are submitted."""
    before, locked.state = locked.state, RunState.ENDED
    seconds = RUNNING_SECONDS if before == RunState.RUNNING else F("active_seconds")
    EndpointRun.objects.filter(pk=locked.pk).update(
        state=RunState.ENDED,
        ending=locked.ending,
        reason=locked.reason,
        reason_details=locked.reason_details,
        key="",
        key_until=None,
        ended=Now(),
        active_seconds=seconds,
    )
    locked.slices.all().delete()
    enqueue_hand_in_on_commit(locked.pk)
    log_run(locked, RunAction.END, before, by=None, reason=locked.ending)


def _lock_for(action: RunAction, run: EndpointRun, by: User | None) -> EndpointRun:
    """The row, locked until the transaction ends. Raises ``StateError``."""
    rows = EndpointRun.objects.select_related("language_model", "release", "same_questions_as")
    locked = rows.select_for_update(no_key=True, of=("self",)).get(pk=run.pk)
    if refusal := why_not(locked, action, by):
        raise refusal
    return locked


def _now(run: EndpointRun) -> EndpointRun:
    return EndpointRun.objects.get(pk=run.pk)


def _checked(locked: EndpointRun, key: str | None) -> RunSettings:
    """The settings to run with. ``key`` None: the stored one.

    Raises ``StateError`` if they cannot be used, if the key could be read in transit, or if it was
    deleted and no other is given; ``EndpointKeyError`` if the stored key is for another host.
    """
    if key is None and locked.is_key_deleted:
        raise StateError(
            "The key was deleted after days in which the run was not running: enter it again.",
            "key_deleted",
        )
    try:
        settings = settings_of_run(locked)
        if key is None and locked.key:  # another tab may have saved another address meanwhile
            key = decrypt_key(locked.key, run_id=locked.pk, host=host_of(settings.url))
        check_key_is_safe(settings.url, key or "")
    except SettingsError as error:
        raise StateError(str(error), "settings") from error
    return settings


def _encrypted(run: EndpointRun, settings: RunSettings, key: str) -> str:
    return encrypt_key(key, run_id=run.pk, host=host_of(settings.url)) if key else ""


def _share_out(run: EndpointRun, settings: RunSettings) -> None:
    """Divide the concurrency into slices. A slice that a worker still has is not taken from it: the
    worker sees that the run was resumed, and gives the slice back."""
    widths = slice_widths(settings.concurrency, settings.requests_per_minute)
    run.slices.filter(number__gte=len(widths)).update(width=0)
    for number, width in enumerate(widths):
        RunSlice.objects.update_or_create(run=run, number=number, defaults={"width": width})


def slice_widths(concurrency: int, requests_per_minute: int | None) -> list[int]:
    """As few slices as possible, wide ones first, since there may be only one worker; and no more
    than requests a minute, so that each may send at least one."""
    total = min(concurrency, site.RUN_CONCURRENCY)
    starts = range(0, total, site.RUN_WIDTH)[:requests_per_minute]
    return [min(site.RUN_WIDTH, total - start) for start in starts]


def _go(locked: EndpointRun, action: RunAction, by: User) -> None:
    before, locked.state = locked.state, RunState.RUNNING
    locked.reason, locked.reason_details, locked.key_until = "", "", None
    columns = [
        "state", "owner", "key", "key_until", "settings", "concurrency_changes", "reason",
        "reason_details",
    ]  # fmt: skip
    locked.save(update_fields=columns)
    started = {"started": Now()} if action == RunAction.START else {}
    EndpointRun.objects.filter(pk=locked.pk).update(resumed=Now(), **started)
    enqueue_slices_on_commit(locked.pk)
    log_run(locked, action, before, by=by)
