"""Language models: those that authors describe, and those of the site itself.

The latter are of historical and reported entries.
"""

import secrets
from itertools import chain, count

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils.text import slugify
from django.utils.translation import gettext as _

from portal.board_version import raise_board_version
from portal.errors import NotAllowedError, StateError, UserError
from portal.models import Action, LanguageModel, Submission, SubmissionState, User
from portal.states import write_audit_entry

# What its owner tells of it. Who others know it as stays what reviewers have seen.
IDENTITY = ("name", "organisation")
DETAILS = ("parameters", "context_window", "licence", "weights", "link")
_STEM_CAP = 70  # characters of an address; a number may have to follow


class LanguageModelError(UserError):
    """The site's language model cannot be stored as described."""


def create_language_model(described: LanguageModel, *, owner: User) -> LanguageModel:
    """Keep a model that its owner has described, under an address of its own.

    The address always ends in random letters. If only the second model of a name had a number,
    that would tell everybody which names others have described in private.
    """
    described.owner = owner
    described.slug = f"{slugify(described.name)[:_STEM_CAP] or 'model'}-{secrets.token_hex(3)}"
    described.save(force_insert=True)
    return described


def is_settled(model: LanguageModel) -> bool:
    """Whether its name and organisation stay: others look at it, or have handed in for it.

    After a rejection they may be changed again: perhaps they were the reason.
    """
    theirs = model.submissions.exclude(owner=model.owner_id)
    shown = _seen(model).exclude(state=SubmissionState.REJECTED)
    return theirs.exists() or shown.exists() or model.reported_entries.exists()


def edit_language_model(edited: LanguageModel, *, by: User) -> None:
    """Keep what its owner tells otherwise of it.

    Where others may have seen it, that is written down at every submission that they may have
    seen, and the board is made anew. Raises ``StateError`` for somebody else, or for another name
    of a model that is settled.
    """
    with transaction.atomic():
        stored = _locked_for(edited, by)
        changed = [name for name in (*IDENTITY, *DETAILS) if _differs(name, stored, edited)]
        if not changed:
            return
        if not set(changed).isdisjoint(IDENTITY) and is_settled(stored):
            raise StateError(_("Others know the model by this name: only an admin can change it."))
        edited.save(update_fields=changed)
        reason = "\n".join(_change(name, stored, edited) for name in changed)
        _tell_readers(edited, reason, by)


def _locked_for(model: LanguageModel, owner: User) -> LanguageModel:
    """Until the transaction ends. Raises ``StateError`` where somebody else owns it."""
    locked = LanguageModel.objects.select_for_update().get(pk=model.pk)
    if locked.owner_id != owner.pk:
        raise NotAllowedError
    return locked


def _tell_readers(model: LanguageModel, reason: str, by: User) -> None:
    seen = list(_seen(model))
    for submission in seen:
        write_audit_entry(
            submission, Action.EDIT_LANGUAGE_MODEL, submission.state, submission.state,
            by=by, reason=reason,
        )  # fmt: skip
    if seen:
        raise_board_version()


def _seen(model: LanguageModel) -> QuerySet[Submission]:
    """Of its submissions those that a reviewer or the public looks at, or has."""
    return model.submissions.exclude(state=SubmissionState.PRIVATE)


def _differs(name: str, stored: LanguageModel, edited: LanguageModel) -> bool:
    return bool(getattr(stored, name) != getattr(edited, name))


def _change(name: str, stored: LanguageModel, edited: LanguageModel) -> str:
    before, after = getattr(stored, name), getattr(edited, name)
    return f"{name.replace('_', ' ')}: {before or '–'} → {after or '–'}"


def delete_language_model(model: LanguageModel, *, by: User) -> None:
    """Delete a model of one's own that nothing uses. Raises ``StateError``."""
    with transaction.atomic():
        locked = _locked_for(model, by)
        if locked.submissions.exists() or locked.reported_entries.exists():
            raise StateError(_("Submissions name it, so it cannot be deleted."))
        locked.delete()


def get_or_create_site_model(
    name: str, *, slug: str = "", organisation: str = "", weights: str = ""
) -> LanguageModel:
    """The site's language model of this name, made where there is none yet.

    What is known of it stays; what was not known is filled in. To be called in a transaction.
    Raises ``LanguageModelError``.
    """
    known = LanguageModel.objects.filter(owner=None, name=name).first()
    if known and slug not in ("", known.slug):
        raise LanguageModelError(f"{name} is “{known.slug}” in addresses: leave out --slug.")
    found = known or LanguageModel(name=name, slug=slug or _free_slug(name))
    before = (found.organisation, found.weights)
    found.organisation = found.organisation or organisation
    found.weights = found.weights or weights
    if known and before == (found.organisation, found.weights):
        return known
    try:
        found.full_clean(exclude=["owner"])
    except ValidationError as error:
        raise LanguageModelError(f"{name[:80]}: {' '.join(error.messages)}") from error
    found.save()
    raise_board_version()
    return found


def _free_slug(name: str) -> str:
    stem = slugify(name)[:_STEM_CAP] or "model"
    numbered = (f"{stem}-{number}" for number in count(2))
    taken = LanguageModel.objects.values_list("slug", flat=True)
    return next(slug for slug in chain([stem], numbered) if not taken.filter(slug=slug).exists())
