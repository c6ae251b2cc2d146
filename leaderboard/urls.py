"""The addresses of the public pages."""

from django.urls import include, path

from leaderboard.board.views import (
    board,
    board_as_csv,
    board_as_json,
    board_as_latex,
    board_as_markdown,
)
from leaderboard.comparison.views import claim, compare
from leaderboard.pages import entry_files, release_files, views

urlpatterns = [
    path("", views.home, name="home"),
    path("board/<slug:slug>/", board, name="board"),
    path("board/<slug:slug>/board.csv", board_as_csv, name="board-csv"),
    path("board/<slug:slug>/board.json", board_as_json, name="board-json"),
    path("board/<slug:slug>/board.tex", board_as_latex, name="board-latex"),
    path("board/<slug:slug>/board.md", board_as_markdown, name="board-markdown"),
    path("entries/<slug:entry_id>/", views.entry, name="entry"),
    path(
        "entries/<slug:entry_id>/predictions.zip", entry_files.predictions, name="entry-predictions"
    ),
    path(
        "entries/<slug:entry_id>/examples.csv", entry_files.examples_csv, name="entry-examples-csv"
    ),
    path(
        "entries/<slug:entry_id>/examples.jsonl",
        entry_files.examples_jsonl,
        name="entry-examples-jsonl",
    ),
    path(
        "entries/<slug:entry_id>/breakdowns.csv",
        entry_files.breakdowns_csv,
        name="entry-breakdowns",
    ),
    path("entries/<slug:entry_id>/report.json", entry_files.report, name="entry-report"),
    path("compare/", compare, name="compare"),
    path("claims/", claim, name="claims"),
    path("models/", views.language_models, name="language-models"),
    path("models/<slug:slug>/", views.language_model, name="language-model"),
    path("tasks/", views.tasks, name="tasks"),
    path("tasks/<slug:task_id>/", views.task, name="task"),
    path("releases/", views.releases, name="releases"),
    path("releases/<slug:slug>/", views.release, name="release"),
    path("releases/<slug:slug>/SHA256SUMS", release_files.checksums, name="release-checksums"),
    path("releases/<slug:slug>/manifest.json", release_files.manifest, name="release-manifest"),
    path("releases/<slug:slug>/<slug:task_id>.jsonl", release_files.rows, name="release-rows"),
    path(
        "releases/<slug:slug>/facets/<slug:task_id>.jsonl",
        release_files.facets,
        name="release-facets",
    ),
    path("api/v1/", include("leaderboard.api.urls")),
    path("about/", views.about, name="about"),
    path("privacy/", views.privacy, name="privacy"),
    path("terms/", views.terms, name="terms"),
]
