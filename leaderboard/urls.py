"""The addresses of the public pages."""

from django.urls import include, path

from leaderboard.board.views import (
    board,
    board_as_csv,
    board_as_json,
    board_as_latex,
    board_as_markdown,
    board_feed,
)
from leaderboard.comparison.views import claim, compare
from leaderboard.formats import views as format_views
from leaderboard.pages import metric_set_views, views
from leaderboard.pages.entries import files as entry_files
from leaderboard.pages.entries import run as entry_run
from leaderboard.pages.entries import runs as entry_runs
from leaderboard.releases import files as release_files
from leaderboard.releases import ladders
from leaderboard.releases import views as release_views
from leaderboard.reproduction.views import reproduction, reproduction_csv, reproduction_json
from leaderboard.sharing.views import badge, board_png, entry_png, robots, security_txt, sitemap
from leaderboard.tasks import views as task_views

urlpatterns = [
    path("", views.home, name="home"),
    path("board/<slug:slug>/", board, name="board"),
    path("board/<slug:slug>/board.csv", board_as_csv, name="board-csv"),
    path("board/<slug:slug>/board.json", board_as_json, name="board-json"),
    path("board/<slug:slug>/board.tex", board_as_latex, name="board-latex"),
    path("board/<slug:slug>/board.md", board_as_markdown, name="board-markdown"),
    path("board/<slug:slug>/metrics/", metric_set_views.board_metrics, name="board-metrics"),
    path(
        "board/<slug:slug>/metrics.csv",
        metric_set_views.board_metrics_csv,
        name="board-metrics-csv",
    ),
    path(
        "board/<slug:slug>/metrics.svg",
        metric_set_views.board_metrics_svg,
        name="board-metrics-svg",
    ),
    path(
        "board/<slug:slug>/metrics.json",
        metric_set_views.board_metrics_json,
        name="board-metrics-json",
    ),
    path("board/<slug:slug>/feed.atom", board_feed, name="board-feed"),
    path("board/<slug:slug>/picture.png", board_png, name="board-picture"),
    path("entries/<slug:entry_id>/", views.entry, name="entry"),
    path("entries/<slug:entry_id>/badge.svg", badge, name="entry-badge"),
    path("entries/<slug:entry_id>/picture.png", entry_png, name="entry-picture"),
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
    path("entries/<slug:entry_id>/runs.csv", entry_runs.runs_csv, name="entry-runs-csv"),
    path("entries/<slug:entry_id>/runs.json", entry_runs.runs_json, name="entry-runs-json"),
    path("entries/<slug:entry_id>/costs.svg", entry_run.costs_svg, name="entry-costs-svg"),
    path("entries/<slug:entry_id>/run.yaml", entry_run.run_settings, name="entry-run"),
    path("entries/<slug:entry_id>/metrics/", metric_set_views.entry_metrics, name="entry-metrics"),
    path(
        "entries/<slug:entry_id>/metrics.csv",
        metric_set_views.entry_metrics_csv,
        name="entry-metrics-csv",
    ),
    path(
        "entries/<slug:entry_id>/metrics.svg",
        metric_set_views.entry_metrics_svg,
        name="entry-metrics-svg",
    ),
    path(
        "entries/<slug:entry_id>/metrics.json",
        metric_set_views.entry_metrics_json,
        name="entry-metrics-json",
    ),
    path("entries/<slug:entry_id>/breakdowns.svg", entry_files.figure_svg, name="entry-figure"),
    path("entries/<slug:entry_id>/report.json", entry_files.report, name="entry-report"),
    path(
        "entries/<slug:entry_id>/every-eval-ever.zip",
        format_views.entry_every_eval_ever,
        name="entry-every-eval-ever",
    ),
    path(
        "entries/<slug:entry_id>/eval-results.yaml",
        format_views.entry_eval_results,
        name="entry-eval-results",
    ),
    path("compare/", compare, name="compare"),
    path("claims/", claim, name="claims"),
    path("models/", views.language_models, name="language-models"),
    path("models/<slug:slug>/", views.language_model, name="language-model"),
    path("models/<slug:slug>/profile.svg", views.model_profile_svg, name="model-profile-svg"),
    path("tasks/", task_views.tasks, name="tasks"),
    path("tasks/<slug:task_id>/", task_views.task, name="task"),
    path("tasks/<slug:task_id>/entries.svg", task_views.task_svg, name="task-svg"),
    path("reproduction/", reproduction, name="reproduction"),
    path("reproduction/tables.csv", reproduction_csv, name="reproduction-csv"),
    path("reproduction/tables.json", reproduction_json, name="reproduction-json"),
    path("releases/", release_views.releases, name="releases"),
    path("releases/<slug:slug>/", release_views.release, name="release"),
    path("releases/<slug:slug>/lengths/", ladders.ladder, name="ladder"),
    path("releases/<slug:slug>/lengths/curves.csv", ladders.ladder_csv, name="ladder-csv"),
    path("releases/<slug:slug>/lengths/curves.svg", ladders.ladder_svg, name="ladder-svg"),
    path("releases/<slug:slug>/lengths/curves.json", ladders.ladder_json, name="ladder-json"),
    path("releases/<slug:slug>/SHA256SUMS", release_files.checksums, name="release-checksums"),
    path("releases/<slug:slug>/manifest.json", release_files.manifest, name="release-manifest"),
    path("releases/<slug:slug>/eval.yaml", format_views.release_eval, name="release-eval"),
    path(
        "releases/<slug:slug>/composition.csv",
        release_files.composition_file,
        name="release-composition",
    ),
    path(
        "releases/<slug:slug>/composition.svg",
        release_files.composition_svg,
        name="release-composition-svg",
    ),
    path("releases/<slug:slug>/coverage.csv", release_files.coverage_file, name="release-coverage"),
    path(
        "releases/<slug:slug>/coverage.svg",
        release_files.coverage_svg,
        name="release-coverage-svg",
    ),
    path("releases/<slug:slug>/<slug:task_id>.jsonl", release_files.rows, name="release-rows"),
    path(
        "releases/<slug:slug>/facets/<slug:task_id>.jsonl",
        release_files.facets,
        name="release-facets",
    ),
    path("examples/", include("leaderboard.examples.urls")),
    path("api/v1/", include("leaderboard.api.urls")),
    path("about/", views.about, name="about"),
    path("about/generated-releases/", views.generated_releases, name="generated-releases"),
    path("sitemap.xml", sitemap, name="sitemap"),
    path("robots.txt", robots, name="robots"),
    path(".well-known/security.txt", security_txt, name="security-txt"),
    path("privacy/", views.privacy, name="privacy"),
    path("terms/", views.terms, name="terms"),
]
