"""Submissions through the API: from the upload to the request for publication, with a token."""

import json
from collections.abc import Callable
from io import BytesIO
from itertools import product
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.test import Client

from portal.api.submissions.questions import QuestionSerializer
from portal.evaluations.tasks import score_evaluation
from portal.models import Action, LanguageModel, Release, Scope, Submission, SubmissionState, User
from portal.permissions.actions import ACTIONS
from portal.submissions.pages.questions import OtherRelease, ReleaseQuestion
from tests.support.clients import Answer, File, signed_in
from tests.support.factories import make_submission, only_evaluation, packed_folder
from tests.support.programs import LIST, act, address, hand_in, problem_of, program

pytestmark = pytest.mark.django_db

WHOLE: File = (
    "preds_passkey.jsonl",
    b"".join(b'{"id": %d, "prediction": "0000%d"}\n' % (key, key) for key in range(3)),
)


@pytest.fixture
def submission(alice: User, release: Release, world: Path) -> Submission:
    made = make_submission(alice, release, packed_folder(world / "preds"))
    made.evaluations.update(align="id")
    return made


@pytest.fixture
def people(alice: User, bob: User, rita: User) -> dict[str, User]:
    return {"alice": alice, "bob": bob, "rita": rita}


def test_a_program_submits_follows_and_asks_for_publication(alice: User, release: Release) -> None:
    client = program(alice, Scope.READ, Scope.SUBMIT)
    created = hand_in(client, release, WHOLE)
    assert created.status_code == 201, created.content
    document = created.json()
    assert document["state"] == "private"
    assert document["evaluation"]["state"] == "queued"
    assert document["evaluation"]["waits"]["sentence"]
    assert created.headers["Location"].endswith(f"{LIST}{document['id']}/")
    submission = Submission.objects.get(pk=document["id"])
    assert submission.owner == alice

    score_evaluation(only_evaluation(submission).pk)
    followed = client.get(address(submission)).json()
    assert followed["evaluation"]["state"] == "scored"
    assert followed["evaluation"]["waits"] is None
    assert "request" in followed["actions"]
    assert client.get(address(submission, "report/")).json()["tasks"].keys() == {"passkey"}
    packed = client.get(address(submission, "predictions/")).getvalue()
    assert ZipFile(BytesIO(packed)).namelist() == ["preds_passkey.jsonl"]
    lines = client.get(address(submission, "examples/")).getvalue().splitlines()
    assert [json.loads(line)["id"] for line in lines] == [0, 1, 2]
    for number in ("999999", "newest"):
        nothing = client.get(f"{address(submission, 'report/')}?evaluation={number}")
        assert problem_of(nothing) == (404, "unknown_evaluation")

    refused = act(client, submission, "request/")
    assert problem_of(refused) == (422, "invalid_fields")
    [error] = refused.json()["errors"]
    assert error["code"] == "settings_missing"
    assert "Prompt strategy, Truncation" in error["detail"]
    asked = act(client, submission, "request/", prompt_strategy="zero-shot", unknown_confirmed=True)
    assert asked.status_code == 200, asked.content
    assert asked.json()["state"] == "in review"
    submission.refresh_from_db()
    assert submission.prompt_strategy == "zero-shot"
    assert act(client, submission, "cancel-request/").json()["state"] == "private"
    # Others may have seen it, so it cannot be deleted.
    assert problem_of(client.delete(address(submission)))[0] == 409
    assert act(client, submission, "withdraw/").json()["state"] == "withdrawn"


def test_a_question_names_the_answers_that_can_be_sent(
    alice: User, release: Release, world: Path
) -> None:
    waiting = make_submission(alice, release, packed_folder(world / "preds"))
    score_evaluation(only_evaluation(waiting).pk)
    client = program(alice, Scope.READ, Scope.SUBMIT)
    question = client.get(address(waiting)).json()["evaluation"]["question"]
    assert question["kind"] == "alignment"
    [asked] = question["tasks"]
    assert asked["files"][0] in question["sentence"]
    assert (asked["rows"], asked["unknown"], asked["examples"]) == (3, 1, 3)
    [unknown] = asked["unknown_ids"]
    assert unknown in question["sentence"]
    assert {"align": "id"} in question["answers"]
    assert problem_of(act(client, waiting, "answer/"))[1] == "invalid_fields"
    answered = act(client, waiting, "answer/", **question["answers"][0])
    assert answered.json()["evaluation"]["state"] == "queued"
    again = act(client, waiting, "answer/", **question["answers"][0])
    assert problem_of(again) == (409, "wrong_state")
    assert again.json()["detail"] == ACTIONS[Action.ANSWER].otherwise


