"""Every address of the site."""

from allauth.mfa.recovery_codes.views import generate_recovery_codes
from allauth.mfa.webauthn.views import edit_webauthn, remove_webauthn
from django.contrib import admin
from django.contrib.auth.decorators import login_required
from django.urls import include, path

from portal.accounts.security_views import (
    AddPasskeyView,
    AddTotpView,
    SecondFactorView,
    session_end,
)
from portal.accounts.views import (
    ChangeAddressView,
    ConfirmAddressView,
    SignUpView,
    profile,
    theme,
    token_revoke,
    tokens,
)
from portal.demo.mailbox import demo_mail
from portal.demo.samples import submit_samples
from portal.endpoint_runs.progress import oversight
from portal.health import healthz, readyz
from portal.hub import views as hub
from portal.language_models import views as language_models
from portal.operations.metrics import metrics
from portal.operations.views import status
from portal.personal_data.views import account_delete, account_export
from portal.review import views as review
from portal.review.labels import views as labels
from portal.review.notes import views as notes
from portal.submissions import views as submissions
from portal.submissions.files import views as download_views
from portal.submissions.submit import views as submit_views
from portal.web import error_pages

_SUBMISSION = [
    path("", submissions.submission, name="submission"),
    path("status/", submissions.submission_status, name="submission-status"),
    path("answer/", submissions.submission_answer, name="submission-answer"),
    path("try-again/", submissions.submission_try_again, name="submission-try-again"),
    path("score-again/", submissions.submission_score_again, name="submission-score-again"),
    path("edit/", submissions.submission_edit, name="submission-edit"),
    path("delete/", submissions.submission_delete, name="submission-delete"),
    path("request/", review.submission_request, name="submission-request"),
    path("schedule/", review.submission_schedule, name="submission-schedule"),
    path("show-account/", review.submission_show_account, name="submission-show-account"),
    path("cancel-request/", review.submission_cancel_request, name="submission-cancel-request"),
    path("reply/", review.submission_reply, name="submission-reply"),
    path("withdraw/", review.submission_withdraw, name="submission-withdraw"),
    path("fetch/", hub.submission_fetch, name="submission-fetch"),
    path("cancel-fetch/", hub.submission_cancel_fetch, name="submission-cancel-fetch"),
    path("original/", download_views.original, name="submission-original"),
    path("report.json", download_views.report, name="submission-report"),
    path("examples.csv", download_views.examples_csv, name="submission-examples-csv"),
    path("examples.jsonl", download_views.examples_jsonl, name="submission-examples-jsonl"),
]
_REVIEW = [
    path("", review.review_submission, name="review-submission"),
    path("shared/", review.review_shared, name="review-shared"),
    path("claim/", review.review_claim, name="review-claim"),
    path("ask/", review.review_ask, name="review-ask"),
    path("publish/", review.review_publish, name="review-publish"),
    path("reject/", review.review_reject, name="review-reject"),
    path("undo/", review.review_undo, name="review-undo"),
    path("hide/", review.entry_hide, name="entry-hide"),
    path("restore/", review.entry_restore, name="entry-restore"),
]
# allauth keeps what is posted there until its sender has confirmed who they are, strangers too.
_SECOND_FACTOR = [
    path(f"accounts/2fa/{route}/", login_required(view), name=f"mfa_{name}")
    for route, view, name in (
        ("totp/activate", AddTotpView.as_view(), "activate_totp"),
        ("webauthn/add", AddPasskeyView.as_view(), "add_webauthn"),
        ("webauthn/keys/<int:pk>/edit", edit_webauthn, "edit_webauthn"),
        ("webauthn/keys/<int:pk>/remove", remove_webauthn, "remove_webauthn"),
        ("recovery-codes/generate", generate_recovery_codes, "generate_recovery_codes"),
    )
]
urlpatterns = [
    # submissions
    path("submit/", submit_views.submit, name="submit"),
    path("submit/models/", submit_views.submit_models, name="submit-models"),
    path("submit/hub/", hub.submit_from_hub, name="submit-from-hub"),
    path("submissions/", submissions.submissions, name="submissions"),
    path("submissions/<uuid:submission_id>/", include(_SUBMISSION)),
    path("runs/", include("portal.endpoint_runs.urls")),
    path("my-models/", language_models.my_models, name="my-models"),
    path("my-models/<slug:slug>/edit/", language_models.my_model_edit, name="my-model-edit"),
    path("my-models/<slug:slug>/rename/", language_models.my_model_rename, name="my-model-rename"),
    path("my-models/<slug:slug>/delete/", language_models.my_model_delete, name="my-model-delete"),
    path("review/", review.review, name="review"),
    path("review/status/", status, name="review-status"),
    path("review/runs/", oversight.all_runs, name="review-runs"),
    path("review/runs/<uuid:run_id>/pause/", oversight.admin_pause, name="review-run-pause"),
    path("review/runs/<uuid:run_id>/stop/", oversight.admin_stop, name="review-run-stop"),
    path("review/examples/", review.review_examples, name="review-examples"),
    path("review/labels/", labels.label_reports, name="label-reports"),
    path("review/labels/<int:number>/", labels.label_report_decide, name="label-report-decide"),
    path("review/examples/<int:example_id>/notes/", notes.note_write, name="note-write"),
    path("review/notes/<int:note_id>/edit/", notes.note_edit, name="note-edit"),
    path("review/notes/<int:note_id>/remove/", notes.note_remove, name="note-remove"),
    path("review/names/<int:number>/accept/", review.rename_accept, name="rename-accept"),
    path("review/names/<int:number>/refuse/", review.rename_refuse, name="rename-refuse"),
    path("review/<uuid:submission_id>/", include(_REVIEW)),
    # what the public reads
    path("labels/report/", labels.label_report, name="label-report"),
    path("formats/", submissions.prediction_formats, name="formats"),
    path("", include("leaderboard.urls")),
    path("api/v1/", include("portal.api.urls")),
    # the site itself
    path("profile/", profile, name="profile"),
    path("profile/export/", account_export, name="account-export"),
    path("profile/delete/", account_delete, name="account-delete"),
    path("profile/tokens/", tokens, name="tokens"),
    path("profile/tokens/<int:token_id>/revoke/", token_revoke, name="token-revoke"),
    path("theme/", theme, name="theme"),
    path("demo/mail/", demo_mail, name="demo-mail"),
    path("demo/samples/", submit_samples, name="demo-samples"),
    path("accounts/signup/", SignUpView.as_view(), name="account_signup"),  # allauth's, in one
    path("accounts/email/", ChangeAddressView.as_view(), name="account_email"),  # transaction each
    path(
        "accounts/confirm-email/<str:key>/",
        ConfirmAddressView.as_view(),
        name="account_confirm_email",
    ),
    path("accounts/", include("allauth.account.urls")),
    *_SECOND_FACTOR,
    path("accounts/2fa/authenticate/", SecondFactorView.as_view(), name="mfa_authenticate"),
    path("accounts/2fa/", include("allauth.mfa.urls")),
    path("accounts/providers/", include("allauth.socialaccount.urls")),
    path("accounts/", include("allauth.socialaccount.providers.github.urls")),
    path("accounts/", include("allauth.socialaccount.providers.openid_connect.urls")),
    path("accounts/sessions/", include("allauth.usersessions.urls")),
    path("accounts/sessions/<int:session_id>/end/", session_end, name="session-end"),
    path("admin/", admin.site.urls),
    path("healthz", healthz, name="healthz"),
    path("metrics", metrics, name="metrics"),
    path("readyz", readyz, name="readyz"),
]

handler400 = error_pages.bad_request
handler403 = error_pages.forbidden
handler404 = error_pages.not_found
handler500 = error_pages.server_error
