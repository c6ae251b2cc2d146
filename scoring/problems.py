"""What can be wrong with files that people hand in: one table, code → severity, sentence, fix.

A problem never travels as bare text: it has a code, says where (file, line) and what to do.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Severity = Literal["error", "warning", "note"]
Parameter = str | int | float


class Kind(NamedTuple):
    severity: Severity  # error: something is left out; warning: look at it; note: only told
    message: str
    fix: str


@dataclass(frozen=True, slots=True)
class Problem:
    code: str
    file: str | None = None
    line: int | None = None  # from 1; the row's number where the file is one JSON document
    task: str | None = None
    params: Mapping[str, Parameter] = field(default_factory=dict)

    @property
    def severity(self) -> Severity:
        return PROBLEMS[self.code].severity

    @property
    def message(self) -> str:
        return PROBLEMS[self.code].message.format(**self.params)

    @property
    def fix(self) -> str:
        return PROBLEMS[self.code].fix.format(**self.params)


PROBLEMS: dict[str, Kind] = {
    # The file as a whole
    "file_empty": Kind("error", "The file has no rows.", "Write one JSON object on each line."),
}
