"""The messages of findings in the reader's language: code → message, fix.

A finding is stored with the English sentences of ``scoring.problems`` and their parameters, so that
they can be written in another language. Where the scorer's sentences name options of its command,
those of the table here name fields of the form.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple


from scoring.catalog import TASKS
from scoring.problems import PROBLEMS, Parameter

Text = str


class Wording(NamedTuple):
    fix: Text
    message: Text | None = None  # None: that of the scorer


_LIKE = (
    "Choose its task in the form and submit it alone, or name it after its task, such as "
    "preds_{example}.jsonl for {title}."
)

WORDINGS: dict[str, Wording] = {
    "nothing_to_score": Wording(
        ("Submit files named preds_passkey.jsonl and so on, one per task. For a single file "
            "with another name, choose its task in the form.")
    ),
    "task_unknown": Wording(_LIKE),
    "task_another_run": Wording(
        ("If it is another run of {title}, submit it separately, as another submission, and "
            "choose {title} in the form.")
    ),
    "task_ambiguous": Wording(
        "Submit one of them at a time, or name them after their tasks: preds_{task}.jsonl.",
        ("A task was chosen in the form, but neither {first} nor {second} has a task in its "
          "name."),
    ),
    "task_not_needed": Wording(
        "Do not choose a task in the form, or rename the file.",
        ("The name of this file says that it answers {named}, so {told}, chosen in the form, was "
          "not used."),
    ),
    "task_not_in_release": Wording("Submit it to a release that includes the task."),
    "file_is_log": Wording(
        ("Convert it on your own computer with the command “infinitebench convert”, and submit "
            "the files that it writes.")
    ),
    "labels_of_other_data": Wording(
        ("If it was made for another release, submit a new version to that one; otherwise "
            "leave this file out.")
    ),
    "labels_often_differ": Wording(
        ("Find out which version of the data the predictions were made for. Reviewers see this "
          "first.")
    ),
    "labels_fit_otherwise": Wording(
        "Submit this file alone, and choose to match its rows by {other}."
    ),
    "labels_differ": Wording(
        ("Nothing to do if the release has corrected a few labels. If many differ, submit to "
            "the release that the predictions were made for.")
    ),
}  # fmt: skip

# Parameters are names and texts from files, which stay as they are, and a few phrases of the
# scorer. The phrases are listed, so that nothing written by an author is taken for one.
_WITH_PHRASES = ("found", "why", "method", "other")  # parameters
PHRASES = frozenset({
    # ways to match rows
    "id",
    "order",
    # values of JSON
    "null",
    "true or false",
    "another text",
    "a number",
    "a list",
    "an object",
    # why a file cannot be opened
    "it is a link or not a regular file",
    "the path cannot be used",
    # what is wrong with an archive
    "its end appears twice",
    "it is one of several parts",
    "its directory holds more than it declares",
    "its directory is cut off",
    "its directory is not where it should be",
    "its directory points to a place that does not exist",
    "its directory and its members disagree",
    "its end records contradict each other",
    "there is data after its end",
    "a header is damaged",
    "a member that is not a file has content",
    "a record is damaged",
    "a record is too long",
    # what Python's reader of JSON says
    "Expecting value",
    "Expecting property name enclosed in double quotes",
    "Expecting ':' delimiter",
    "Expecting ',' delimiter",
    "Extra data",
    "Invalid control character at",
    "Invalid \\escape",
    "Invalid \\uXXXX escape",
    "Unterminated string starting at",
})  # fmt: skip


def message_and_fix(finding: Mapping[str, Any]) -> tuple[str, str]:
    """In the reader's language; as stored if the code is from another version of the scorer."""
    code = finding["code"]
    if code not in PROBLEMS:
        return finding["message"], finding["fix"]
    kind, wording = PROBLEMS[code], WORDINGS.get(code)
    is_one = kind.one and (finding.get("params") or {}).get(kind.counts) == 1
    plain = kind.one if is_one else kind.message
    message = (wording and wording.message) or plain
    fix = wording.fix if wording else kind.fix
    return fill(message, finding) or finding["message"], fill(fix, finding) or finding["fix"]


def fill(text: Text, finding: Mapping[str, Any]) -> str | None:
    """The text with the parameters of the finding; None if an older scorer did not store them."""
    task = finding["task"]
    known: dict[str, Parameter] = {"task": task}
    if task in TASKS:
        known["title"] = TASKS[task].title
    known |= translate_phrases(finding.get("params") or {})
    try:
        return str(text).format_map(known)
    except (LookupError, ValueError):
        return None


def translate_phrases(params: Mapping[str, Parameter]) -> dict[str, Parameter]:
    return {
        name: str(value) if name in _WITH_PHRASES and value in PHRASES else value
        for name, value in params.items()
    }
