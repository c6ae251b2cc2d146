"""Tasks in this process, with the real sandbox and the real database: what a worker does."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models.functions import Now
from pytest_django import Settings

from portal.evaluations import sandbox as portal_sandbox
from portal.evaluations.leases import Lease, LeaseLostError, claim_evaluation
from portal.evaluations.results import store_failure, store_outcome
from portal.evaluations.sweeper import sweep
from portal.evaluations.tasks import score_evaluation
from portal.models import (
    Evaluation,
    EvaluationState,
    ExampleResult,
    Release,
    Submission,
    TaskScore,
    User,
)
from portal.releases.importer import import_release
from portal.submissions.quotas import quota_of
from portal.submissions.services import answer_question, score_again, try_again
from scoring.catalog import TASKS
from scoring.limits import LIMITS
from scoring.predictions.reader import read_predictions
from scoring.releases.gold import read_gold
from scoring.sandbox.preflight import Preflight
from scoring.sandbox.results_file import ResultsFileError
from scoring.sandbox.run import Level
from scoring.score import score
from tests.support.factories import (
    make_submission,
    only_evaluation,
    original_of,
    outcome,
    packed,
    packed_folder,
)
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def submission(alice: User, release: Release, world: Path) -> Submission:
    found = make_submission(alice, release, packed_folder(world / "preds"))
    found.evaluations.update(align="id")
    return found


@pytest.fixture
def evaluation(submission: Submission) -> Evaluation:
    return only_evaluation(submission)


def scored_now(submission: Submission) -> Evaluation:
    evaluation = submission.evaluations.get(state=EvaluationState.QUEUED)
    score_evaluation(evaluation.pk)
    evaluation.refresh_from_db()
    return evaluation


def claimed(evaluation: Evaluation) -> Lease:
    lease = claim_evaluation(evaluation.pk)
    assert lease
    return lease


def let_lease_run_out(evaluation: Evaluation) -> None:
    Evaluation.objects.filter(pk=evaluation.pk, state=EvaluationState.RUNNING).update(
        lease_until=Now() - timedelta(seconds=1)
    )


def rows_of(evaluation: Evaluation) -> list[object]:
    scores = evaluation.task_scores.values_list(
        "task", "metric_set", "data_set", "mean", "stderr", "size", "answered", "unknown"
    )
    results = evaluation.example_results.values_list(
        "task", "index", "prediction", "official_2024_06", "official_2024_09", "strict"
    )
    return [*scores, *results]


# From the upload to the scores


def test_the_scores_are_those_of_the_core(submission: Submission, world: Path) -> None:
    evaluation = scored_now(submission)
    found = read_predictions(world / "preds")
    expected = score(found, read_gold(world / "gold", found.tasks), align="id")
    assert evaluation.state == EvaluationState.SCORED
    assert {(s.task, s.metric_set, s.mean, s.stderr) for s in evaluation.task_scores.all()} == {
        (task, name, report.means[name], report.stderrs[name])
        for task, report in expected.tasks.items()
        for name in report.verdicts
    }
    assert evaluation.signature == json.loads(json.dumps(expected.signature))
    assert evaluation.predictions_hash == found.digest
    assert evaluation.sandbox_level == portal_sandbox.sandbox().level


def test_every_example_has_its_row(submission: Submission) -> None:
    rows = scored_now(submission).example_results.filter(task="passkey")
    assert [(row.index, row.prediction, row.strict) for row in rows] == [
        (0, "It is 00000.", 1.0),
        (1, "It is 00001.", 1.0),
        (2, None, None),
    ]


def test_problems_are_kept_with_file_and_line(submission: Submission) -> None:
    problems = scored_now(submission).problems
    [unknown] = [problem for problem in problems if problem["code"] == "id_unknown"]
    assert (unknown["file"], unknown["line"]) == ("preds_passkey.jsonl", 3)


def test_scoring_again_gives_the_same_rows(submission: Submission, alice: User) -> None:
    first = scored_now(submission)
    score_again(submission, by=alice)
    second = scored_now(submission)
    assert second.pk != first.pk
    assert rows_of(second) == rows_of(first)
    assert second.signature == first.signature


def test_a_second_delivery_changes_nothing(submission: Submission) -> None:
    evaluation = scored_now(submission)
    score_evaluation(evaluation.pk)
    again = Evaluation.objects.get(pk=evaluation.pk)
    assert (again.attempt, again.finished) == (1, evaluation.finished)


def test_a_job_whose_row_was_deleted_does_nothing(evaluation: Evaluation) -> None:
    evaluation.submission.delete()
    score_evaluation(evaluation.pk)
    assert not Evaluation.objects.exists()


def test_an_unclear_alignment_asks_and_continues_with_the_answer(
    alice: User, release: Release, world: Path
) -> None:
    rows = [{"prediction": "00000"}, {"prediction": "00001"}]
    write_rows(world / "preds" / "preds_passkey.jsonl", rows)
    submission = make_submission(alice, release, packed_folder(world / "preds"))
    evaluation = scored_now(submission)
    assert evaluation.state == EvaluationState.NEEDS_ANSWER
    assert [one["task"] for one in (evaluation.question or {})["alignment"]] == ["passkey"]
    answer_question(evaluation, by=alice, align="order")
    evaluation = scored_now(submission)
    assert evaluation.state == EvaluationState.SCORED
    assert (evaluation.signature or {})["aligned"]["passkey"] == "order"


def test_if_nothing_can_be_scored_the_problems_are_stored(alice: User, release: Release) -> None:
    evaluation = scored_now(make_submission(alice, release, b"%PDF-1.7", name="paper.pdf"))
    assert (evaluation.state, evaluation.failure) == (EvaluationState.FAILED, "nothing_to_score")
    assert evaluation.problems


def test_lines_beyond_the_limit_are_ignored_and_the_others_scored(
    alice: User, release: Release
) -> None:
    row = b'{"id": %d, "prediction": "4"}\n'
    files = b"".join(row % number for number in range(LIMITS.lines + 500))
    submission = make_submission(alice, release, files, name="preds_code_run.jsonl")
    submission.evaluations.update(align="id")
    evaluation = scored_now(submission)
    assert (evaluation.state, evaluation.attempt) == (EvaluationState.SCORED, 1)
    assert "lines_too_many" in {problem["code"] for problem in evaluation.problems}
    assert {score.answered + score.unknown for score in evaluation.task_scores.all()} == {
        LIMITS.lines
    }


def test_small_parts_with_large_gaps_are_a_fault_of_the_files_and_count(
    alice: User, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise ten kilobytes would cost three attempts of 25 seconds, and no quota."""
    monkeypatch.setattr("portal.submissions.quotas.FREE_UNSCORABLE", 0)
    row = b'{"prediction": "4"}\n'
    names = [f"preds_{task}_{10**8}-{10**8 + 1}.jsonl" for task in TASKS]
    submission = make_submission(alice, release, packed(dict.fromkeys(names, row)))
    evaluation = scored_now(submission)
    assert (evaluation.state, evaluation.failure) == (EvaluationState.FAILED, "nothing_to_score")
    assert evaluation.attempt == 1
    assert "lines_too_many" in {problem["code"] for problem in evaluation.problems}
    assert quota_of(alice).used == 1


