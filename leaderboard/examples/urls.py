"""The addresses below ``/examples/``. A key may contain slashes, so its addresses come last."""

from django.urls import path

from leaderboard.examples import views
from leaderboard.examples.context.views import context_search, context_window, contexts
from leaderboard.examples.listing.views import (
    example_index,
    example_list,
    example_list_json,
)

_TASK = "<slug:slug>/<slug:task_id>"
_EXAMPLE = f"{_TASK}/<path:key>"

urlpatterns = [
    path("", example_index, name="example-index"),
    path(f"{_TASK}/", example_list, name="examples"),
    path(f"{_TASK}.json", example_list_json, name="examples-json"),
    path(f"{_TASK}/contexts", contexts, name="examples-contexts"),
    path(f"{_EXAMPLE}/context", context_window, name="example-context"),
    path(f"{_EXAMPLE}/search", context_search, name="example-search"),
    path(f"{_EXAMPLE}.json", views.example_json, name="example-json"),
    path(f"{_EXAMPLE}.md", views.example_markdown, name="example-markdown"),
    path(f"{_EXAMPLE}/", views.example, name="example"),
]
