"""The addresses of what the public reads."""

from django.urls import path

from leaderboard import pages, release_files
from leaderboard.views import board, board_as_csv, board_as_json, home

urlpatterns = [
    path("", home, name="home"),
    path("board/<slug:slug>/", board, name="board"),
    path("board/<slug:slug>/board.csv", board_as_csv, name="board-csv"),
    path("board/<slug:slug>/board.json", board_as_json, name="board-json"),
    path("entries/<slug:entry_id>/", pages.entry, name="entry"),
    path("models/", pages.language_models, name="language-models"),
    path("models/<slug:slug>/", pages.language_model, name="language-model"),
    path("tasks/", pages.tasks, name="tasks"),
    path("tasks/<slug:task_id>/", pages.task, name="task"),
    path("releases/", pages.releases, name="releases"),
    path("releases/<slug:slug>/", pages.release, name="release"),
    path("releases/<slug:slug>/SHA256SUMS", release_files.checksums, name="release-checksums"),
    path("releases/<slug:slug>/manifest.json", release_files.manifest, name="release-manifest"),
    path("releases/<slug:slug>/<slug:task_id>.jsonl", release_files.rows, name="release-rows"),
    path(
        "releases/<slug:slug>/facets/<slug:task_id>.jsonl",
        release_files.facets,
        name="release-facets",
    ),
    path("about/", pages.about, name="about"),
]
