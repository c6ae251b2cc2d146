"""Request bodies of programs: nothing is silently dropped or misread."""

from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from portal.api.submissions import actions
from portal.errors import StateError
from portal.evaluations.tasks import score_evaluation
from portal.models import LanguageModel, Release, Scope, Submission, User
from tests.support.factories import make_submission, only_evaluation, packed_folder
from tests.support.programs import LIST, act, address, hand_in, problem_of, program

pytestmark = pytest.mark.django_db


@pytest.fixture
def submission(alice: User, release: Release, world: Path) -> Submission:
    made = make_submission(alice, release, packed_folder(world / "preds"))
    made.evaluations.update(align="id")
    score_evaluation(only_evaluation(made).pk)
    return made


@pytest.fixture
def client(alice: User) -> Client:
    return program(alice, Scope.READ, Scope.SUBMIT)


LATER = "2027-02-01T00:00:00Z"
REFUSED: dict[tuple[str | None, str], tuple[str, dict[str, object]]] = {  # by field and code
    ("publish_onn", "unknown_field"): ("request/", {"publish_onn": LATER}),
    ("unknown_confirmed", "wrong_type"): ("request/", {"unknown_confirmed": "no"}),
    ("state", "unknown_field"): ("edit/", {"state": "published"}),
    ("note", "wrong_type"): ("edit/", {"note": ["a"]}),
    ("link", "wrong_type"): ("edit/", {"link": True}),
    ("reason", "unknown_field"): ("cancel-request/", {"reason": "x"}),
    (None, "no_answer"): ("answer/", {"align": "id", "release": "small"}),
    ("publish_on", "wrong_type"): ("request/", {"publish_on": 1e30}),
    ("show_account", "wrong_type"): ("request/", {"show_account": -1}),
    ("publish_on", "invalid"): ("request/", {"publish_on": "0001-01-01T00:00:00+23:59"}),
    ("publish_on", "publish_on_past"): ("request/", {"publish_on": "2020-01-01T00:00:00Z"}),
    ("publish_on", "publish_on_too_late"): ("request/", {"publish_on": "2999-01-01T00:00:00Z"}),
}


@pytest.mark.parametrize("error", REFUSED)
def test_a_field_that_is_unknown_or_of_another_type_is_refused(
    client: Client, submission: Submission, error: tuple[str | None, str]
) -> None:
    action, sent = REFUSED[error]
    answer = act(client, submission, action, **sent)
    assert problem_of(answer) == (422, "invalid_fields")
    assert error in [(one["field"], one["code"]) for one in answer.json()["errors"]]
    assert client.get(address(submission)).json()["state"] == "private"


