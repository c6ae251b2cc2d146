"""The messages of findings in the reader's language: code → message, fix.

A finding is stored with the English sentences of ``scoring.problems`` and with their parameters, so
that they can be written in another language. Where the scorer's sentences name options of its
command, the table here names fields of the form.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from scoring.problems import PROBLEMS, Parameter

Text = str | Promise


class Wording(NamedTuple):
    fix: Text
    message: Text | None = None  # None: that of the scorer


_LIKE = _(
    "Choose its task in the form and hand it in alone; or name it after its task, such as "
    "preds_{example}.jsonl for {title}."
)

WORDINGS: dict[str, Wording] = {
    "nothing_to_score": Wording(
        _(
            "Hand in files named preds_passkey.jsonl and so on, one for each task; for a single "
            "file of another name, choose its task in the form."
        )
    ),
    "task_unknown": Wording(_LIKE),
    "task_another_run": Wording(
        _(
            "If it is another run of {title}, hand it in by itself, as another submission, and "
            "choose {title} in the form."
        )
    ),
    "task_ambiguous": Wording(
        _("Hand in one of them at a time, or name them after their tasks: preds_{task}.jsonl."),
        _("A task was chosen in the form, but the names of {first} and {second} both say nothing."),
    ),
    "task_not_needed": Wording(
        _("Choose no task in the form, or give the file another name."),
        _("The name of this file says that it answers {named}; {told} of the form was not used."),
    ),
    "task_not_in_release": Wording(_("Submit it to a release that has the task.")),
    "labels_of_other_data": Wording(
        _(
            "If it was made for another release, submit a new version for that one; otherwise "
            "leave this file out."
        )
    ),
    "labels_fit_otherwise": Wording(
        _("Submit the file by itself, and answer that its rows are matched by {other}.")
    ),
    "labels_differ": Wording(
        _(
            "Nothing, where a release has corrected a few labels. Where many differ, submit to the "
            "release that the predictions were made for."
        )
    ),
}  # fmt: skip

# Parameters are names and texts of files, which stay as they are, and a few phrases of the scorer.
# These are listed, so that nothing that an author wrote is taken for one.
_WITH_PHRASES = ("found", "why", "method", "other")  # parameters
PHRASES = frozenset({
    # ways to match rows
    gettext_noop("id"),
    gettext_noop("order"),
    # values of JSON
    gettext_noop("null"),
    gettext_noop("true or false"),
    gettext_noop("another text"),
    gettext_noop("a number"),
    gettext_noop("a list"),
    gettext_noop("an object"),
    # why a file cannot be opened
    gettext_noop("it is a link, or no regular file"),
    gettext_noop("the path is not usable"),
    # what is wrong with an archive
    gettext_noop("it is cut"),
    gettext_noop("it has no end, or more than one"),
    gettext_noop("it is one of several parts"),
    gettext_noop("its directory holds more than it says"),
    gettext_noop("its directory is cut"),
    gettext_noop("its directory is not where it says"),
    gettext_noop("its directory names a place that is not there"),
    gettext_noop("its directory and its members do not say the same"),
    gettext_noop("its end records do not fit together"),
    gettext_noop("there is something behind its end"),
    gettext_noop("a header in it is damaged"),
    gettext_noop("a member that is no file has content"),
    gettext_noop("a record in it is damaged"),
    gettext_noop("a record in it is too long"),
    # what Python's reader of JSON says
    gettext_noop("Expecting value"),
    gettext_noop("Expecting property name enclosed in double quotes"),
    gettext_noop("Expecting ':' delimiter"),
    gettext_noop("Expecting ',' delimiter"),
    gettext_noop("Extra data"),
    gettext_noop("Invalid control character at"),
    gettext_noop("Invalid \\escape"),
    gettext_noop("Invalid \\uXXXX escape"),
    gettext_noop("Unterminated string starting at"),
})  # fmt: skip


def message_and_fix(finding: Mapping[str, Any]) -> tuple[str, str]:
    """In the reader's language; as stored if the code is of another version of the scorer."""
    code = finding["code"]
    if code not in PROBLEMS:
        return finding["message"], finding["fix"]
    kind, wording = PROBLEMS[code], WORDINGS.get(code)
    message = (wording and wording.message) or gettext(kind.message)
    fix = wording.fix if wording else gettext(kind.fix)
    return fill(message, finding) or finding["message"], fill(fix, finding) or finding["fix"]


def fill(text: Text, finding: Mapping[str, Any]) -> str | None:
    """The text with the parameters of the finding; None if an older scorer did not store them."""
    known = {"task": finding["task"], **translate_phrases(finding.get("params") or {})}
    try:
        return str(text).format_map(known)
    except (LookupError, ValueError):
        return None


def translate_phrases(params: Mapping[str, Parameter]) -> dict[str, Parameter]:
    return {
        name: gettext(str(value)) if name in _WITH_PHRASES and value in PHRASES else value
        for name, value in params.items()
    }
