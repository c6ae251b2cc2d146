"""Every template compiles: a tag or filter that is not loaded fails here, not on a page."""

from pathlib import Path

import pytest
from django.template.loader import get_template

from tests.support.paths import ROOT

TEMPLATES = ROOT / "templates"
NAMES = [str(file.relative_to(TEMPLATES)) for file in sorted(TEMPLATES.rglob("*.*"))]


@pytest.mark.parametrize("name", NAMES)
def test_the_template_compiles(name: str) -> None:
    assert get_template(name).template  # type: ignore[attr-defined]


def test_there_are_templates() -> None:
    assert Path("base.html") in map(Path, NAMES)
