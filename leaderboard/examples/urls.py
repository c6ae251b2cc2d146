"""The addresses below ``/examples/``. A key may hold slashes, so its addresses come last."""

from django.urls import path

from leaderboard.examples.context_views import context_search, context_window

_EXAMPLE = "<slug:slug>/<slug:task_id>/<path:key>"

urlpatterns = [
    path(f"{_EXAMPLE}/context", context_window, name="example-context"),
    path(f"{_EXAMPLE}/search", context_search, name="example-search"),
]
