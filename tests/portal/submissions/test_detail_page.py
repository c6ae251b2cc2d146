"""The page of a submission: its scores, what was wrong, the question, and the buttons."""

import re
from html import unescape
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from portal.evaluations.failures import FAILURES
from portal.evaluations.tasks import score_evaluation
from portal.models import Action, Release, Submission, SubmissionState, User
from portal.releases.importer import import_release
from portal.submissions.pages.detail import Result, SubmissionPage
from portal.submissions.pages.questions import AlignmentQuestion
from portal.submissions.services import score_again
from scoring.catalog import TASKS
from tests.support import html
from tests.support.clients import (
    fail,
    post,
    press,
    scored_submission,
    signed_in,
    submission_html,
    visit,
    waiting_submission,
)
from tests.support.factories import (
    make_submission,
    model_of,
    only_evaluation,
    original_of,
    packed,
)
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db
waiting = pytest.fixture(waiting_submission)
scored = pytest.fixture(scored_submission)


@pytest.fixture
def asked(alice: User, db: None, tmp_path: Path) -> Submission:
    """Two right answers with labels whose ids are swapped, and one with an unknown id."""
    labels = [{"id": key, "answer": [f"{key:05}"]} for key in range(3)]
    write_rows(tmp_path / "asked" / "passkey.jsonl", labels)
    release = import_release(tmp_path / "asked", slug="asked", title="Asked")
    ids = {0: 1, 1: 2, 2: 99}
    rows = [
        {"id": ids[key], "prediction": f"{key:05}", "ground_truth": [f"{key:05}"]} for key in ids
    ]
    file = write_rows(tmp_path / "preds_passkey.jsonl", rows)
    submission = make_submission(alice, release, file.read_bytes(), name=file.name)
    score_evaluation(only_evaluation(submission).pk)
    return submission


@pytest.fixture
def failed(waiting: Submission) -> Submission:
    fail(waiting, "scorer_disk", times=3)
    return waiting


def result_of(shown: SubmissionPage) -> Result:
    assert shown.result
    return shown.result


def codes_of(shown: SubmissionPage) -> dict[str, str]:
    """The codes of the findings, each with its remedy."""
    kinds = [kind for group in shown.findings.groups for kind in group.kinds]
    return {kind.code: kind.fix for kind in kinds}


# Scores


def test_scores_are_percent_under_three_sets(
    client: Client, alice: User, scored: Submission
) -> None:
    html = submission_html(client, alice, scored)
    of_sets = r"{} <span class=\"interval\"[^>]*>{}</span>"
    assert len(re.findall(of_sets.format("66.67", "20.8–93.9"), html)) == 3  # Retrieve.PassKey
    assert len(re.findall(of_sets.format("50.00", "9.5–90.5"), html)) == 3  # Code.Debug
    table = result_of(visit(client, alice, scored)).table
    [passkey] = [row for domain in table.domains for row in domain.rows if row.id == "passkey"]
    assert (passkey.answered, passkey.size, passkey.missing, passkey.unknown) == (2, 3, 1, 1)
    assert (table.scored, table.tasks) == (2, 3)


def test_a_task_without_a_file_has_no_score_and_no_means(
    client: Client, alice: User, scored: Submission
) -> None:
    table = result_of(visit(client, alice, scored)).table
    absent = [row.id for domain in table.domains for row in domain.rows if row.answered is None]
    assert absent == ["code_run"]  # the third example of the release
    html = submission_html(client, alice, scored)
    # Of Code.Run, its domain, Retrieval, which has other tasks, and overall.
    assert html.count('<span class="missing"') == 4 * 3


def test_problems_are_grouped_with_their_places(
    client: Client, alice: User, scored: Submission
) -> None:
    html = submission_html(client, alice, scored)
    assert '<p id="warning-passkey"><strong>Retrieve.PassKey</strong>' in html
    assert "<bdi>preds_passkey.jsonl</bdi>:3</code>" in html
    assert "id_unknown" in codes_of(visit(client, alice, scored))


