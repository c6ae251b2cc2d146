"""Drafts of runs: the settings and the key, with an estimate and a connection test to check them.

A draft is its owner's business alone, and is not in the audit log until it starts.
"""

from dataclasses import dataclass
from uuid import UUID

from django.conf import settings as site
from django.core.cache import cache
from django.db import transaction
from django.db.models.functions import Now
from django.http import Http404

from portal import clock
from portal.endpoint_runs.keys import encrypt_key, host_of, idle_key_end
from portal.errors import QuotaError, StateError
from portal.language_models.services import create_language_model
from portal.models import EndpointRun, LanguageModel, Release, RunState, User
from portal.queue import enqueue_connection_test_on_commit, enqueue_estimate_on_commit
from portal.submissions.quotas import lock_quota
from scoring.endpoint.settings import RunSettings, settings_document, settings_of

_HOUR = 3_600  # seconds


@dataclass(frozen=True, slots=True)
class Configuration:
    """``key``: a new one; empty: the stored one, if it still fits."""

    language_model: LanguageModel  # unsaved: a new one
    release: Release
    settings: RunSettings
    method: str = ""
    note: str = ""
    key: str = ""
    forget_key: bool = False
    same_questions_as: EndpointRun | None = None  # an earlier run


def get_run(user: User, run_id: UUID) -> EndpointRun:
    """Raises ``Http404`` unless the run belongs to this user."""
    own = EndpointRun.objects.owned_by(user).select_related(
        "language_model", "release", "same_questions_as"
    )
    found = own.filter(pk=run_id).first()
    if found is None:
        raise Http404
    return found


def drafts_left(user: User) -> int:
    drafts = EndpointRun.objects.owned_by(user).filter(state=RunState.DRAFT).count()
    return max(0, site.MAX_RUN_DRAFTS - drafts)


def save_draft(
    configuration: Configuration, *, owner: User, run: EndpointRun | None = None
) -> EndpointRun:
    """Store a new draft, or a new configuration of an existing one, and compute its estimate. An
    unsaved language model is created.

    Raises ``StateError`` if the run has started, and ``QuotaError``.
    """
    with transaction.atomic():
        lock_quota(owner)
        if run is None:
            if not drafts_left(owner):
                raise QuotaError(
                    message=(
                        "You already have %(count)s runs that have not started. Start or delete "
                        "one of them first."
                    ),
                    code="too_many_drafts",
                    count=site.MAX_RUN_DRAFTS,
                )
            draft = EndpointRun(owner=owner)
        else:
            draft = lock_draft(run)
        if configuration.language_model.pk is None:
            create_language_model(configuration.language_model, owner=owner)
        before, draft.key = draft.key, _key_after(draft, configuration)
        if draft.key != before or _tested(draft.settings) != _tested(configuration.settings):
            draft.connection = draft.connection_at = draft.connection_until = None
        draft.key_until = idle_key_end() if draft.key else None
        draft.language_model = configuration.language_model
        draft.release = configuration.release
        draft.same_questions_as = configuration.same_questions_as
        draft.method, draft.note = configuration.method, configuration.note
        draft.settings = settings_document(configuration.settings)
        draft.save()
        enqueue_estimate_on_commit(draft.pk)
    return draft


def delete_draft(run: EndpointRun) -> None:
    """Raises ``StateError`` if it has started."""
    with transaction.atomic():
        lock_draft(run).delete()


def start_estimate(run: EndpointRun) -> None:
    """Raises ``StateError``."""
    with transaction.atomic():
        draft = lock_draft(run)
        if (draft.estimate or {}).get("failed"):
            draft.estimate = None
            draft.save(update_fields=["estimate"])
        enqueue_estimate_on_commit(draft.pk)


def start_connection_test(run: EndpointRun) -> None:
    """Drops the report of an earlier test. Raises ``StateError`` and ``QuotaError``."""
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=run.owner_id)
        draft = lock_draft(run)
        if EndpointRun.objects.under_test().filter(pk=draft.pk).exists():
            raise StateError("This connection is being tested: wait for the report.", "under_test")
        _count_test(run.owner_id)
        EndpointRun.objects.filter(pk=draft.pk).update(
            connection=None, connection_at=Now(), connection_until=None
        )
        enqueue_connection_test_on_commit(draft.pk)


def _count_test(owner_id: int) -> None:
    """Under the lock of the user's row. Raises ``QuotaError``."""
    key = f"connection-tests/{owner_id}/{clock.seconds_since_epoch() // _HOUR}"
    count: int = cache.get(key, 0)
    if count >= site.HOURLY_TESTS:
        raise QuotaError(
            message=(
                "You have tested connections %(count)s times in this hour. Test again in the next "
                "one."
            ),
            code="too_many_tests",
            count=count,
        )
    cache.set(key, count + 1, _HOUR)


def lock_draft(run: EndpointRun) -> EndpointRun:
    """Raises ``StateError``."""
    locked = EndpointRun.objects.select_for_update().get(pk=run.pk)
    if locked.state != RunState.DRAFT:
        raise StateError("The run has started: its settings stay as they are.", "already_started")
    return locked


# The settings that a connection test depends on, besides the key.
_TESTED = (
    "url", "model", "api", "window", "reasoning_tokens", "output_field", "stream", "temperature",
    "seed", "tokenizer",
)  # fmt: skip


def _tested(settings: RunSettings | dict[str, object] | None) -> list[object]:
    """Empty for a draft that has not been saved yet."""
    if not settings:
        return []
    chosen = settings if isinstance(settings, RunSettings) else settings_of(settings)
    return [getattr(chosen, name) for name in _TESTED]


def _key_after(draft: EndpointRun, wanted: Configuration) -> str:
    """The encrypted key to store. A key is bound to its host, so another host voids it."""
    host = host_of(wanted.settings.url)
    if wanted.key:
        return encrypt_key(wanted.key, run_id=draft.pk, host=host)
    stored_host = host_of(settings_of(draft.settings).url) if draft.settings else ""
    return draft.key if host == stored_host and not wanted.forget_key else ""
