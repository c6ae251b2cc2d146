"""The addresses below ``/api/v1/``."""

from django.urls import path

from leaderboard.api.views import BreakdownsView, CompareView, EntriesView, documentation

urlpatterns = [
    path("", documentation, name="api"),
    path("entries/", EntriesView.as_view(), name="api-entries"),
    path("entries/<slug:entry_id>/breakdowns/", BreakdownsView.as_view(), name="api-breakdowns"),
    path("compare/", CompareView.as_view(), name="api-compare"),
]
