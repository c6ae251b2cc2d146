"""Another name for a model that others know: its owner asks for it, and a reviewer decides.

So an author can publish under a working name and give the real one later, for example after a
double-blind review.
"""

from django.conf import settings
from django.db import transaction
from django.template.loader import render_to_string

from portal.audit.records import describe, log_record
from portal.board_version import raise_board_version
from portal.entry_slugs import rename_entries
from portal.errors import NotAllowedError, StateError
from portal.language_models.services import (
    is_identity_locked,
    lock_own_model,
    lock_submissions,
    log_edit_in_submissions,
)
from portal.mail.outbox import queue_account_email
from portal.models import LanguageModel, RenameRequest, User
from portal.permissions.access import owns


def request_rename(model: LanguageModel, *, name: str, organisation: str, by: User) -> None:
    """Replaces an earlier request for the model. Raises ``StateError``."""
    with transaction.atomic():
        stored = lock_own_model(model, by)
        if not is_identity_locked(stored):
            raise StateError("Nobody else knows it yet: change its name yourself.", "not_known")
        RenameRequest.objects.filter(language_model=stored).delete()
        if (name, organisation) != (stored.name, stored.organisation):
            RenameRequest.objects.create(
                language_model=stored, name=name, organisation=organisation
            )


def accept_rename(rename_id: int, *, by: User) -> LanguageModel:
    """Raises ``StateError``, also if its author has changed the request since it was shown."""
    with transaction.atomic():
        request = _take_request(rename_id, by)
        model = request.language_model
        lock_submissions(model)
        before = describe(model)
        model.name, model.organisation = request.name, request.organisation
        model.save(update_fields=["name", "organisation"])
        _tell_owner(model, f"{model.name} has its name", request, accepted=True)
        changes = log_record(model, before, describe(model), by=by)
        log_edit_in_submissions(model, changes.values(), by=by)
        if "name" in changes:
            rename_entries(model)
        raise_board_version()
    return model


def refuse_rename(rename_id: int, *, reason: str, by: User) -> LanguageModel:
    """Raises ``StateError``, as ``accept_rename``."""
    if not reason.strip():
        raise StateError("Please give a reason. The author can see it.", "reason_missing")
    with transaction.atomic():
        request = _take_request(rename_id, by)
        model = request.language_model
        _tell_owner(model, f"{model.name} keeps its name", request, reason=reason.strip())
    return model


def _take_request(rename_id: int, by: User) -> RenameRequest:
    """Deletes it. The model is locked first, as when it is edited."""
    models = LanguageModel.objects.select_for_update(of=("self",))
    model = models.filter(rename_request=rename_id).first()
    request = RenameRequest.objects.filter(pk=rename_id, language_model=model).first()
    if model is None or request is None:
        raise StateError("The request was decided, or changed by its author.", "changed")
    if not by.is_reviewer or owns(by, model):
        raise NotAllowedError
    request.language_model = model
    RenameRequest.objects.filter(pk=rename_id).delete()
    return request


def _tell_owner(
    model: LanguageModel,
    subject: str,
    request: RenameRequest,
    *,
    accepted: bool = False,
    reason: str = "",
) -> None:
    if model.owner is None or not (model.owner.email and model.owner.email_decisions):
        return
    context = {
        "model": model,
        "name": request.name,
        "accepted": accepted,
        "reason": reason,
        "site": settings.SITE_URL,
    }
    body = render_to_string("mail/rename.txt", context)
    queue_account_email(subject, body, address=model.owner.email, user=model.owner)