def test_real_files_get_their_scores(
    alice: User, real_data: Path, summary_line: Callable[[str], None]
) -> None:
    release = import_release(real_data / "gold" / "paper", slug="paper", title="paper")
    submission = make_submission(alice, release, packed_folder(real_data / "results" / "gpt4"))
    evaluation = scored_now(submission)
    if evaluation.state == EvaluationState.NEEDS_ANSWER:
        answer_question(evaluation, by=alice, align="id")
        evaluation = scored_now(submission)
    assert evaluation.state == EvaluationState.SCORED
    assert evaluation.finished
    assert evaluation.started
    summary_line(
        f"GPT-4's files, from the claim to the scores: {evaluation.finished - evaluation.started}"
    )
    scores = TaskScore.objects.filter(metric_set="official-2024-06")
    assert scores.get(task="code_run").mean == pytest.approx(23.25, abs=0.01)
    assert evaluation.example_results.count() == sum(score.size for score in scores)


def test_without_a_sandbox_nothing_is_scored(
    evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing_holds = Preflight(Level.NONE, "Nothing holds here.", ())
    monkeypatch.setattr(portal_sandbox, "sandbox", lambda: nothing_holds)
    score_evaluation(evaluation.pk)
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.attempt) == (EvaluationState.QUEUED, 0)


# The output of the sandbox is not trusted


TAMPERED: dict[str, Callable[[dict[str, object]], object]] = {
    "other labels": lambda d: d["signature"]["gold"]["code_run"].update(labels="0" * 64),  # type: ignore[index]
    "another score": lambda d: d["tasks"]["code_run"]["examples"].update(strict=[0.5]),  # type: ignore[index]
    "another task": lambda d: d["tasks"].update(passkey=d["tasks"]["code_run"]),  # type: ignore[attr-defined, index]
}


