"""Every submission comes to an end, whatever happens in whatever order: promise 2 of the site.

Authors, workers, the broker and the sweeper take turns on the real database; boxes are left out,
since what comes out of them is written here. After each step it is asked whether anything is
lost, twice or untrue; at the end whether everything that waits is brought to an end.
"""

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db.models.functions import Now
from hypothesis import HealthCheck, Phase
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from portal.errors import StateError
from portal.evaluations.failures import FAILURES
from portal.evaluations.leases import Lease, LeaseLostError
from portal.evaluations.results import store_failure, store_outcome
from portal.evaluations.sweeper import sweep
from portal.evaluations.turns import claim_next
from portal.models import (
    ATTEMPTS,
    Action,
    AuditEntry,
    CountedUpload,
    Evaluation,
    EvaluationState,
    ExampleResult,
    Original,
    Release,
    Submission,
    TaskScore,
    User,
)
from portal.states import change_submission
from portal.submissions.services import answer_question, delete_submission, score_again, try_again
from tests.support.factories import make_submission, outcome

QUESTION = {"tasks": {}, "problems": [], "alignment": [{"task": "code_run"}]}
E = EvaluationState
SUBMISSIONS = 4  # of one life, at most
# What a worker brings: the failures are one that is tried again, and one that is not.
BROUGHT = ("scores", "question", "scorer_crashed", "scorer_memory", *["sign of life"] * 4)


def _bring(lease: Lease, what: str) -> None:
    if what == "scores":
        store_outcome(lease, *outcome(), level="strong")
    elif what == "question":
        store_outcome(lease, QUESTION, [], level="strong")
    elif what == "sign of life":
        lease.renew()
    else:
        store_failure(lease, what, "said \0 so")


