"""The tour of the README: what its steps name."""

import re

from tests.support.paths import ROOT

LADDER = 11  # the place of its name in the tour, after those of uploading


def tour() -> str:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return text.partition("## A tour in seven steps")[2].partition("\n## ")[0]


def named_in_the_tour() -> list[str]:
    """What is to be clicked or found, in order; headings of steps end with a full stop."""
    return [name for name in re.findall(r"\*\*([^*]+)\*\*", tour()) if not name.endswith(".")]
