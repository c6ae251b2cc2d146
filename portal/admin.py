"""Django's admin. What services write, with rules of their own, is read-only here.

Signing in and changing a password are done on the site's own pages, which are throttled.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

import allauth.account.admin  # noqa: F401 - registers addresses, which are unregistered below
import django.contrib.auth.admin  # noqa: F401 - and this one groups
from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import Group
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.db import models, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from portal.audit.records import Description, Record, describe, log_record
from portal.board_version import raise_board_version
from portal.errors import StateError
from portal.language_models.services import log_edit_in_submissions, merge_language_models
from portal.mail.outbox import send_again
from portal.models import (
    Action,
    AuditEntry,
    Evaluation,
    Example,
    LanguageModel,
    ModelFact,
    Notice,
    OrganisationDomain,
    Release,
    ReleaseAdmission,
    ReportedEntry,
    ReportedScore,
    Role,
    Submission,
    TaskDataSet,
    TaskScore,
    User,
)
from portal.permissions import user_of
from portal.review.fingerprint import review_fingerprint
from portal.review.forms import ReasonForm
from portal.review.services import hide_entry, publish_submission, reject_submission, restore_entry

if TYPE_CHECKING:  # generic in the stubs only
    ModelAdmin = admin.ModelAdmin[Any]
    TabularInline = admin.TabularInline[Any, Any]
else:
    ModelAdmin, TabularInline = admin.ModelAdmin, admin.TabularInline


def sign_in(request: HttpRequest, extra_context: object = None) -> HttpResponse:
    """No form of its own: it would not be throttled."""
    if admin.site.has_permission(request):
        return redirect("admin:index")
    if request.user.is_authenticated:
        raise PermissionDenied
    return redirect_to_login(request.GET.get("next", reverse("admin:index")))


def change_password(request: HttpRequest, extra_context: object = None) -> HttpResponse:
    return redirect("account_change_password")


def sign_out(request: HttpRequest, extra_context: object = None) -> HttpResponse:
    """As on the site, where it is logged; then Django shows its own page."""
    if request.method == "POST":
        get_adapter().logout(request)
    return _show_signed_out(request)


_show_signed_out = admin.site.logout
admin.site.logout = sign_out  # type: ignore[assignment, method-assign]
admin.site.login = sign_in  # type: ignore[method-assign]
admin.site.password_change = change_password  # type: ignore[assignment, method-assign]
admin.site.site_header = admin.site.site_title = "∞Bench"
admin.site.unregister(Group)  # roles decide who may do what
# A password can be reset through any confirmed address, so whoever edits them owns the account.
admin.site.unregister(EmailAddress)


_SHOWN_REASON = 240  # characters in the list of audit entries
_LOOKUPS = ("", "__exact", "__id__exact", "__isnull")  # of the filters of a list
# The default of Django 6.
_HTTPS: Mapping[Any, Mapping[str, object]] = {models.URLField: {"assume_scheme": "https"}}


class Filtered(ModelAdmin):
    """Only the filters on the page are allowed: Django would take any column with any value, some
    of which make the query fail."""

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup in {f"{name}{how}" for name in self.list_filter for how in _LOOKUPS}

    def response_action(
        self, request: HttpRequest, queryset: "QuerySet[Any]"
    ) -> HttpResponse | None:
        """Refuses marked rows whose ids can be none, with which the query would fail."""
        try:
            for marked in request.POST.getlist(ACTION_CHECKBOX_NAME):
                self.opts.pk.to_python(marked)
        except ValidationError as error:
            raise BadRequest("A marked row has an id that can be none") from error
        return super().response_action(request, queryset)


class ReadOnly(Filtered):
    """Shows every column of a row, and in the list none that may be long."""

    show_full_result_count = False
    long: tuple[str, ...] = ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: object = None) -> list[str]:
        hidden = self.exclude or ()
        return [field.name for field in self.opts.fields if field.name not in hidden]

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Any]":
        return super().get_queryset(request).defer(*self.long)


class OfSubmissions(ReadOnly):
    """Rows about submissions: a search for the id of one finds its rows."""

    submission = "submission"  # the lookup that leads to it

    def get_search_results(
        self, request: HttpRequest, queryset: "QuerySet[Any]", search_term: str
    ) -> "tuple[QuerySet[Any], bool]":
        try:
            number = UUID(search_term.strip())
        except ValueError:
            return super().get_search_results(request, queryset, search_term)
        return queryset.filter(**{self.submission: number}), False


class Logged(Filtered):
    """Every change leaves an entry in the audit log, in its own transaction."""

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: ANN401 - Django's
        stored = self.model._default_manager.select_for_update().filter(pk=obj.pk).first()
        form.before = describe(stored) if stored else {}
        super().save_model(request, obj, form, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:  # noqa: ANN401 - Django's
        super().save_related(request, form, formsets, change)
        self.log_edit(request, form.instance, form.before)

    def log_edit(self, request: HttpRequest, record: Record, before: Description) -> None:
        log_record(record, before, describe(record), by=user_of(request))

    def delete_model(self, request: HttpRequest, obj: Any) -> None:  # noqa: ANN401 - Django's
        before = describe(obj)
        super().delete_model(request, obj)
        log_record(obj, before, {}, by=user_of(request))

    @transaction.atomic  # which Django leaves out here
    def delete_queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> None:
        deleted = [(record, describe(record)) for record in queryset]
        super().delete_queryset(request, queryset)
        for record, before in deleted:
            log_record(record, before, {}, by=user_of(request))


class OnTheBoard(Logged):
    """What boards show: a change raises the version of the board, in its own transaction."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:  # noqa: ANN401 - Django's
        super().save_related(request, form, formsets, change)
        raise_board_version()

    def delete_model(self, request: HttpRequest, obj: Any) -> None:  # noqa: ANN401 - Django's
        super().delete_model(request, obj)
        raise_board_version()

    @transaction.atomic
    def delete_queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> None:
        super().delete_queryset(request, queryset)
        raise_board_version()


