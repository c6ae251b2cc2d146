"""Small releases and settings of endpoint runs."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from scoring.endpoint.questions import ReleaseQuestion, read_questions
from scoring.endpoint.run.records import Record
from scoring.endpoint.settings import RunSettings
from scoring.releases.facets import NO_FACETS
from scoring.releases.gold import GoldExample
from tests.support.worlds import write_rows


def settings(url: str = "http://127.0.0.1:9/v1", model: str = "model", **more: Any) -> RunSettings:
    return replace(RunSettings(url, model), **more)


def passkey_release(folder: Path, count: int = 12, texts: int = 0, noise: int = 20) -> Path:
    """``count`` questions about pass keys, on one text each or on ``texts`` texts in all."""
    rows = []
    for key in range(count):
        digits = f"{(key % texts if texts else key) * 7919 % 100_000:05}"
        line = f"The pass key is {digits}. Remember it. {digits} is the pass key.\n"
        grass = "The grass is green. The sky is blue.\n" * noise
        context = grass + line + grass
        rows.append({"id": key, "context": context, "input": "", "answer": [digits]})
    write_rows(folder / "passkey.jsonl", rows)
    return folder


def passkey_questions(
    folder: Path, count: int = 12, texts: int = 0, noise: int = 20
) -> list[ReleaseQuestion]:
    return read_questions(passkey_release(folder, count, texts, noise), ["passkey"])


def bare_question(task: str, key: int, text: str, **facets: Any) -> ReleaseQuestion:
    """A question without a context."""
    example = GoldExample(key, "label", (), text)
    return ReleaseQuestion(task, example, "", NO_FACETS._replace(**facets), 0, None, str)


class Memory:
    """A store of records that lasts as long as a test."""

    def __init__(self, records: Sequence[Record] = ()) -> None:
        self.records = list(records)

    def append(self, record: Record) -> None:
        self.records.append(record)

    def read(self) -> list[Record]:
        return list(self.records)
