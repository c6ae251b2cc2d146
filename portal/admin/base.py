"""What admin pages share: which columns can be filtered, who changes what, and how it is logged."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import BadRequest, ValidationError
from django.db import models, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from portal.audit.records import Description, Record, describe, log_record
from portal.board_version import raise_board_version
from portal.permissions.access import user_of

if TYPE_CHECKING:  # generic in the stubs only
    ModelAdmin = admin.ModelAdmin[Any]
    TabularInline = admin.TabularInline[Any, Any]
else:
    ModelAdmin, TabularInline = admin.ModelAdmin, admin.TabularInline

_LOOKUPS = ("", "__exact", "__id__exact", "__isnull")  # of the filters of a list
# The default of Django 6.
HTTPS: Mapping[Any, Mapping[str, object]] = {models.URLField: {"assume_scheme": "https"}}


class Filtered(ModelAdmin):
    """Only the filters on the page are allowed: Django would accept any column with any value, and
    some make the query fail."""

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup in {f"{name}{how}" for name in self.list_filter for how in _LOOKUPS}

    def response_action(
        self, request: HttpRequest, queryset: "QuerySet[Any]"
    ) -> HttpResponse | None:
        """Refuses marked rows with malformed ids, with which the query would fail."""
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