@admin.register(User)
class UserAdmin(Logged):
    """Users sign up by themselves, and are deactivated instead of deleted."""

    formfield_overrides = _HTTPS
    fields = (
        "username", "email", "addresses", "role", "is_active", "organisation", "link",
        "affiliation", "date_joined", "last_login",
    )  # fmt: skip
    readonly_fields = ("username", "email", "addresses", "date_joined", "last_login")
    list_display = ("username", "email", "role", "is_active", "organisation", "date_joined")
    list_filter = ("role", "is_active")
    search_fields = ("username", "email")
    ordering = ("username",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:
        """Admins cannot lock themselves out: that could only be undone in a shell."""
        own = ("role", "is_active") if obj == request.user else ()
        return [*self.readonly_fields, *own]

    @admin.display(description=gettext_lazy("Email addresses"))
    def addresses(self, user: User) -> str:
        known = EmailAddress.objects.filter(user=user).order_by("email")
        return ", ".join(
            f"{one.email} ({_('confirmed') if one.verified else _('not confirmed')})"
            for one in known
        )

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:  # noqa: ANN401 - Django's
        """Django's own flags follow the role."""
        obj.is_staff = obj.is_superuser = obj.role == Role.ADMIN
        super().save_model(request, obj, form, change)


@admin.register(OrganisationDomain)
class OrganisationDomainAdmin(Logged):
    """Whoever has a confirmed address at the domain is shown as affiliated."""

    list_display = ("domain", "organisation")
    search_fields = ("domain", "organisation")


class ModelFacts(TabularInline):
    model = ModelFact
    extra = 0
    formfield_overrides = _HTTPS


@admin.register(LanguageModel)
class LanguageModelAdmin(OnTheBoard):
    formfield_overrides = _HTTPS
    list_display = ("name", "organisation", "weights", "owner", "created")
    list_filter = ("weights",)
    list_select_related = ("owner",)
    search_fields = ("name", "slug", "organisation")
    raw_id_fields = ("owner",)
    inlines = (ModelFacts,)
    actions = ("merge",)

    @admin.action(description=gettext_lazy("Merge into one model…"))
    def merge(self, request: HttpRequest, chosen: "QuerySet[LanguageModel]") -> HttpResponse | None:
        """Ask which of the selected models stays; then merge the others into it."""
        models = list(chosen.select_related("owner"))
        kept = next((one for one in models if str(one.pk) == request.POST.get("kept")), None)
        if kept is None or len(models) < 2:
            context = {
                **self.admin_site.each_context(request),
                "opts": self.opts,
                "title": _("Merge language models"),
                "models": models,
                "is_missing": "merged" in request.POST,
                "checkbox": ACTION_CHECKBOX_NAME,
            }
            status = 422 if "merged" in request.POST else 200
            return TemplateResponse(request, "admin/merge.html", context, status=status)
        for model in models:
            if model == kept:
                continue
            names = {"model": model.name, "kept": kept.name}
            try:
                merge_language_models(model, into=kept, by=user_of(request))
            except StateError as error:  # the others go on
                messages.error(request, f"{model.name}: {error}", extra_tags=error.code)
            else:
                messages.success(request, _("%(model)s was merged into %(kept)s.") % names)
        return None

    def log_edit(self, request: HttpRequest, record: Any, before: Description) -> None:  # noqa: ANN401
        by = user_of(request)
        changes = log_record(record, before, describe(record), by=by)
        if before and changes:
            log_edit_in_submissions(record, changes.values(), by=by)


@admin.register(Release)
class ReleaseAdmin(OnTheBoard):
    """Imported by a command. What scores depend on cannot be changed."""

    fields = (
        "slug", "title", "title_zh", "description", "description_zh", "hidden",
        "accepts_submissions", "official", "data_sets", "created",
    )  # fmt: skip
    readonly_fields = ("slug", "hidden", "official", "data_sets", "created")
    list_display = ("title", "slug", "hidden", "accepts_submissions", "created")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(ReleaseAdmission)
class ReleaseAdmissionAdmin(Logged):
    """Who sees scores on a hidden release before they are published."""

    list_display = ("release", "account", "created")
    list_filter = ("release",)
    list_select_related = ("release", "account")
    search_fields = ("account__username",)
    raw_id_fields = ("account",)

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(TaskDataSet)
class TaskDataSetAdmin(ReadOnly):
    list_display = ("task", "size", "labels_hash", "questions_hash", "created")
    list_filter = ("task",)


@admin.register(Example)
class ExampleAdmin(ReadOnly):
    long = ("label", "options", "question")
    list_display = ("key", "index", "data_set")
    list_filter = ("data_set__task", "data_set__releases")
    list_select_related = ("data_set",)
    search_fields = ("=key",)


class Decision(NamedTuple):
    """An action on the selected rows in the list of submissions."""

    title: str | Promise
    decide: Callable[..., Submission]  # a service of portal.review.services
    needs_seen: bool = False  # it puts an entry on the board


DECISIONS: dict[Action, Decision] = {
    Action.PUBLISH: Decision(gettext_lazy("Publish"), publish_submission, needs_seen=True),
    Action.REJECT: Decision(gettext_lazy("Reject"), reject_submission),
    Action.HIDE: Decision(gettext_lazy("Hide from leaderboard"), hide_entry),
    Action.RESTORE: Decision(
        gettext_lazy("Restore to leaderboard"), restore_entry, needs_seen=True
    ),
}


@admin.register(Submission)
class SubmissionAdmin(ReadOnly):
    list_display = ("language_model", "owner", "release", "state", "origin", "created")
    list_filter = ("state", "origin", "release")
    list_select_related = ("language_model", "owner", "release")
    search_fields = ("language_model__name", "owner__username", "=files__original__hash")

    def get_readonly_fields(self, request: HttpRequest, obj: object = None) -> list[str]:
        return ["pages", *super().get_readonly_fields(request, obj)]

    @admin.display(description=gettext_lazy("pages"))
    def pages(self, submission: Submission) -> str:
        """Where to go from here: on the site, and to what the admin has about it."""
        number = submission.pk
        query = f"?q={number}"
        links = (
            (reverse("submission", args=[number]), _("Submission")),
            (reverse("review-submission", args=[number]), _("Review")),
            (reverse("admin:portal_evaluation_changelist") + query, _("Evaluations")),
            (reverse("admin:portal_taskscore_changelist") + query, _("Scores")),
            (reverse("admin:portal_auditentry_changelist") + query, _("History")),
        )
        return format_html_join(" · ", '<a href="{}">{}</a>', links)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        decisions = {name: (_ask_or_decide, name, one.title) for name, one in DECISIONS.items()}
        return super().get_actions(request) | decisions


def _ask_or_decide(
    model_admin: SubmissionAdmin, request: HttpRequest, chosen: "QuerySet[Submission]"
) -> HttpResponse | None:
    """Show a page that asks for the reason; then decide on each submission that has not changed
    since that page was shown."""
    action = Action(request.POST["action"])
    decision = DECISIONS[action]
    form = ReasonForm(request.POST if "decided" in request.POST else None)
    if form.is_bound:
        seen = {one: request.POST.get(f"seen-{one.pk}", "") for one in chosen}
    else:  # computed before the rows are read
        fingerprints = {pk: review_fingerprint(pk) for pk in chosen.values_list("pk", flat=True)}
        seen = {one: fingerprints.get(one.pk, "") for one in chosen}
    if not form.is_valid():
        context = {
            **model_admin.admin_site.each_context(request),
            "opts": model_admin.opts,
            "title": decision.title,
            "submissions": [(one, seen[one]) for one in chosen],
            "form": form,
            "action": action,
            "checkbox": ACTION_CHECKBOX_NAME,
        }
        status = 422 if form.is_bound else 200
        return TemplateResponse(request, "admin/decide.html", context, status=status)
    for submission, fingerprint in seen.items():
        asked = {"reason": form.cleaned_data["reason"]}
        if decision.needs_seen:
            asked["seen"] = fingerprint
        try:
            done = decision.decide(submission, by=user_of(request), **asked)
        except StateError as error:  # the others go on
            messages.error(request, f"{submission}: {error}", extra_tags=error.code)
        else:
            names = {"submission": str(submission), "state": done.get_state_display()}
            messages.success(request, _("%(submission)s is now “%(state)s”.") % names)
    return None


@admin.register(Evaluation)
class EvaluationAdmin(OfSubmissions):
    long = ("problems", "question", "signature", "failure_details")
    list_display = ("id", "submission", "state", "attempt", "failure", "created", "finished")
    list_filter = ("state", "failure", "sandbox_level")
    list_select_related = ("submission__language_model",)
    search_fields = ("submission__language_model__name", "=predictions_hash")


@admin.register(TaskScore)
class TaskScoreAdmin(OfSubmissions):
    submission = "evaluation__submission"
    list_display = ("evaluation", "task", "metric_set", "mean", "stderr", "answered", "size")
    list_filter = ("task", "metric_set")
    list_select_related = ("evaluation",)
    search_fields = ("evaluation__submission__language_model__name",)


@admin.register(AuditEntry)
class AuditEntryAdmin(OfSubmissions):
    ordering = ("-number",)
    list_display = ("at", "actor", "action", "change", "about", "why")
    list_filter = ("action",)
    list_select_related = ("actor", "submission__language_model")
    search_fields = ("actor__username", "submission__language_model__name", "subject")

    @admin.display(description=gettext_lazy("change"))
    def change(self, entry: AuditEntry) -> str:
        return f"{entry.before} → {entry.after}" if entry.before != entry.after else entry.after

    @admin.display(description=gettext_lazy("reason"))
    def why(self, entry: AuditEntry) -> str:
        """Its beginning: of a new row it lists every value. The entry's own page has all of it."""
        return Truncator(entry.reason).chars(_SHOWN_REASON)

    @admin.display(description=gettext_lazy("about"))
    def about(self, entry: AuditEntry) -> str:
        """A submission that was deleted has left its id only."""
        if entry.submission is None:
            return entry.about
        address = reverse("admin:portal_submission_change", args=[entry.submission_id])
        return format_html('<a href="{}">{}</a>', address, entry.submission)


@admin.register(Notice)
class NoticeAdmin(ReadOnly):
    exclude = ("body",)  # may hold a link that opens an account
    long = ("failure", "body")
    list_display = ("id", "kind", "recipient", "state", "attempts", "created", "due", "ended")
    list_filter = ("state", "kind")
    list_select_related = ("recipient",)
    search_fields = ("=recipient__username",)
    actions = ("again",)

    @admin.action(description=gettext_lazy("Resend failed emails"))
    def again(self, request: HttpRequest, chosen: "QuerySet[Notice]") -> None:
        found = {"count": send_again(chosen)}
        messages.success(request, _("Emails that will be sent again: %(count)s.") % found)


class ReportedScores(TabularInline):
    model = ReportedScore
    extra = 0


@admin.register(ReportedEntry)
class ReportedEntryAdmin(OnTheBoard):
    formfield_overrides = _HTTPS
    list_display = ("language_model", "method", "source", "average", "created")
    list_select_related = ("language_model",)
    search_fields = ("language_model__name", "method", "source")
    raw_id_fields = ("language_model",)
    inlines = (ReportedScores,)
