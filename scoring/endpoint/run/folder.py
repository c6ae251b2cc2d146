"""A run in a folder: settings, records, and the prediction files that are made from them."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from scoring.endpoint.questions import ReleaseQuestion
from scoring.endpoint.run.records import ANSWERS, History, JsonLines
from scoring.endpoint.settings import RunSettings, SettingsError
from scoring.endpoint.settings_file import read_settings, settings_text

SETTINGS, RECORDS = "run.yaml", "run.log"  # neither is taken for a file of predictions


class OtherRunError(Exception):
    """The folder holds something else; the message says what."""


@contextmanager
def opened_folder(folder: Path, settings: RunSettings) -> Iterator[JsonLines]:
    """The records of the run in a folder, which is made, or is of a run with the same settings.

    Nothing is written before the lock is taken. Raises ``OtherRunError`` and ``RunInUseError``.
    """
    _check(folder, settings)
    folder.mkdir(parents=True, exist_ok=True)
    with JsonLines(folder / RECORDS) as store:
        _check(folder, settings)  # another run may have begun and ended since
        _write(folder / SETTINGS, settings_text(settings.with_limits()))
        yield store


def with_limits_of_run(settings: RunSettings, folder: Path) -> RunSettings:
    """With the output limits that the run in the folder began with, unless others are given: the
    defaults may have been different then."""
    file = folder / SETTINGS
    try:
        earlier = read_settings(file.read_text(encoding="utf-8")).output_tokens
    except (FileNotFoundError, NotADirectoryError, SettingsError, UnicodeDecodeError):
        return settings  # the check of the folder says what is wrong with it
    return replace(settings, output_tokens={**earlier, **settings.output_tokens})


def _check(folder: Path, settings: RunSettings) -> None:
    file = folder / SETTINGS
    if file.exists():
        try:
            earlier = read_settings(file.read_text(encoding="utf-8"))
        except (SettingsError, UnicodeDecodeError) as error:
            raise OtherRunError(f"{file} cannot be read: {error}") from error
        old, new = settings_text(earlier.what_decides()), settings_text(settings.what_decides())
        if old != new:
            pairs = zip(old.splitlines(), new.splitlines(), strict=False)
            begun, wanted = next((one.strip(), two.strip()) for one, two in pairs if one != two)
            raise OtherRunError(
                f"{folder} holds a run with other settings: it was begun with “{begun}”, and this "
                f"command has “{wanted}”. Name another folder."
            )
    elif folder.exists() and not (folder.is_dir() and all(map(_is_begun, folder.iterdir()))):
        raise OtherRunError(f"{folder} exists and holds no run: name a folder that does not.")


def _is_begun(file: Path) -> bool:
    """Whether a run that got no further than its settings leaves such a file."""
    if file.name == RECORDS:
        return file.stat().st_size == 0
    return file.name == _unfinished(Path(SETTINGS)).name


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
    unfinished = _unfinished(file)
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(file)


def _unfinished(file: Path) -> Path:
    return file.with_name(f".{file.name}.unfinished")
