"""Imports point one way: a module may import what stands before it in the table, never after."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

# Folder or module → what of this project it may import. Read from top to bottom.
ARROWS: dict[str, tuple[str, ...]] = {
    "scoring/synthetic": ("scoring",),
    "scoring/commands": ("scoring",),
    "scoring/metrics": ("scoring.metrics", "scoring.catalog", "scoring.labels"),
    "scoring": ("scoring",),
}
# The scorer runs in a box where none of these is: and they would cost its start-up.
FOREIGN_TO_SCORING = ("django", "celery", "rest_framework", "portal", "leaderboard")
# Only the commands that need them may load these: they are slow to import.
HEAVY = {"tiktoken": "scoring/tokens.py", "rouge_score": "scoring/commands/verify.py"}

MODULES = sorted((ROOT / "scoring").rglob("*.py"))


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


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_along_the_arrows(path: Path) -> None:
    place = path.relative_to(ROOT).as_posix()
    allowed = next(names for folder, names in ARROWS.items() if place.startswith(folder + "/"))
    for name in imports(path):
        assert not any(within(name, foreign) for foreign in FOREIGN_TO_SCORING), name
        if within(name, "scoring") and name != "scoring":
            assert any(within(name, package) for package in allowed), name


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
