"""Runs between their start and their submission: who may do what, in which state, and how much."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.db.models.functions import Now
from django.urls import reverse
from pytest_django import Settings

from portal.endpoint_runs import submissions
from portal.endpoint_runs.asking.slices import (
    claim_slice,
    give_back,
)
from portal.endpoint_runs.keys import decrypt_key
from portal.endpoint_runs.list_page import run_rows
from portal.endpoint_runs.progress.sentences import standing_sentence
from portal.endpoint_runs.results.ledger import Ledger, LedgerRow, Part, PartCount
from portal.endpoint_runs.services import (
    pause_run,
    resume_run,
    slice_widths,
    start_run,
    stop_run,
    stop_run_as_admin,
    why_not,
)
from portal.endpoint_runs.submissions import _packed as packed
from portal.endpoint_runs.submissions import submit_run
from portal.endpoint_runs.sweeper import sweep_runs
from portal.errors import NotAllowedError, QuotaError, StateError
from portal.evaluations.tasks import score_evaluation
from portal.models import (
    CountedUpload,
    EndpointRun,
    QuestionState,
    Release,
    RunAction,
    RunQuestion,
    RunState,
    Submission,
    SubmissionState,
    User,
)
from portal.submissions.files.originals import Upload
from portal.submissions.services import (
    EditableSettings,
    SubmissionSettings,
    edit_settings,
    submit_predictions,
)
from scoring.endpoint.run.records import Outcome
from scoring.endpoint.run.runner import End, RunEnd
from scoring.endpoint.templates import Strategy
from scoring.limits import LIMITS
from scoring.metrics import PAPER_SET
from scoring.predictions.reader import read_predictions
from tests.support import html
from tests.support.asked_runs import KEY, drafted
from tests.support.clients import signed_in
from tests.support.factories import end_question
from tests.support.html import page
from tests.support.run_workers import (
    COUNT,
    NOWHERE,
    answering_at_once,
    ask_together,
    claimed,
    ended,
    entries,
    now,
    sent,
    taken,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]


def test_who_may_do_what_in_which_state(alice: User, bob: User, adam: User, keys: Release) -> None:
    run = drafted(alice, keys, *NOWHERE)
    allowed = {
        "draft": {RunAction.START: "alice"},
        "running": {RunAction.PAUSE: "alice adam", RunAction.STOP: "alice adam"},
        "paused": {RunAction.RESUME: "alice", RunAction.STOP: "alice adam"},
        "ended": {},
    }
    for state, actions in allowed.items():
        run.state = state
        for action in RunAction:
            may = {who.username for who in (alice, bob, adam) if not why_not(run, action, who)}
            assert may == set(actions.get(action, "").split()), (state, action)
    with pytest.raises(NotAllowedError):
        start_run(drafted(alice, keys, *NOWHERE), bob)
    keys.hidden = True
    keys.save()
    with pytest.raises(StateError, match="evidence is secret"):
        start_run(drafted(alice, keys, *NOWHERE, strategy=Strategy.EVIDENCE_ONLY), alice)
    assert not RunQuestion.objects.exists()


def test_a_run_that_is_stopped_ends_when_its_last_part_is_back_and_has_no_key_then(
    alice: User, keys: Release
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE), alice, KEY)
    claim = claimed()
    stop_run(run, alice)
    assert (now(run).state, now(run).ending) == (RunState.RUNNING, "stopped")
    assert now(run).key
    with pytest.raises(StateError):
        pause_run(run, alice)
    with pytest.raises(StateError):
        stop_run(run, alice)
    assert claim_slice() is None
    give_back(claim, RunEnd(End.PAUSED))
    assert (now(run).state, now(run).key) == (RunState.ENDED, "")
    assert sweep_runs().handed_in == 1  # nothing was answered, so there is nothing to submit
    assert not Submission.objects.exists()
    assert not sweep_runs()
    assert standing_sentence(now(run)) == "Stopped."


@pytest.mark.parametrize("by", ["author", "admin", "bytes"])
def test_a_run_that_is_interrupted_while_its_last_answers_come_has_asked_everything(
    alice: User, adam: User, keys: Release, settings: Settings, by: str
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE, concurrency=1), alice)
    RunQuestion.objects.exclude(place=0).delete()
    claim = claimed()
    settings.DAILY_BYTES = 1 if by == "bytes" else 1_000

    async def answer() -> None:
        async with entries(claim, run) as book:
            last = await taken(book)
            assert await book.reserve(sent(last))
            if by == "author":
                await book.do(lambda: stop_run(run, alice))
            elif by == "admin":
                await book.do(lambda: stop_run_as_admin(run, adam, "It is enough."))
            await book.end(ended(last))

    asyncio.run(answer())
    give_back(claim, RunEnd(End.PAUSED))
    found = now(run)
    assert (found.state, found.ending) == (RunState.ENDED, "finished")
    assert found.reason == ("stopped_by_admin" if by == "admin" else "")


def test_a_run_is_submitted_though_its_release_was_closed_after_its_start(
    alice: User, keys: Release
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE), alice)
    claim = claimed()

    async def answer_one() -> None:
        async with entries(claim, run) as book:
            question = await taken(book)
            assert await book.reserve(sent(question))
            await book.end(ended(question))

    asyncio.run(answer_one())
    Release.objects.update(accepts_submissions=False)
    with pytest.raises(StateError, match="closed"):
        start_run(drafted(alice, keys, *NOWHERE), alice)
    stop_run(run, alice)
    give_back(claim, RunEnd(End.PAUSED))
    sweep_runs()
    assert now(run).submission == Submission.objects.get()


def test_the_same_answer_to_every_question_is_taken_for_no_zip_bomb(tmp_path: Path) -> None:
    rows = (json.dumps({"id": n, "prediction": "the " * 300}) + "\n" for n in range(3_946))
    file = tmp_path / "endpoint-run.zip"
    file.write_bytes(packed({"preds_kv_retrieval.jsonl": "".join(rows).encode()}))
    assert len(read_predictions(file).tasks["kv_retrieval"].rows) == 3_946


def test_a_run_whose_answers_are_too_large_for_any_upload_is_not_submitted(
    alice: User, keys: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE), alice)
    ask_together(run, 1, answering_at_once)
    limits = replace(LIMITS, bytes_in=COUNT * 20)
    monkeypatch.setattr(submissions, "LIMITS", limits)
    assert sweep_runs().handed_in == 1
    assert (now(run).reason, now(run).submission) == ("not submitted", None)
    assert not sweep_runs()


def test_no_run_starts_with_a_cap_on_money_that_it_can_never_reach(
    alice: User, keys: Release
) -> None:
    """This run was configured before prices became mandatory."""
    draft = drafted(alice, keys, *NOWHERE)
    draft.settings |= {"caps": {"money": 5}}
    draft.save()
    with pytest.raises(StateError, match="needs prices"):
        start_run(draft, alice)
    assert now(draft).state == RunState.DRAFT


def test_a_paused_run_has_its_key_for_a_week_and_goes_on_with_a_new_one(
    alice: User, keys: Release
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE), alice, KEY)
    row, alices = EndpointRun.objects.filter(pk=run.pk), signed_in(alice)
    page = reverse("endpoint_run", args=[run.pk])

    def key_on_page() -> list[str]:
        return [str(one["data-key"]) for one in html.page(alices.get(page)).select("[data-key]")]

    assert run.key_until is None
    pause_run(run, alice)
    assert row.filter(key_until__gt=Now() + timedelta(days=6.9)).exists()
    assert (sweep_runs().keys_deleted, key_on_page()) == (0, ["stored"])
    row.update(key_until=Now())
    assert (sweep_runs().keys_deleted, sweep_runs().keys_deleted) == (1, 0)
    assert (now(run).state, now(run).key, key_on_page()) == (RunState.PAUSED, "", ["deleted"])
    with pytest.raises(StateError) as refused:
        resume_run(run, alice)
    assert refused.value.code == "key_deleted"
    assert alices.post(f"{page}resume/").status_code == 422
    assert alices.post(f"{page}resume/", {"key": KEY, "concurrency": "3"}).status_code == 302
    resumed = now(run)
    assert (resumed.state, resumed.key_until, key_on_page()) == (RunState.RUNNING, None, [])
    assert decrypt_key(resumed.key, run_id=run.pk, host="127.0.0.1:9") == KEY


def test_runs_take_turns_and_an_account_has_only_so_many(
    alice: User, bob: User, keys: Release, settings: Settings
) -> None:
    settings.RUN_WIDTH, settings.MAX_RUNS = 4, 1
    wide = start_run(drafted(alice, keys, *NOWHERE, concurrency=8), alice)
    with pytest.raises(QuotaError):
        start_run(drafted(alice, keys, *NOWHERE), alice)
    first, second = claimed(), claimed()
    assert (first.width, second.width) == (4, 4)
    assert claim_slice() is None
    other = start_run(drafted(bob, keys, *NOWHERE, concurrency=2), bob)
    give_back(first, RunEnd(End.PAUSED))
    assert claim_slice(other_than=[other.pk, wide.pk]) is None
    assert claim_slice(not_of=[alice.pk, bob.pk]) is None
    assert claimed().lease.run_id == other.pk
    assert claimed().lease.run_id == wide.pk


@pytest.mark.parametrize(
    ("concurrency", "rate", "widths"),
    [(1, None, [1]), (32, None, [32]), (33, None, [32, 1]), (200, None, [32, 32]), (64, 1, [32])],
)
def test_a_run_is_divided_into_as_few_parts_as_possible(
    concurrency: int, rate: int | None, widths: list[int]
) -> None:
    assert slice_widths(concurrency, rate) == widths


def test_questions_that_failed_by_us_keep_their_task_out_of_the_submission(
    alice: User, keys: Release
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE), alice)
    ended_at = "2026-11-23T00:00Z"
    run.questions.update(state=QuestionState.ENDED, outcome="answered", ended_at=ended_at)
    run.questions.filter(place=3).update(outcome=Outcome.OUR_FAILURE)
    stop_run(run, alice)
    submit_run(run.pk)
    assert now(run).handed_in
    assert now(run).submission is None


def answered(run: EndpointRun) -> EndpointRun:
    """A run that was stopped after every question was answered."""
    ended_at = "2026-11-23T00:00Z"
    run.questions.update(
        state=QuestionState.ENDED, outcome="answered", text="12345", ended_at=ended_at
    )
    stop_run(run, run.owner)
    return run


def test_our_failures_say_nothing_about_the_model() -> None:
    counts = [PartCount(part, 1, 1, 1.0) for part in (Part.WHOLE, Part.EMPTY, Part.OUR_FAILURE)]
    row = LedgerRow("kv_retrieval", 3, counts)
    assert row.asked == 2
    assert [count.score for count in counts] == [100.0, 100.0, None]
    assert Ledger([row], counts, 3).is_sample


@pytest.mark.parametrize("outcome", [Outcome.ANSWERED, Outcome.CUT])
def test_a_stopped_run_is_scored_by_what_it_has_asked(
    alice: User, keys: Release, outcome: Outcome
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE), alice)
    ended = {"state": QuestionState.ENDED, "ended_at": "2026-11-23T00:00Z"}
    right = run.questions.select_related("example").order_by("place").first()
    assert right
    run.questions.filter(pk=right.pk).update(outcome=outcome, text=right.example.label, **ended)
    run.questions.filter(place=1).update(outcome=Outcome.ENDPOINT_FAILED, **ended)
    stop_run(run, alice)
    submit_run(run.pk)
    made = now(run).submission
    assert made
    evaluation = made.evaluations.get()
    score_evaluation(evaluation.pk)
    evaluation.refresh_from_db()
    row = evaluation.task_scores.get(metric_set=PAPER_SET)
    assert (row.mean, row.asked, row.answered, row.size) == (50.0, 2, 1, COUNT)
    # What is said of files that leave questions out would be wrong here, and of null as well.
    assert [one["code"] for one in evaluation.problems] == []
    [listed] = run_rows([now(run)])
    assert (listed.score, listed.tasks, listed.asked, listed.planned) == (50.0, 1, 2, COUNT)


def test_the_list_tells_runs_of_one_model_apart(alice: User, keys: Release) -> None:
    drafted(alice, keys, *NOWHERE, strategy=Strategy.STEPS)
    run = start_run(drafted(alice, keys, *NOWHERE, subset=4), alice)
    end_question(run, 0)
    page = html.page(signed_in(alice).get("/runs/"))
    strategies = [str(one["data-strategy"]) for one in page.select("[data-strategy]")]
    assert strategies == ["direct", "step-by-step"]
    asked = [(one["data-asked"], one["data-planned"]) for one in page.select("[data-planned]")]
    assert asked == [("1", "4"), ("0", "0")]


def test_files_that_its_author_uploads_are_not_its_answers(alice: User, keys: Release) -> None:
    """Not even under the run's own id, which the author knows."""
    run = start_run(drafted(alice, keys, *NOWHERE), alice)
    uploaded = submit_predictions(
        owner=alice,
        language_model=run.language_model,
        release=keys,
        settings=SubmissionSettings(),
        upload=Upload(ContentFile(b"{}"), "preds_passkey.jsonl"),
        submission_id=run.pk,
    )
    submit_run(answered(run).pk)
    made = now(run).submission
    assert made
    assert made != uploaded
    assert [one.original.name for one in made.files.all()] == ["endpoint-run.zip"]


