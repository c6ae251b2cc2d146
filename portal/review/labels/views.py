"""The page on which a label is reported, and the list on which reviewers decide."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from portal.errors import UserError
from portal.models import LabelReport, LabelVerdict
from portal.permissions.access import reviewer_of, user_of
from portal.review.labels.forms import DecisionForm, ReportForm
from portal.review.labels.queries import decided_reports, find_labelled, open_reports
from portal.review.labels.services import decide_label_report, report_label
from portal.web.form_views import post_only, posted_data, render_form


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def label_report(request: HttpRequest) -> HttpResponse:
    """The form for a report about the example that the query string names."""
    user = user_of(request)
    about = find_labelled(user, request.GET)
    form = ReportForm(posted_data(request))
    if form.is_valid():
        try:
            report_label(about.release, about.example, **form.cleaned_data, by=user)
        except UserError as error:
            form.add_error(None, ValidationError(str(error), error.code))
        else:
            messages.success(request, "The label is reported. A reviewer decides about it.")
            return HttpResponseRedirect(about.url)
    return render_form(request, "labels/report.html", form, {"about": about})


@login_required
@require_safe
def label_reports(request: HttpRequest) -> HttpResponse:
    reviewer_of(request)
    return _list(request)


@login_required
@post_only("label-reports")
def label_report_decide(request: HttpRequest, number: int) -> HttpResponse:
    user = reviewer_of(request)
    report = get_object_or_404(LabelReport, pk=number)
    form = _decision_form(report, request)
    if form.is_valid():
        verdict = LabelVerdict(form.cleaned_data["verdict"])
        try:
            decide_label_report(
                report, verdict, explanation=form.cleaned_data["explanation"], by=user
            )
        except UserError as error:
            form.add_error(None, ValidationError(str(error), error.code))
        else:
            messages.success(request, f"The report is decided: {verdict.label}.")
            return redirect("label-reports")
    return _list(request, report, form)


def _list(
    request: HttpRequest, returned: LabelReport | None = None, form: DecisionForm | None = None
) -> HttpResponse:
    """With the form that came back with errors, if there is one."""
    context = {
        "open": [
            (row, form if form and row.report == returned else _decision_form(row.report))
            for row in open_reports()
        ],
        "decided": decided_reports(),
    }
    return render(request, "labels/list.html", context, status=422 if form else 200)


def _decision_form(report: LabelReport, request: HttpRequest | None = None) -> DecisionForm:
    """The page has a form for each report."""
    return DecisionForm(request.POST if request else None, auto_id=f"id_{report.pk}_%s")
