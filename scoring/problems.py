"""What can be wrong with submitted files: one table, code → severity, sentence, fix.

A problem is never bare text: it has a code, a place (file, line) and a fix.
"""

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

Severity = Literal["error", "warning", "note"]
Parameter = str | int | float


class Kind(NamedTuple):
    severity: Severity  # error: something is left out; warning: look at it; note: only a remark
    message: str
    fix: str


class Problem(NamedTuple):
    code: str
    file: str | None = None
    line: int | None = None  # from 1; the row's number where the file is one JSON document
    task: str | None = None
    params: Mapping[str, Parameter] = MappingProxyType({})

    @property
    def severity(self) -> Severity:
        listed = self.params["code"] if self.code == "more_of_the_same" else self.code
        return PROBLEMS[str(listed)].severity

    @property
    def message(self) -> str:
        return PROBLEMS[self.code].message.format(task=self.task, **self.params)

    @property
    def fix(self) -> str:
        return PROBLEMS[self.code].fix.format(task=self.task, **self.params)


_ONE_OBJECT = "Write one JSON object on each line."
_NOTHING = "Nothing to do."
_ARCHIVE_AGAIN = "Make the archive again with an ordinary program, and check that it opens."
_RELEASE = (
    "Find the release that the predictions were made for: python -m scoring check FILE --gold ONE "
    "--gold ANOTHER."
)
_SPLIT = "Hand in only the prediction files of one run, or split them into several submissions."

