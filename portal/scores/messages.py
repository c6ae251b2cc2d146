"""What findings say on pages, in the reader's language: code → sentence, fix.

A finding is stored with the English sentences of ``scoring.problems``, and with all that stands in
them, so that they can be said anew. Where they speak of options of the command, the table here
speaks of the form.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from portal.scores.phrases import spoken
from scoring.problems import PROBLEMS

Text = str | Promise


class Wording(NamedTuple):
    fix: Text
    message: Text | None = None  # None: as it was found


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


def worded(finding: Mapping[str, Any]) -> tuple[str, str]:
    """The sentence and the fix of a finding; as stored where an older scorer knew other codes."""
    code = finding["code"]
    if code not in PROBLEMS:
        return finding["message"], finding["fix"]
    kind, wording = PROBLEMS[code], WORDINGS.get(code)
    message = (wording and wording.message) or gettext(kind.message)
    fix = wording.fix if wording else gettext(kind.fix)
    return filled(message, finding) or finding["message"], filled(fix, finding) or finding["fix"]


def filled(text: Text, finding: Mapping[str, Any]) -> str | None:
    """The text with what was found; None where an older scorer did not store that."""
    known = {"task": finding["task"], **spoken(finding.get("params") or {})}
    try:
        return str(text).format_map(known)
    except (LookupError, ValueError):
        return None
