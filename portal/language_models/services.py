"""Language models: those that authors describe, and the site's own.

The site's own belong to historical and reported entries.
"""

import secrets
from collections.abc import Iterable
from itertools import chain, count

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.text import slugify

from portal.audit.records import changed_columns, describe, log_merge, log_record
from portal.board_version import raise_board_version
from portal.entry_slugs import rename_entries
from portal.errors import NotAllowedError, StateError, UserError
from portal.language_models.known import KNOWN_MODELS, UNKNOWN
from portal.models import (
    Action,
    FormerModel,
    LanguageModel,
    Submission,
    SubmissionState,
    User,
)
from portal.models.submission import SubmissionQuerySet
from portal.permissions.access import owns
from portal.states import write_audit_entry

# What its owner can edit. Reviewers decide about a model by its identity, so that is locked later.
IDENTITY = ("name", "organisation")
_MAX_STEM = 70  # characters of a slug before its number or random letters


class LanguageModelError(UserError):
    """The site's language model cannot be stored as described."""


def create_language_model(described: LanguageModel, *, owner: User) -> LanguageModel:
    """Store a model that its owner has described, under a new slug.

    The slug always ends in random letters: a number for the second model of a name would disclose
    which names others use in private.
    """
    described.owner = owner
    described.slug = f"{slugify(described.name)[:_MAX_STEM] or 'model'}-{secrets.token_hex(3)}"
    described.save(force_insert=True)
    return described


def is_identity_locked(model: LanguageModel) -> bool:
    """Whether name and organisation must stay, since others see the model or have submitted to it.

    After a rejection they may be changed again: they may have been the reason for it.
    """
    by_others = model.submissions.exclude(owner=model.owner_id)
    visible = _visible_submissions(model).not_rejected()
    return by_others.exists() or visible.exists() or model.reported_entries.exists()


def edit_language_model(edited: LanguageModel, *, by: User) -> None:
    """Store what its owner has changed.

    Every submission that others may have seen gets an audit entry with the change, and the board is
    updated. Raises ``StateError`` if another user owns the model, or if its identity is changed
    and locked.
    """
    with transaction.atomic():
        stored = lock_own_model(edited, by)
        changes = changed_columns(describe(stored), describe(edited))
        if not changes:
            return
        if not changes.keys().isdisjoint(IDENTITY) and is_identity_locked(stored):
            raise StateError(
                "Others already know the model by this name, so only an admin can change it.",
                "known",
            )
        lock_submissions(edited)
        edited.save(update_fields=list(changes))
        if log_edit_in_submissions(edited, changes.values(), by=by):
            raise_board_version()


def lock_submissions(*models: LanguageModel) -> None:
    """Until the transaction ends. To be called after the models are locked, and before anything is
    logged: whoever decides about a submission takes the locks in this order too."""
    rows = Submission.objects.filter(language_model__in=models).order_by("pk")
    list(rows.select_for_update(of=("self",)).values_list("pk"))


def log_edit_in_submissions(model: LanguageModel, changes: Iterable[str], *, by: User) -> bool:
    """Show the edit in the history of each visible submission. Returns whether there are any."""
    visible, reason = list(_visible_submissions(model)), "\n".join(changes)
    for submission in visible:
        state = submission.state
        write_audit_entry(
            submission, Action.EDIT_LANGUAGE_MODEL, state, state, by=by, reason=reason
        )
    return bool(visible)


def _visible_submissions(model: LanguageModel) -> SubmissionQuerySet:
    """Those that a reviewer or the public can see, or could."""
    return model.submissions.all().sent_to_review()


def lock_own_model(model: LanguageModel, user: User) -> LanguageModel:
    """The row, locked until the transaction ends. Raises ``StateError`` if it is another user's."""
    locked = LanguageModel.objects.select_for_update().get(pk=model.pk)
    if not owns(user, locked):
        raise NotAllowedError
    return locked