PROBLEMS: dict[str, Kind] = {
    # The submission as a whole
    "file_not_found": Kind("error", "There is no such file or directory.", "Check the path."),
    "file_unreadable": Kind("error", "The file cannot be opened: {why}.", "Hand in another."),
    "file_too_large": Kind("error", "The input is larger than {limit} MiB.", _SPLIT),
    "nothing_to_score": Kind(
        "error",
        "No file with predictions was found.",
        "Hand in files named preds_passkey.jsonl and so on, one for each task; with a single file "
        "of another name, say which task it answers with --task.",
    ),
    "archive_ratio": Kind(
        "error",
        "It unpacks to more than {limit} times its size. Nothing of it is used.",
        "Hand it in without compression, or without contexts and prompts in the rows.",
    ),
    "archive_too_large": Kind(
        "error", "It unpacks to more than {limit} MiB. Nothing of it is used.", _SPLIT
    ),
    "archive_entries": Kind("error", "It holds more than {limit} files. Nothing is read.", _SPLIT),
    "archive_broken": Kind(
        "error", "The archive is damaged: {why}. Nothing of it is used.", _ARCHIVE_AGAIN
    ),
    "archive_unreadable": Kind(
        "error",
        "This is not a {kind} file that can be read, though it is called one.",
        _ARCHIVE_AGAIN,
    ),
    "archive_prefix": Kind(
        "error",
        "Something stands before the first file of the archive. Nothing of it is used.",
        _ARCHIVE_AGAIN,
    ),
    "archive_overlap": Kind(
        "error", "Files in the archive overlap. Nothing of it is used.", _ARCHIVE_AGAIN
    ),
    "archive_not_opened": Kind(
        "error",
        "This is an archive ({kind}) that is not opened here; it is left out.",
        "Hand in one .zip, .tar.gz or .jsonl.gz alone, or unpack it and hand in the .jsonl files.",
    ),
    "gzip_broken": Kind("error", "The compressed data is damaged; it is left out.", _ARCHIVE_AGAIN),
    "gzip_cut": Kind("error", "The compressed data is cut; it is left out.", _ARCHIVE_AGAIN),
    "gzip_trailing": Kind(
        "error", "Something follows the compressed data; the file is left out.", _ARCHIVE_AGAIN
    ),
    "member_twice": Kind(
        "error",
        "Two files in the archive have the same name. Nothing of it is used.",
        "Make an archive with one file for each task.",
    ),
    "member_name_unsafe": Kind(
        "error",
        "This name could lead out of a directory; the file is left out.",
        "Make the archive with plain relative names such as preds_passkey.jsonl.",
    ),
    "member_not_regular": Kind(
        "error",
        "This is a link, a device or a sparse file; it is left out.",
        "Put the files themselves into the archive.",
    ),
    "member_encrypted": Kind(
        "error", "The file is encrypted; it is left out.", "Make the archive without a password."
    ),
    "member_method": Kind(
        "error",
        "The file is compressed by an unusual method; it is left out.",
        "Make the archive with the usual compression (deflate).",
    ),
    "member_lies": Kind(
        "error",
        "Size or checksum of the file are not what the archive says; it is left out.",
        _ARCHIVE_AGAIN,
    ),
    "lines_too_many": Kind(
        "error", "There are more than {limit} lines; the rest is left out.", _SPLIT
    ),
    "text_too_much": Kind(
        "error",
        "Predictions and labels need more than {limit} MiB; the rest is left out.",
        "Leave the labels out, or hand in fewer tasks at a time.",
    ),
    # Which file answers which task
    "file_empty": Kind("error", "The file has no rows.", _ONE_OBJECT),
    "file_not_rows": Kind(
        "error",
        "The format of this file is {format}, not JSON Lines; it is left out.",
        "Write one JSON object on each line of a text file, with an id and the prediction.",
    ),
    "file_ignored": Kind("note", "This is no file of predictions; it is not read.", _NOTHING),
    "task_unknown": Kind(
        "error",
        "The name of this file does not say which task it answers; it is left out.",
        "Name it after its task, such as preds_{example}.jsonl for {title}; or hand it in alone, "
        "with --task TASK.",
    ),
    "task_another_run": Kind(
        "error",
        "The name of this file does not say which task it answers, and {beside} answers {title}; "
        "it is left out.",
        "If it is another run of {title}, hand it in by itself, with --task {example}.",
    ),
    "task_ambiguous": Kind(
        "error",
        "--task {task} can name one file, but the names of {first} and {second} both say nothing.",
        "Hand in one of them at a time, or call them preds_{task}.jsonl and so on.",
    ),
    "task_not_needed": Kind(
        "warning",
        "The name of this file says that it answers {named}, so --task {told} was not used.",
        "Leave --task out, or give the file another name.",
    ),
    "two_files_for_task": Kind(
        "error",
        "There are two files for {task}: {first} and {second}. Neither is scored.",
        "Leave one of them out.",
    ),
    # The text of a file
    "file_utf16": Kind("error", "The file is UTF-16 or UTF-32, not UTF-8.", "Save it as UTF-8."),
    "line_too_long": Kind(
        "error", "The line is longer than {limit} MiB.", "Leave contexts and prompts out of it."
    ),
    "line_not_utf8": Kind("error", "Byte {byte} of the line is not UTF-8.", "Save it as UTF-8."),
    "text_nul": Kind("error", "The row contains a NUL character.", "Remove it from the row."),
    "text_surrogate": Kind(
        "error",
        "The row contains half of a surrogate pair (\\uD800 to \\uDFFF), which is no character.",
        "Cut texts between characters, not inside them.",
    ),
    "json_broken": Kind("error", "This is not JSON: {why}, at character {column}.", _ONE_OBJECT),
    "json_key_twice": Kind(
        "error", "The key “{key}” comes twice in one object.", "Write every key once."
    ),
    "json_constant": Kind("error", "{value} is not JSON.", "Write null, or leave the row out."),
    "json_number_large": Kind(
        "error", "The number {value} is too large.", "Write it as text, in quotes."
    ),
    "json_too_deep": Kind("error", "Lists or objects are nested too deep.", _ONE_OBJECT),
    "values_too_many": Kind(
        "error", "Rows hold more than {limit} values; the rest is left out.", _SPLIT
    ),
    "row_too_large": Kind(
        "error",
        "The row has more than {limit} MiB, even without its long texts.",
        "Leave contexts and prompts out of the row.",
    ),
    "document_is_list": Kind("error", "The file is one JSON list.", _ONE_OBJECT),
    "document_broken": Kind(
        "error",
        "The JSON document is damaged. The {rows} rows found in it are used.",
        "Write the document with a JSON library, and hand it in complete.",
    ),
    "document_unknown": Kind("error", "This JSON document holds no rows.", _ONE_OBJECT),
    "text_after_document": Kind(
        "warning",
        "Text follows the JSON document: “{text}”. The document counts.",
        "Remove the text.",
    ),
    "row_not_object": Kind("error", "The row is {found}, not a JSON object.", _ONE_OBJECT),
    "two_objects": Kind(
        "error", "There are two JSON objects on this line; the first counts.", _ONE_OBJECT
    ),
    "text_after_object": Kind(
        "warning", "Text follows the JSON object: “{text}”. The object counts.", "Remove it."
    ),
    # Rows
    "id_missing": Kind("error", "The row has no “{key}”.", "Give every row the id of its example."),
    "ids_absent": Kind(
        "warning", "No row has an id.", "Add ids, or see that the rows are in the data's order."
    ),
    "id_unusable": Kind("error", "“{key}” is {found}.", "An id is a whole number or a short text."),
    "prediction_missing": Kind(
        "error",
        "The row has no prediction; its keys are {keys}.",
        "Put the model's answer under “prediction”.",
    ),
    "prediction_unusable": Kind(
        "error", "The prediction is {found}, not text.", "Write the answer as text, in quotes."
    ),
    "prediction_too_long": Kind(
        "error", "The prediction is longer than {limit} MiB.", "Cut it before it is handed in."
    ),
    "prediction_cut": Kind(
        "warning",
        "The prediction has {length} characters; only the first {limit} count.",
        "Nothing, if the answer comes before that.",
    ),
    "variants_ignored": Kind(
        "warning",
        "{count} rows answer an example again, through another filter; “{variant}” counts.",
        "Hand in the rows of one filter only.",
    ),
    "keys_known": Kind("note", "The rows also carry {keys}: not used for the scores.", _NOTHING),
    "keys_unknown": Kind("note", "Not known, and not used: {keys}.", _NOTHING),
    # Compared with the gold
    "task_not_in_release": Kind(
        "warning",
        "The release has no such task; the file is left out.",
        "Score it against a release that has the task.",
    ),
    "task_unreadable": Kind(
        "error",
        "No row of this file has a prediction that can be used, so its task is not scored.",
        "Repair the rows, and hand the file in again.",
    ),
    "id_unknown": Kind(
        "warning",
        "The release has no example with the id {id}; the row is not used.",
        "Check that the predictions were made for this release.",
    ),
    "id_twice": Kind(
        "error",
        "The id {id} comes again with another prediction; none of them counts.",
        "Keep one row for each id.",
    ),
    "row_repeated": Kind(
        "note", "The id {id} comes again with the same prediction; it counts once.", _NOTHING
    ),
    "row_surplus": Kind(
        "warning",
        "The release has {examples} examples; this row comes after the last.",
        "Check that the predictions were made for this release.",
    ),
    "predictions_missing": Kind(
        "warning",
        "{missing} of {n} examples have no usable prediction; they count 0.",
        "Hand in a row for every example.",
    ),
    "labels_differ": Kind(
        "warning", "{differ} of {labelled} labels in the file are not this release's.", _RELEASE
    ),
    "labels_of_other_data": Kind(
        "warning",
        "Made for other data: {differ} of {labelled} labels in the file are not this release's. "
        "The score says little.",
        _RELEASE,
    ),
    "labels_fit_otherwise": Kind(
        "warning",
        "Matched by {method}, {ours} of {labelled} labels in the file are those of their examples; "
        "by {other} it would be {better}.",
        "Score the file with --align {other}.",
    ),
    "taken_in_order": Kind(
        "note", "The rows have no ids and were taken in their order.", "Nothing to do."
    ),
    "alignment_needed": Kind(
        "warning", "{question}", "Look which is right, then score with --align id or --align order."
    ),
    "label_missing": Kind(
        "error", "The row carries no label; it is left out.", "Score it against a release instead."
    ),
    "label_unusable": Kind(
        "error", "The label {why}; the row is left out.", "Score it against a release instead."
    ),
    # About problems
    "more_of_the_same": Kind(
        "note", "{count} more of “{code}” are not listed.", "Repair the first ones."
    ),
}  # fmt: skip

