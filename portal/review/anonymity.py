"""Entries without a name until a day: everything public reads a stand-in instead of the language
model, so that a page that knows nothing of this cannot give it away.

Each entry has a stand-in of its own: two that share one would be known to be of the same people.
What its author has written freely, but for the prompt strategy, is withheld as well; reviewers see
all of it before they decide, and the prompt strategy with an eye on this.

Call both with the rows locked, in the transaction of the change.
"""

import secrets

from django.db.models.functions import Now

from portal.models import LanguageModel, Submission
from portal.models.submission import WITHHELD

_COLUMNS = ("language_model", "anonymous", "withheld", *WITHHELD)


def hide_names(submission: Submission) -> None:
    """Of an entry that becomes public before its author wants to be named."""
    wanted = Submission.objects.filter(pk=submission.pk, anonymous_until__gt=Now())
    if submission.anonymous or not wanted.exists():
        return
    random = secrets.token_hex(4)
    submission.language_model = LanguageModel.objects.create(
        name=f"Anonymous {random[:4].upper()}",
        slug=f"anonymous-{random}",
        stands_for=submission.language_model,
    )
    submission.withheld = {name: getattr(submission, name) for name in WITHHELD}
    for name in WITHHELD:
        setattr(submission, name, "")
    submission.anonymous = True
    submission.save(update_fields=_COLUMNS)


def show_names(submission: Submission, *, to_all: bool) -> None:
    """``to_all``: the address of the stand-in leads to the model from now on. To reviewers alone:
    it leads nowhere."""
    stand_in = submission.language_model
    if not submission.anonymous or stand_in.stands_for is None:
        return
    submission.language_model = stand_in.stands_for
    for name, value in submission.withheld.items():
        setattr(submission, name, value)
    submission.anonymous, submission.withheld = False, {}
    submission.save(update_fields=_COLUMNS)
    if to_all:
        submission.language_model.former_models.create(slug=stand_in.slug)
    stand_in.delete()
