"""The pages with which an author configures, previews, estimates, starts and stops a run."""

from typing import Any
from uuid import UUID

from django.conf import settings as site
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.files.uploadhandler import MemoryFileUploadHandler
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from portal.endpoint_runs.configuration.base_forms import SettingsFileForm
from portal.endpoint_runs.configuration.connection_page import connection_of
from portal.endpoint_runs.configuration.controls import prepare_controls
from portal.endpoint_runs.configuration.drafts import (
    delete_draft,
    drafts_left,
    get_run,
    save_draft,
    start_connection_test,
    start_estimate,
)
from portal.endpoint_runs.configuration.estimate import read_estimate, standing_of
from portal.endpoint_runs.configuration.forms import (
    RunForms,
    initial_from_file,
    initial_of,
    initial_of_copy,
)
from portal.endpoint_runs.configuration.preview import (
    RETRY_AFTER,
    BusyError,
    UnreadableError,
    example_to_preview,
    make_preview,
    neighbours,
    tasks_to_preview,
)
from portal.endpoint_runs.configuration.settings_table import settings_file
from portal.endpoint_runs.deviations import sample_precision
from portal.endpoint_runs.keys import host_of
from portal.endpoint_runs.limits import runs_left
from portal.endpoint_runs.list_page import run_rows
from portal.endpoint_runs.progress.forms import ResumeForm
from portal.endpoint_runs.questions import settings_of_run
from portal.endpoint_runs.services import pause_run, resume_run, start_run, state_seen, stop_run
from portal.errors import UserError
from portal.models import EndpointRun, RunState
from portal.permissions.access import user_of
from portal.scores.titles import METRIC_SET_TITLES
from portal.web.form_views import post_only, posted_data, render_form, user_errors_as_messages
from portal.web.middleware import refuse_broken_form
from scoring.catalog import TASKS
from scoring.endpoint.settings import Caps

_RELOAD = 5  # seconds, while something is being computed


@login_required
@require_safe
def runs(request: HttpRequest) -> HttpResponse:
    user = user_of(request)
    own = EndpointRun.objects.owned_by(user).with_standing()
    own = own.select_related("language_model", "release")
    context = {"rows": run_rows(list(own)), "left": drafts_left(user)}
    return render(request, "endpoint_runs/list.html", context)


@sensitive_post_parameters("key")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_new(request: HttpRequest) -> HttpResponse:
    user = user_of(request)
    data = posted_data(request)
    if data is None:
        initial = None
        if like := request.GET.get("like"):
            try:
                run_id = UUID(like)
            except ValueError as error:
                raise Http404 from error
            initial = initial_of_copy(get_run(user, run_id))
        return _form_page(request, RunForms(user, initial=initial))
    forms = RunForms(user, data)
    if not forms.is_valid():
        return _form_page(request, forms, status=422)
    return _save(request, forms, None)


@sensitive_post_parameters("key")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_configure(request: HttpRequest, run_id: UUID) -> HttpResponse:
    user = user_of(request)
    run = get_run(user, run_id)
    if run.state != RunState.DRAFT:
        return redirect("endpoint_run", run.pk)
    data = posted_data(request)
    if data is None:
        return _form_page(request, RunForms(user, run=run, initial=initial_of(run)), run=run)
    forms = RunForms(user, data, run=run)
    if not forms.is_valid():
        return _form_page(request, forms, run=run, status=422)
    return _save(request, forms, run)


def _save(request: HttpRequest, forms: RunForms, run: EndpointRun | None) -> HttpResponse:
    form, wanted = forms.form, forms.configuration
    had_key = bool(run and run.key)
    try:
        saved = save_draft(wanted, owner=user_of(request), run=run)
    except UserError as error:
        form.add_error(None, ValidationError(str(error), error.code))
        return _form_page(request, forms, run=run, status=422)
    messages.success(request, "Saved.")
    if had_key and not saved.key and not wanted.forget_key:
        messages.warning(
            request,
            "The address is on another host, so the stored key was deleted. Enter it again.",
            extra_tags="key_void",
        )
    return redirect("endpoint_run_estimate", saved.pk)


