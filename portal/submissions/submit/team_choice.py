"""Choosing for whom something is submitted: for oneself, or for a team that one is in."""

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from portal.models import Team, User


class TeamChoice(forms.ModelChoiceField):  # type: ignore[type-arg]  # only the stubs know its parameter
    """By the team's slug; None: for oneself."""

    def __init__(self) -> None:
        self.offered: QuerySet[Team] = Team.objects.none()
        super().__init__(
            queryset=self.offered,
            to_field_name="slug",
            label="Act for",
            required=False,
            blank=True,  # radio buttons would leave out the first choice
            empty_label="Myself",
            widget=forms.RadioSelect,
            error_messages={"invalid_choice": "You are in no team of this name."},
            help_text=(
                "What you submit for a team belongs to it: everybody in the team sees it and can "
                "act on it. It counts for your quota and for that of the team."
            ),
        )

    def to_python(self, value: object) -> Team | None:
        try:
            return super().to_python(value)
        except ValidationError as error:  # with the same code as in services
            raise ValidationError(self.error_messages["invalid_choice"], "not_in_team") from error

    def offer(self, user: User) -> None:
        self.queryset = self.offered = Team.objects.of(user)

    @property
    def is_offered(self) -> bool:
        """Whether the page asks. People who are in no team act for themselves."""
        return self.offered.exists()
