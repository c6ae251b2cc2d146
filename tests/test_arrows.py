"""Imports point one way: a module may import what stands before it in the table, never after."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

# Folder or module → what of this project it may import. Read from top to bottom.
ARROWS: dict[str, tuple[str, ...]] = {
    "scoring/synthetic": (
        "scoring.synthetic",
        "scoring.catalog",
        "scoring.find_kinds",
        "scoring.labels",
        "scoring.manifest",
        "scoring.release_lines",
        "scoring.tokens",
        "scoring.whole_folders",
    ),
    # It must know nothing of how texts are made, only how to read.
    "scoring/reader": (
        "scoring.reader",
        "scoring.catalog",
        "scoring.prompts",
        "scoring.whole_folders",
    ),
    "scoring/commands": ("scoring",),
    "scoring/metrics": ("scoring.metrics", "scoring.catalog", "scoring.labels"),
    "scoring": ("scoring",),
}
# The same for the site; all of it may import the scorer. The longest name that fits counts.
PORTAL: dict[str, tuple[str, ...]] = {
    # Plain Python, which runs before there is a database.
    "portal.machine": ("portal.machine", "portal.telling"),
    "portal.embedded": ("portal.machine", "portal.telling"),
    "portal.demo": ("portal.embedded", "portal.machine"),
    "portal.environment": ("portal.embedded",),
    "portal.settings": ("portal.environment",),
    # What stands on nothing of ours.
    **dict.fromkeys(
        (
            "portal.apps", "portal.attachments", "portal.broken_text", "portal.broker",
            "portal.demo_mailbox", "portal.failures", "portal.faulty_releases", "portal.formats",
            "portal.guarded", "portal.headers", "portal.languages", "portal.logs",
            "portal.look_alikes", "portal.packing", "portal.places", "portal.release_titles",
            "portal.sandbox", "portal.slow_clients", "portal.spreadsheets", "portal.stylesheets",
            "portal.telling", "portal.usernames", "portal.whole_files", "portal.wsgi",
        ),
        (),
    ),
    "portal.reference": ("portal.reference",),
    "portal.gunicorn": ("portal.sandbox", "portal.slow_clients"),
    "portal.hub": ("portal.telling",),
    "portal.storage": ("portal.whole_files",),
    "portal.uploads": (
        "portal.packing", "portal.places", "portal.slow_clients", "portal.whole_files",
    ),
    "portal.ranges": ("portal.places",),
    "portal.long_bodies": ("portal.slow_clients",),
    "portal.celery": ("portal.sandbox",),
    "portal.demo_progress": ("portal.machine.statefiles",),
    "portal.steps": ("portal.machine.statefiles", "portal.telling"),
    "portal.context": ("portal.demo_progress", "portal.sandbox"),
    "portal.models": ("portal.models",),
    "portal.access": ("portal.models",),
    "portal.scores": ("portal.guarded", "portal.models"),
    "portal.hidden_scores": ("portal.guarded", "portal.models"),
    "portal.account_times": ("portal.models",),
    "portal.account_words": ("portal.account_times", "portal.models"),
    "portal.board_version": ("portal.models",),
    "portal.wake": ("portal.celery", "portal.models"),
    "portal.states": ("portal.board_version", "portal.models"),
    "portal.leases": ("portal.models", "portal.states"),
    "portal.results": (
        "portal.board_version", "portal.failures", "portal.hidden_scores", "portal.leases",
        "portal.models", "portal.states", "portal.wake",
    ),
    # services
    "portal.contexts": ("portal.models",),
    "portal.context_store": ("portal.models", "portal.storage"),
    "portal.release_files": ("portal.models", "portal.storage", "portal.whole_files"),
    "portal.originals": ("portal.models", "portal.storage"),
    "portal.label_files": ("portal.faulty_releases", "portal.models", "portal.whole_files"),
    "portal.import_progress": ("portal.context_store", "portal.telling"),
    "portal.release_drafts": (
        "portal.context_store", "portal.faulty_releases", "portal.models", "portal.release_files",
    ),
    "portal.data_sets": (
        "portal.context_store", "portal.models", "portal.release_drafts", "portal.telling",
    ),
    "portal.releases": (
        "portal.board_version", "portal.context_store", "portal.data_sets",
        "portal.faulty_releases", "portal.import_progress", "portal.models",
        "portal.release_drafts", "portal.telling",
    ),
    "portal.checked_releases": (
        "portal.faulty_releases", "portal.models", "portal.releases", "portal.telling",
    ),
    "portal.language_models": ("portal.board_version", "portal.models", "portal.states"),
    "portal.reported": (
        "portal.board_version", "portal.language_models", "portal.models", "portal.telling",
    ),
    "portal.accounts": ("portal.machine.statefiles", "portal.models"),
    "portal.quotas": ("portal.failures", "portal.models"),
    "portal.submissions": (
        "portal.language_models", "portal.models", "portal.originals", "portal.quotas",
        "portal.states", "portal.wake",
    ),
    "portal.strays": (
        "portal.context_store", "portal.models", "portal.originals", "portal.release_files",
    ),
    "portal.notice_mails": ("portal.models",),
    "portal.notices": ("portal.models", "portal.notice_mails", "portal.wake"),
    "portal.seen": ("portal.models",),
    "portal.moderation": (
        "portal.access", "portal.hidden_scores", "portal.models", "portal.notices", "portal.seen",
        "portal.states",
    ),
    "portal.audit": ("portal.models", "portal.states"),
    # what calls services
    "portal.jobs": (
        "portal.celery", "portal.faulty_releases", "portal.label_files", "portal.leases",
        "portal.models", "portal.notices", "portal.results", "portal.sandbox", "portal.states",
        "portal.wake",
    ),
    "portal.historical": (
        "portal.failures", "portal.jobs", "portal.language_models", "portal.models",
        "portal.originals", "portal.packing", "portal.release_files", "portal.releases",
        "portal.sandbox", "portal.scores", "portal.states", "portal.telling",
    ),
    "portal.preparation": (
        "portal.accounts", "portal.checked_releases", "portal.faulty_releases", "portal.historical",
        "portal.language_models", "portal.releases", "portal.reported", "portal.steps",
        "portal.telling",
    ),
    "portal.reference_entries": (
        "portal.models", "portal.moderation", "portal.packing", "portal.release_files",
        "portal.submissions",
    ),
    "portal.ladder": (
        "portal.demo_progress", "portal.faulty_releases", "portal.models", "portal.quotas",
        "portal.reference_entries", "portal.releases", "portal.states", "portal.steps",
        "portal.telling",
    ),
    # what people type and read
    "portal.forms": (
        "portal.forms", "portal.language_models", "portal.models", "portal.release_titles",
        "portal.submissions", "portal.usernames",
    ),
    "portal.pages": (
        "portal.access", "portal.failures", "portal.guarded", "portal.look_alikes",
        "portal.models", "portal.pages",
        "portal.scores", "portal.spreadsheets", "portal.states", "portal.submissions",
        "portal.uploads",
    ),
    "portal.admin": (
        "portal.access", "portal.board_version", "portal.forms", "portal.models",
        "portal.moderation", "portal.notices", "portal.seen", "portal.states",
    ),
    "portal.views": (
        "portal.access", "portal.attachments", "portal.context", "portal.forms",
        "portal.language_models", "portal.models", "portal.moderation", "portal.pages",
        "portal.quotas", "portal.ranges", "portal.sandbox", "portal.seen", "portal.states",
        "portal.submissions", "portal.uploads", "portal.views",
    ),
    "portal.urls": ("portal.views",),
    "portal.management": (
        "portal.audit", "portal.checked_releases", "portal.faulty_releases", "portal.historical",
        "portal.hub", "portal.jobs", "portal.ladder", "portal.language_models", "portal.notices",
        "portal.preparation", "portal.reference", "portal.reported",
        "portal.strays",
    ),
}  # fmt: skip
# What the public reads: it writes nothing, and only the addresses know of it.
LEADERBOARD = (
    "leaderboard", "portal.access", "portal.attachments", "portal.board_version",
    "portal.models", "portal.pages.findings", "portal.pages.marks", "portal.pages.reports",
    "portal.pages.runs", "portal.pages.scored_data", "portal.pages.titles", "portal.ranges",
    "portal.release_titles", "portal.scores", "portal.spreadsheets",
)  # fmt: skip
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


def _place(module: str) -> str:
    """The row that counts for a module of the site."""
    return max((known for known in PORTAL if within(module, known)), key=len)


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
    place = _place(name)
    for target in imports(path):
        if within(target, "portal"):
            assert any(within(target, package) for package in PORTAL[place]), target
        assert not within(target, "leaderboard"), target  # only portal.urls names it
        if place in ("portal.machine", "portal.embedded"):
            assert not within(target, "django"), target


@pytest.mark.parametrize("path", READ_SIDE, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_read_side_imports_only_along_the_arrows(path: Path) -> None:
    for target in imports(path):
        if within(target, "portal") or within(target, "leaderboard"):
            assert any(within(target, package) for package in LEADERBOARD), target


def test_every_arrow_of_the_scorer_is_used() -> None:
    for folder, packages in ARROWS.items():
        inside = [path for path in SCORING if path.is_relative_to(ROOT / folder)]
        assert _unused(packages, inside) == [], folder


def test_every_arrow_of_the_site_is_used() -> None:
    modules: dict[str, list[Path]] = {place: [] for place in PORTAL}
    for path in SITE:
        name = _module(path)
        if name != "portal":
            modules[_place(name)].append(path)
    for place, packages in PORTAL.items():
        assert modules[place], f"{place} is not there"
        assert _unused(packages, modules[place]) == [], place
    assert _unused(LEADERBOARD, READ_SIDE) == []


def _unused(packages: Iterable[str], modules: Iterable[Path]) -> list[str]:
    """Those that none of the modules imports."""
    imported = {name for path in modules for name in imports(path)}
    return [name for name in packages if not any(within(target, name) for target in imported)]


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
