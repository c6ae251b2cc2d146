"""The addresses below ``/api/v1/`` that need a token, and what describes all of them."""

from django.urls import path

from portal.api import my_models
from portal.api.description.documentation import docs_index, documentation, group_page
from portal.api.description.schema import SchemaView
from portal.api.submissions import actions, files, hub
from portal.api.submissions import views as submissions

_ONE = "submissions/<uuid:submission_id>/"

urlpatterns = [
    path("", documentation, name="api"),
    path("docs/", docs_index, name="api-docs-index"),
    path("docs/<slug:group>/", group_page, name="api-docs"),
    path("schema/", SchemaView.as_view(), name="api-schema"),
    path("submissions/", submissions.SubmissionsView.as_view(), name="api-submissions"),
    path("submissions/from-hub/", hub.FromHubView.as_view(), name="api-from-hub"),
    path(_ONE, submissions.SubmissionView.as_view(), name="api-submission"),
    path(f"{_ONE}report/", files.ReportView.as_view(), name="api-report"),
    path(
        f"{_ONE}predictions/",
        files.PredictionFilesView.as_view(),
        name="api-predictions",
    ),
    path(f"{_ONE}examples/", files.ExamplesView.as_view(), name="api-examples"),
    path(f"{_ONE}answer/", actions.AnswerView.as_view(), name="api-answer"),
    path(f"{_ONE}try-again/", actions.TryAgainView.as_view(), name="api-try-again"),
    path(f"{_ONE}score-again/", actions.ScoreAgainView.as_view(), name="api-score-again"),
    path(f"{_ONE}edit/", actions.EditView.as_view(), name="api-edit"),
    path(f"{_ONE}request/", actions.RequestView.as_view(), name="api-request"),
    path(f"{_ONE}schedule/", actions.ScheduleView.as_view(), name="api-schedule"),
    path(f"{_ONE}cancel-request/", actions.CancelRequestView.as_view(), name="api-cancel"),
    path(f"{_ONE}reply/", actions.ReplyView.as_view(), name="api-reply"),
    path(f"{_ONE}withdraw/", actions.WithdrawView.as_view(), name="api-withdraw"),
    path("my-models/", my_models.MyModelsView.as_view(), name="api-my-models"),
    path("my-models/<slug:model>/", my_models.MyModelView.as_view(), name="api-my-model"),
]
