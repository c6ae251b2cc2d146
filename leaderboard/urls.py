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
from leaderboard.pages.entries.former import at_current_address
from leaderboard.releases import files as release_files
from leaderboard.releases import ladders
from leaderboard.releases import views as release_views
from leaderboard.reproduction.views import reproduction, reproduction_csv, reproduction_json
from leaderboard.sharing.views import badge, board_png, entry_png, robots, security_txt, sitemap
from leaderboard.tasks import views as task_views

_ENTRY = [
    path(f"entries/<slug:entry_id>/{route}", at_current_address(view), name=name)
    for route, view, name in (
        ("", views.entry, "entry"),
        ("badge.svg", badge, "entry-badge"),
        ("picture.png", entry_png, "entry-picture"),
        ("predictions.zip", entry_files.predictions, "entry-predictions"),
        ("examples.csv", entry_files.examples_csv, "entry-examples-csv"),
        ("examples.jsonl", entry_files.examples_jsonl, "entry-examples-jsonl"),
        ("breakdowns.csv", entry_files.breakdowns_csv, "entry-breakdowns"),
        ("runs.csv", entry_runs.runs_csv, "entry-runs-csv"),
        ("runs.json", entry_runs.runs_json, "entry-runs-json"),
        ("costs.svg", entry_run.costs_svg, "entry-costs-svg"),
        ("run.yaml", entry_run.run_settings, "entry-run"),
        ("metrics/", metric_set_views.entry_metrics, "entry-metrics"),
        ("metrics.csv", metric_set_views.entry_metrics_csv, "entry-metrics-csv"),
        ("metrics.svg", metric_set_views.entry_metrics_svg, "entry-metrics-svg"),
        ("metrics.json", metric_set_views.entry_metrics_json, "entry-metrics-json"),
        ("breakdowns.svg", entry_files.figure_svg, "entry-figure"),
        ("report.json", entry_files.report, "entry-report"),
        ("every-eval-ever.zip", format_views.entry_every_eval_ever, "entry-every-eval-ever"),
        ("eval-results.yaml", format_views.entry_eval_results, "entry-eval-results"),
    )
]
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
    *_ENTRY,
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
