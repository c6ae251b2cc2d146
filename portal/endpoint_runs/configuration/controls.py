"""The controls of a run: the same questions without their contexts, and with the evidence alone.

They are runs of their own, so that the author sees what each would cost before it starts and enters
a key for each: the key of a run is used for that run only.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from django.db import transaction

from portal.endpoint_runs.configuration.drafts import Configuration, save_draft
from portal.endpoint_runs.questions import settings_of_run
from portal.errors import StateError
from portal.models import EndpointRun, Example, RunState, User
from portal.permissions.access import Reader
from portal.scores.controls import Control, control_of, strategy_of, title_of
from scoring.endpoint.templates import Strategy


class RunControls(NamedTuple):
    runs: Sequence[tuple[Control, EndpointRun]]  # that exist, including drafts
    missing: Sequence[Control]  # that could be prepared

    @property
    def titled(self) -> list[tuple[str, EndpointRun]]:
        return [(title_of(control), run) for control, run in self.runs]


_NONE = RunControls((), ())


def controls_of_run(run: EndpointRun, user: Reader) -> RunControls:
    """The controls that this person may see; a draft has none, nor has a control."""
    if run.state == RunState.DRAFT or _control_of(run):
        return _NONE
    same = EndpointRun.objects.owned_by(user).with_standing().filter(same_questions_as=run)
    found: dict[Control, EndpointRun] = {}
    for one in same.select_related("language_model").order_by("-created", "pk"):
        if control := _control_of(one):
            found.setdefault(control, one)
    missing = [one for one in Control if one not in found and _is_possible(one, run)]
    return RunControls([(one, found[one]) for one in Control if one in found], missing)


def prepare_controls(run: EndpointRun, by: User) -> list[EndpointRun]:
    """Create a draft of each missing control, with the settings and the questions of the run.
    Raises ``StateError`` and ``QuotaError``; nothing is stored then."""
    if run.state == RunState.DRAFT:
        raise StateError(
            "Its questions are drawn when it starts: prepare its controls then.", "wrong_state"
        )
    missing = controls_of_run(run, by).missing
    if not missing:
        raise StateError("There is no control that could be prepared.", "no_controls")
    with transaction.atomic():
        return [save_draft(_configuration(run, one), owner=by) for one in missing]


def _configuration(run: EndpointRun, control: Control) -> Configuration:
    settings = replace(settings_of_run(run), strategy=Strategy(strategy_of(control)))
    if control is Control.NO_CONTEXT:  # an author's template has a field for the context
        settings = replace(settings, templates={})
    return Configuration(
        language_model=run.language_model,
        release=run.release,
        settings=settings,
        method=run.method,
        note=run.note,
        same_questions_as=run,
    )


def _control_of(run: EndpointRun) -> Control | None:
    return control_of(run.settings.get("strategy", ""), "")


def _is_possible(control: Control, run: EndpointRun) -> bool:
    if control is Control.NO_CONTEXT:
        return True
    if run.release.hidden:  # its evidence is secret
        return False
    tasks = run.settings.get("tasks", [])
    known = Example.objects.filter(data_set__releases=run.release, data_set__task__in=tasks)
    return known.exclude(evidence=None).exists()