def test_problems_that_differ_by_a_name_only_are_grouped(
    client: Client, alice: User, scored: Submission
) -> None:
    evaluation = only_evaluation(scored)
    [problem] = [one for one in evaluation.problems if one["code"] == "id_unknown"]
    many = [problem | {"params": {"id": str(n)}, "line": n + 1} for n in range(250)]
    scored.evaluations.update(problems=many)
    assert 'href="?problems=all' in submission_html(client, alice, scored)
    [few] = visit(client, alice, scored).findings.groups
    [[row]] = [kind.rows for kind in few.kinds]
    assert (row.similar, [place.lines for place in row.places]) == (249, ["1–250"])
    [each] = visit(client, alice, scored, problems="all").findings.groups
    assert [len(kind.rows) for kind in each.kinds] == [250]


def test_the_same_problem_on_many_lines_is_shown_once(
    client: Client, alice: User, scored: Submission
) -> None:
    evaluation = only_evaluation(scored)
    [problem] = [one for one in evaluation.problems if one["code"] == "id_unknown"]
    lines = (3, 5, 6, 7, 12)
    scored.evaluations.update(problems=[problem | {"line": line} for line in lines])
    html = submission_html(client, alice, scored)
    assert html.count('class="problem ') == 1
    assert "<bdi>preds_passkey.jsonl</bdi>:3, 5–7, 12</code>" in html


def test_uploaded_text_is_escaped(
    client: Client, alice: User, release: Release, world: Path
) -> None:
    bad = '"><script>alert(1)</script>'
    model = model_of(alice)
    model.name = model.organisation = model.licence = bad
    model.save()
    files = {f"preds_passkey{bad.replace('/', '')}.jsonl": b'{"id": "<b>"}\n'}
    submission = make_submission(alice, release, packed(files), name=f"{bad.replace('/', '')}.zip")
    Submission.objects.update(method=bad)
    score_evaluation(only_evaluation(submission).pk)
    html = submission_html(client, alice, submission)
    assert "<script>alert" not in html
    assert "<b>" not in html
    assert "&lt;script&gt;" in html


def test_the_signature_and_the_command_are_shown(
    client: Client, alice: User, scored: Submission
) -> None:
    html = submission_html(client, alice, scored)
    signature = only_evaluation(scored).signature
    assert signature
    assert signature["input"] in html
    assert signature["gold"]["passkey"]["labels"] in html
    assert original_of(scored).hash in html
    assert "python -m scoring score preds.zip --gold DIR --align id --json report.json" in html


def test_earlier_scores_stay_to_be_seen(client: Client, alice: User, scored: Submission) -> None:
    first = only_evaluation(scored)
    again = score_again(scored, by=alice)
    while_waiting = visit(client, alice, scored)
    assert while_waiting.progress
    assert result_of(while_waiting).newest
    score_evaluation(again.pk)
    assert f'href="?evaluation={first.pk}"' in submission_html(client, alice, scored)
    old = submission_html(client, alice, scored, evaluation=str(first.pk))
    assert not result_of(visit(client, alice, scored, evaluation=str(first.pk))).newest
    assert f"report.json?evaluation={first.pk}" in old


@pytest.mark.parametrize("wanted", ["0", "x", "99999999999999999999"])
def test_an_evaluation_of_another_submission_is_not_found(
    client: Client, alice: User, scored: Submission, wanted: str
) -> None:
    client.force_login(alice)
    address = reverse("submission", args=[scored.pk])
    assert client.get(address, {"evaluation": wanted}).status_code == 404


# What failed


def test_a_failure_is_shown_with_its_fix_but_without_details(
    client: Client, alice: User, failed: Submission
) -> None:
    shown = visit(client, alice, failed)
    assert shown.failure == FAILURES["scorer_disk"]
    assert Action.TRY_AGAIN in shown.actions
    html = submission_html(client, alice, failed)
    assert shown.failure.message in unescape(html)
    assert shown.failure.fix in unescape(html)
    assert "/dev/secret" not in html


