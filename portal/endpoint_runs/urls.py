"""The addresses of endpoint runs."""

from django.urls import include, path

from portal.endpoint_runs import views
from portal.endpoint_runs.progress import live_page

_RUN = [
    path("", live_page.live, name="endpoint_run"),
    path("configure/", views.run_configure, name="endpoint_run_configure"),
    path("settings.yaml", views.run_settings, name="endpoint_run_settings"),
    path("preview/", views.run_preview, name="endpoint_run_preview"),
    path("estimate/", views.run_estimate, name="endpoint_run_estimate"),
    path("estimate/again/", views.run_estimate_again, name="endpoint_run_estimate_again"),
    path("connection/", views.run_connection, name="endpoint_run_connection"),
    path("connection/test/", views.run_connection_test, name="endpoint_run_connection_test"),
    path("start/", views.run_start, name="endpoint_run_start"),
    path("controls/", views.run_controls, name="endpoint_run_controls"),
    path("pause/", views.run_pause, name="endpoint_run_pause"),
    path("resume/", views.run_resume, name="endpoint_run_resume"),
    path("stop/", views.run_stop, name="endpoint_run_stop"),
    path("delete/", views.run_delete, name="endpoint_run_delete"),
]
urlpatterns = [
    path("", views.runs, name="endpoint_runs"),
    path("new/", views.run_new, name="endpoint_run_new"),
    path("new/upload/", views.run_upload, name="endpoint_run_upload"),
    path("<uuid:run_id>/", include(_RUN)),
]
