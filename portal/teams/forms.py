"""The forms of teams."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.validators import validate_email

from portal.models import Team, TeamRole, User
from portal.teams.names import MAX_LENGTH
from portal.web.fields import PlainText, WebLink


class TeamForm(forms.Form):
    name = PlainText(
        label="Name",
        max_length=MAX_LENGTH,
        help_text="Shown with its entries. No other team can have one that looks alike.",
    )
    link = WebLink(label="Link", required=False, max_length=200)


class InvitationForm(forms.Form):
    invited = PlainText(
        label="User name or email address",
        max_length=254,
        help_text="We do not say whether there is such an account.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    role = forms.ChoiceField(
        label="Role",
        choices=[
            (TeamRole.MEMBER, "Member: submits, edits, requests publication"),
            (TeamRole.OWNER, "Owner: also decides who is in the team, and withdraws"),
        ],
        initial=TeamRole.MEMBER,
        widget=forms.RadioSelect,
    )

    def clean_invited(self) -> str:
        invited: str = self.cleaned_data["invited"]
        if "@" in invited:
            validate_email(invited)
        return invited


class MemberForm(forms.Form):
    """One who is in the team now; ``role``: what they are to be."""

    member = forms.ModelChoiceField(queryset=User.objects.none(), to_field_name="username")
    role = forms.ChoiceField(choices=TeamRole.choices, required=False)

    def __init__(self, data: Mapping[str, Any], *, team: Team) -> None:
        super().__init__(data)
        own: dict[str, Any] = self.fields
        own["member"].queryset = User.objects.filter(memberships__team=team, memberships__left=None)


class ShownForm(forms.Form):
    shown = forms.TypedChoiceField(
        choices=[(True, "true"), (False, "false")], coerce=lambda value: value == "True"
    )


class MoveForm(forms.Form):
    team = forms.ModelChoiceField(
        label="Team",
        queryset=Team.objects.none(),
        to_field_name="slug",
        empty_label=None,
        widget=forms.RadioSelect,
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, user: User) -> None:
        super().__init__(data)
        own: dict[str, Any] = self.fields
        own["team"].queryset = Team.objects.of(user)
