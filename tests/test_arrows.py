"""Imports point one way: a module may import what stands before it in the table, never after."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

# Folder or module → what of this project it may import. Read from top to bottom.
ARROWS: dict[str, tuple[str, ...]] = {
    "scoring/synthetic": (
        "scoring.synthetic",
        "scoring.catalog",
        "scoring.labels",
        "scoring.tokens",
    ),
    # It must know nothing of how texts are made, only how to read.
    "scoring/reader": ("scoring.reader", "scoring.catalog", "scoring.prompts"),
    "scoring/commands": ("scoring",),
    "scoring/metrics": ("scoring.metrics", "scoring.catalog", "scoring.labels"),
    "scoring": ("scoring",),
}
# The same for the site; all of it may import the scorer. The longest name that fits counts.
PORTAL: dict[str, tuple[str, ...]] = {
    # Plain Python, which runs before there is a database.
    "portal.machine": ("portal.machine",),
    "portal.embedded": ("portal.machine",),
    "portal.demo": ("portal.embedded", "portal.machine"),
    "portal.environment": ("portal.embedded",),
    "portal.settings": ("portal.environment",),
    # What stands on nothing of ours.
    **dict.fromkeys(
        (
            "portal.apps", "portal.broken_text", "portal.broker", "portal.failures",
            "portal.faulty_releases", "portal.formats", "portal.guarded", "portal.headers",
            "portal.hub", "portal.logs", "portal.packing", "portal.ranges", "portal.sandbox",
            "portal.languages", "portal.slow_clients", "portal.storage", "portal.stylesheets",
            "portal.usernames", "portal.wsgi",
        ),
        (),
    ),
    "portal.reference": ("portal.reference",),
    "portal.gunicorn": ("portal.sandbox", "portal.slow_clients"),
    "portal.uploads": ("portal.packing", "portal.slow_clients"),
    "portal.celery": ("portal.sandbox",),
    "portal.demo_progress": ("portal.machine.statefiles",),
    "portal.steps": ("portal.machine.statefiles",),
    "portal.context": ("portal.demo_progress", "portal.sandbox"),
    "portal.models": ("portal.models",),
    "portal.access": ("portal.models",),
    "portal.account_times": ("portal.models",),
    "portal.account_words": ("portal.account_times",),
    "portal.board_version": ("portal.models",),
    "portal.wake": ("portal.celery", "portal.models"),
    "portal.states": ("portal.board_version", "portal.models"),
    "portal.leases": ("portal.models", "portal.states"),
    "portal.results": (
        "portal.board_version", "portal.failures", "portal.leases", "portal.models",
        "portal.states", "portal.wake",
    ),
    # services
    "portal.contexts": ("portal.models",),
    "portal.context_store": ("portal.models", "portal.storage"),
    "portal.release_files": ("portal.models", "portal.storage"),
    "portal.label_files": ("portal.faulty_releases", "portal.models"),
    "portal.import_progress": ("portal.context_store",),
    "portal.release_drafts": (
        "portal.context_store", "portal.faulty_releases", "portal.models", "portal.release_files",
    ),
    "portal.data_sets": ("portal.context_store", "portal.models", "portal.release_drafts"),
    "portal.releases": (
        "portal.board_version", "portal.context_store", "portal.data_sets",
        "portal.faulty_releases", "portal.import_progress", "portal.models",
        "portal.release_drafts",
    ),
    "portal.checked_releases": (
        "portal.faulty_releases", "portal.models", "portal.releases",
    ),
    "portal.language_models": ("portal.board_version", "portal.models", "portal.states"),
    "portal.reported": ("portal.board_version", "portal.language_models", "portal.models"),
    "portal.accounts": ("portal.machine.statefiles", "portal.models"),
    "portal.quotas": ("portal.failures", "portal.models"),
    "portal.submissions": (
        "portal.language_models", "portal.models", "portal.quotas", "portal.states",
        "portal.storage", "portal.wake",
    ),
    "portal.strays": (
        "portal.context_store", "portal.models", "portal.release_files", "portal.submissions",
    ),
    "portal.notices": ("portal.models",),
    "portal.moderation": ("portal.models", "portal.notices", "portal.states"),
    "portal.audit": ("portal.models",),
    # what calls services
    "portal.jobs": (
        "portal.celery", "portal.faulty_releases", "portal.label_files", "portal.leases",
        "portal.models", "portal.results", "portal.sandbox", "portal.states", "portal.wake",
    ),
    "portal.historical": (
        "portal.failures", "portal.jobs", "portal.language_models", "portal.models",
        "portal.packing", "portal.pages.scores", "portal.releases", "portal.sandbox",
        "portal.states", "portal.storage", "portal.submissions",
    ),
    "portal.preparation": (
        "portal.accounts", "portal.faulty_releases", "portal.historical",
        "portal.language_models", "portal.releases", "portal.reported", "portal.steps",
    ),
    "portal.reference_entries": (
        "portal.models", "portal.moderation", "portal.packing", "portal.submissions",
    ),
    "portal.ladder": (
        "portal.demo_progress", "portal.faulty_releases", "portal.models", "portal.quotas",
        "portal.reference_entries", "portal.releases", "portal.states", "portal.steps",
    ),
    # what people type and read
    "portal.forms": (
        "portal.forms", "portal.language_models", "portal.models", "portal.submissions",
    ),
    "portal.pages": (
        "portal.access", "portal.failures", "portal.guarded", "portal.models", "portal.pages",
        "portal.states", "portal.submissions",
    ),
    "portal.admin": (
        "portal.access", "portal.board_version", "portal.forms", "portal.models",
        "portal.moderation", "portal.states",
    ),
    "portal.views": (
        "portal.access", "portal.context", "portal.forms", "portal.language_models",
        "portal.models", "portal.moderation", "portal.pages", "portal.quotas", "portal.sandbox",
        "portal.states", "portal.submissions", "portal.uploads", "portal.views",
    ),
    "portal.urls": ("portal.views",),
    "portal.management": (
        "portal.audit", "portal.checked_releases", "portal.faulty_releases", "portal.historical",
        "portal.hub", "portal.jobs", "portal.ladder", "portal.language_models",
        "portal.preparation", "portal.reference", "portal.releases", "portal.reported",
        "portal.strays",
    ),
}  # fmt: skip
# What the public reads: it writes nothing, and only the addresses know of it.
LEADERBOARD = (
    "leaderboard", "portal.access", "portal.board_version", "portal.guarded", "portal.models",
    "portal.pages.reports", "portal.pages.titles", "portal.ranges",
)  # fmt: skip
KNOW_THE_LEADERBOARD: dict[str, tuple[str, ...]] = {
    "portal.urls": ("leaderboard.urls",),
    "portal.views": ("leaderboard.charts", "leaderboard.queries"),
}
# The scorer runs in a box where none of these is: and they would cost its start-up.
FOREIGN_TO_SCORING = ("django", "celery", "rest_framework", "portal", "leaderboard")
# Only the commands that need them may load these: they are slow to import.
HEAVY = {
    "tiktoken": "scoring/tokens.py",
    "rouge_score": "scoring/commands/verify.py",
    "huggingface_hub": "portal/hub.py",
}

SCORING = sorted((ROOT / "scoring").rglob("*.py"))
SITE = sorted(path for path in (ROOT / "portal").rglob("*.py") if path.parent.name != "migrations")
READ_SIDE = sorted((ROOT / "leaderboard").rglob("*.py"))
MODULES = SCORING + SITE + READ_SIDE


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module, f"{path}: imports are absolute"
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if _is_module(name) else node.module for name in names)


def _is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


@pytest.mark.parametrize("path", SCORING, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_along_the_arrows(path: Path) -> None:
    place = path.relative_to(ROOT).as_posix()
    allowed = next(names for folder, names in ARROWS.items() if place.startswith(folder + "/"))
    for name in imports(path):
        assert not any(within(name, foreign) for foreign in FOREIGN_TO_SCORING), name
        if within(name, "scoring") and name != "scoring":
            assert any(within(name, package) for package in allowed), name


@pytest.mark.parametrize("path", SITE, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_of_the_site_imports_only_along_the_arrows(path: Path) -> None:
    name = _module(path)
    if name == "portal":
        assert list(imports(path)) == []
        return
    place = max((known for known in PORTAL if within(name, known)), key=len)
    for target in imports(path):
        if within(target, "portal"):
            assert any(within(target, package) for package in PORTAL[place]), target
        if within(target, "leaderboard"):
            modules = KNOW_THE_LEADERBOARD.get(place, ())
            assert any(within(target, module) for module in modules), target
        if place in ("portal.machine", "portal.embedded"):
            assert not within(target, "django"), target


@pytest.mark.parametrize("path", READ_SIDE, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_read_side_imports_only_along_the_arrows(path: Path) -> None:
    for target in imports(path):
        if within(target, "portal") or within(target, "leaderboard"):
            assert any(within(target, package) for package in LEADERBOARD), target


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_heavy_packages_stay_off_the_scoring_path(path: Path) -> None:
    for package, home in HEAVY.items():
        if any(within(name, package) for name in imports(path)):
            assert path.relative_to(ROOT).as_posix() == home


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_import_hides_in_a_function(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    hidden = [
        n for f in functions for n in ast.walk(f) if isinstance(n, ast.Import | ast.ImportFrom)
    ]
    assert hidden == []


def test_no_module_imports_itself_in_a_circle() -> None:
    names = {_module(path): set(imports(path)) for path in MODULES}
    graph = {
        name: {other for other in targets if other in names} for name, targets in names.items()
    }
    assert _circle(graph) is None


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _circle(graph: dict[str, set[str]]) -> set[str] | None:
    """What is left when modules without imports are taken away again and again."""
    left = {name: targets - {name} for name, targets in graph.items()}
    while free := {name for name, targets in left.items() if not targets & left.keys()}:
        left = {name: targets for name, targets in left.items() if name not in free}
    return set(left) or None
