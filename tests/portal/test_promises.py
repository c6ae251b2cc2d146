"""Each promise of the site names tests that exist."""

import re

from tests.support.paths import ROOT

PAGE = (ROOT / "docs/promises.md").read_text(encoding="utf-8")


def test_each_promise_has_tests() -> None:
    rows = re.findall(r"^\| (\d+) \| .*? \| (.*?) \| .*\|$", PAGE, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 27))
    for number, files in rows:
        assert files, number
        for file in files.split(", "):
            assert "def test_" in (ROOT / file).read_text(encoding="utf-8"), file
