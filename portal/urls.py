"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

from portal.views import downloads, errors, language_models, moderation, review, submissions
from portal.views.choices import language, theme
from portal.views.demo_mail import demo_mail
from portal.views.formats import prediction_formats
from portal.views.health import healthz, readyz
from portal.views.profile import profile
from portal.views.run_settings import submission_edit
from portal.views.submit import submit

_SUBMISSION = [
    path("", submissions.submission, name="submission"),
    path("status/", submissions.submission_status, name="submission-status"),
    path("answer/", submissions.submission_answer, name="submission-answer"),
    path("try-again/", submissions.submission_try_again, name="submission-try-again"),
    path("score-again/", submissions.submission_score_again, name="submission-score-again"),
    path("edit/", submission_edit, name="submission-edit"),
    path("delete/", submissions.submission_delete, name="submission-delete"),
    path("ask/", moderation.submission_ask, name="submission-ask"),
    path("withdraw/", moderation.submission_withdraw, name="submission-withdraw"),
    path("original/", downloads.original, name="submission-original"),
    path("report.json", downloads.report, name="submission-report"),
    path("examples.csv", downloads.examples_csv, name="submission-examples-csv"),
    path("examples.jsonl", downloads.examples_jsonl, name="submission-examples-jsonl"),
]
_REVIEW = [
    path("", review.review_submission, name="review-submission"),
    path("publish/", moderation.review_publish, name="review-publish"),
    path("reject/", moderation.review_reject, name="review-reject"),
    path("hide/", moderation.entry_hide, name="entry-hide"),
    path("restore/", moderation.entry_restore, name="entry-restore"),
]
urlpatterns = [
    # submissions
    path("submit/", submit, name="submit"),
    path("submissions/", submissions.submissions, name="submissions"),
    path("submissions/<uuid:submission_id>/", include(_SUBMISSION)),
    path("my-models/", language_models.my_models, name="my-models"),
    path("my-models/<slug:slug>/edit/", language_models.my_model_edit, name="my-model-edit"),
    path("my-models/<slug:slug>/delete/", language_models.my_model_delete, name="my-model-delete"),
    path("review/", review.review, name="review"),
    path("review/<uuid:submission_id>/", include(_REVIEW)),
    # what the public reads
    path("formats/", prediction_formats, name="formats"),
    path("", include("leaderboard.urls")),
    # the site itself
    path("profile/", profile, name="profile"),
    path("theme/", theme, name="theme"),
    path("language/", language, name="language"),
    path("demo/mail/", demo_mail, name="demo-mail"),
    path("accounts/", include("allauth.account.urls")),
    path("admin/", admin.site.urls),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
]

handler400 = errors.bad_request
handler403 = errors.forbidden
handler404 = errors.not_found
handler500 = errors.server_error