def delete_language_model(model: LanguageModel, *, by: User) -> None:
    """Delete a model that nothing uses. Raises ``StateError``."""
    with transaction.atomic():
        locked = lock_own_model(model, by)
        if locked.reported_entries.exists() or locked.submissions.exists():
            raise StateError("It has submissions, so it cannot be deleted.", "in_use")
        if locked.endpoint_runs.exists():
            raise StateError("It has endpoint runs, so it cannot be deleted.", "in_use")
        if locked.hub_fetches.open().exists():
            raise StateError(
                "Predictions of it are being fetched, so it cannot be deleted.", "in_use"
            )
        locked.delete()


def merge_language_models(merged: LanguageModel, *, into: LanguageModel, by: User) -> None:
    """Make two spellings of one model one: everything of ``merged`` moves, its address redirects.

    Raises ``StateError``: for admins only; ``into`` must be public, or belong to the same user, as
    others would otherwise see its name; and both must not report numbers of the same source.
    """
    if not by.is_admin or merged.pk == into.pk:
        raise NotAllowedError
    with transaction.atomic():
        rows = LanguageModel.objects.select_for_update().order_by("pk")
        locked = {one.pk: one for one in rows.filter(pk__in=(merged.pk, into.pk))}
        if len(locked) < 2:
            raise NotAllowedError
        merged, into = locked[merged.pk], locked[into.pk]
        if not (into.is_public or into.owner_id == merged.owner_id):
            raise StateError(
                f"Only its owner knows the model {into.name}, so others cannot be merged into it.",
                "not_public",
            )
        known = set(into.reported_entries.values_list("method", "source"))
        if not known.isdisjoint(merged.reported_entries.values_list("method", "source")):
            raise StateError(
                "Both models have reported numbers of the same source: delete one of them.",
                "same_source",
            )
        lock_submissions(merged, into)
        moved = list(merged.submissions.order_by("pk"))
        merged.submissions.update(language_model=into)
        reported = merged.reported_entries.update(language_model=into)
        merged.endpoint_runs.update(language_model=into)
        merged.hub_fetches.update(language_model=into)
        merged.former_models.update(language_model=into)
        into.former_models.create(
            slug=merged.slug, name=merged.name if merged.owner_id is None else ""
        )
        merged.delete()
        for submission in moved:
            if submission.state != SubmissionState.PRIVATE:
                write_audit_entry(
                    submission,
                    Action.EDIT_LANGUAGE_MODEL,
                    submission.state,
                    submission.state,
                    by=by,
                    reason=f"language model: {merged.name} → {into.name}",
                )
        log_merge(merged, into, by=by, moved=f"{len(moved)} submissions, {reported} reported")
        rename_entries(into)
        raise_board_version()


def get_or_create_site_model(
    name: str, *, slug: str = "", organisation: str = "", weights: str = ""
) -> LanguageModel:
    """The site's language model of this name, created if needed; call it in a transaction.

    Facts that are known stay; missing ones are filled in, from ``KNOWN_MODELS`` with their source.
    Raises ``LanguageModelError``.
    """
    of_the_site = LanguageModel.objects.filter(owner=None)
    known = of_the_site.filter(name=name).first()
    if known is None and name:
        known = of_the_site.filter(former_models__name=name).first()
    if known and slug not in ("", known.slug):
        raise LanguageModelError(f"{name} already has the slug “{known.slug}”: leave out --slug.")
    if not (known or slug):
        stem = slugify(name)[:_MAX_STEM] or "model"
        slugs = chain([stem], (f"{stem}-{number}" for number in count(2)))
        slug = next(
            one
            for one in slugs
            if not LanguageModel.objects.filter(slug=one).exists()
            and not FormerModel.objects.filter(slug=one).exists()
        )
    before = describe(known) if known else {}
    found = known or LanguageModel(name=name, slug=slug)
    found.organisation = found.organisation or organisation
    found.weights = found.weights or weights
    documented = KNOWN_MODELS.get(name, UNKNOWN)
    for field, value in documented.facts().items():
        setattr(found, field, getattr(found, field) or value)
    if known and before == describe(known):
        return known
    try:
        found.full_clean(exclude=["owner"])
    except ValidationError as error:
        raise LanguageModelError(f"{name[:80]}: {' '.join(error.messages)}") from error
    found.save()
    for field, value in documented.facts().items():
        found.facts.get_or_create(
            field=field, defaults={"value": value, "source": documented.source}
        )
    log_record(found, before, describe(found), by=None)
    raise_board_version()
    return found