def test_what_the_site_has_asked_with_is_not_for_its_author_to_change(
    alice: User, keys: Release
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE), alice)
    submit_run(answered(run).pk)
    made = now(run).submission
    assert made
    told = {"note": "seed 3", "prompt_strategy": "none", "input_limit": "4000", "method": "RAG"}
    signed_in(alice).post(f"/submissions/{made.pk}/edit/", {**told, "truncation": "none"})
    edited = Submission.objects.get(pk=made.pk)
    assert (edited.note, edited.prompt_strategy, edited.method) == ("seed 3", "direct", "")
    assert (edited.input_limit, edited.truncation) == (made.input_limit, made.truncation)
    with pytest.raises(StateError):
        edit_settings(made, EditableSettings(method="RAG"), by=alice)


def test_a_run_is_published_without_a_word_on_settings_that_are_known(
    alice: User, keys: Release
) -> None:
    run = start_run(drafted(alice, keys, *NOWHERE), alice)
    submit_run(answered(run).pk)
    made = now(run).submission
    assert made
    score_evaluation(made.evaluations.get().pk)
    browser, address = signed_in(alice), f"/submissions/{made.pk}/request/"
    Submission.objects.filter(pk=made.pk).update(note="Third of three.")
    asked = page(browser.get(address))
    assert asked.select('[data-code="run published"]')
    assert "Third of three." not in asked.select("[data-run-facts]")[0].text  # it is in its field
    fields = {one["name"] for one in asked.select("main [name]")}
    assert not fields & {"unknown_confirmed", "prompt_strategy", "truncation", "input_limit"}
    assert browser.post(address, {"by_maker": "False"}).status_code == 302
    edited = Submission.objects.get(pk=made.pk)
    assert edited.state == SubmissionState.IN_REVIEW
    assert edited.prompt_strategy == "direct"


def test_an_account_starts_only_so_many_runs_a_day_and_on_hidden_releases_they_count_as_uploads(
    alice: User, keys: Release, settings: Settings
) -> None:
    settings.MAX_DAILY_RUNS = 2
    Release.objects.update(hidden=True)
    for _ in range(2):
        answered(start_run(drafted(alice, keys, *NOWHERE), alice))
    assert CountedUpload.objects.count() == 2
    with pytest.raises(QuotaError) as refused:
        start_run(drafted(alice, keys, *NOWHERE), alice)
    assert refused.value.code == "too_many_runs_today"
    EndpointRun.objects.update(started=Now() - timedelta(hours=25))
    start_run(drafted(alice, keys, *NOWHERE), alice)
