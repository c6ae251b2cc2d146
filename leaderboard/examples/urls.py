"""The addresses below ``/examples/``. A key may hold slashes, so its addresses come last."""

from django.urls import path

from leaderboard.examples import views
from leaderboard.examples.context_views import context_search, context_window, contexts
from leaderboard.examples.list_views import example_index, example_list, example_list_json

_EXAMPLE = "<slug:slug>/<slug:task_id>/<path:key>"

urlpatterns = [
    path("", example_index, name="example-index"),
    path("<slug:slug>/<slug:task_id>/", example_list, name="examples"),
    path("<slug:slug>/<slug:task_id>.json", example_list_json, name="examples-json"),
    path("<slug:slug>/<slug:task_id>/contexts", contexts, name="examples-contexts"),
    path(f"{_EXAMPLE}/context", context_window, name="example-context"),
    path(f"{_EXAMPLE}/search", context_search, name="example-search"),
    path(f"{_EXAMPLE}.json", views.example_json, name="example-json"),
    path(f"{_EXAMPLE}.md", views.example_markdown, name="example-markdown"),
    path(f"{_EXAMPLE}/", views.example, name="example"),
]