class Life(RuleBasedStateMachine):
    """``leases`` are of workers that live, or lived: each may still come with a result."""

    submissions = Bundle("submissions")
    leases = Bundle("leases")
    alice: User
    release: Release
    messages: Path
    storage: Path

    def __init__(self) -> None:
        super().__init__()
        Submission.objects.all().delete()
        Original.objects.all().delete()
        CountedUpload.objects.all().delete()
        shutil.rmtree(self.storage, ignore_errors=True)
        self.lose_all_messages()
        self.kept: dict[UUID, bytes] = {}  # uploads that were not deleted
        self.before = AuditEntry.objects.count()
        self.acts: list[str] = []  # of people, which are to be found in the audit
        self.attempts: dict[int, int] = {}  # the highest that were seen
        self.scores: dict[int, list[int]] = {}  # which rows were stored, once and for all

    # Authors

    @initialize(target=submissions)
    def begin(self) -> Any:
        return self._submit()

    @rule(target=submissions)
    def make_submission(self) -> Any:
        return self._submit()

    def _submit(self) -> Any:
        if len(self.kept) >= SUBMISSIONS:
            return multiple()
        upload = f"upload {len(self.kept)}".encode()
        submission = make_submission(self.alice, self.release, upload)
        self.kept[submission.pk] = upload
        return submission.pk

    def _act(self, action: str, do: Callable[[], object]) -> bool:
        """Whether a person could do it; it is in the audit then."""
        try:
            do()
        except StateError:
            return False
        self.acts.append(action)
        return True

    @rule(submission=submissions, align=st.sampled_from(["id", "order"]), old=st.booleans())
    def go_on(self, submission: UUID, align: Any, old: bool) -> None:
        """Whatever is open to the author, maybe on an old page: at most one of these."""
        found = Submission.objects.filter(pk=submission).first()
        evaluation = found.evaluations.order_by("pk" if old else "-pk").first() if found else None
        if found and evaluation:
            acts = {
                "answer": lambda: answer_question(evaluation, by=self.alice, align=align),
                "try again": lambda: try_again(evaluation, by=self.alice),
                "score again": lambda: score_again(found, by=self.alice),
            }
            assert sum(self._act(action, do) for action, do in acts.items()) <= 1

    @rule(submission=submissions, how=st.sampled_from(["stay", "stay", "withdraw", "delete"]))
    def leave(self, submission: UUID, how: str) -> None:
        found = Submission.objects.filter(pk=submission).first()
        if found and how == "withdraw":
            self._act(how, lambda: change_submission(found, Action.WITHDRAW, by=self.alice))
        deleted = how == "delete" and found
        if deleted and self._act(how, lambda: delete_submission(deleted, by=self.alice)):
            del self.kept[submission]

    # The broker

    @rule(target=leases, twice=st.booleans(), what=st.sampled_from(BROUGHT))
    def deliver(self, twice: bool, what: str) -> Any:
        """The oldest message comes to a worker, and maybe later to another one as well."""
        if not any(self.messages.iterdir()):
            self.sweep(later=True)
        for message in sorted(self.messages.iterdir())[:1]:
            lease = claim_next()
            if not twice:
                message.unlink()
            if lease:
                self.bring(lease, what)
                return lease
        return multiple()

    @rule()
    def lose_all_messages(self) -> None:
        shutil.rmtree(self.messages)
        self.messages.mkdir()

    # Workers

    @rule(lease=leases, what=st.sampled_from(BROUGHT))
    def bring(self, lease: Lease, what: str) -> None:
        """The end of an attempt, or only a sign of life."""
        mine = Evaluation.objects.filter(pk=lease.evaluation_id, attempt=lease.attempt)
        held = mine.filter(state=E.RUNNING).exists()
        try:
            _bring(lease, what)
        except LeaseLostError:
            assert not held
        else:
            assert held

    @rule()
    def lose_all_workers(self) -> None:
        running = Evaluation.objects.filter(state=E.RUNNING)
        running.update(lease_until=Now() - timedelta(seconds=1))
        if running:
            self.sweep(later=False)

    # The sweeper, and time

    @rule(later=st.booleans())
    def sweep(self, later: bool) -> None:
        if later:
            past = Now() - timedelta(hours=1)
            Evaluation.objects.queued().filter(enqueued_at__isnull=False).update(
                due=past, enqueued_at=past
            )
        sweep()

    # What is always true

    @invariant()
    def nothing_is_lost(self) -> None:
        names = dict(Original.objects.values_list("submission", "file"))
        assert {key: (self.storage / name).read_bytes() for key, name in names.items()} == self.kept
        assert len(list(self.storage.glob("*/*"))) == len(self.kept)

    @invariant()
    def scored_means_that_there_are_scores_and_nothing_else_does(self) -> None:
        for evaluation in Evaluation.objects.all():
            rows = list(evaluation.task_scores.order_by("pk").values_list("pk", flat=True))
            assert bool(rows) == (evaluation.state == E.SCORED)
            assert evaluation.example_results.count() == (1 if rows else 0)
            assert (evaluation.state == E.FAILED) == (evaluation.failure in FAILURES)
            assert (evaluation.state == E.NEEDS_ANSWER) == bool(evaluation.question)
            if rows:
                assert self.scores.setdefault(evaluation.pk, rows) == rows
            else:
                assert evaluation.pk not in self.scores
        of = Evaluation.objects.scored().values("pk")
        for table in (TaskScore, ExampleResult):
            assert not table.objects.exclude(evaluation__in=of).exists()

    @invariant()
    def attempts_are_bounded_and_only_grow(self) -> None:
        for evaluation in Evaluation.objects.all():
            assert self.attempts.get(evaluation.pk, 0) <= evaluation.attempt
            assert evaluation.attempt <= evaluation.attempts_allowed
            assert evaluation.attempts_allowed - evaluation.attempt <= ATTEMPTS
            self.attempts[evaluation.pk] = evaluation.attempt

    @invariant()
    def everything_has_an_evaluation_and_at_most_one_is_open(self) -> None:
        for submission in Submission.objects.all():
            assert submission.evaluations.exists()
            assert submission.evaluations.open().count() <= 1

    @invariant()
    def what_people_did_is_in_the_audit(self) -> None:
        reported = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
        assert list(reported[self.before :]) == self.acts

    def teardown(self) -> None:
        """From here on workers take what there is, and are lost at once: that takes longest."""
        for _ in range(2 * ATTEMPTS):
            self.lose_all_workers()
            self.sweep(later=True)
            for message in self.messages.iterdir():
                claim_next()
                message.unlink()
            assert not Evaluation.objects.queued().exists()
        self.lose_all_workers()
        assert not Evaluation.objects.filter(state__in=(E.QUEUED, E.RUNNING)).exists()
        self.nothing_is_lost()
        self.attempts_are_bounded_and_only_grow()
        self.scored_means_that_there_are_scores_and_nothing_else_does()


@pytest.mark.django_db(transaction=True)
def test_every_submission_ends_in_a_final_state(
    alice: User, release: Release, messages: Path, storage: Path
) -> None:
    class World(Life):
        pass

    World.alice, World.release, World.messages, World.storage = alice, release, messages, storage
    enough = hypothesis_settings(
        max_examples=12,
        stateful_step_count=50,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.reuse, Phase.generate],  # to make it shorter takes minutes
    )
    run_state_machine_as_test(World, settings=enough)
