"""Entries that are anonymous until a day. Everything public reads a stand-in instead of the
language model, so that even a page that knows nothing of anonymity cannot give the name away.

Each entry has a stand-in of its own: a shared one would show that two entries are by the same
people. Free text by the author is withheld too, except for the prompt strategy. Reviewers see all
of it before they decide, and check that the prompt strategy gives nothing away.

Call both functions with the rows locked, in the transaction of the change.
"""

import secrets

from django.db.models.functions import Now

from portal.models import LanguageModel, Submission
from portal.models.submission import WITHHELD

_COLUMNS = ("language_model", "anonymous", "withheld", *WITHHELD)


def hide_names(submission: Submission) -> None:
    """For an entry that becomes public before its author wants to be named."""
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
    """``to_all``: the stand-in's address redirects to the model from here on. Otherwise, for
    reviewers alone, it leads nowhere."""
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
