"""What the documentation names exists: files, headings, targets of make, commands."""

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

from tests.support.paths import ROOT

PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
# In a code block or between backquotes: elsewhere “make” is a verb.
CODE = re.compile(r"(?s:```.*?```)|^ {4}.*$|`[^`\n]+`", re.MULTILINE)
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def anchors(page: Path) -> set[str]:
    """The anchors of its headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@every_page
def test_links_lead_to_files_and_headings(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if link.startswith(("https:", "http:")):
            continue
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@every_page
def test_commands_exist(page: Path) -> None:
    makefiles = (ROOT / "Makefile").read_text() + (ROOT / "more.mk").read_text()
    targets = set(re.findall(r"^([\w-]+):", makefiles, re.MULTILINE))
    code = "\n".join(CODE.findall(page.read_text(encoding="utf-8")))
    named = set(re.findall(r"(?:^|[`;&]) *make ([a-z][\w-]*)", code, re.MULTILINE))
    assert named <= targets
    assert set(re.findall(r"\bmanage\.py (\w+)", code)) <= set(get_commands())
