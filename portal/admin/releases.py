"""Releases, who is admitted to hidden ones, and their data."""

from django.contrib import admin
from django.http import HttpRequest

from portal.admin.base import Logged, OnTheBoard, ReadOnly
from portal.models import Example, Release, ReleaseAdmission, TaskDataSet


@admin.register(Release)
class ReleaseAdmin(OnTheBoard):
    """Imported by a command. What scores depend on cannot be changed."""

    fields = (
        "slug", "title", "description", "hidden",
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