def test_another_release_is_advised_where_it_is_the_only_one_that_fits_better() -> None:
    chosen, fitting = Release(slug="chosen"), Release(slug="fitting")
    question = ReleaseQuestion([OtherRelease(fitting, "Fitting", [])], shows_agreement=False)
    context = {"submission": Submission(release=chosen)}
    document = QuestionSerializer(question, context=context).data
    assert document["kind"] == "release"
    assert document["answers"] == [{"release": "chosen"}, {"release": "fitting"}]
    assert document["advice"] == {"release": "fitting"}


def test_fields_that_are_wrong_are_named(alice: User, release: Release) -> None:
    client = program(alice, Scope.SUBMIT)
    answer = hand_in(client, release, release="none", language_model="nobody", input_limit="many")
    assert problem_of(answer) == (422, "invalid_fields")
    sentences = {error["field"]: error["detail"] for error in answer.json()["errors"]}
    assert release.slug in sentences["release"]
    assert ("language_model", "invalid_choice") in {
        (error["field"], error["code"]) for error in answer.json()["errors"]
    }
    fields = [error["field"] for error in answer.json()["errors"]]
    assert {"release", "language_model", "input_limit"} <= {*fields}
    [unknown] = hand_in(client, release, truncation="sideways").json()["errors"]
    assert all(value in unknown["detail"] for value in Submission.Truncation.values)
    known = LanguageModel.objects.create(name="Known", slug="known-7", owner=alice)
    again = hand_in(client, release, **{"model-name": "known"}).json()["errors"]
    assert [known.slug in error["detail"] for error in again] == [True]
    assert [(error["field"], error["code"]) for error in again] == [("model-name", "name_taken")]
    unnamed = hand_in(client, release, **{"model-name": ""})
    assert [error["field"] for error in unnamed.json()["errors"]] == ["model-name"]
    assert not Submission.objects.exists()


def test_a_known_language_model_is_named_as_in_its_address(alice: User, release: Release) -> None:
    client = program(alice, Scope.SUBMIT)
    slug = hand_in(client, release).json()["language_model"]
    second = hand_in(client, release, language_model=slug)
    assert second.status_code == 201, second.content
    assert Submission.objects.values_list("language_model").distinct().count() == 1


def test_a_body_that_is_no_form_is_refused(alice: User, release: Release) -> None:
    client = program(alice, Scope.SUBMIT)
    plain = client.post(LIST, b"{}", content_type="application/json")
    assert problem_of(plain) == (415, "unsupported_media_type")
    cut = client.post(LIST, b"--x\r\nContent-", content_type="multipart/form-data; boundary=x")
    assert cut.status_code in (400, 422)
    assert "page" not in cut.json()["detail"]
    assert not Submission.objects.exists()


def test_the_list_has_pages_and_only_what_is_ones_own(
    alice: User, bob: User, submission: Submission
) -> None:
    listed = program(alice, Scope.READ).get(LIST).json()
    assert [one["id"] for one in listed["submissions"]] == [str(submission.pk)]
    assert listed["next"] is None
    assert program(bob, Scope.READ).get(LIST).json()["submissions"] == []


# Who, with which scope → the response to each request.
_SCOPES: dict[tuple[str, Scope | None], dict[str, int]] = {
    ("alice", Scope.READ): {"get": 200, "list": 200, "post": 403, "submit": 403, "delete": 403},
    ("alice", Scope.SUBMIT): {"get": 403, "list": 403, "post": 409, "submit": 201, "delete": 204},
    ("bob", Scope.READ): {"get": 404, "list": 200, "post": 403, "submit": 403, "delete": 403},
    ("bob", Scope.SUBMIT): {"get": 403, "list": 403, "post": 404, "submit": 201, "delete": 404},
    ("rita", Scope.READ): {"get": 404, "list": 200, "post": 403, "submit": 403, "delete": 403},
    # Even a reviewer's token acts only on what the reviewer owns.
    ("rita", Scope.SUBMIT): {"get": 403, "list": 403, "post": 404, "submit": 201, "delete": 404},
    ("alice", None): {"get": 401, "list": 401, "post": 401, "submit": 401, "delete": 401},
}


