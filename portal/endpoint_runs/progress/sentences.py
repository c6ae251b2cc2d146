"""Why there is no answer, and why a run has paused or ended, in plain words and with a remedy."""

from collections.abc import Mapping

from portal.endpoint_runs.progress.scope import has_fixed_questions
from portal.models import EndpointRun, RunEnding, RunState

# Why an attempt has failed, by ``scoring.endpoint.transport.failures.Kind``.
FAILURES: Mapping[str, str] = {
    "address": "The address of the endpoint cannot be used.",
    "scheme": "The address of the endpoint must begin with https://.",
    "port": "This port is not allowed for endpoints.",
    "not public": "The endpoint is not on the public internet.",
    "name": "The name of the endpoint is not known to the network.",
    "certificate": "The certificate of the endpoint is not valid.",
    "connection": "The endpoint cannot be reached.",
    "timeout": "The endpoint took too long.",
    "busy": "The endpoint asks for fewer requests.",
    "server": "The endpoint has failed.",
    "half": "The answer broke off.",
    "malformed": "The answer cannot be read.",
    "too large": "The answer is too large.",
    "reported": "The endpoint reports an error.",
    "key": "The endpoint does not accept the key.",
    "credit": "The account at the endpoint has no credit left.",
    "model": "The endpoint knows no such model or address.",
    "redirect": "The endpoint sends us to another address.",
    "too long": "The prompt is too long for the endpoint.",
    "request": "The endpoint does not accept the request.",
    "broken off": "Our worker stopped before the answer came.",
}
# What helps, by the reason of a pause.
_REMEDIES: Mapping[str, str] = {
    "address": "Stop this run and start one with another address.",
    "scheme": "Stop this run and start one with another address.",
    "port": "Stop this run and start one with another address.",
    "not public": "Stop this run and start one with another address.",
    "name": "Check the address, and resume when it works again.",
    "certificate": "Renew the certificate, then resume.",
    "connection": "Resume when the endpoint is running again.",
    "timeout": "Allow more time or fewer requests at once, then resume.",
    "busy": "Resume later, or with fewer requests at once.",
    "server": "Resume when the endpoint works again.",
    "broken_off": "Resume it later, or with fewer requests at once.",
    "key": "Resume with another key.",
    "credit": "Top up the account, then resume.",
    "model": "Make the model available under this name, then resume.",
    "redirect": "Stop this run and start one with the address it leads to.",
    "request": "Stop this run and start one with settings that it accepts.",
}
_PAUSES: Mapping[str, str] = {
    "by_owner": "You have paused it.",
    "by_admin": "An admin has paused it. Their reason:",
    "failures": "Too many requests in a row have failed, and none was answered.",
    "refusals": (
        "The endpoint has refused the first requests and answered none: it does not accept "
        "something that all of them have."
    ),
    "retry_later": "The endpoint wants to be left alone for a while.",
    "broken_off": "Our worker stopped three times before the answer to the same question came.",
    "no_key": "Its key is gone. Resume with the key.",
    "our_fault": "It stopped through our fault. Resume it: nothing is lost.",
}
# For admins, about the runs of others, which they cannot resume.
_OVERSEEN: Mapping[str, str] = {
    "by_admin": "An admin has paused it. Their reason:",
    "stopped_by_admin": "An admin has stopped it. Their reason:",
    "no_key": "Its key is gone.",
    "our_fault": "It stopped through our fault.",
}
_ENDINGS: Mapping[RunEnding, str] = {
    RunEnding.FINISHED: "Ended: all of its questions were asked.",
    RunEnding.CAP: "Ended: a cap was reached.",
    RunEnding.STOPPED: "Stopped.",
}


_KEY_WANTED = "The endpoint wants a key, and none was given."


def failure_sentence(kind: str) -> str:
    return str(FAILURES.get(kind) or "The request has failed.")


def standing_sentence(run: EndpointRun) -> str:
    """For the owner: where the run stands, why, and what helps."""
    if sentence := _on_its_way(run):
        return sentence
    if run.state == RunState.PAUSED:
        remedy = "Resume with a key." if _wants_key(run) else _REMEDIES.get(run.reason)
        return _joined("Paused.", _why_paused(run), remedy)
    if run.reason == "stopped_by_admin":
        return "An admin has stopped it. What was asked by then is scored. Their reason:"
    if run.ending == RunEnding.FINISHED:
        return str(_ENDINGS[RunEnding.FINISHED])
    by_then = "What was asked by then is a fair sample."
    if run.handed_in and run.submission_id is None:  # nothing was answered
        by_then = ""
    elif has_fixed_questions(run):
        by_then = "What was asked by then is scored."
    return _joined(_ENDINGS[RunEnding(run.ending)], by_then)


def overseen_sentence(run: EndpointRun) -> str:
    """For admins: where the run of another stands, and who or what brought it there."""
    if sentence := _on_its_way(run):
        return sentence
    if run.state == RunState.PAUSED and run.reason == "by_owner":
        return "Its author has paused it."
    by_admin = {RunState.PAUSED: "by_admin", RunState.ENDED: "stopped_by_admin"}
    if run.reason == by_admin.get(RunState(run.state)):
        return _joined(_OVERSEEN[run.reason], run.reason_details)
    if run.state == RunState.PAUSED:
        why = _OVERSEEN.get(run.reason) or _why_paused(run)
        return _joined("The site has paused it.", why)
    if run.ending == RunEnding.STOPPED:
        return "Its author has stopped it."
    return str(_ENDINGS[RunEnding(run.ending)])


def _wants_key(run: EndpointRun) -> bool:
    return run.reason == "key" and not run.key and not run.is_key_deleted


def _why_paused(run: EndpointRun) -> str | None:
    if _wants_key(run):
        return _KEY_WANTED
    return _PAUSES.get(run.reason) or FAILURES.get(run.reason)


def _on_its_way(run: EndpointRun) -> str:
    """Empty if the run has paused or ended."""
    if run.ending and run.state != RunState.ENDED:
        return "It is coming to its end: what is in flight is still answered."
    if run.state == RunState.DRAFT:
        return "Not started. Nothing has been sent yet."
    if run.state == RunState.RUNNING:
        return "Waiting for its turn." if run.is_waiting else "Running."
    return ""


def _joined(*sentences: str | None) -> str:
    return " ".join(str(one) for one in sentences if one)
