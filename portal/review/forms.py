"""The forms for requests, questions and decisions."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django import forms

from portal.errors import StateError
from portal.models import Submission
from portal.models.submission import NOT_STATED, REVIEWED_SETTINGS
from portal.review.schedule import check_day
from portal.submissions.services import fixed_settings
from portal.submissions.submit.forms import SettingsForm

REASON_MIN, REASON_CAP = 10, 2_000  # characters


class ReviewedForm(forms.Form):
    """What a decision takes for each submission, besides the reason."""

    maker_confirmed = forms.BooleanField(
        label="Confirmed: it is submitted by the maker of the model",
        required=False,
        help_text="Without this the entry says that it claims to be, and is not confirmed.",
    )
    flags_answer = forms.CharField(
        label="Why can it be published despite its critical flags?",
        required=False,
        min_length=REASON_MIN,
        max_length=REASON_CAP,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Only the author and reviewers can read this. It is needed to publish.",
    )
    seen = forms.CharField(required=False, widget=forms.HiddenInput)  # review_fingerprint


class ReasonForm(ReviewedForm):
    reason = forms.CharField(
        label="Reason",
        min_length=REASON_MIN,
        max_length=REASON_CAP,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=(
            "The author sees this on the page and by email. Everybody can read why something was "
            "published, hidden, restored or withdrawn. At least ten characters."
        ),
        error_messages={
            "required": "Please give a reason. The author can see it.",
            "min_length": "Please say a little more: at least %(limit_value)d characters.",
        },
    )

    def __init__(self, *args: Any, needed: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not needed:
            self.fields["reason"] = forms.CharField(
                label="Reason",
                required=False,
                max_length=REASON_CAP,
                widget=forms.Textarea(attrs={"rows": 3}),
                help_text="Reviewers can see this.",
            )


class _UtcField(forms.DateTimeField):
    """A time in UTC, unless it is sent with an offset."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")

    def to_python(self, value: Any) -> datetime | None:  # noqa: ANN401 - as in Django
        try:
            found = super().to_python(value)
            return found.astimezone(UTC) if found else None
        except OverflowError as error:  # before the year 1 in UTC, or after 9999
            raise forms.ValidationError(self.error_messages["invalid"], "invalid") from error


def _publish_on() -> forms.DateTimeField:
    return _UtcField(
        label="Publish on",
        required=False,
        help_text="Date and time in UTC, within a year. Empty: as soon as a reviewer approves it.",
    )


def _clean_day(form: forms.BaseForm, submission: Submission) -> None:
    """Add what is wrong with the day to its field."""
    try:
        check_day(submission, form.cleaned_data.get("publish_on"))
    except StateError as error:
        form.add_error("publish_on", forms.ValidationError(str(error), error.code))


class ScheduleForm(forms.Form):
    publish_on = _publish_on()
    reason = forms.CharField(
        label="Reason",
        max_length=REASON_CAP,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="The author sees this on the page and by email.",
    )

    def __init__(
        self, data: Mapping[str, Any] | None, *, submission: Submission, needs_reason: bool
    ) -> None:
        super().__init__(data, initial={"publish_on": submission.publish_on})
        self._submission = submission
        if not needs_reason:
            del self.fields["reason"]

    def clean(self) -> None:
        _clean_day(self, self._submission)


class RequestForm(SettingsForm):
    """How the predictions were made, as complete as the author can state it, whether they are the
    maker's own, and how they are published."""

    by_maker = forms.TypedChoiceField(
        label="Is this submission by the maker of the model?",
        choices=[(True, "Yes"), (False, "No")],
        coerce=lambda value: value == "True",
        widget=forms.RadioSelect,
        help_text="With yes, the entry says that it claims to be, until a reviewer confirms it.",
        error_messages={"required": "Answer yes or no."},
    )
    publish_on = _publish_on()
    show_account = forms.BooleanField(
        label="Show my account's name on the entry",
        required=False,
        help_text="Reviewers always see it.",
    )
    unknown_confirmed = forms.BooleanField(
        label="What I left empty is not known",
        required=False,
        help_text="Reviewers and readers will see these settings as unknown.",
    )

    def __init__(self, data: Mapping[str, Any] | None, *, instance: Submission) -> None:
        initial = {
            "by_maker": instance.by_maker,
            "publish_on": instance.publish_on,
            "show_account": instance.show_account,
        }
        super().__init__(data, instance=instance, initial=initial)
        self.is_run_by_us = bool(fixed := fixed_settings(instance))
        self.fix(fixed)
        if self.is_run_by_us:  # every setting is known
            del self.fields["unknown_confirmed"]

    def clean(self) -> None:
        super().clean()
        _clean_day(self, self.instance)
        given = self.cleaned_data
        if self.is_run_by_us or given["unknown_confirmed"]:
            return
        if empty := [name for name in REVIEWED_SETTINGS if given.get(name, " ") in NOT_STATED]:
            message = "Empty: %(settings)s. Fill in what you know, or tick this."
            names = ", ".join(str(self.fields[name].label) for name in empty)
            error = forms.ValidationError(message % {"settings": names}, "settings_missing")
            self.add_error("unknown_confirmed", error)


class ReplyForm(forms.Form):
    reply = forms.CharField(
        label="Your reply",
        max_length=REASON_CAP,
        widget=forms.Textarea(attrs={"rows": 5}),
        error_messages={"required": "Write a reply. Reviewers can see it."},
    )
