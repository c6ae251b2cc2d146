"""Each promise of the site names tests that exist, at least one of which is in the suite."""

import re

from tests.lanes import is_exhaustive
from tests.support.paths import ROOT

PAGE = (ROOT / "docs/promises.md").read_text(encoding="utf-8")


def test_each_promise_has_tests() -> None:
    rows = re.findall(r"^\| (\d+) \| .*? \| (.*?) \| .*\|$", PAGE, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 27))
    for number, files in rows:
        tests = []
        for file in files.split(", "):
            names = re.findall(r"^def (test_\w+)", (ROOT / file).read_text("utf-8"), re.MULTILINE)
            assert names, file
            tests += [f"{file.removeprefix('tests/')}::{name}" for name in names]
        assert not all(map(is_exhaustive, tests)), number
