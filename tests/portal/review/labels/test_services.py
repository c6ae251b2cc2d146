"""Who may report labels and decide about the reports, and what the log keeps of them."""

import pytest
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from portal.board_version import board_version
from portal.errors import NotAllowedError, QuotaError, StateError
from portal.models import (
    AuditEntry,
    Example,
    LabelReport,
    LabelVerdict,
    Release,
    SubmissionState,
    User,
)
from portal.review.labels.queries import published_answers
from portal.review.labels.services import (
    MOST_REPORTS,
    WINDOW,
    decide_label_report,
    report_label,
)
from tests.portal.review.conftest import GOLD, answered

KEYS = "passkey"
REASON = "The context says 4711."
WHY = "The context says so twice."


def reported(release: Release, index: int, by: User) -> LabelReport:
    example = Example.objects.get(data_set__task=KEYS, index=index)
    return report_label(release, example, proposed_answer="4711", reason=REASON, by=by)


@pytest.fixture
def report(tasks_of_text: Release, alice: User) -> LabelReport:
    return reported(tasks_of_text, 3, alice)


def test_a_report_is_in_the_log_and_on_the_pages(report: LabelReport, alice: User) -> None:
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.before, entry.after) == (
        alice, "report label", "", "open",
    )  # fmt: skip
    assert entry.subject == f"label report:{report.pk}: {KEYS}/{KEYS}/3"
    assert entry.reason == REASON
    assert board_version() == 1


def test_labels_that_are_hidden_from_a_reader_cannot_be_reported(
    tasks_of_text: Release, alice: User, rita: User
) -> None:
    tasks_of_text.hidden = True
    with pytest.raises(NotAllowedError):
        reported(tasks_of_text, 3, alice)
    reported(tasks_of_text, 3, rita)


def test_a_label_is_reported_again_only_after_a_decision(
    report: LabelReport, tasks_of_text: Release, bob: User, rita: User
) -> None:
    with pytest.raises(StateError) as refused:
        reported(tasks_of_text, 3, bob)
    assert refused.value.code == "already_reported"
    decide_label_report(report, LabelVerdict.RIGHT, explanation=WHY, by=rita)
    reported(tasks_of_text, 3, bob)


def test_an_account_reports_so_many_in_an_hour(
    report: LabelReport, tasks_of_text: Release, alice: User, bob: User
) -> None:
    LabelReport.objects.bulk_create(
        LabelReport(release=tasks_of_text, example=report.example, reported_by=alice)
        for _ in range(MOST_REPORTS - 1)
    )
    with pytest.raises(QuotaError):
        reported(tasks_of_text, 4, alice)
    reported(tasks_of_text, 4, bob)
    LabelReport.objects.filter(reported_by=alice).update(reported_at=Now() - WINDOW)
    reported(tasks_of_text, 5, alice)


@pytest.mark.parametrize("verdict", LabelVerdict)
def test_a_reviewer_decides_once(report: LabelReport, rita: User, verdict: LabelVerdict) -> None:
    decide_label_report(report, verdict, explanation=WHY, by=rita)
    report.refresh_from_db()
    assert (report.verdict, report.decided_by, report.explanation) == (verdict, rita, WHY)
    entry = AuditEntry.objects.get(action="decide label report")
    assert (entry.actor, entry.before, entry.after, entry.reason) == (rita, "open", verdict, WHY)
    with pytest.raises(StateError) as refused:
        decide_label_report(report, LabelVerdict.RIGHT, explanation=WHY, by=rita)
    assert refused.value.code == "wrong_state"


def test_nobody_decides_about_their_own_report_or_score(
    tasks_of_text: Release, rita: User, adam: User, alice: User
) -> None:
    report = reported(tasks_of_text, 3, rita)
    answered(adam, tasks_of_text, "Adam's", {KEYS: GOLD[KEYS]}, SubmissionState.PRIVATE)
    for user, code in ((rita, "own_report"), (adam, "interest"), (alice, "not_allowed")):
        with pytest.raises(StateError) as refused:
            decide_label_report(report, LabelVerdict.RIGHT, explanation=WHY, by=user)
        assert refused.value.code == code


def test_a_decision_needs_a_sentence_and_somebody_who_made_it(report: LabelReport) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        LabelReport.objects.update(verdict=LabelVerdict.RIGHT)


def test_published_answers_are_counted_wherever_the_question_has_the_label(
    tasks_of_text: Release, alice: User, bob: User
) -> None:
    third, fourth = Example.objects.filter(data_set__task=KEYS, index__in=(3, 4))
    answered(alice, tasks_of_text, "All", {KEYS: GOLD[KEYS]})
    answered(bob, tasks_of_text, "But one", {KEYS: [*GOLD[KEYS][:4], None, *GOLD[KEYS][5:]]})
    answered(bob, tasks_of_text, "Private", {KEYS: GOLD[KEYS]}, SubmissionState.PRIVATE)
    assert published_answers([third, fourth]) == {third.pk: 2, fourth.pk: 1}
    Example.objects.filter(pk=third.pk).update(question_number=7)
    other = Release.objects.create(slug="other").data_sets.create(
        task=KEYS, size=1, labels_hash="other", questions_hash=""
    )
    same = other.examples.create(index=0, key="x", label=third.label, question_number=7)
    different = other.examples.create(index=1, key="y", label=["1"], question_number=7)
    assert published_answers([same, different]) == {same.pk: 2, different.pk: 0}
