"""Actions of people and of the site. The audit log stores these values."""

from enum import StrEnum


class Action(StrEnum):
    """Actions on a submission. ``portal.permissions.actions.ACTIONS`` says who may do what, and
    when."""

    REQUEST_PUBLICATION = "ask for publication"
    CANCEL_REQUEST = "cancel request"
    CLAIM = "claim"  # by the reviewer who looks at the request
    ASK_AUTHOR = "ask author"
    REPLY = "reply"  # to a reviewer's question
    PUBLISH = "publish"
    CONFIRM_MAKER = "confirm maker"  # or not: about the claim of the author to be it
    ANSWER_FLAGS = "answer flags"  # why it is published although flags are critical
    SCHEDULE = "schedule"  # approve it, to be published on the day that its author has asked for
    OPEN = "open"  # publish a scheduled one on that day, by the site
    RESCHEDULE = "reschedule"  # change that day, by its author
    SHOW_ACCOUNT = "show account"  # on the entry, or hide it, by its author
    PUBLISH_HISTORICAL = "publish historical"
    REJECT = "reject"
    UNDO_DECISION = "undo decision"
    HIDE = "hide"
    RESTORE = "restore"
    WITHDRAW = "withdraw"
    ANSWER = "answer"  # how rows and examples are aligned
    TRY_AGAIN = "try again"
    SCORE_AGAIN = "score again"
    EDIT_SETTINGS = "edit settings"
    EDIT_LANGUAGE_MODEL = "edit language model"  # if others may have seen the submission
    SUBMIT_NEW_VERSION = "new version"  # not logged: the new version is a submission of its own
    DELETE = "delete"


class RecordAction(StrEnum):
    """Actions on an account, a language model, a release, a reported entry or a note
    (``portal.audit.records``)."""

    ADD = "add"
    EDIT = "edit"
    CHANGE_ROLE = "change role"
    DELETE = "delete"
    MERGE = "merge"  # of a language model into another


class RunAction(StrEnum):
    """Actions on an endpoint run (``portal.endpoint_runs.services``)."""

    START = "start run"
    PAUSE = "pause run"
    RESUME = "resume run"
    STOP = "stop run"
    END = "end run"  # once every worker has given back its slice


class LabelAction(StrEnum):
    """Actions on a report about a label."""

    REPORT = "report label"
    DECIDE = "decide label report"
