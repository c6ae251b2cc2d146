"""What people and the site do. The audit log stores these values."""

from enum import StrEnum


class Action(StrEnum):
    """To a submission. Who may do which of them when: ``portal.permissions.actions.ACTIONS``."""

    REQUEST_PUBLICATION = "ask for publication"
    CANCEL_REQUEST = "cancel request"
    CLAIM = "claim"  # a request, by the reviewer who looks at it
    ASK_AUTHOR = "ask author"
    REPLY = "reply"  # to a reviewer's question
    PUBLISH = "publish"
    SEAL = "seal"  # to publish it, on the day that its author has asked for
    OPEN = "open"  # a sealed one on that day, by the site
    RESCHEDULE = "reschedule"  # the day, or the end of the anonymity, by its author
    NAME = "name"  # an anonymous one at the end of that, by the site
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
    EDIT_LANGUAGE_MODEL = "edit language model"  # of a submission that others may have seen
    SUBMIT_NEW_VERSION = "new version"  # not logged: the new version is a submission of its own
    DELETE = "delete"
    MOVE_TO_TEAM = "move to team"  # the reason names it


class RecordAction(StrEnum):
    """To an account, a language model, a release, a reported entry or a note
    (``portal.audit.records``)."""

    ADD = "add"
    EDIT = "edit"
    CHANGE_ROLE = "change role"
    DELETE = "delete"
    MERGE = "merge"  # of a language model into another


class RunAction(StrEnum):
    """To an endpoint run (``portal.endpoint_runs.services``)."""

    START = "start run"
    PAUSE = "pause run"
    RESUME = "resume run"
    STOP = "stop run"
    END = "end run"  # when no worker has a part of it any more


class TeamAction(StrEnum):
    """To a team (``portal.teams``)."""

    CREATE = "create team"
    EDIT = "edit team"
    INVITE = "invite"
    REVOKE = "revoke invitation"
    ACCEPT = "accept invitation"
    DECLINE = "decline invitation"
    LEAVE = "leave team"
    REMOVE = "remove member"
    CHANGE_ROLE = "change team role"
    MOVE_MODEL = "move model to team"
    DELETE = "delete team"


class DisputeAction(StrEnum):
    """To a dispute about a label."""

    FILE = "file dispute"
    DECIDE = "decide dispute"