def test_admins_see_the_details_of_a_failure(
    client: Client, rita: User, adam: User, failed: Submission
) -> None:
    assert "/dev/secret" not in submission_html(client, rita, failed)
    assert "/dev/secret" in submission_html(client, adam, failed)


def test_a_permanent_failure_has_no_retry_button(
    client: Client, alice: User, release: Release
) -> None:
    submission = make_submission(alice, release, packed({"nothing.jsonl": b"{}\n"}))
    score_evaluation(only_evaluation(submission).pk)
    html = submission_html(client, alice, submission)
    assert FAILURES["nothing_to_score"].message in unescape(html)
    assert reverse("submission-try-again", args=[submission.pk]) not in html
    assert f"/submit/?from={submission.pk}" in html
    assert "nothing.jsonl" in html


def test_files_for_tasks_missing_from_the_release_are_named_with_a_fix(
    client: Client, alice: User, release: Release
) -> None:
    lacking = next(task for task in TASKS if not release.data_sets.filter(task=task).exists())
    rows = {f"preds_{lacking}.jsonl": b'{"id": 0, "prediction": "1"}\n'}
    submission = make_submission(alice, release, packed(rows))
    score_evaluation(only_evaluation(submission).pk)
    html = submission_html(client, alice, submission)
    assert f"preds_{lacking}.jsonl" in html
    found = codes_of(visit(client, alice, submission))
    assert found["task_not_in_release"] in unescape(html)


def test_trying_again_queues_it(client: Client, alice: User, failed: Submission) -> None:
    assert press(client, alice, "submission-try-again", failed) == []
    progress = visit(client, alice, failed).progress
    assert progress
    assert (progress.state, [reason.code for reason in progress.reasons]) == ("queued", ["next"])


# The question


def test_the_alignment_question_shows_counts_and_a_recommendation(
    client: Client, alice: User, asked: Submission
) -> None:
    html = submission_html(client, alice, asked)
    assert "<bdi>preds_passkey.jsonl</bdi>" in html
    question = visit(client, alice, asked).question
    assert isinstance(question, AlignmentQuestion)
    assert question.advice == "order"
    assert [(task.by_id, task.by_order, task.labelled) for task in question.tasks] == [(0, 3, 3)]


def test_the_answer_is_scored_as_it_says(client: Client, alice: User, asked: Submission) -> None:
    post(client, alice, "submission-answer", asked, align="order")
    score_evaluation(only_evaluation(asked).pk)
    assert "100.00" in submission_html(client, alice, asked)


def test_an_invalid_answer_is_refused(client: Client, alice: User, asked: Submission) -> None:
    assert press(client, alice, "submission-answer", asked) == ["no_answer"]


def test_only_the_owner_is_asked(client: Client, rita: User, asked: Submission) -> None:
    html = submission_html(client, rita, asked)
    assert 'value="order"' not in html.split("</header>")[-1]
    assert press(client, rita, "submission-answer", asked, align="order") == ["not_allowed"]


# Hidden releases


@pytest.fixture
def hidden(asked: Submission) -> Submission:
    Release.objects.update(hidden=True)
    asked.release.refresh_from_db()
    return asked


def test_for_hidden_releases_no_label_agreement_is_shown(
    client: Client, alice: User, rita: User, hidden: Submission
) -> None:
    question = visit(client, alice, hidden).question
    assert isinstance(question, AlignmentQuestion)
    assert question.advice is None
    [task] = question.tasks
    assert (task.labelled, task.by_id, task.by_order) == (None, None, None)
    assert task.unknown == 1
    for_reviewers = visit(client, rita, hidden).question
    assert isinstance(for_reviewers, AlignmentQuestion)
    assert for_reviewers.tasks[0].by_order == 3


