"""``infinitebench verify-receipt``: what has a site signed, and do the files give these scores?"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from scoring.catalog import TASKS
from scoring.cli.arguments import tasks_of_files
from scoring.cli.terminal import Progress, add_json_argument, add_task_argument, write_json
from scoring.cli.unusable import UnusableError
from scoring.embedded_gold import embedded_gold
from scoring.predictions.reader import read_predictions
from scoring.problems import visible
from scoring.receipts import Payload, ReceiptError, check_receipt
from scoring.releases.gold import read_gold
from scoring.report import Json, aligned, report_json
from scoring.score import AlignmentNeeded, anything_to_score, score
from scoring.strict_json import RepeatedNameError, parse_json

EMBEDDED = "embedded"
TOLERANCE = 1e-9  # percentage points

_DESCRIPTION = """\
Check a receipt without the site that has signed it: the signature, and with --gold, by scoring
again, whether these predictions give these scores. Compare the key that is shown with the keys that
the site publishes at /receipts/keys.json, or name it with --key.
"""

_EPILOG = """\
examples:
  infinitebench verify-receipt receipt.json
  infinitebench verify-receipt receipt.json predictions.zip --gold release/ --key BASE64

exit codes:
  0  the signature is good, and so are the scores if they were computed
  1  something differs: it says what
  2  a file cannot be read
"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument("receipt", type=Path, metavar="RECEIPT")
    parser.add_argument("predictions", type=Path, metavar="PREDICTIONS", nargs="?")
    parser.add_argument(
        "--gold", metavar="DIR", help=f"a release, or “{EMBEDDED}”: the labels in the files"
    )
    parser.add_argument("--key", metavar="BASE64", help="the only key that is accepted")
    add_task_argument(parser)
    add_json_argument(parser, "what was found")


def run(arguments: Namespace) -> int:
    if (arguments.predictions is None) != (arguments.gold is None):
        raise UnusableError("Give PREDICTIONS and --gold together.")
    try:
        document = parse_json(arguments.receipt.read_text(encoding="utf-8"))
    except RepeatedNameError as error:
        twice = f"It has “{visible(str(error), 60)}” twice: readers may see another value."
        return _answer(arguments, None, None, [twice])
    except (ValueError, RecursionError) as error:
        raise UnusableError(f"{arguments.receipt} is not JSON.") from error
    try:
        payload, key = check_receipt(document)
    except ReceiptError as error:
        return _answer(arguments, None, None, [str(error)])
    found = []
    if arguments.key and arguments.key != key:
        found.append(f"It is signed with the key {key}, not with {arguments.key}.")
    if arguments.predictions:
        found += _differences(arguments, payload)
    return _answer(arguments, payload, key, found)


def _answer(
    arguments: Namespace, payload: Payload | None, key: str | None, differences: list[str]
) -> int:
    if arguments.json:
        document = {"payload": payload, "key": key, "differences": differences}
        write_json(arguments.json, document)
    if arguments.json != "-":
        if payload:
            print(_summary(payload, str(key)))
        for text in differences:
            print(f"✗ {text}")
        if not differences:
            again = " The files give these scores." if arguments.predictions else ""
            print(f"The signature is good.{again}")
    return 1 if differences else 0


def _summary(payload: Payload, key: str) -> str:
    """What anybody has signed: it must not pass for another line, such as that of the key."""
    names = ("site", "submission", "model", "release", "scored")
    rows = [[name, visible(str(payload.get(name)), 300)] for name in names]
    return aligned([*rows, ["key", key]])


def _differences(arguments: Namespace, payload: Payload) -> Iterator[str]:
    """Between the receipt and what the files give now."""
    signature, tasks = payload.get("signature"), payload.get("tasks")
    if not isinstance(signature, dict) or not isinstance(tasks, dict):
        yield "The receipt does not say what was scored."
        return
    file_tasks = tasks_of_files(arguments)
    predictions = read_predictions(
        arguments.predictions, task=file_tasks.pop("", None), file_tasks=file_tasks
    )
    if arguments.gold == EMBEDDED:
        predictions, gold = embedded_gold(predictions)
    else:
        gold = read_gold(Path(arguments.gold), predictions.tasks)
    if not anything_to_score(predictions, gold):
        yield "Nothing could be scored: infinitebench score says why."
        return
    try:
        report = score(
            predictions,
            gold,
            align=payload.get("align"),
            drop_first=bool(signature.get("drop_first")),
            progress=Progress(),
        )
    except AlignmentNeeded:
        yield "How rows are matched is not clear: the receipt is of other files."
        return
    again = report_json(report)
    yield from _differences_of_data(signature, again)
    found = again["tasks"] if isinstance(again["tasks"], dict) else {}
    for task in [*tasks, *(one for one in found if one not in tasks)]:
        yield from _differences_of_task(task, tasks.get(task), found.get(task))


def _differences_of_data(signature: Json, again: Json) -> Iterator[str]:
    now = again["signature"]
    if not isinstance(now, dict):
        return
    if signature.get("input") != now["input"]:
        yield "The predictions are others."
    gold = signature.get("gold")
    for task, hashes in gold.items() if isinstance(gold, dict) else ():
        labels = hashes.get("labels") if isinstance(hashes, dict) else None
        if task in now["gold"] and labels and labels != now["gold"][task]["labels"]:
            yield f"{task}: the labels are others."


def _differences_of_task(task: str, signed: object, found: object) -> Iterator[str]:
    title = TASKS[task].title if task in TASKS else task
    if not isinstance(signed, dict) or not isinstance(found, dict):
        yield f"{title}: only {'the receipt' if signed else 'the files'} have it."
        return
    if signed.get("asked") != signed.get("n"):
        return  # an estimate from a part of the questions, which files alone do not give
    scores = signed.get("scores")
    for name, percent in scores.items() if isinstance(scores, dict) else ():
        again = found["scores"].get(name)
        if isinstance(percent, int | float) and (again is None or abs(percent - again) > TOLERANCE):
            yield f"{title}, {name}: {percent} in the receipt, {again} from the files."
