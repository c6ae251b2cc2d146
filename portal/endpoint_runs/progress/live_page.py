"""The page of a run: what it is doing, and once it has ended, where its answers are."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from portal.endpoint_runs.asking.spending import spent_by
from portal.endpoint_runs.configuration.controls import controls_of_run
from portal.endpoint_runs.progress.figures import (
    FailedAttempts,
    LeftOut,
    Progress,
    TaskProgress,
    Use,
    Waits,
    failures_of_run,
    left_out_of,
    never_asked,
    progress_of_run,
    uses_of,
    waits_by_length,
)
from portal.endpoint_runs.progress.running_score import RunningScore, running_score
from portal.endpoint_runs.progress.sentences import standing_sentence
from portal.models import EndpointRun, RunState
from portal.permissions.access import user_of
from portal.scores.samples import percent_asked
from portal.scores.titles import METRIC_SET_TITLES, MetricSetTitle
from portal.submissions.pages.progress import how_long
from scoring.endpoint.budget import Spent
from scoring.endpoint.settings import RunSettings, settings_of
from scoring.endpoint.transport.failures import RULES
from scoring.metrics import PAPER_SET

_POLL = 3_000  # milliseconds
_SHORT = 10  # seconds left that are not worth showing
_REASONS_OF_KEYS = ("key", "no_key")
_SLOW_POLL = 15_000  # milliseconds, for a run that waits for its owner


class LivePage(NamedTuple):
    run: EndpointRun
    settings: RunSettings
    sentence: str
    progress: Progress
    per_minute: float | None
    seconds_left: int | None
    spent: Spent
    uses: Sequence[Use]
    failures: Sequence[FailedAttempts]
    waits: Sequence[Waits]
    score: RunningScore | None
    left_out: Sequence[LeftOut]
    never_asked: Sequence[str]  # titles of tasks, of a run that has ended

    @property
    def left(self) -> str:
        """How long it will take at the rate of the last minutes; empty: not known, or seconds."""
        if self.seconds_left is None or self.seconds_left < _SHORT:
            return ""
        return how_long(self.seconds_left)

    @property
    def details(self) -> str:
        """What the reason's details say beyond its sentence."""
        rules = [rule for kind, rule in RULES.items() if kind == self.run.reason]
        said = rules[0].sentence if rules else ""
        return self.run.reason_details.removeprefix(said).strip()

    @property
    def needs_key(self) -> bool:
        """Whether with its stored key it would pause again at once."""
        return self.run.is_key_deleted or self.run.reason in _REASONS_OF_KEYS

    @property
    def uncached(self) -> int:
        return self.spent.input - self.spent.cached

    @property
    def percent(self) -> int:
        return percent_asked(self.progress.ended, self.progress.total)

    @property
    def outcome_titles(self) -> list[str]:
        """The titles of the columns: outcomes that any task has."""
        return [title for _, title, _ in self.progress.outcomes]

    @property
    def rows(self) -> list[tuple[TaskProgress, list[tuple[str, int]]]]:
        """Each task with its counts and their titles, in the order of ``outcome_titles``."""
        kinds = [(name, title) for name, title, _ in self.progress.outcomes]
        return [
            (task, [(title, task.outcomes.get(name, 0)) for name, title in kinds])
            for task in self.progress.tasks
        ]

    @property
    def metric_set(self) -> MetricSetTitle:
        return METRIC_SET_TITLES[PAPER_SET]

    @property
    def interval(self) -> int:
        """Milliseconds between two polls; 0: nothing will change."""
        if self.run.state == RunState.RUNNING:
            return _POLL
        waits_for_submission = self.run.state == RunState.ENDED and self.run.handed_in is None
        return _SLOW_POLL if self.run.state == RunState.PAUSED or waits_for_submission else 0

    @property
    def reload(self) -> int:
        """Seconds between two reloads, where JavaScript is off."""
        return max(5, self.interval // 1_000)

    @property
    def etag(self) -> str:
        """Covers all that may change, except the time left, which always does."""
        run = self.run
        shown = (
            *(run.state, run.reason, run.reason_details, run.handed_in, run.ending, self.spent),
            *(run.is_key_deleted, run.is_waiting),
            *(run.reserved_requests, self.progress.ended, round(self.per_minute or 0), self.score),
            sum(one.attempts for one in self.failures),
        )
        return hashlib.sha256(repr(shown).encode()).hexdigest()[:16]


def live_page(run: EndpointRun) -> LivePage:
    """Seven queries, whatever the number of questions, and a few more when answers are scored."""
    settings = settings_of(run.settings)
    progress = progress_of_run(run)
    rate = progress.per_minute(run) if run.state == RunState.RUNNING else None
    left = progress.total - progress.ended
    return LivePage(
        run=run,
        settings=settings,
        sentence=standing_sentence(run),
        progress=progress,
        per_minute=rate,
        seconds_left=round(60 * left / rate) if rate else None,
        spent=spent_by(run),
        uses=uses_of(run, settings.caps, settings.prices, progress.now),
        failures=failures_of_run(run),
        waits=waits_by_length(run),
        score=running_score(run) if run.handed_in is None else None,
        left_out=left_out_of(run) if run.ended else [],
        never_asked=never_asked(progress) if run.ended else [],
    )


@login_required
@require_safe
def live(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The page; for its script only the part that changes, or 204 if nothing has changed."""
    user = user_of(request)
    own = EndpointRun.objects.owned_by(user)
    related = own.with_standing().select_related("language_model", "release", "submission")
    page = live_page(get_object_or_404(related, pk=run_id))
    if "HX-Request" not in request.headers:
        context = {"page": page, "controls": controls_of_run(page.run, user)}
        return render(request, "endpoint_runs/live.html", context)
    if page.etag == request.GET.get("etag"):
        return HttpResponse(status=204)
    return render(request, "endpoint_runs/live_part.html", {"page": page})
