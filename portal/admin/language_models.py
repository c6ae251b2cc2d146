"""Language models, their facts, merging two that are one, and what others reported of them."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from portal.admin.base import HTTPS, OnTheBoard, TabularInline
from portal.audit.records import Description, describe, log_record
from portal.entry_slugs import assign_slug, rename_entries
from portal.errors import StateError
from portal.language_models.services import (
    lock_submissions,
    log_edit_in_submissions,
    merge_language_models,
)
from portal.models import LanguageModel, ModelFact, ReportedEntry, ReportedScore
from portal.permissions.access import user_of


class ModelFacts(TabularInline):
    model = ModelFact
    extra = 0
    formfield_overrides = HTTPS


@admin.register(LanguageModel)
class LanguageModelAdmin(OnTheBoard):
    formfield_overrides = HTTPS
    list_display = ("name", "organisation", "weights", "owner", "created")
    list_filter = ("weights",)
    list_select_related = ("owner",)
    search_fields = ("name", "slug", "organisation")
    raw_id_fields = ("owner",)
    inlines = (ModelFacts,)
    actions = ("merge",)

    @admin.action(description="Merge into one model…")
    def merge(self, request: HttpRequest, chosen: "QuerySet[LanguageModel]") -> HttpResponse | None:
        """Ask which of the selected models stays; then merge the others into it."""
        models = list(chosen.select_related("owner"))
        kept = next((one for one in models if str(one.pk) == request.POST.get("kept")), None)
        if kept is None or len(models) < 2:
            context = {
                **self.admin_site.each_context(request),
                "opts": self.opts,
                "title": "Merge language models",
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
                messages.success(request, "{model} was merged into {kept}.".format(**names))
        return None

    def log_edit(self, request: HttpRequest, record: Any, before: Description) -> None:  # noqa: ANN401
        by = user_of(request)
        lock_submissions(record)
        changes = log_record(record, before, describe(record), by=by)
        if before and changes:
            log_edit_in_submissions(record, changes.values(), by=by)
        if before and "name" in changes:
            rename_entries(record)


class ReportedScores(TabularInline):
    model = ReportedScore
    extra = 0


@admin.register(ReportedEntry)
class ReportedEntryAdmin(OnTheBoard):
    formfield_overrides = HTTPS
    list_display = ("language_model", "method", "source", "average", "created")
    list_select_related = ("language_model",)
    search_fields = ("language_model__name", "method", "source")
    raw_id_fields = ("language_model",)
    inlines = (ReportedScores,)

    def log_edit(self, request: HttpRequest, record: Any, before: Description) -> None:  # noqa: ANN401
        super().log_edit(request, record, before)
        assign_slug(record)