@pytest.mark.parametrize(("who", "scope"), _SCOPES, ids=str)
def test_a_token_may_do_what_its_scope_says_and_its_owner_may(
    who: str,
    scope: Scope | None,
    submission: Submission,
    release: Release,
    people: dict[str, User],
) -> None:
    user = people[who]
    client = program(user, scope) if scope else signed_in(user)  # a cookie opens nothing here
    requests: dict[str, Callable[[], Answer]] = {
        "get": lambda: client.get(address(submission)),
        "list": lambda: client.get(LIST),
        "post": lambda: act(client, submission, "cancel-request/"),
        "submit": lambda: hand_in(client, release),
        "delete": lambda: client.delete(address(submission)),
    }
    answers = {name: request() for name, request in requests.items()}
    assert {name: answer.status_code for name, answer in answers.items()} == _SCOPES[who, scope]
    for answer in answers.values():
        if answer.status_code >= 400:
            problem_of(answer)
    if scope is None:
        assert answers["get"].headers["WWW-Authenticate"].startswith("Bearer")


def test_false_tokens_are_throttled(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("portal.web.throttle.MOST_EACH_MINUTE", 2)
    client = Client(headers={"Authorization": "Bearer ibench_false"})
    codes = [client.get(LIST).status_code for _ in range(3)]
    assert codes == [401, 401, 429]


def test_methods_that_do_not_exist_are_refused(alice: User, submission: Submission) -> None:
    client = program(alice, *Scope)
    paths = [LIST, address(submission), address(submission, "request/")]
    for method, path in product(("PUT", "PATCH", "OPTIONS"), paths):
        assert problem_of(client.generic(method, path)) == (405, "method_not_allowed"), path
    assert client.head(LIST).status_code == 200


def test_what_counts_what_is_right_of_a_hidden_release_is_not_told(
    alice: User, submission: Submission
) -> None:
    Release.objects.update(hidden=True)
    submission.evaluations.update(align="")
    score_evaluation(only_evaluation(submission).pk)
    client = program(alice, Scope.READ)
    document = client.get(address(submission)).json()
    assert "labelled" not in str(document)
    assert "by_id" not in str(document)
    assert document["state"] == SubmissionState.PRIVATE


def test_text_that_cannot_be_stored_is_refused(
    alice: User, release: Release, submission: Submission
) -> None:
    client = program(alice, Scope.READ, Scope.SUBMIT)
    assert problem_of(hand_in(client, release, note="a\0b"))[0] == 400
    for text in ("a\0b", "a\ud800b", "a\ufffdb"):
        assert problem_of(act(client, submission, "withdraw/", reason=text))[0] == 400
        assert problem_of(act(client, submission, "request/", note=text))[0] == 400
    assert client.get(f"{LIST}?cursor=a%00b").status_code == 400
    for cursor in ("none", "cD1mb28=", "cD0yMDI2LTEzLTQx"):  # p=foo, p=2026-13-41
        assert problem_of(client.get(f"{LIST}?cursor={cursor}")) == (400, "bad_cursor")
    for body in (b"[]", b"{", b'"x"', b"\xff", b"[" * 60_000):
        answer = client.post(address(submission, "reply/"), body, content_type="application/json")
        assert problem_of(answer)[0] == 400, body


def test_settings_are_corrected_while_it_is_private(alice: User, submission: Submission) -> None:
    client = program(alice, Scope.READ, Scope.SUBMIT)
    before = client.get(address(submission)).json()
    edited = act(client, submission, "edit/", note="Run twice.", input_limit="128K").json()
    assert (edited["note"], edited["input_limit"]) == ("Run twice.", 128_000)
    assert edited["prompt_strategy"] == before["prompt_strategy"]
    wrong = act(client, submission, "edit/", input_limit="many")
    assert problem_of(wrong) == (422, "invalid_fields")
    Submission.objects.update(state=SubmissionState.PUBLISHED)
    assert problem_of(act(client, submission, "edit/", note="Late."))[0] in (403, 409)


def test_an_upload_to_the_address_without_its_slash_arrives(alice: User, release: Release) -> None:
    client, sent = program(alice, Scope.READ, Scope.SUBMIT), {"note": "x" * 100_000}
    answer = client.post(LIST.removesuffix("/"), sent)
    assert (answer.status_code, answer.headers["Location"]) == (308, LIST)
    assert client.get(LIST.removesuffix("/")).headers["Location"] == LIST
