"""Who may file and decide disputes, and what the log keeps of them."""

import pytest
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from portal.board_version import board_version
from portal.errors import NotAllowedError, QuotaError, StateError
from portal.models import (
    AuditEntry,
    Example,
    LabelDispute,
    Outcome,
    Release,
    SubmissionState,
    User,
)
from portal.review.disputes.services import (
    MOST_DISPUTES,
    WINDOW,
    decide_dispute,
    file_dispute,
    why_not_decide,
)
from tests.portal.review.conftest import GOLD, answered

KEYS = "passkey"
REASON = "The context says 4711."


@pytest.fixture
def example(tasks_of_text: Release) -> Example:
    return Example.objects.get(data_set__task=KEYS, index=3)


@pytest.fixture
def dispute(tasks_of_text: Release, example: Example, rita: User) -> LabelDispute:
    return file_dispute(tasks_of_text, example, proposed_label=["4711"], reason=REASON, by=rita)


def test_a_filed_dispute_is_in_the_log_and_on_the_pages(dispute: LabelDispute, rita: User) -> None:
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.before, entry.after) == (
        rita, "file dispute", "", "open",
    )  # fmt: skip
    assert entry.subject == f"dispute:{dispute.pk}: {KEYS}/{KEYS}/3"
    assert entry.reason == REASON
    assert board_version() == 1


def test_labels_that_are_hidden_from_a_reader_cannot_be_disputed(
    tasks_of_text: Release, example: Example, alice: User
) -> None:
    tasks_of_text.hidden = True
    with pytest.raises(NotAllowedError):
        file_dispute(tasks_of_text, example, proposed_label=None, reason=REASON, by=alice)


def test_the_same_label_is_no_proposal(
    tasks_of_text: Release, example: Example, rita: User
) -> None:
    with pytest.raises(StateError) as refused:
        file_dispute(tasks_of_text, example, proposed_label=[GOLD[KEYS][3]], reason=REASON, by=rita)
    assert refused.value.code == "same_label"


def test_the_same_proposal_is_filed_once(
    dispute: LabelDispute, tasks_of_text: Release, example: Example, adam: User
) -> None:
    with pytest.raises(StateError) as refused:
        file_dispute(tasks_of_text, example, proposed_label=["4711"], reason=REASON, by=adam)
    assert refused.value.code == "already_filed"
    file_dispute(tasks_of_text, example, proposed_label=None, reason=REASON, by=adam)
    assert LabelDispute.objects.count() == 2


def test_a_reviewer_files_so_many_in_an_hour(
    dispute: LabelDispute, tasks_of_text: Release, example: Example, rita: User, adam: User
) -> None:
    others = (
        LabelDispute(release=tasks_of_text, example=example, filed_by=rita)
        for _ in range(MOST_DISPUTES - 1)
    )
    LabelDispute.objects.bulk_create(others)
    with pytest.raises(QuotaError):
        file_dispute(tasks_of_text, example, proposed_label=["1"], reason=REASON, by=rita)
    file_dispute(tasks_of_text, example, proposed_label=["1"], reason=REASON, by=adam)
    LabelDispute.objects.filter(filed_by=rita).update(filed_at=Now() - WINDOW)
    file_dispute(tasks_of_text, example, proposed_label=["2"], reason=REASON, by=rita)


@pytest.mark.parametrize("outcome", Outcome)
def test_another_reviewer_decides_once(dispute: LabelDispute, adam: User, outcome: Outcome) -> None:
    decided = decide_dispute(dispute, outcome, reason="I read it too.", by=adam)
    decided.refresh_from_db()
    assert (decided.outcome, decided.decided_by, decided.decision) == (
        outcome, adam, "I read it too.",
    )  # fmt: skip
    entry = AuditEntry.objects.get(action="decide dispute")
    assert (entry.actor, entry.before, entry.after) == (adam, "open", outcome)
    with pytest.raises(StateError) as refused:
        decide_dispute(dispute, Outcome.STANDS, reason="Not so.", by=adam)
    assert refused.value.code == "wrong_state"
    assert LabelDispute.objects.get().outcome == outcome


def test_nobody_decides_about_their_own_dispute_or_score(
    dispute: LabelDispute, tasks_of_text: Release, rita: User, adam: User, alice: User
) -> None:
    answered(adam, tasks_of_text, "Adam's", {KEYS: GOLD[KEYS]}, SubmissionState.PRIVATE)
    refusals = {user: why_not_decide(dispute, user) for user in (rita, adam, alice)}
    assert {user: refusal and refusal.code for user, refusal in refusals.items()} == {
        rita: "own_dispute", adam: "interest", alice: "not_allowed",
    }  # fmt: skip


def test_a_decision_needs_somebody_who_made_it(dispute: LabelDispute) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        LabelDispute.objects.update(outcome=Outcome.STANDS)


def test_open_and_accepted_disputes_flag_the_same_question_everywhere(
    dispute: LabelDispute, example: Example, adam: User
) -> None:
    Example.objects.filter(pk=example.pk).update(question_number=7)
    other, different = Release.objects.create(slug="other"), Release.objects.create(slug="third")
    for release, label in ((other, example.label), (different, ["1"])):
        data_set = release.data_sets.create(
            task=KEYS, size=1, labels_hash=release.slug, questions_hash=""
        )
        data_set.examples.create(index=0, key="x", label=label, question_number=7)
    sets = [one.data_sets.get() for one in (other, different)]
    assert [LabelDispute.objects.flagged_in(one) for one in (example.data_set, *sets)] == [
        [3], [0], [],
    ]  # fmt: skip
    decide_dispute(dispute, Outcome.STANDS, reason="It is right.", by=adam)
    assert [LabelDispute.objects.flagged_in(one) for one in sets] == [[], []]
