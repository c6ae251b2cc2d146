"""The audit log."""

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html
from django.utils.text import Truncator

from portal.admin.base import OfSubmissions
from portal.models import AuditEntry

_SHOWN_REASON = 240  # characters in the list of audit entries


@admin.register(AuditEntry)
class AuditEntryAdmin(OfSubmissions):
    ordering = ("-number",)
    list_display = ("at", "actor", "action", "change", "about", "why")
    list_filter = ("action",)
    list_select_related = ("actor", "submission__language_model")
    search_fields = ("actor__username", "submission__language_model__name", "subject")

    @admin.display(description="change")
    def change(self, entry: AuditEntry) -> str:
        return f"{entry.before} → {entry.after}" if entry.before != entry.after else entry.after

    @admin.display(description="reason")
    def why(self, entry: AuditEntry) -> str:
        """Its beginning: of a new row it lists every value. The entry's own page has all of it."""
        return Truncator(entry.reason).chars(_SHOWN_REASON)

    @admin.display(description="about")
    def about(self, entry: AuditEntry) -> str:
        """A submission that was deleted has left its id only."""
        if entry.submission is None:
            return entry.about
        address = reverse("admin:portal_submission_change", args=[entry.submission_id])
        return format_html('<a href="{}">{}</a>', address, entry.submission)
