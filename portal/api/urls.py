"""The addresses below ``/api/v1/`` that need a token, and what describes all of them."""

from django.urls import path

from portal.api import my_models
from portal.api.description.documentation import docs_index, documentation, group_page
from portal.api.description.schema import SchemaView
from portal.api.reviews import disputes, doubtful_examples, notes
from portal.api.reviews import views as reviews
from portal.api.runs import overseen, preview, spot_checks
from portal.api.runs import views as runs
from portal.api.submissions import actions, files, hub, model_cards
from portal.api.submissions import views as submissions

_ONE = "submissions/<uuid:submission_id>/"
_RUN = "runs/<uuid:run_id>/"
_REVIEW = "reviews/<uuid:submission_id>/"
_DISPUTE = "disputes/<int:number>/"
_OVERSEEN = "reviews/runs/<uuid:run_id>/"

urlpatterns = [
    path("", documentation, name="api"),
    path("docs/", docs_index, name="api-docs-index"),
    path("docs/<slug:group>/", group_page, name="api-docs"),
    path("schema/", SchemaView.as_view(), name="api-schema"),
    path("submissions/", submissions.SubmissionsView.as_view(), name="api-submissions"),
    path("submissions/from-hub/", hub.FromHubView.as_view(), name="api-from-hub"),
    path(_ONE, submissions.SubmissionView.as_view(), name="api-submission"),
    path(f"{_ONE}report/", files.ReportView.as_view(), name="api-report"),
    path(f"{_ONE}receipt/", files.ReceiptView.as_view(), name="api-receipt"),
    path(
        f"{_ONE}predictions/",
        files.PredictionFilesView.as_view(),
        name="api-predictions",
    ),
    path(f"{_ONE}examples/", files.ExamplesView.as_view(), name="api-examples"),
    path(f"{_ONE}model-card/", model_cards.ModelCardView.as_view(), name="api-model-card"),
    path(f"{_ONE}answer/", actions.AnswerView.as_view(), name="api-answer"),
    path(f"{_ONE}try-again/", actions.TryAgainView.as_view(), name="api-try-again"),
    path(f"{_ONE}score-again/", actions.ScoreAgainView.as_view(), name="api-score-again"),
    path(f"{_ONE}edit/", actions.EditView.as_view(), name="api-edit"),
    path(f"{_ONE}spot-checks/", spot_checks.SpotChecksView.as_view(), name="api-spot-checks"),
    path(f"{_ONE}request/", actions.RequestView.as_view(), name="api-request"),
    path(f"{_ONE}schedule/", actions.ScheduleView.as_view(), name="api-schedule"),
    path(f"{_ONE}cancel-request/", actions.CancelRequestView.as_view(), name="api-cancel"),
    path(f"{_ONE}reply/", actions.ReplyView.as_view(), name="api-reply"),
    path(f"{_ONE}withdraw/", actions.WithdrawView.as_view(), name="api-withdraw"),
    path("runs/", runs.RunsView.as_view(), name="api-runs"),
    path(_RUN, runs.RunView.as_view(), name="api-run"),
    path(f"{_RUN}configure/", runs.ConfigureView.as_view(), name="api-run-configure"),
    path(f"{_RUN}test-connection/", runs.TestConnectionView.as_view(), name="api-run-test"),
    path(f"{_RUN}estimate/", runs.EstimateView.as_view(), name="api-run-estimate"),
    path(f"{_RUN}preview/", preview.PreviewView.as_view(), name="api-run-preview"),
    path(f"{_RUN}start/", runs.StartView.as_view(), name="api-run-start"),
    path(f"{_RUN}controls/", runs.ControlsView.as_view(), name="api-run-controls"),
    path(f"{_RUN}pause/", runs.PauseView.as_view(), name="api-run-pause"),
    path(f"{_RUN}resume/", runs.ResumeView.as_view(), name="api-run-resume"),
    path(f"{_RUN}stop/", runs.StopView.as_view(), name="api-run-stop"),
    path("reviews/", reviews.ReviewsView.as_view(), name="api-reviews"),
    path(_REVIEW, reviews.ReviewView.as_view(), name="api-review"),
    path(f"{_REVIEW}claim/", reviews.ClaimView.as_view(), name="api-review-claim"),
    path(f"{_REVIEW}ask/", reviews.AskView.as_view(), name="api-review-ask"),
    path(f"{_REVIEW}publish/", reviews.PublishView.as_view(), name="api-review-publish"),
    path(f"{_REVIEW}reject/", reviews.RejectView.as_view(), name="api-review-reject"),
    path(f"{_REVIEW}undo/", reviews.UndoView.as_view(), name="api-review-undo"),
    path(f"{_REVIEW}hide/", reviews.HideView.as_view(), name="api-review-hide"),
    path(f"{_REVIEW}restore/", reviews.RestoreView.as_view(), name="api-review-restore"),
    path(
        f"{_REVIEW}withdraw/", reviews.WithdrawForAuthorView.as_view(), name="api-review-withdraw"
    ),
    path(
        "reviews/examples/",
        doubtful_examples.ExampleQueueView.as_view(),
        name="api-review-examples",
    ),
    path("reviews/suspects/", doubtful_examples.SuspectsView.as_view(), name="api-suspects"),
    path("reviews/runs/", overseen.OverseenRunsView.as_view(), name="api-runs-of-all"),
    path(
        f"{_OVERSEEN}pause/",
        overseen.PauseForAuthorView.as_view(),
        name="api-runs-of-all-pause",
    ),
    path(f"{_OVERSEEN}stop/", overseen.StopForAuthorView.as_view(), name="api-runs-of-all-stop"),
    path("my-models/", my_models.MyModelsView.as_view(), name="api-my-models"),
    path("my-models/<slug:model>/", my_models.MyModelView.as_view(), name="api-my-model"),
    path("notes/", notes.NotesView.as_view(), name="api-notes"),
    path("notes/<int:note_id>/", notes.NoteView.as_view(), name="api-note"),
    path("disputes/", disputes.DisputesView.as_view(), name="api-disputes"),
    path(_DISPUTE, disputes.DisputeView.as_view(), name="api-dispute"),
    path(f"{_DISPUTE}decide/", disputes.DecideView.as_view(), name="api-dispute-decide"),
]
