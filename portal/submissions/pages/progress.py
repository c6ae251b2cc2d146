"""What the page of a submission says while it waits or is scored, and how often it polls."""

import hashlib
from dataclasses import astuple, dataclass
from datetime import datetime
from math import ceil
from typing import NamedTuple

from django.conf import settings
from django.db.models import Max
from django.db.models.functions import Now

from portal.evaluations.waits import outlook_of
from portal.models import ATTEMPTS, Evaluation, EvaluationState, Stage
from scoring.text.plurals import plural

# Age in seconds → milliseconds between polls; frequent at first, since scoring is quick.
_INTERVALS = ((15, 300), (60, 1_000), (600, 3_000))
_SLOWEST = 10_000
_STALLED = 15  # seconds in which a free worker would have taken it
_UNDER_WAY = (EvaluationState.QUEUED, EvaluationState.RUNNING)


class Reason(NamedTuple):
    code: str
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Progress:
    evaluation: int
    state: str
    sentence: str  # screen readers read it out when it changes
    reasons: tuple[Reason, ...]  # why it waits
    interval: int  # milliseconds between polls
    ahead: int | None = None  # evaluations, while it is queued
    seconds: int | None = None  # until it is scored, roughly; None: not known

    @property
    def etag(self) -> str:
        """Covers all fields: a page that shows this state needs no new one."""
        return hashlib.sha256(repr(astuple(self)).encode()).hexdigest()[:16]

    @property
    def reload(self) -> int:
        """Seconds between reloads of the page if JavaScript is off."""
        return max(2, self.interval // 1_000)


class _Times(NamedTuple):
    now: datetime  # by the database's clock
    since: datetime  # when it was submitted, last taken by a worker, or last changed by a person

    @property
    def age(self) -> int:
        return self.seconds_after(self.since)

    def seconds_after(self, moment: datetime) -> int:
        return int((self.now - moment).total_seconds())


def progress_of(evaluation: Evaluation) -> Progress | None:
    """None if the evaluation is neither queued nor running."""
    if evaluation.state not in _UNDER_WAY:
        return None
    times = _Times(*Evaluation.objects.times_of(evaluation.pk))
    # Since a person last asked for it.
    attempts = evaluation.attempt - (evaluation.attempts_allowed - ATTEMPTS)
    ahead = seconds = None
    if evaluation.state == EvaluationState.QUEUED:
        ahead, expected = outlook_of(evaluation)
        seconds = None if expected is None else _rounded(expected)
        sentence, reasons = _queued(evaluation, times, attempts + 1, ahead, seconds)
    else:
        sentence, reasons = _running(evaluation), _earlier_attempts(attempts)
        if evaluation.lease_until and times.now > evaluation.lease_until:
            lost = "The worker stopped responding. Another one will take over shortly."
            reasons.append(Reason("worker_lost", lost))
        reasons += _time_so_far(times)
    interval = next((pause for limit, pause in _INTERVALS if times.age < limit), _SLOWEST)
    return Progress(
        evaluation.pk, evaluation.state, sentence, tuple(reasons), interval, ahead, seconds
    )


def _running(evaluation: Evaluation) -> str:
    if evaluation.stage not in Stage:
        return "Scoring…"
    stage = Stage(evaluation.stage)
    step = {"step": list(Stage).index(stage) + 1, "steps": len(Stage), "what": stage.label}
    return "Step {step} of {steps}: {what}…".format(**step)


def _rounded(seconds: float) -> int:
    """Rounded up to seconds, tens of seconds or minutes, so that what is shown changes rarely."""
    step = 1 if seconds <= 10 else 10 if seconds <= 60 else 60
    return max(1, ceil(seconds / step) * step)


def _queued(
    evaluation: Evaluation, times: _Times, attempt: int, before: int, seconds: int | None
) -> tuple[str, list[Reason]]:
    reasons = _earlier_attempts(attempt)
    # The sweeper enqueues the last attempt once it is due, see ``results.store_failure``.
    if attempt >= ATTEMPTS and times.seconds_after(evaluation.due) < settings.SWEEP:
        pause = how_long(int(settings.RESEND))
        again = f"It will be retried automatically within about {pause}."
        reasons.append(Reason("pause", again))
        return "Waiting for the last attempt.", reasons
    if before:
        ahead = plural(before, "evaluation is", "evaluations are")
        reasons.append(Reason("before", f"{before} {ahead} ahead of yours."))
    else:
        reasons.append(Reason("next", "Yours is next."))
    if idle := _seconds_without_worker(times):
        since = f"No worker has picked up an evaluation for {how_long(idle)}."
        kept = "Your files are safe. They will be scored as soon as a worker is back."
        reasons += [Reason("no_worker", since), Reason("files_kept", kept)]
        return "Waiting: no worker is available.", reasons
    if seconds is not None:
        expected = f"It should be scored in about {how_long(seconds, step=1)}."
        reasons.append(Reason("expected", expected))
    return "Waiting to be scored.", reasons + _time_so_far(times)


def _earlier_attempts(attempt: int) -> list[Reason]:
    """Only failures that are the site's fault are tried again
    (``portal.evaluations.failures``)."""
    if attempt < 2:
        return []
    which = f"Attempt {attempt} of {ATTEMPTS}."
    fault = "The previous attempt was interrupted: our fault, and it does not use your quota."
    return [Reason("attempt", which), Reason("broke_off", fault)]


def _seconds_without_worker(times: _Times) -> int:
    """How long no worker has taken anything while this one was waiting; 0 if that is normal."""
    running = Evaluation.objects.filter(state=EvaluationState.RUNNING)
    if times.age < _STALLED or running.filter(lease_until__gte=Now()).exists():
        return 0
    last = Evaluation.objects.aggregate(last=Max("started"))["last"] or times.since
    idle = times.seconds_after(max(last, times.since))
    return idle if idle >= _STALLED else 0


def _time_so_far(times: _Times) -> list[Reason]:
    if times.age < 60:
        return []
    return [Reason("so_far", f"{how_long(times.age)} so far.")]


def how_long(seconds: int, step: int = 10) -> str:
    """The duration in the largest unit that fits, so that it changes rarely."""
    if seconds < 60:
        number, unit = seconds - seconds % step, "second"
    elif seconds < 3_600:
        number, unit = seconds // 60, "minute"
    else:
        number, unit = seconds // 3_600, "hour"
    return f"{number} {plural(number, unit, f'{unit}s')}"
