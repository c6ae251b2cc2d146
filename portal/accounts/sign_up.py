"""What is asked of somebody new."""

from typing import Any

from allauth.account.forms import SignupForm

from portal.accounts.usernames import LONGEST, RULE


class SignUpForm(SignupForm):  # type: ignore[misc]  # a package without types
    """It says beforehand which names can be taken; a browser sends none that is longer."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - the package's
        super().__init__(*args, **kwargs)
        name = self.fields["username"]
        name.help_text = RULE
        name.widget.attrs["maxlength"] = str(LONGEST)
