"""The addresses of endpoint runs."""

from django.urls import path

from portal.endpoint_runs import live_page

urlpatterns = [
    path("<uuid:run_id>/", live_page.live, name="endpoint_run"),
]