@pytest.mark.parametrize("what", TAMPERED)
def test_an_inconsistent_report_is_refused_and_nothing_is_stored(
    evaluation: Evaluation, what: str
) -> None:
    lease, found = claimed(evaluation), outcome()
    TAMPERED[what](found.document)
    with pytest.raises(ResultsFileError):
        store_outcome(lease, *found, level="strong")
    assert not ExampleResult.objects.exists()
    assert not TaskScore.objects.exists()


def test_examples_in_the_wrong_order_are_refused(evaluation: Evaluation) -> None:
    lease, found = claimed(evaluation), outcome()
    [example] = found.examples
    for examples in ([], [example, example], [replace(example, index=1)]):
        with pytest.raises(ResultsFileError):
            store_outcome(lease, found.document, examples, level="strong")
    assert not ExampleResult.objects.exists()


# Leases


def test_only_one_claims(evaluation: Evaluation) -> None:
    assert claim_evaluation(evaluation.pk) == Lease(evaluation.pk, 1)
    assert claim_evaluation(evaluation.pk) is None


def test_an_expired_lease_can_be_claimed_and_the_late_result_is_refused(
    evaluation: Evaluation,
) -> None:
    late = claimed(evaluation)
    let_lease_run_out(evaluation)
    assert claim_evaluation(evaluation.pk) == Lease(evaluation.pk, 2)
    with pytest.raises(LeaseLostError):
        late.renew()
    with pytest.raises(LeaseLostError):
        store_outcome(late, *outcome(), level="strong")
    with pytest.raises(LeaseLostError):
        store_failure(late, "scorer_crashed")
    assert not TaskScore.objects.exists()


def test_a_renewed_lease_does_not_run_out(evaluation: Evaluation) -> None:
    lease = claimed(evaluation)
    let_lease_run_out(evaluation)
    lease.renew()
    assert claim_evaluation(evaluation.pk) is None


def test_an_old_attempt_is_refused_even_after_trying_again(
    evaluation: Evaluation, alice: User
) -> None:
    late = claimed(evaluation)
    store_failure(late, "scorer_memory")
    try_again(evaluation, by=alice)
    assert claim_evaluation(evaluation.pk) == Lease(evaluation.pk, 2)
    with pytest.raises(LeaseLostError):
        late.renew()


# Failures


@pytest.mark.parametrize("code", ["scorer_memory", "scorer_time", "scorer_output"])
def test_a_permanent_failure_is_not_retried(evaluation: Evaluation, code: str) -> None:
    store_failure(claimed(evaluation), code, "said \0 this")
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.failure) == (EvaluationState.FAILED, code)
    assert evaluation.failure_details == "said \\0 this"


def test_a_temporary_failure_is_retried_three_times(evaluation: Evaluation) -> None:
    states = []
    for _ in range(3):
        store_failure(claimed(evaluation), "scorer_crashed")
        evaluation.refresh_from_db()
        states.append((evaluation.state, evaluation.failure))
    assert states == [("queued", ""), ("queued", ""), ("failed", "scorer_crashed")]
    assert claim_evaluation(evaluation.pk) is None


def test_an_upload_that_cannot_be_read_is_our_fault(submission: Submission, storage: Path) -> None:
    (storage / str(original_of(submission).file.name)).unlink()
    evaluation = scored_now(submission)
    assert (evaluation.state, evaluation.attempt) == (EvaluationState.QUEUED, 1)
    assert "No such file" in evaluation.failure_details


# The sweeper


def test_the_sweeper_gives_an_evaluation_of_a_lost_worker_to_another(
    evaluation: Evaluation,
) -> None:
    claimed(evaluation)
    assert sweep() == (0, 0, 0)
    let_lease_run_out(evaluation)
    assert sweep() == (0, 1, 0)
    assert claim_evaluation(evaluation.pk) == Lease(evaluation.pk, 2)


def test_after_three_lost_workers_an_evaluation_fails_with_a_reason(evaluation: Evaluation) -> None:
    found = []
    for _ in range(3):
        claimed(evaluation)
        let_lease_run_out(evaluation)
        found.append(sweep())
    assert found == [(0, 1, 0), (0, 1, 0), (1, 0, 0)]
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.failure) == (EvaluationState.FAILED, "worker_lost")


def test_a_lost_message_is_sent_again_after_a_while(
    evaluation: Evaluation, messages: Path, settings: Settings
) -> None:
    assert sweep() == (0, 0, 0)
    Evaluation.objects.update(created=Now() - timedelta(seconds=settings.RESEND + 1))
    assert sweep() == (0, 0, 1)
    assert sweep() == (0, 0, 0)  # it has just been sent
    assert len(list(messages.iterdir())) == 1
