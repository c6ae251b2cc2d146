"""The page on which an author requests a spot check of an entry, with its earlier checks."""

from typing import NamedTuple
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from portal.endpoint_runs.configuration.settings_table import SettingRow, rows_of
from portal.endpoint_runs.progress.sentences import failure_sentence
from portal.endpoint_runs.spot_checks.forms import CHECKED_STRATEGIES, SpotCheckForm
from portal.endpoint_runs.spot_checks.requests import (
    request_spot_check,
    settings_for_check,
    why_no_check,
    why_not_yet,
)
from portal.errors import UserError
from portal.models import CheckState, SpotCheck
from portal.permissions.access import get_submission, owns, user_of
from portal.web.form_views import posted_data, render_form
from scoring.catalog import TASKS
from scoring.endpoint.settings import RunSettings, settings_of
from scoring.endpoint.spot_check import COMPARED
from scoring.endpoint.templates import built_in
from scoring.endpoint.transport.failures import RULES

_RELOAD = 5  # seconds, if JavaScript is off


@sensitive_post_parameters("key")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def spot_check(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    user = user_of(request)
    found = get_submission(user, submission_id)
    form = SpotCheckForm(posted_data(request))
    if form.is_valid():
        try:
            request_spot_check(found, form.run_settings, form.plain_key, user)
        except UserError as error:
            form.add_error(None, ValidationError(str(error), error.code))
        else:
            messages.success(request, "The check has begun. Its result appears on this page.")
            return redirect("submission-spot-check", found.pk)
    checks = list(
        SpotCheck.objects.filter(submission=found).select_related("nearest__language_model")
    )
    is_open = any(check.state != CheckState.ENDED for check in checks)
    context = {
        "submission": found,
        # After a submission, the form itself shows what is wrong.
        "refusal": why_no_check(found, user) or (None if form.is_bound else why_not_yet(found)),
        "checks": [(check, _reason(check), _settings_rows(check)) for check in checks],
        "fixed": _fixed(),
        "templates": [
            (title, [(TASKS[task].title, built_in(strategy, task)) for task in COMPARED])
            for strategy, title in CHECKED_STRATEGIES.items()
        ],
        "is_owner": owns(user, found),
        # 0 if nothing changes by itself, or if a reload would lose the input.
        "reload": _RELOAD if is_open and not form.is_bound else 0,
    }
    return render_form(request, "spot_checks/page.html", form, context)


class Fixed(NamedTuple):
    """Settings that authors cannot choose; the templates are fixed too."""

    temperature: float
    output_tokens: int
    calculation_tokens: int
    timeout: int  # seconds
    attempts: int
    at_once: int


def _fixed() -> Fixed:
    settings = settings_for_check(RunSettings("", "", tasks=COMPARED))
    usual, calculation = (settings.output_limit(task) for task in ("passkey", "math_calc"))
    return Fixed(
        settings.temperature or 0.0, usual, calculation, settings.timeout, settings.attempts,
        settings.concurrency,
    )  # fmt: skip


def _settings_rows(check: SpotCheck) -> list[SettingRow]:
    """The settings of the requests. Which questions are asked, in which order, comes from the
    check's own seed, so those rows are left out."""
    rows = rows_of(settings_for_check(settings_of(check.settings)))
    return [row for row in rows if row.name not in ("caps", "limit", "order", "subset", "tasks")]


class Reason(NamedTuple):
    """Why a check has ended without a result."""

    sentence: str
    said: str  # by the endpoint


def _reason(check: SpotCheck) -> Reason | None:
    if check.verdict or not check.reason:
        return None
    rules = [rule for kind, rule in RULES.items() if kind == check.reason]
    said = check.reason_details.removeprefix(rules[0].sentence) if rules else ""
    return Reason(failure_sentence(check.reason), said.strip())