def test_for_hidden_releases_only_totals_are_shown(
    client: Client, alice: User, rita: User, asked: Submission
) -> None:
    post(client, alice, "submission-answer", asked, align="id")
    score_evaluation(only_evaluation(asked).pk)
    Release.objects.update(hidden=True)
    labels = asked.release.data_sets.values_list("labels_hash", flat=True)[0]
    revealing = ("examples.csv", "examples.jsonl", "Matched by id, 0 of 3 labels", labels)
    html = submission_html(client, alice, asked)
    [domain] = [one for one in result_of(visit(client, alice, asked)).table.domains if one.rows]
    assert [row.withheld for row in domain.rows] == ["coverage"]
    assert not any(words in html for words in revealing)
    html = submission_html(client, rita, asked)
    assert all(words in html for words in revealing)


# Buttons


def test_scoring_again_makes_a_second_evaluation(
    client: Client, alice: User, scored: Submission
) -> None:
    action = f'action="/submissions/{scored.pk}/score-again/"'
    assert action in submission_html(client, alice, scored)
    assert press(client, alice, "submission-score-again", scored) == []
    assert visit(client, alice, scored).progress
    assert action not in submission_html(client, alice, scored)
    assert press(client, alice, "submission-score-again", scored) == ["being_scored"]


@pytest.mark.parametrize(
    "name", ["submission-try-again", "submission-answer", "submission-score-again"]
)
def test_a_refused_action_shows_a_message(
    client: Client, alice: User, waiting: Submission, name: str
) -> None:
    assert press(client, alice, name, waiting, align="id") in (["wrong_state"], ["being_scored"])


def test_a_get_request_to_an_action_redirects_to_the_page(
    client: Client, alice: User, scored: Submission
) -> None:
    client.force_login(alice)
    for name in ("answer", "try-again", "score-again", "cancel-request"):
        address = reverse(f"submission-{name}", args=[scored.pk])
        response = client.get(address)
        assert (response.status_code, response.headers["Location"]) == (
            302, reverse("submission", args=[scored.pk])
        )  # fmt: skip


def test_deleting_asks_first(client: Client, alice: User, scored: Submission) -> None:
    client.force_login(alice)
    address = reverse("submission-delete", args=[scored.pk])
    assert client.get(address).status_code == 200
    assert Submission.objects.exists()
    assert press(client, alice, "submission-delete", scored) == ["good"]
    assert not Submission.objects.exists()


def test_a_submission_seen_by_others_is_not_deleted(
    client: Client, alice: User, scored: Submission
) -> None:
    Submission.objects.update(state=SubmissionState.IN_REVIEW)
    assert Action.DELETE not in visit(client, alice, scored).actions
    assert press(client, alice, "submission-delete", scored) == ["wrong_state"]
    assert Submission.objects.exists()


def test_a_hidden_submission_says_whom_to_write_to(
    client: Client, alice: User, scored: Submission, settings: Settings
) -> None:
    settings.CONTACT_URL = "mailto:board@example.org"
    assert 'data-link="operators"' not in submission_html(client, alice, scored)
    Submission.objects.update(state=SubmissionState.HIDDEN)
    assert 'href="mailto:board@example.org" data-link="operators"' in submission_html(
        client, alice, scored
    )


def test_the_way_back_leads_a_reviewer_to_the_review(
    client: Client, alice: User, rita: User, scored: Submission
) -> None:
    for user, address in ((alice, "/submissions/"), (rita, f"/review/{scored.pk}/")):
        html = submission_html(client, user, scored)
        way = html.partition("data-breadcrumb>")[2].partition("</p>")[0]
        assert f'href="{address}"' in way


def test_reviewers_do_not_delete(client: Client, rita: User, scored: Submission) -> None:
    assert Action.DELETE not in visit(client, rita, scored).actions
    assert press(client, rita, "submission-delete", scored) == ["not_allowed"]


def test_its_owner_reads_how_a_program_does_the_same(
    scored: Submission, alice: User, rita: User
) -> None:
    address = reverse("submission", args=[scored.pk])
    told = html.one(signed_in(alice).get(address), "#program")
    assert f"infinitebench status {scored.pk} --follow" in told.text
    assert reverse("api-submission", args=[scored.pk]) in told.text
    assert not html.all_of(signed_in(rita).get(address), "#program")