def _form_page(
    request: HttpRequest,
    forms: RunForms,
    *,
    run: EndpointRun | None = None,
    file_form: SettingsFileForm | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "forms": forms,
        "choice": forms.model_choice(request.GET.get("models", "")),
        "run": run,
        "file_form": file_form or SettingsFileForm(),
        "left": drafts_left(user_of(request)),
        "key_days": site.IDLE_KEY_DAYS,
    }
    return render(request, "endpoint_runs/configure.html", context, status=status)


@csrf_exempt  # the upload handler must be set before the CSRF check reads the files
@require_http_methods(["GET", "HEAD", "POST"])
def run_upload(request: HttpRequest) -> HttpResponse:
    """Fill in the form from a settings file; nothing is stored yet."""
    request.upload_handlers = [MemoryFileUploadHandler(request)]
    refuse_broken_form(request)
    return _read_settings_file(request)


@csrf_protect
@login_required
def _read_settings_file(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return redirect("endpoint_run_new")
    user = user_of(request)
    form = SettingsFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _form_page(request, RunForms(user), file_form=form, status=422)
    initial, unknown = initial_from_file(form.cleaned_data["file"], user)
    for sentence in unknown:
        messages.warning(request, sentence, extra_tags="not_filled_in")
    return _form_page(request, RunForms(user, initial=initial))


@login_required
@require_safe
def run_settings(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The settings as a file, without the key."""
    run = get_run(user_of(request), run_id)
    name = f"{slugify(run.title) or 'run'}.yaml"
    return HttpResponse(
        settings_file(run),
        content_type="application/yaml; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Content-Security-Policy": "sandbox",
        },
    )


@login_required
@require_safe
def run_preview(request: HttpRequest, run_id: UUID) -> HttpResponse:
    user = user_of(request)
    run = get_run(user, run_id)
    settings = settings_of_run(run)
    tasks = tasks_to_preview(run, settings)
    task = request.GET.get("task") or (tasks[0].id if tasks else "")
    key = request.GET.get("example", "").strip()
    example = example_to_preview(run.release, task, key)
    context: dict[str, Any] = {
        "run": run,
        "tasks": tasks,
        "task": TASKS.get(task),
        "key": key or (example.key if example else ""),
    }
    if example is None:
        return render(request, "endpoint_runs/preview.html", context, status=404)
    try:
        context["preview"] = make_preview(run.release, example, settings, by=user)
    except BusyError:
        context["busy"] = True
        page = render(request, "endpoint_runs/preview.html", context, status=503)
        page["Retry-After"] = str(RETRY_AFTER)
        return page
    except UnreadableError:
        context["unreadable"] = True
        return render(request, "endpoint_runs/preview.html", context, status=500)
    before, after = neighbours(example)
    return render(
        request, "endpoint_runs/preview.html", {**context, "before": before, "after": after}
    )


@login_required
@require_safe
def run_estimate(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run = get_run(user_of(request), run_id)
    return render(request, "endpoint_runs/estimate.html", _overview(run))


def _overview(run: EndpointRun) -> dict[str, Any]:
    """What is known before the start: the estimate and the connection."""
    settings = settings_of_run(run)
    standing = standing_of(run, settings)
    connection = connection_of(run)
    is_known = standing.is_complete
    estimate = read_estimate(run, settings, connection.seconds_each) if is_known else None
    precision = None
    if estimate and isinstance(settings.subset, int):
        counts = {row.task.id: row.requests for row in estimate.rows}
        precision = sample_precision(run.release, counts)
    return {
        "run": run,
        "settings": settings,
        "host": host_of(settings.url),
        "no_caps": Caps(),
        "standing": standing,
        "estimate": estimate,
        "precision": precision,
        "failed": bool(run.estimate and run.estimate.get("failed")),
        "connection": connection,
        "metric_sets": list(METRIC_SET_TITLES.values()),
        "reload": _RELOAD,
    }


@login_required
@post_only("endpoint_run_estimate", "run_id")
def run_estimate_again(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run = get_run(user_of(request), run_id)
    with user_errors_as_messages(request):
        start_estimate(run)
    return redirect("endpoint_run_estimate", run.pk)


@login_required
@require_safe
def run_connection(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run = get_run(user_of(request), run_id)
    return render(request, "endpoint_runs/connection.html", _overview(run))


@login_required
@post_only("endpoint_run_connection", "run_id")
def run_connection_test(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run = get_run(user_of(request), run_id)
    with user_errors_as_messages(request):
        start_connection_test(run)
    return redirect("endpoint_run_connection", run.pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_start(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Asks for confirmation, since a run costs money."""
    user = user_of(request)
    run = get_run(user, run_id)
    if run.state != RunState.DRAFT:
        return redirect("endpoint_run", run.pk)
    if request.method != "POST":
        context = {**_overview(run), "seen": state_seen(run), "left": runs_left(user)}
        return render(request, "endpoint_runs/start.html", context)
    with user_errors_as_messages(request):
        start_run(run, user, seen=request.POST.get("seen", ""))
        return redirect("endpoint_run", run.pk)
    return redirect("endpoint_run_start", run.pk)


@login_required
@post_only("endpoint_run", "run_id")
def run_controls(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Prepare runs that ask the same questions without contexts, and with the evidence alone."""
    user = user_of(request)
    run = get_run(user, run_id)
    with user_errors_as_messages(request):
        prepare_controls(run, user)
        messages.success(
            request, "Prepared. Enter the key of each, look at its estimate, and start it."
        )
    return redirect("endpoint_run", run.pk)


@login_required
@post_only("endpoint_run", "run_id")
def run_pause(request: HttpRequest, run_id: UUID) -> HttpResponse:
    user = user_of(request)
    run = get_run(user, run_id)
    with user_errors_as_messages(request):
        pause_run(run, user)
    return redirect("endpoint_run", run.pk)


@sensitive_post_parameters("key")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_resume(request: HttpRequest, run_id: UUID) -> HttpResponse:
    user = user_of(request)
    run = get_run(user, run_id)
    if run.state != RunState.PAUSED:
        return redirect("endpoint_run", run.pk)
    context = {"run": run, "settings": settings_of_run(run), "left": runs_left(user)}
    initial = {"concurrency": run.settings.get("concurrency")}
    form = ResumeForm(posted_data(request), initial=initial)
    form.describe_key(run, same="same_key" in request.POST)
    if not form.is_valid():
        return render_form(request, "endpoint_runs/resume.html", form, context)
    with user_errors_as_messages(request):
        resume_run(
            run, user, key=form.cleaned_data["key"] or None,
            concurrency=form.cleaned_data["concurrency"],
        )  # fmt: skip
    return redirect("endpoint_run", run.pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_stop(request: HttpRequest, run_id: UUID) -> HttpResponse:
    user = user_of(request)
    run = get_run(user, run_id)
    if run.state not in (RunState.RUNNING, RunState.PAUSED):
        return redirect("endpoint_run", run.pk)
    if request.method != "POST":
        return render(request, "endpoint_runs/stop.html", {"run": run})
    with user_errors_as_messages(request):
        stop_run(run, user)
    return redirect("endpoint_run", run.pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_delete(request: HttpRequest, run_id: UUID) -> HttpResponse:
    user = user_of(request)
    run = get_run(user, run_id)
    if run.state != RunState.DRAFT:
        return redirect("endpoint_run", run.pk)
    if request.method != "POST":
        return render(request, "endpoint_runs/delete.html", {"run": run})
    with user_errors_as_messages(request):
        delete_draft(run)
        messages.success(request, "Run deleted.")
        return redirect("endpoint_runs")
    return redirect("endpoint_run_configure", run.pk)