LISTED = 20  # problems of one code for one file
LISTED_OF_CODE = 200  # problems of one code in all files
# For each code: the problems listed, and the counts of the others, one a full file and one in all.
MOST_PROBLEMS = len(PROBLEMS) * (LISTED_OF_CODE + LISTED_OF_CODE // LISTED)

Place = tuple[str, str | None, str | None]  # code, file, task


class ProblemLog:
    """Collects problems; of many of one code in one file it keeps the first and counts the rest."""

    def __init__(self) -> None:
        self._kept: list[Problem] = []
        self._of_place: Counter[Place] = Counter()
        self._of_code: Counter[str] = Counter()
        self._more: Counter[Place] = Counter()

    def add(
        self,
        code: str,
        *,
        file: str | None = None,
        line: int | None = None,
        task: str | None = None,
        **params: Parameter,
    ) -> None:
        """Keep a problem. Its texts are untrusted, and made safe to show."""
        self.keep(Problem(code, file, line, task, params))

    def keep(self, problem: Problem) -> None:
        """Keep a problem, as ``add`` does."""
        code, file = problem.code, problem.file
        file = None if file is None else visible(file, 200)
        place = (code, file, problem.task)
        if self._of_code[code] >= LISTED_OF_CODE:
            self._more[code, None, None] += 1
        elif self._of_place[place] >= LISTED:
            self._more[place] += 1
        else:
            self._of_code[code] += 1
            self._of_place[place] += 1
            params = {
                name: visible(value, 1_000) if isinstance(value, str) else value
                for name, value in problem.params.items()
            }
            self._kept.append(Problem(code, file, problem.line, problem.task, params))

    def problems(self) -> list[Problem]:
        """The problems kept, in the order they were found, then the counts of the rest."""
        return self._kept + [
            Problem("more_of_the_same", file, None, task, {"code": code, "count": count})
            for (code, file, task), count in self._more.items()
        ]


def visible(text: str, limit: int = 80) -> str:
    """The text, its middle cut out beyond ``limit``, control characters written as ⟨U+202E⟩."""
    if len(text) > limit:
        half = limit // 2
        text = f"{text[:half]}…{text[-half:]}"
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else f"⟨U+{ord(char):04X}⟩" for char in text)
