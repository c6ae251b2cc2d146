"""Entries get readable addresses when they are published, and keep them apart."""

from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from threading import Barrier
from time import monotonic, sleep

import pytest
from django.db import connection, transaction

from portal.entry_slugs import slug_candidates
from portal.language_models.renaming import accept_rename, request_rename
from portal.language_models.services import merge_language_models
from portal.models import Action, FormerEntry, LanguageModel, RenameRequest, Submission, User
from portal.models import SubmissionState as S
from portal.review.openings import open_due
from portal.review.services import (
    hide_entry,
    publish_submission,
    restore_entry,
    undo_decision,
    withdraw_submission,
)
from portal.states import change_submission
from tests.support.factories import (
    ALL,
    judged,
    model,
    published,
    reported,
    requested,
    whole_release,
)

pytestmark = pytest.mark.django_db

WHY = "Complete."
DEADLINE = 30.0  # seconds; only a failing test waits this long
LONG = "A very long name of a language model that goes on and on without an end"


@pytest.mark.parametrize(
    ("title", "label", "slugs"),
    [
        ("GPT-4 1106 preview", "", ["gpt-4-1106-preview", "gpt-4-1106-preview-2"]),
        ("gpt-4", "Step by step", ["gpt-4", "gpt-4-step-by-step", "gpt-4-2"]),
        ("Llama-3.1-8B + InfLLM", "", ["llama-3-1-8b-infllm", "llama-3-1-8b-infllm-2"]),
        ("Modèle ∞", "", ["modele", "modele-2"]),
        ("月之暗面", "", ["entry-1", "entry-2"]),
        ("🚀", "step by step", ["entry-step-by-step", "entry-1"]),
        ("月之暗面 Kimi", "", ["kimi", "kimi-2"]),
        ("--- ../?#", "", ["entry-1", "entry-2"]),
    ],
)
def test_a_slug_is_the_name_and_what_tells_it_apart(
    title: str, label: str, slugs: list[str]
) -> None:
    assert list(islice(slug_candidates(title, label), len(slugs))) == slugs


def test_slugs_have_a_bounded_length() -> None:
    slugs = list(islice(slug_candidates(LONG, LONG), 1_000))
    assert max(map(len, slugs)) <= 60
    assert len(set(slugs)) == len(slugs)
    assert not [slug for slug in slugs if slug.startswith("-") or slug.endswith("-")]


def test_entries_with_equal_names_have_different_addresses(alice: User, bob: User) -> None:
    release = whole_release()
    entries = [
        *(published(alice, release, "Some Model", ALL) for _ in range(2)),
        published(bob, release, "Some Model", ALL, prompt_strategy="CoT"),
        published(bob, release, "some-model", ALL),
    ]
    slugs = ["some-model", "some-model-2", "some-model-cot", "some-model-3"]
    assert [entry.slug for entry in entries] == slugs
    assert reported("Some Model", ALL).slug == "some-model-reported"


@pytest.mark.parametrize("name", ["Compare", "new", "FEED"])
def test_words_for_other_pages_are_never_given(alice: User, name: str) -> None:
    assert published(alice, whole_release(), name, ALL).slug == f"{name.lower()}-2"


def test_a_slug_is_no_primary_key(alice: User, bob: User) -> None:
    other = judged(alice, whole_release())
    named = published(bob, other.release, str(other.pk), ALL)
    assert named.slug == f"{other.pk}-2"


def test_only_what_was_published_has_a_slug(alice: User, rita: User) -> None:
    submission = judged(alice, whole_release())
    assert submission.slug is None
    requested(submission, by=alice)
    public = publish_submission(submission, by=rita, reason=WHY)
    assert public.slug == "model"
    undone = undo_decision(public, by=rita)
    assert undone.slug is None
    assert published(rita, submission.release, "Model", ALL).slug == "model"
    assert publish_submission(undone, by=rita, reason=WHY).slug == "model-2"


def test_a_scheduled_entry_gets_its_slug_on_its_day(alice: User, rita: User) -> None:
    submission = judged(alice, whole_release())
    requested(submission, by=alice)
    Submission.objects.update(publish_on="2199-01-01T00:00Z")
    scheduled = publish_submission(submission, by=rita, reason=WHY)
    assert (scheduled.state, scheduled.slug) == (S.SCHEDULED, None)
    Submission.objects.update(publish_on="2000-01-01T00:00Z")
    assert open_due() == 1
    assert Submission.objects.get().slug == "model"


