"""Problems of submitted files: one table, code → severity, sentence, fix.

A problem is never bare text: it has a code, a place (file, line) and a fix.
"""

import re
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
    counts: str = ""  # the parameter that is 1 in …
    one: str = ""  # … this message
    form: str = ""  # the fix on the site, where a form has what are options of the command


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
        kind = PROBLEMS[self.code]
        is_one = kind.one and self.params[kind.counts] == 1
        return (kind.one if is_one else kind.message).format(task=self.task, **self.params)

    @property
    def fix(self) -> str:
        return PROBLEMS[self.code].fix.format(task=self.task, **self.params)


_ONE_OBJECT = "Write one JSON object on each line."
_NOTHING = "Nothing to do."
_ARCHIVE_AGAIN = "Create the archive again with a standard program, and check that it opens."
_RELEASE = (
    "Find the release the predictions were made for: python -m scoring check FILE --gold ONE "
    "--gold ANOTHER."
)
_SPLIT = "Submit only the prediction files of one run, or split them into several submissions."

PROBLEMS: dict[str, Kind] = {
    # The submission as a whole
    "file_not_found": Kind("error", "There is no such file or directory.", "Check the path."),
    "file_unreadable": Kind("error", "The file cannot be opened: {why}.", "Submit another file."),
    "file_too_large": Kind("error", "The input is larger than {limit} MiB.", _SPLIT),
    "nothing_to_score": Kind(
        "error",
        "No prediction files were found.",
        "Submit files named preds_passkey.jsonl and so on, one per task. For a single file with "
        "another name, give its task with --task.",
        form="Submit files named preds_passkey.jsonl and so on, one per task. For a single file "
        "with another name, choose its task in the form.",
    ),
    "archive_ratio": Kind(
        "error",
        "It unpacks to more than {limit} times its size. None of it is used.",
        "Submit it without compression, or without contexts and prompts in the rows.",
    ),
    "archive_too_large": Kind(
        "error", "It unpacks to more than {limit} MiB. None of it is used.", _SPLIT
    ),
    "archive_entries": Kind("error", "It holds more than {limit} files. Nothing was read.", _SPLIT),
    "archive_broken": Kind(
        "error", "The archive is damaged: {why}. None of it is used.", _ARCHIVE_AGAIN
    ),
    "archive_incomplete": Kind(
        "error",
        "The {kind} file is incomplete: an upload or a download was cut off. None of it is used.",
        "Submit the complete file. If it was complete, create it again, and check that it opens.",
    ),
    "archive_unreadable": Kind(
        "error",
        "This is not a readable {kind} file, despite its name.",
        _ARCHIVE_AGAIN,
    ),
    "archive_prefix": Kind(
        "error",
        "There is data before the first file of the archive. None of it is used.",
        _ARCHIVE_AGAIN,
    ),
    "archive_overlap": Kind(
        "error", "Files in the archive overlap. None of it is used.", _ARCHIVE_AGAIN
    ),
    "archive_not_opened": Kind(
        "error",
        "This is an archive ({kind}) that cannot be opened here; it is skipped.",
        "Submit a single .zip, .tar.gz or .jsonl.gz, or unpack it and submit the .jsonl files.",
    ),
    "gzip_broken": Kind("error", "The compressed data is damaged; it is skipped.", _ARCHIVE_AGAIN),
    "gzip_cut": Kind(
        "error",
        "The compressed file is incomplete: an upload or a download was cut off. It is skipped.",
        "Submit the complete file. If it was complete, create it again, and check that it opens.",
    ),
    "gzip_trailing": Kind(
        "error", "There is data after the compressed content; the file is skipped.", _ARCHIVE_AGAIN
    ),
    "member_twice": Kind(
        "error",
        "Two files in the archive have the same name. None of it is used.",
        "Create an archive with one file per task.",
    ),
    "member_name_unsafe": Kind(
        "error",
        "This name could lead outside the directory; the file is skipped.",
        "Create the archive with plain relative names such as preds_passkey.jsonl.",
    ),
    "member_not_regular": Kind(
        "error",
        "This is a link, a device or a sparse file; it is skipped.",
        "Put the files themselves into the archive.",
    ),
    "member_encrypted": Kind(
        "error", "The file is encrypted; it is skipped.", "Create the archive without a password."
    ),
    "member_method": Kind(
        "error",
        "The file is compressed with an unusual method; it is skipped.",
        "Create the archive with the usual compression (deflate).",
    ),
    "member_lies": Kind(
        "error",
        "The size or checksum of the file does not match the archive; it is skipped.",
        _ARCHIVE_AGAIN,
    ),
    "lines_too_many": Kind(
        "error", "There are more than {limit} lines; the rest is ignored.", _SPLIT
    ),
    "text_too_much": Kind(
        "error",
        "Predictions and labels need more than {limit} MiB; the rest is ignored.",
        "Remove the labels, or submit fewer tasks at a time.",
    ),
    # Which file answers which task
    "file_empty": Kind("error", "The file has no rows.", _ONE_OBJECT),
    "file_not_rows": Kind(
        "error",
        "The format of this file is {format}, not JSON Lines; it is skipped.",
        "Write one JSON object on each line of a text file, with an id and the prediction.",
    ),
    "file_is_log": Kind(
        "error",
        "This is a log of {format}, not prediction files; it is skipped.",
        "Convert it and submit the result: infinitebench convert FILE --out predictions/.",
        form="Convert it on your own computer with the command “infinitebench convert”, and submit "
        "the files that it writes.",
    ),
    "file_is_scores": Kind(
        "note", "The file has scores but no predictions, and is ignored.", _NOTHING
    ),
    "file_is_table": Kind(
        "error",
        "This is a table ({format}), not JSON Lines; it is skipped.",
        "Write one JSON object on each line, for example with pandas: "
        "table.to_json('preds_passkey.jsonl', orient='records', lines=True).",
    ),
    "file_is_page": Kind(
        "error",
        "This is a web page (HTML or XML), perhaps an error message that was saved in place of the "
        "file; it is skipped.",
        "Open it to see what it says, and download the predictions again.",
    ),
    "file_is_pointer": Kind(
        "error",
        "This is a pointer of Git LFS, not the file itself; it is skipped.",
        "Run git lfs pull, and submit the file that it downloads.",
    ),
    "file_binary": Kind(
        "error",
        "This is not a text file; it is skipped.",
        "Write one JSON object on each line of a text file, with an id and the prediction.",
    ),
    "file_ignored": Kind("note", "This is not a prediction file; it was not read.", _NOTHING),
    "file_repeated": Kind(
        "note", "This file has the same rows as {first}; it counts once.", _NOTHING
    ),
    "task_unknown": Kind(
        "error",
        "The name of this file does not show which task it answers; it is skipped.",
        "Name it after its task, such as preds_{example}.jsonl for {title}, or submit it alone "
        "with --task TASK.",
        form="Choose its task in the form and submit it alone, or name it after its task, such as "
        "preds_{example}.jsonl for {title}.",
    ),
    "task_another_run": Kind(
        "error",
        "The name of this file does not show which task it answers, and {beside} answers {title}; "
        "it is skipped.",
        "If it is another run of {title}, submit it separately, with --task {example}.",
        form="If it is another run of {title}, submit it separately, as another submission, and "
        "choose {title} in the form.",
    ),
    "task_ambiguous": Kind(
        "error",
        "The chosen task can apply to one file only, but neither {first} nor {second} has a task "
        "in its name.",
        "Submit one of them at a time, or name them after their tasks: preds_{task}.jsonl.",
    ),
    "task_not_needed": Kind(
        "warning",
        "The name of this file says that it answers {named}; the chosen {told} was not used.",
        "Omit --task, or rename the file.",
        form="Do not choose a task in the form, or rename the file.",
    ),
    "two_files_for_task": Kind(
        "error",
        "There are two files for {title}: {first} and {second}. Neither is scored.",
        "Remove one of them.",
    ),
    # The text of a file
    "file_cut": Kind(
        "error",
        "The last line stops in the middle: the file seems to be cut off.",
        "Submit the complete file again. Examples without a prediction count as 0.",
    ),
    "file_utf16": Kind("error", "The file is UTF-16 or UTF-32, not UTF-8.", "Save it as UTF-8."),
    "line_too_long": Kind(
        "error", "The line is longer than {limit} MiB.", "Remove contexts and prompts from it."
    ),
    "line_not_utf8": Kind("error", "Byte {byte} of the line is not UTF-8.", "Save it as UTF-8."),
    "text_nul": Kind("error", "The row contains a NUL character.", "Remove it from the row."),
    "text_surrogate": Kind(
        "error",
        "The row contains half of a surrogate pair (\\uD800 to \\uDFFF), which is not a character.",
        "Truncate texts between characters, not inside them.",
    ),
    "json_broken": Kind("error", "This is not valid JSON: {why}, at character "
                                 "{column}.", _ONE_OBJECT),
    "json_key_twice": Kind(
        "error", "The key “{key}” appears twice in one object.", "Use every key only once."
    ),
    "json_constant": Kind("error", "{value} is not JSON.", "Write null, or remove the row."),
    "json_number_large": Kind(
        "error", "The number {value} is too large.", "Write it as text, in quotes."
    ),
    "json_too_deep": Kind("error", "Lists or objects are nested too deeply.", _ONE_OBJECT),
    "values_too_many": Kind(
        "error", "The rows contain more than {limit} values; the rest is ignored.", _SPLIT
    ),
    "row_too_large": Kind(
        "error",
        "The row is larger than {limit} MiB, even without its long texts.",
        "Remove contexts and prompts from the row.",
    ),
    "document_is_list": Kind("error", "The file is one JSON list.", _ONE_OBJECT),
    "document_broken": Kind(
        "error",
        "The JSON document is damaged. The {rows} rows found in it are used.",
        "Write the document with a JSON library, and submit all of it.",
        "rows",
        "The JSON document is damaged. The one row found in it is used.",
    ),
    "document_unknown": Kind("error", "This JSON document contains no rows.", _ONE_OBJECT),
    "text_after_document": Kind(
        "warning",
        "Text follows the JSON document: “{text}”. Only the document is used.",
        "Remove the text.",
    ),
    "row_not_object": Kind("error", "The row is {found}, not a JSON object.", _ONE_OBJECT),
    "two_objects": Kind(
        "error", "There are two JSON objects on this line; only the first is used.", _ONE_OBJECT
    ),
    "text_after_object": Kind(
        "warning", "Text follows the JSON object: “{text}”. Only the object is used.", "Remove it."
    ),
    # Rows
    "id_missing": Kind("error", "The row has no “{key}”.", "Give every row the id of its example."),
    "ids_absent": Kind(
        "warning", "No row has an id.", "Add ids, or keep the rows in the order of the data."
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
        "error", "The prediction is longer than {limit} MiB.", "Shorten it before submitting."
    ),
    "prediction_cut": Kind(
        "warning",
        "The prediction has {length} characters; only the first {limit} count.",
        "Nothing to do if the answer comes before that.",
    ),
    "variants_ignored": Kind(
        "warning",
        "{count} rows answer an example again through another filter; only “{variant}” is used.",
        "Submit the rows of one filter only.",
        "count",
        "One row answers an example again through another filter; only “{variant}” is used.",
    ),
    "keys_known": Kind("note", "The rows also contain {keys}: not used for scoring.", _NOTHING),
    "keys_unknown": Kind("note", "Unknown, so not used: {keys}.", _NOTHING),
    # Compared with the gold
    "task_not_in_release": Kind(
        "warning",
        "The release does not include this task; the file is skipped.",
        "Score it against a release that includes the task.",
        form="Submit it to a release that includes the task.",
    ),
    "task_unreadable": Kind(
        "error",
        "No row of this file has a usable prediction, so its task is not scored.",
        "Fix the rows, and submit the file again.",
    ),
    "id_unknown": Kind(
        "warning",
        "The release has no example with the id {id}; the row is ignored.",
        "Check that the predictions were made for this release.",
    ),
    "id_twice": Kind(
        "error",
        "The id {id} appears again with a different prediction; none of them counts.",
        "Keep one row for each id.",
    ),
    "row_repeated": Kind(
        "note", "The id {id} appears again with the same prediction; it counts once.", _NOTHING
    ),
    "row_surplus": Kind(
        "warning",
        "The release has {examples} examples; this row comes after the last.",
        "Check that the predictions were made for this release.",
    ),
    "predictions_missing": Kind(
        "warning",
        "{missing} of {n} examples have no usable prediction; they count as 0.",
        "Submit a row for every example.",
        "missing",
        "1 of {n} examples has no usable prediction; it counts as 0.",
    ),
    "labels_differ": Kind(
        "warning",
        "{differ} of {labelled} labels in the file differ from those of this release.",
        _RELEASE,
        form="Nothing to do if the release has corrected a few labels. If many differ, submit to "
        "the release that the predictions were made for.",
    ),
    "labels_often_differ": Kind(
        "warning",
        "{differ} of {labelled} labels in the file, more than {percent} %, differ from those of "
        "this release. The score is unreliable.",
        _RELEASE,
        form="Find out which version of the data the predictions were made for. Reviewers see this "
        "first.",
    ),
    "labels_of_other_data": Kind(
        "warning",
        "Made for other data: {differ} of {labelled} labels in the file are not this release's. "
        "The score is unreliable.",
        _RELEASE,
        form="If it was made for another release, submit a new version to that one; otherwise "
        "leave this file out.",
    ),
    "labels_fit_otherwise": Kind(
        "warning",
        "Matched by {method}, {ours} of {labelled} labels in the file match their examples; by "
        "{other} it would be {better}.",
        "Score the file with --align {other}.",
        form="Submit this file alone, and choose to match its rows by {other}.",
    ),
    "taken_in_order": Kind(
        "note", "The rows have no ids and were matched by order.", "Nothing to do."
    ),
    "alignment_needed": Kind(
        "warning", "{question}", "See which is right, then score with --align id or --align order."
    ),
    "label_missing": Kind(
        "error", "The row has no label; it is skipped.", "Score it against a release instead."
    ),
    "label_unusable": Kind(
        "error", "The label {why}; the row is skipped.", "Score it against a release instead."
    ),
    # About problems
    "more_of_the_same": Kind(
        "note", "{count} more “{code}” problems are not listed.", "Fix the first ones.",
        "count", "One more “{code}” problem is not listed.",
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


# Characters that nobody sees, or that turn the direction of others, as a class of a pattern.
# Joiners (U+200C, U+200D) are not among them, since scripts and emoji need them.
UNSEEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
)
_UNSEEN = re.compile(f"[{UNSEEN}]")


def readable(text: str) -> str:
    """The text with its lines and spaces, what nobody sees in it written as ⟨U+202E⟩."""
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)
