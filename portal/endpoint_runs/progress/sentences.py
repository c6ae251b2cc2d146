"""Why there is no answer, and why a run has paused or ended, in plain words and with a remedy."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from portal.endpoint_runs.progress.scope import has_fixed_questions
from portal.models import EndpointRun, RunEnding, RunState

# Why an attempt has failed, by ``scoring.endpoint.transport.failures.Kind``.
FAILURES: Mapping[str, str | Promise] = {
    "address": gettext_lazy("The address of the endpoint cannot be used."),
    "scheme": gettext_lazy("The address of the endpoint must begin with https://."),
    "port": gettext_lazy("This port is not allowed for endpoints."),
    "not public": gettext_lazy("The endpoint is not on the public internet."),
    "name": gettext_lazy("The name of the endpoint is not known to the network."),
    "certificate": gettext_lazy("The certificate of the endpoint is not valid."),
    "connection": gettext_lazy("The endpoint cannot be reached."),
    "timeout": gettext_lazy("The endpoint took too long."),
    "busy": gettext_lazy("The endpoint asks for fewer requests."),
    "server": gettext_lazy("The endpoint has failed."),
    "half": gettext_lazy("The answer broke off."),
    "malformed": gettext_lazy("The answer cannot be read."),
    "too large": gettext_lazy("The answer is too large."),
    "reported": gettext_lazy("The endpoint reports an error."),
    "key": gettext_lazy("The endpoint does not accept the key."),
    "credit": gettext_lazy("The account at the endpoint has no credit left."),
    "model": gettext_lazy("The endpoint knows no such model or address."),
    "redirect": gettext_lazy("The endpoint sends us to another address."),
    "too long": gettext_lazy("The prompt is too long for the endpoint."),
    "request": gettext_lazy("The endpoint does not accept the request."),
    "broken off": gettext_lazy("Our worker stopped before the answer came."),
}
# What helps, by the reason of a pause.
_REMEDIES: Mapping[str, str | Promise] = {
    "address": gettext_lazy("Stop this run and start one with another address."),
    "scheme": gettext_lazy("Stop this run and start one with another address."),
    "port": gettext_lazy("Stop this run and start one with another address."),
    "not public": gettext_lazy("Stop this run and start one with another address."),
    "name": gettext_lazy("Check the address, and resume when it works again."),
    "certificate": gettext_lazy("Renew the certificate, then resume."),
    "connection": gettext_lazy("Resume when the endpoint is running again."),
    "timeout": gettext_lazy("Allow more time or fewer requests at once, then resume."),
    "busy": gettext_lazy("Resume later, or with fewer requests at once."),
    "server": gettext_lazy("Resume when the endpoint works again."),
    "broken_off": gettext_lazy("Resume it later, or with fewer requests at once."),
    "key": gettext_lazy("Resume with another key."),
    "credit": gettext_lazy("Top up the account, then resume."),
    "model": gettext_lazy("Make the model available under this name, then resume."),
    "redirect": gettext_lazy("Stop this run and start one with the address it leads to."),
    "request": gettext_lazy("Stop this run and start one with settings that it accepts."),
}
_PAUSES: Mapping[str, str | Promise] = {
    "by_owner": gettext_lazy("You have paused it."),
    "left_team": gettext_lazy(
        "Whose key it used is no longer in the team. Resume with a key of yours."
    ),
    "by_admin": gettext_lazy("An admin has paused it. Their reason:"),
    "failures": gettext_lazy("Too many requests in a row have failed, and none was answered."),
    "refusals": gettext_lazy(
        "The endpoint has refused the first requests and answered none: it does not accept "
        "something that all of them have."
    ),
    "retry_later": gettext_lazy("The endpoint wants to be left alone for a while."),
    "broken_off": gettext_lazy(
        "Our worker stopped three times before the answer to the same question came."
    ),
    "no_key": gettext_lazy("Its key is gone. Resume with the key."),
    "our_fault": gettext_lazy("It stopped through our fault. Resume it: nothing is lost."),
}
# For admins, about the runs of others, which they cannot resume.
_OVERSEEN: Mapping[str, str | Promise] = {
    "by_admin": gettext_lazy("An admin has paused it. Their reason:"),
    "stopped_by_admin": gettext_lazy("An admin has stopped it. Their reason:"),
    "no_key": gettext_lazy("Its key is gone."),
    "our_fault": gettext_lazy("It stopped through our fault."),
}
_ENDINGS: Mapping[RunEnding, str | Promise] = {
    RunEnding.FINISHED: gettext_lazy("Ended: all of its questions were asked."),
    RunEnding.CAP: gettext_lazy("Ended: a cap was reached."),
    RunEnding.STOPPED: gettext_lazy("Stopped."),
}


_KEY_WANTED = gettext_lazy("The endpoint wants a key, and none was given.")


def failure_sentence(kind: str) -> str:
    return str(FAILURES.get(kind) or _("The request has failed."))


def standing_sentence(run: EndpointRun) -> str:
    """For the owner: where the run stands, why, and what helps."""
    if sentence := _on_its_way(run):
        return sentence
    if run.state == RunState.PAUSED:
        remedy = _("Resume with a key.") if _wants_key(run) else _REMEDIES.get(run.reason)
        return _joined(_("Paused."), _why_paused(run), remedy)
    if run.reason == "stopped_by_admin":
        return _("An admin has stopped it. What was asked by then is scored. Their reason:")
    if run.ending == RunEnding.FINISHED:
        return str(_ENDINGS[RunEnding.FINISHED])
    by_then = _("What was asked by then is a fair sample.")
    if run.handed_in and run.submission_id is None:  # nothing was answered
        by_then = ""
    elif has_fixed_questions(run):
        by_then = _("What was asked by then is scored.")
    return _joined(_ENDINGS[RunEnding(run.ending)], by_then)


def overseen_sentence(run: EndpointRun) -> str:
    """For admins: where the run of another stands, and who or what brought it there."""
    if sentence := _on_its_way(run):
        return sentence
    if run.state == RunState.PAUSED and run.reason == "by_owner":
        return _("Its author has paused it.")
    by_admin = {RunState.PAUSED: "by_admin", RunState.ENDED: "stopped_by_admin"}
    if run.reason == by_admin.get(RunState(run.state)):
        return _joined(_OVERSEEN[run.reason], run.reason_details)
    if run.state == RunState.PAUSED:
        why = _OVERSEEN.get(run.reason) or _why_paused(run)
        return _joined(_("The site has paused it."), why)
    if run.ending == RunEnding.STOPPED:
        return _("Its author has stopped it.")
    return str(_ENDINGS[RunEnding(run.ending)])


def _wants_key(run: EndpointRun) -> bool:
    return run.reason == "key" and not run.key and not run.is_key_deleted


def _why_paused(run: EndpointRun) -> str | Promise | None:
    if _wants_key(run):
        return _KEY_WANTED
    return _PAUSES.get(run.reason) or FAILURES.get(run.reason)


def _on_its_way(run: EndpointRun) -> str:
    """Empty if the run has paused or ended."""
    if run.ending and run.state != RunState.ENDED:
        return _("It is coming to its end: what is in flight is still answered.")
    if run.state == RunState.DRAFT:
        return _("Not started. Nothing has been sent yet.")
    if run.state == RunState.RUNNING:
        return "Waiting for its turn." if run.is_waiting else _("Running.")
    return ""


def _joined(*sentences: str | Promise | None) -> str:
    return " ".join(str(one) for one in sentences if one)
