"""The public endpoints below ``/api/v1/``, in the order of their documentation."""

from django.urls import path

from leaderboard.api.entry import EntryView
from leaderboard.api.examples import ContextSearchView, ContextView, ExamplesView, ExampleView
from leaderboard.api.models import ModelsView, ModelView
from leaderboard.api.releases import ReleasesView, ReleaseView
from leaderboard.api.tasks import TasksView, TaskView
from leaderboard.api.views import BreakdownsView, CompareView, EntriesView

_EXAMPLES = "examples/<slug:release>/<slug:task>/"
_EXAMPLE = f"{_EXAMPLES}<path:key>/"  # a key may contain slashes, so it comes last

urlpatterns = [
    path("entries/", EntriesView.as_view(), name="api-entries"),
    path("entries/<slug:entry_id>/", EntryView.as_view(), name="api-entry"),
    path("entries/<slug:entry_id>/breakdowns/", BreakdownsView.as_view(), name="api-breakdowns"),
    path("compare/", CompareView.as_view(), name="api-compare"),
    path("models/", ModelsView.as_view(), name="api-models"),
    path("models/<slug:model>/", ModelView.as_view(), name="api-model"),
    path("releases/", ReleasesView.as_view(), name="api-releases"),
    path("releases/<slug:release>/", ReleaseView.as_view(), name="api-release"),
    path("tasks/", TasksView.as_view(), name="api-tasks"),
    path("tasks/<slug:task>/", TaskView.as_view(), name="api-task"),
    path(_EXAMPLES, ExamplesView.as_view(), name="api-task-examples"),
    path(f"{_EXAMPLE}context/", ContextView.as_view(), name="api-context"),
    path(f"{_EXAMPLE}search/", ContextSearchView.as_view(), name="api-context-search"),
    path(_EXAMPLE, ExampleView.as_view(), name="api-example"),
]
