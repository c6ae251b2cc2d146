"""The forms for signing up and for the profile."""

from typing import Any

from allauth.account.forms import SignupForm
from allauth.socialaccount.forms import SignupForm as SocialSignupForm
from django import forms

from portal.accounts.tokens import LIFETIMES
from portal.accounts.usernames import LONGEST, RULE
from portal.models import Scope, User
from portal.web.fields import PlainText, WebLink


class SignUpForm(SignupForm):  # type: ignore[misc]  # a package without types
    """Shows which usernames are allowed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        name = self.fields["username"]
        name.help_text = RULE
        name.widget.attrs["maxlength"] = str(LONGEST)
        self.fields["password1"].help_text = "At least 8 characters, and no common password."


class ProviderSignUpForm(SocialSignupForm):  # type: ignore[misc]
    """For people from another site, which has confirmed their address: they cannot change it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        name = self.fields["username"]
        name.help_text = RULE
        name.widget.attrs["maxlength"] = str(LONGEST)
        self.fields["email"].disabled = True


class ProfileForm(forms.ModelForm):  # type: ignore[type-arg]  # is no generic class at run time
    first_name = PlainText(
        label="First name",
        required=False,
        max_length=150,
        widget=forms.TextInput({"autocomplete": "given-name"}),
    )
    last_name = PlainText(
        label="Last name",
        required=False,
        max_length=150,
        widget=forms.TextInput({"autocomplete": "family-name"}),
    )
    organisation = PlainText(
        label="Organisation",
        required=False,
        max_length=120,
        widget=forms.TextInput({"autocomplete": "organization"}),
    )
    link = WebLink(
        label="Link",
        required=False,
        max_length=200,
        help_text="Your own page, or your group's.",
        widget=forms.URLInput({"autocomplete": "url"}),
    )

    email_decisions = forms.BooleanField(
        label="Email me when a submission is reviewed", required=False
    )
    email_reviews = forms.BooleanField(
        label="Email me when submissions are waiting for review", required=False
    )

    class Meta:
        model = User
        fields = (
            "first_name", "last_name", "organisation", "link", "email_decisions",
            "email_reviews",
        )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.instance.is_reviewer:
            del self.fields["email_reviews"]


class TokenForm(forms.Form):
    name = PlainText(
        label="Name",
        max_length=60,
        help_text="Where it is used, for example: cluster, evaluation script.",
    )
    scopes = forms.MultipleChoiceField(
        label="What it may do",
        choices=Scope.choices,
        initial=[Scope.READ],
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(
        label="Expires",
        coerce=int,
        choices=[(days, f"in {days} days") for days in LIFETIMES],
        initial=LIFETIMES[1],
    )
