"""Choosing an earlier run whose questions are asked again, so that the two runs can be compared:
two samples drawn separately would have few questions in common."""

from django import forms
from django.db.models import QuerySet
from django.utils.timezone import localtime

from portal.models import EndpointRun, Release, User
from scoring.endpoint.settings import RunSettings, SettingsError, settings_of


class SameQuestions(forms.ModelChoiceField):  # type: ignore[type-arg]  # only the stubs know its parameter
    """None: the questions are drawn when the run starts."""

    def __init__(self) -> None:
        super().__init__(
            queryset=EndpointRun.objects.none(),
            label="The same questions as",
            required=False,
            empty_label="None: they are drawn when the run starts",
            help_text=(
                "An earlier run on the same release, with the same tasks and the same sample. Two "
                "runs are compared on the questions that both were asked."
            ),
        )

    def offer(self, user: User) -> None:
        self.queryset = runs_to_repeat(user)

    def label_from_instance(self, run: EndpointRun) -> str:
        subset = run.settings.get("subset", "all")
        sizes = {"all": "all questions", "smoke": "smoke test"}
        sample = f"sample of {subset}"
        facts = [
            run.title,
            run.settings.get("strategy", ""),
            run.release.title,
            sizes.get(subset, sample),
        ]
        if run.started:
            facts.append(f"{localtime(run.started):%Y-%m-%d %H:%M}")
        return " · ".join(facts)


def runs_to_repeat(user: User) -> "QuerySet[EndpointRun]":
    """The runs whose questions this person may ask again, newest first."""
    started = EndpointRun.objects.owned_by(user).started()
    return started.select_related("language_model", "release").order_by("-started")


def has_questions_for(earlier: EndpointRun, release: Release, settings: RunSettings) -> bool:
    """Whether the earlier run was asked what these settings ask for."""
    if earlier.release_id != release.pk:
        return False
    try:
        before = settings_of(earlier.settings)
    except SettingsError:
        return False
    return (before.tasks, before.subset) == (settings.tasks, settings.subset)
