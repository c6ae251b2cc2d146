"""A run in a folder: settings, records, and the prediction files that are made from them."""

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from scoring.endpoint.questions import ReleaseQuestion
from scoring.endpoint.records import ANSWERS, History
from scoring.endpoint.settings import RunSettings, SettingsError, read_settings, settings_text

SETTINGS, RECORDS = "run.yaml", "run.log"  # neither is taken for a file of predictions


class OtherRunError(Exception):
    """The folder holds something else; the message says what."""


def open_folder(folder: Path, settings: RunSettings) -> None:
    """Make the folder of a run, or see that it is of a run with the same settings.

    Raises ``OtherRunError``.
    """
    file = folder / SETTINGS
    if file.exists():
        try:
            earlier = read_settings(file.read_text(encoding="utf-8"))
        except (SettingsError, UnicodeDecodeError) as error:
            raise OtherRunError(f"{file} cannot be read: {error}") from error
        old, new = settings_text(earlier.what_decides()), settings_text(settings.what_decides())
        if old != new:
            pairs = zip(old.splitlines(), new.splitlines(), strict=False)
            line = next((f"{one.strip()}, not {two.strip()}" for one, two in pairs if one != two))
            raise OtherRunError(
                f"{folder} holds a run with other settings: {line}. Name another folder."
            )
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OtherRunError(f"{folder} exists and holds no run: name a folder that does not.")
    folder.mkdir(parents=True, exist_ok=True)
    _write(file, settings_text(settings))


def write_predictions(
    folder: Path, questions: Iterable[ReleaseQuestion], history: History
) -> dict[str, int]:
    """Write ``preds_{task}.jsonl`` with all answers in the order of the release.

    Returns the number of rows by task. What was not answered has no row.
    """
    lines: dict[str, list[str]] = defaultdict(list)
    for question in questions:
        last = history.ended.get((question.task, question.key))
        if last and last.outcome in ANSWERS:
            row = {"id": question.key, "prediction": last.text}
            lines[question.task].append(json.dumps(row))
    for task, rows in lines.items():
        _write(folder / f"preds_{task}.jsonl", "".join(f"{row}\n" for row in rows))
    return {task: len(rows) for task, rows in lines.items()}


def _write(file: Path, text: str) -> None:
    """Whole, or not at all."""
    unfinished = file.with_name(f".{file.name}.unfinished")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(file)