def test_what_a_service_refuses_for_a_field_is_said_at_the_field(
    client: Client, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the form had found it: the data may have changed in between."""

    def refuse(code: str) -> Callable[..., None]:
        def service(*_: object, **__: object) -> None:
            raise StateError("No.", code)

        return service

    monkeypatch.setattr(actions, "request_publication", refuse("publish_on_past"))
    sent = {"prompt_strategy": "official", "truncation": "middle", "unknown_confirmed": True}
    answer = act(client, submission, "request/", **sent)
    assert problem_of(answer) == (422, "invalid_fields")
    [error] = answer.json()["errors"]
    assert (error["field"], error["code"]) == ("publish_on", "publish_on_past")
    monkeypatch.setattr(actions, "request_publication", refuse("wrong_state"))
    assert problem_of(act(client, submission, "request/", **sent)) == (409, "wrong_state")


def test_a_setting_that_the_site_has_asked_with_is_not_dropped_in_silence(
    client: Client, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "fixed_settings", lambda _: frozenset({"truncation"}))
    for action in ("edit/", "request/"):
        answer = act(client, submission, action, truncation="start")
        assert problem_of(answer) == (422, "invalid_fields")
        assert ("truncation", "fixed_by_run") in [
            (one["field"], one["code"]) for one in answer.json()["errors"]
        ]
    same = submission.truncation
    assert act(client, submission, "edit/", truncation=same, note="Mine").status_code == 200


def test_numbers_and_nulls_are_taken_as_texts(client: Client, submission: Submission) -> None:
    assert act(client, submission, "edit/", input_limit=128_000, note=None).status_code == 200
    submission.refresh_from_db()
    assert (submission.input_limit, submission.note) == (128_000, "")


def test_of_an_upload_likewise(client: Client, release: Release) -> None:
    file = SimpleUploadedFile("preds_passkey.jsonl", b"{}")
    for sent in ({"tem": "alpha"}, {"file": file}):
        answer = hand_in(client, release, **sent)
        assert problem_of(answer) == (422, "invalid_fields")
        assert [one["code"] for one in answer.json()["errors"]] == ["unknown_field"]
    assert not Submission.objects.exists()


def test_an_earlier_version_is_ones_own_and_has_what_is_kept(
    client: Client, submission: Submission, release: Release, bob: User, world: Path
) -> None:
    other = make_submission(bob, release, packed_folder(world / "preds"))
    slug = submission.language_model.slug
    known = {"model-name": "", "language_model": slug}
    for sent, field in (
        ({"previous": other.pk, "keep": "passkey"}, "previous"),
        ({"previous": uuid4(), "keep": "passkey"}, "previous"),
        ({"previous": submission.pk, "keep": "math_find"}, "keep"),
        ({"keep": "passkey"}, "keep"),
    ):
        answer = hand_in(client, release, **known, **sent)
        assert problem_of(answer) == (422, "invalid_fields"), sent
        assert [one["field"] for one in answer.json()["errors"]] == [field]
    assert hand_in(client, release, **known, previous=submission.pk).status_code == 201
    assert LanguageModel.objects.filter(owner=submission.owner).count() == 1


@pytest.mark.parametrize("cursor", ["x", "AAAA", "cD14", "cD0lMDA="])  # the last two: p=x, p=%00
def test_a_cursor_that_no_answer_has_given_is_refused(
    client: Client, submission: Submission, cursor: str
) -> None:
    assert problem_of(client.get(LIST, {"cursor": cursor})) == (400, "bad_cursor")


def test_lists_by_name_have_pages_too(client: Client, alice: User) -> None:
    models = [LanguageModel(owner=alice, name=f"m{one:02}", slug=f"m{one:02}") for one in range(51)]
    LanguageModel.objects.bulk_create(models)
    first = client.get("/api/v1/my-models/").json()
    second = client.get(first["next"]).json()
    assert [len(page["models"]) for page in (first, second)] == [50, 1]


def test_a_wrong_answer_is_one_error(client: Client, submission: Submission) -> None:
    answer = act(client, submission, "answer/", align="\u202eno")
    [error] = answer.json()["errors"]
    assert (error["field"], error["code"]) == ("align", "invalid_choice")
    assert "id, order" in error["detail"]
    assert "\u202e" not in error["detail"]


@pytest.mark.parametrize("path", ["submissions/{}/edit/", "submissions/{}/withdraw/"])
def test_only_json_is_taken_but_where_files_are(
    alice: User, submission: Submission, path: str
) -> None:
    client = program(alice, *Scope)
    kind = "application/x-www-form-urlencoded"
    answer = client.post(f"/api/v1/{path.format(submission.pk)}", "note=a", content_type=kind)
    assert problem_of(answer) == (415, "unsupported_media_type")
    assert "application/json" in answer.json()["detail"]
    files = client.post(LIST, {"note": "a"}, content_type="application/json")
    assert problem_of(files) == (415, "unsupported_media_type")
    assert "multipart/form-data" in files.json()["detail"]


def test_a_body_in_chunks_has_to_say_its_length(client: Client, submission: Submission) -> None:
    for path in (address(submission, "edit/"), LIST):
        chunked = client.post(
            path,
            b"{}",
            content_type="application/json",
            headers={"Transfer-Encoding": "chunked"},
            CONTENT_LENGTH="",
        )
        assert problem_of(chunked) == (411, "no_length")
        assert "Content-Length" in chunked.json()["detail"]


def test_sentences_are_ours_and_repeat_nothing_that_was_sent(
    client: Client, submission: Submission
) -> None:
    """They are neither the framework's nor Python's."""
    edit = address(submission, "edit/")
    wrong = '{"note": "secret",\n nothing}'
    answers = [
        client.post(edit, wrong, content_type="application/json"),
        client.post(edit, '{"note": NaN}', content_type="application/json"),
        client.post(edit, b"\xff", content_type="application/json"),
        client.post(edit, "9" * 5_000, content_type="application/json"),
        client.post(edit, "x", content_type="text/secret"),
        client.get(edit),
        client.get(LIST, headers={"Accept": "text/secret"}),
        Client().get(LIST),
        client.get(address(submission, "nothing/")),
        client.get(f"/api/v1/submissions/{uuid4()}/"),
    ]
    details = [answer.json()["detail"] for answer in answers]
    assert [answer.status_code for answer in answers[:7]] == [400] * 4 + [415, 405, 406]
    assert "line 2, column 2" in details[0]
    framework = ("parse error", "secret", "Expecting", "credentials", "Not found.", 'Method "')
    assert [text for text in details for word in framework if word in text] == []