def test_hidden_and_withdrawn_entries_keep_their_slug(alice: User, rita: User, adam: User) -> None:
    entry = published(alice, whole_release(), "Model", ALL)
    hide_entry(entry, by=adam, reason=WHY)
    assert published(rita, entry.release, "Model", ALL).slug == "model-2"
    assert restore_entry(entry, by=adam, reason=WHY).slug == "model"
    assert withdraw_submission(entry, by=alice).slug == "model"


@pytest.mark.django_db(transaction=True)
def test_two_entries_published_at_once_have_different_slugs(
    alice: User, bob: User, rita: User
) -> None:
    release = whole_release()
    waiting = [judged(owner, release, state=S.IN_REVIEW) for owner in (alice, bob)]
    together = Barrier(2)

    def publish(submission: Submission) -> None:
        try:
            together.wait(DEADLINE)
            change_submission(submission, Action.PUBLISH, by=rita, reason=WHY)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(publish, waiting, timeout=DEADLINE))
    assert set(Submission.objects.values_list("slug", flat=True)) == {"model", "model-2"}


def renamed(language_model: LanguageModel, name: str, *, owner: User, by: User) -> None:
    request_rename(language_model, name=name, organisation="", by=owner)
    accept_rename(RenameRequest.objects.get().pk, by=by)


def test_slugs_follow_the_name_of_their_model(alice: User, rita: User) -> None:
    entry = published(alice, whole_release(), "Working", ALL)
    private = published(alice, entry.release, "Working", ALL, state=S.PRIVATE)
    LanguageModel.objects.update(owner=alice)
    renamed(entry.language_model, "Real", owner=alice, by=rita)
    entry.refresh_from_db()
    private.refresh_from_db()
    assert (entry.slug, private.slug) == ("real", None)
    assert [former.submission for former in FormerEntry.objects.filter(slug="working")] == [entry]
    assert published(rita, entry.release, "Working too", ALL).slug == "working-too"
    LanguageModel.objects.filter(slug="working-too").update(name="Working")
    assert published(rita, entry.release, "Working too", ALL).slug == "working-2"
    renamed(entry.language_model, "Working", owner=alice, by=rita)
    entry.refresh_from_db()
    assert entry.slug == "working"
    assert list(FormerEntry.objects.values_list("slug", flat=True)) == ["real"]


@pytest.mark.django_db(transaction=True)
def test_an_entry_is_hidden_while_its_model_is_renamed(alice: User, rita: User, adam: User) -> None:
    entry = published(alice, whole_release(), "Working", ALL)
    LanguageModel.objects.update(owner=alice)
    request_rename(entry.language_model, name="Real", organisation="", by=alice)
    request = RenameRequest.objects.get().pk

    def rename() -> None:
        try:
            accept_rename(request, by=rita)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Submission.objects.select_for_update().get()
            renaming = pool.submit(rename)
            wait_for_lock()
            hide_entry(entry, by=adam, reason=WHY)
        renaming.result(DEADLINE)
    assert list(Submission.objects.values_list("state", "slug")) == [(S.HIDDEN, "real")]


def wait_for_lock() -> None:
    """Until another connection waits for a row that this one has locked."""
    begun = monotonic()
    with connection.cursor() as cursor:
        while monotonic() - begun < DEADLINE:
            cursor.execute("SELECT FROM pg_locks WHERE NOT granted")
            if cursor.fetchall():
                return
            sleep(0.01)
    raise TimeoutError


def test_slugs_follow_a_merged_model(alice: User, adam: User) -> None:
    kept = published(alice, whole_release(), "Kept", ALL)
    moved = published(alice, kept.release, "Other spelling", ALL)
    told = reported("Other spelling", ALL)
    merge_language_models(model("Other spelling"), into=kept.language_model, by=adam)
    assert [Submission.objects.get(pk=one.pk).slug for one in (kept, moved)] == ["kept", "kept-2"]
    told.refresh_from_db()
    assert told.slug == "kept-reported"
    assert FormerEntry.objects.count() == 2
