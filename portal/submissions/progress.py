"""What the page of a submission says while it waits or is scored, and how soon it asks again."""

import hashlib
from dataclasses import astuple, dataclass
from datetime import datetime
from typing import NamedTuple

from django.conf import settings
from django.db.models import Max
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from portal.models import ATTEMPTS, Evaluation, EvaluationState

# Age in seconds → milliseconds between two questions; it starts quick, since scoring is.
_INTERVALS = ((15, 300), (60, 1_000), (600, 3_000))
_SLOWEST = 10_000
_STALLED = 15  # seconds in which a free worker would long have come
_UNDER_WAY = (EvaluationState.QUEUED, EvaluationState.RUNNING)


@dataclass(frozen=True, slots=True)
class Progress:
    evaluation: int
    state: str
    sentence: str  # read out when it changes
    reasons: tuple[str, ...]  # why it waits
    interval: int  # milliseconds

    @property
    def seen(self) -> str:
        """Names all of this: a page that has it needs no answer."""
        return hashlib.sha256(repr(astuple(self)).encode()).hexdigest()[:16]

    @property
    def reload(self) -> int:
        """Seconds between two loads of the page, where no script runs."""
        return max(2, self.interval // 1_000)


class _Times(NamedTuple):
    clock: datetime  # of the database
    since: datetime  # when it was handed in, given back, or last changed by a person

    @property
    def age(self) -> int:
        return self.after(self.since)

    def after(self, moment: datetime) -> int:
        """Seconds since then."""
        return int((self.clock - moment).total_seconds())


def progress_of(evaluation: Evaluation) -> Progress | None:
    """None where nothing is under way."""
    if evaluation.state not in _UNDER_WAY:
        return None
    times = _Times(*Evaluation.objects.times_of(evaluation.pk))
    queued = evaluation.state == EvaluationState.QUEUED
    sentence, reasons = (_queued if queued else _running)(evaluation, times)
    interval = next((pause for limit, pause in _INTERVALS if times.age < limit), _SLOWEST)
    return Progress(evaluation.pk, evaluation.state, sentence, tuple(reasons), interval)


def _queued(evaluation: Evaluation, times: _Times) -> tuple[str, list[str]]:
    reasons = _retried(tries=_tries(evaluation) + 1)
    if _rests(evaluation, times):
        pause = how_long(int(settings.RESEND))
        reasons.append(_("It is tried again by itself within about %s.") % pause)
        return _("Waiting for its last attempt."), reasons
    if before := Evaluation.objects.queued().before(evaluation).count():
        text = ngettext(
            "%d evaluation is before yours.", "%d evaluations are before yours.", before
        )
        reasons.append(text % before)
    else:
        reasons.append(_("Yours is next."))
    if idle := _idle(times):
        reasons.append(_("No worker has taken anything for %s.") % how_long(idle))
        reasons.append(_("Your files are kept. They are scored as soon as a worker is back."))
        return _("Waiting: no worker is there to score it."), reasons
    return _("Waiting to be scored."), reasons + _for_long(times)


def _rests(evaluation: Evaluation, times: _Times) -> bool:
    """Whether it waits for the sweeper, as the last attempt does (``results.store_failure``)."""
    if evaluation.enqueued_at is None or _tries(evaluation) + 1 < ATTEMPTS:
        return False
    return times.after(evaluation.enqueued_at) < settings.RESEND + settings.SWEEP


def _running(evaluation: Evaluation, times: _Times) -> tuple[str, list[str]]:
    reasons = _retried(tries=_tries(evaluation))
    if evaluation.lease_until and times.clock > evaluation.lease_until:
        reasons.append(_("Its worker is not heard of any more. Another one takes over soon."))
    return _("Being scored."), reasons + _for_long(times)


def _retried(*, tries: int) -> list[str]:
    """Whatever is tried again broke off by a fault of ours (``portal.evaluations.failures``)."""
    if tries < 2:
        return []
    which = _("Attempt %(number)s of %(all)s.") % {"number": tries, "all": ATTEMPTS}
    return [which, _("The one before broke off: our fault, and it does not count against you.")]


def _tries(evaluation: Evaluation) -> int:
    """How often it was tried since a person last asked for it."""
    return evaluation.attempt - (evaluation.attempts_allowed - ATTEMPTS)


def _idle(times: _Times) -> int:
    """Seconds in which no worker took anything while this one waited; 0 where that is usual."""
    if times.age < _STALLED or _somebody_works():
        return 0
    last = Evaluation.objects.aggregate(last=Max("started"))["last"] or times.since
    idle = times.after(max(last, times.since))
    return idle if idle >= _STALLED else 0


def _somebody_works() -> bool:
    running = Evaluation.objects.filter(state=EvaluationState.RUNNING)
    return running.filter(lease_until__gte=Now()).exists()


def _for_long(times: _Times) -> list[str]:
    return [_("For %s so far.") % how_long(times.age)] if times.age >= 60 else []


def how_long(seconds: int) -> str:
    """In the largest unit that fits, so that it changes seldom."""
    if seconds < 60:
        tens = seconds - seconds % 10
        return ngettext("%d second", "%d seconds", tens) % tens
    if seconds < 3_600:
        return ngettext("%d minute", "%d minutes", seconds // 60) % (seconds // 60)
    return ngettext("%d hour", "%d hours", seconds // 3_600) % (seconds // 3_600)
