"""How many evaluations are ahead of one that is queued, and how long it is likely to take."""

from collections.abc import Sequence
from heapq import heapify, heapreplace
from statistics import median
from typing import NamedTuple

from django.core.cache import caches
from django.db.models import F, Q, Sum
from django.db.models.functions import Now

from portal.evaluations.turns import claims_before
from portal.models import Evaluation, EvaluationState

_RECENT = 200  # evaluations whose durations are read
_KEPT = 30  # seconds that these are cached
_FACTOR = 4  # uploads of a similar size are at most so many times smaller or larger
_LEAST = 3  # durations that a median needs

Durations = Sequence[tuple[int, float]]  # bytes of the files, and the seconds they took


class Outlook(NamedTuple):
    ahead: int
    seconds: float | None  # until it is scored; None: not known


def outlook_of(evaluation: Evaluation) -> Outlook:
    """For a queued evaluation, if nobody submits anything else."""
    before = claims_before(evaluation)
    sized = Evaluation.objects.annotate(size=Sum("submission__files__original__size"))
    running = sized.filter(state=EvaluationState.RUNNING, lease_until__gte=Now())
    # While something waits, every worker is busy, so as many are running as there are workers.
    busy = list(running.annotate(age=Now() - F("started")).values_list("size", "age"))
    if not busy:
        return Outlook(len(before), None)
    known = recent_durations()
    sizes = dict(sized.filter(pk__in=[*before, evaluation.pk]).values_list("pk", "size"))
    queued = [typical_seconds(known, sizes.get(pk) or 0) for pk in (*before, evaluation.pk)]
    under_way = [typical_seconds(known, size or 0) for size, _ in busy]
    ages = [age.total_seconds() for _, age in busy]
    return Outlook(len(before), _until_last(under_way, ages, queued))


def _until_last(
    under_way: Sequence[float | None], ages: Sequence[float], queued: Sequence[float | None]
) -> float | None:
    """Seconds until the last of the queue is done, if each is taken by the first free worker."""
    known = [whole for whole in (*under_way, *queued) if whole is not None]
    if len(known) < len(under_way) + len(queued):
        return None
    wholes = known[: len(under_way)]
    free = [max(0.0, whole - age) for whole, age in zip(wholes, ages, strict=True)]
    heapify(free)
    done = 0.0
    for whole in known[len(under_way) :]:
        done = free[0] + whole
        heapreplace(free, done)
    return done


def recent_durations() -> Durations:
    """Of the latest scored evaluations, each of its last attempt."""
    found: Durations | None = caches["results"].get("scoring-durations")
    if found is None:
        latest = Evaluation.objects.scored().filter(~Q(started=None)).order_by("-pk")[:_RECENT]
        rows = Evaluation.objects.filter(pk__in=latest.values("pk")).order_by()
        sized = rows.annotate(
            size=Sum("submission__files__original__size"), took=F("finished") - F("started")
        )
        found = [
            (size or 0, took.total_seconds()) for size, took in sized.values_list("size", "took")
        ]
        caches["results"].set("scoring-durations", found, _KEPT)
    return found


def typical_seconds(known: Durations, size: int) -> float | None:
    """The median for uploads of about this size; None: there are too few."""
    least, most = size / _FACTOR, size * _FACTOR
    durations = [seconds for bytes_, seconds in known if least <= bytes_ <= most]
    return median(durations) if len(durations) >= _LEAST else None
