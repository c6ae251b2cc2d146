"""The steps of a connection test in the reader's language."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.endpoint.connection.report import SENTENCES, State, Step, StepName

TITLES: Mapping[StepName, str | Promise] = {
    StepName.ADDRESS: _("Address"),
    StepName.NAME: _("Name"),
    StepName.CERTIFICATE: _("Certificate"),
    StepName.KEY: _("Key"),
    StepName.MODEL: _("Model"),
    StepName.STREAMING: _("Streaming"),
    StepName.USAGE: _("Reported tokens"),
    StepName.COUNTS: _("Counting tokens"),
    StepName.SPEED: _("Speed"),
    StepName.REPEATS: _("Repeated questions"),
    StepName.WINDOW: _("Context window"),
}
STATES: Mapping[State, str | Promise] = {
    State.WORKS: _("works"),
    State.FAILS: _("fails"),
    State.UNKNOWN: _("not known"),
}


def step_sentence(step: Step) -> str:
    return gettext(SENTENCES[step.code]).format(**step.values)
