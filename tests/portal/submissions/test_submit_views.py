"""The submit page: who may use it, what it asks for, and how it responds."""

import re
from collections.abc import Iterator
from threading import Barrier, Thread
from typing import Any
from unittest.mock import patch
from uuid import UUID

import pytest
from bs4 import BeautifulSoup
from django.core.exceptions import NON_FIELD_ERRORS
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.test import Client
from pytest_django import Settings

from portal.models import (
    CountedUpload,
    LanguageModel,
    Release,
    Role,
    Submission,
    SubmissionState,
    User,
)
from portal.scores.documents.reports import command_line
from portal.submissions.files.originals import Upload
from portal.submissions.files.uploads import FORM_ROOM, Refusal
from portal.submissions.quotas import QUOTAS, Quota, quota_of
from portal.submissions.services import SubmissionSettings, submit_predictions
from portal.submissions.submit.views import REFUSED_UPLOADS
from tests.support import html
from tests.support.clients import (
    FILE,
    PASSKEY,
    errors_of,
    fields_of,
    signed_in,
    submit,
    submit_by_script,
    submitted,
    texts_of,
)
from tests.support.factories import make_submission, model_of, original_of
from tests.support.html import refused, templates_of
from tests.support.request_bodies import form_of, post_raw

pytestmark = pytest.mark.django_db
LARGE = 10**12  # bytes


@pytest.fixture
def browser(alice: User, release: Release) -> Client:
    return signed_in(alice)


@pytest.fixture
def no_sandbox() -> Iterator[None]:
    with patch("portal.submissions.submit.views.may_score", return_value=False):
        yield


# Who may submit, checked before anything is read


def test_signing_in_returns_to_the_form(client: Client, release: Release) -> None:
    answers: list[Any] = [client.get("/submit/"), submit(client, release)]
    for answer in answers:
        assert (answer.status_code, answer.url) == (302, "/accounts/login/?next=/submit/")
    assert not Submission.objects.exists()


@pytest.mark.usefixtures("no_sandbox")
def test_without_a_sandbox_the_page_says_why(browser: Client) -> None:
    answer = browser.get("/submit/")
    assert answer.status_code == 503
    assert "errors/no_sandbox.html" in templates_of(answer)


@pytest.mark.usefixtures("no_sandbox")
def test_without_a_sandbox_uploads_are_refused(browser: Client, release: Release) -> None:
    assert submit(browser, release).status_code == 503
    assert not Submission.objects.exists()


@pytest.mark.usefixtures("no_sandbox")
def test_checks_are_made_in_order_before_the_body_is_read(
    client: Client, browser: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(QUOTAS, Role.AUTHOR, 0)
    statuses = [post_raw(client, b"x", length=LARGE), post_raw(browser, b"x", length=LARGE)]
    with patch("portal.submissions.submit.views.may_score", return_value=True):
        statuses.append(post_raw(browser, b"x", length=LARGE))
    assert [(answer.status_code, answer.taken) for answer in statuses] == [
        (302, 0),
        (503, 0),
        (413, 0),
    ]


def test_a_form_from_elsewhere_is_refused(alice: User, release: Release) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice)
    assert submit(browser, release).status_code == 403
    assert not Submission.objects.exists()


def test_the_form_on_the_page_is_accepted(alice: User, release: Release) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice)
    page = browser.get("/submit/").content.decode()
    form = page.partition("data-upload")[2]
    token = form.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
    assert submitted(submit(browser, release, csrfmiddlewaretoken=token))


@pytest.mark.parametrize("method", ["put", "delete", "patch"])
def test_other_methods_are_refused(browser: Client, method: str) -> None:
    assert getattr(browser, method)("/submit/").status_code == 405


# What is submitted


def test_all_fields_are_stored(browser: Client, release: Release) -> None:
    settings = {
        "note": "with the longer templates",
        "prompt_strategy": "zero-shot",
        "truncation": "middle",
        "input_limit": 128_000,
        "output_limit": 1_024,
        "drop_first": True,
        "link": "https://example.org/paper",
    }
    submission = submitted(submit(browser, release, **settings, task="passkey"))
    assert {name: getattr(submission, name) for name in settings} == settings
    assert original_of(submission).task == "passkey"
    assert (submission.release, submission.state) == (release, SubmissionState.PRIVATE)
    assert submission.evaluations.get().state == "queued"


def test_tasks_are_chosen_for_files_without_one_in_their_names(
    browser: Client, release: Release
) -> None:
    files = [("a.jsonl", PASSKEY), ("b.jsonl", PASSKEY), FILE]
    fields = {"task-for:a.jsonl": "code_run", "task-for:b.jsonl": ""}
    submission = submitted(submit(browser, release, files, **fields))
    assert original_of(submission).file_tasks == {"a.jsonl": "code_run"}


def test_the_task_of_a_single_file_is_stored_under_its_own_name(
    browser: Client, release: Release
) -> None:
    fields = fields_of(release, **{"task-for:runs/a.jsonl": "code_run"})
    submission = submitted(post_raw(browser, form_of(fields, [("runs/a.jsonl", PASSKEY)])))
    original = original_of(submission)
    assert (original.name, original.file_tasks) == ("a.jsonl", {"a.jsonl": "code_run"})
    [tasks] = html.page(browser.get(f"/submissions/{submission.pk}/")).select("[data-file-tasks]")
    assert html.text(tasks).replace(" :", ":") == "a.jsonl: Code.Run"
    assert "--task a.jsonl=code_run" in command_line(submission.evaluations.get())


def test_an_unknown_task_of_a_file_is_refused(browser: Client, release: Release) -> None:
    answer = submit(browser, release, **{"task-for:a.jsonl": "made_up"})
    assert answer.status_code == 422
    assert answer.context["forms"].form.has_error(NON_FIELD_ERRORS, "file_tasks")
    assert not Submission.objects.exists()


def test_a_new_language_model_is_described_in_the_same_form(
    browser: Client, alice: User, release: Release
) -> None:
    about = {
        "name": "长文 8B",
        "organisation": "Somebody",
        "parameters": "8B",
        "licence": "Apache-2.0",
        "weights": "open",
        "context_window": 131_072,
        "link": "https://example.org/",
    }
    fields = {f"model-{name}": value for name, value in about.items()}
    model = submitted(submit(browser, release, **fields)).language_model
    assert {name: getattr(model, name) for name in about} == about
    assert model.owner == alice
    assert model.slug.startswith("8b-")


def test_a_known_language_model_is_chosen(browser: Client, alice: User, release: Release) -> None:
    mine = model_of(alice)
    submission = submitted(submit(browser, release, language_model=mine.pk, **{"model-name": ""}))
    assert submission.language_model == mine
    assert LanguageModel.objects.count() == 1


def test_a_script_gets_the_address_of_the_submission(browser: Client, release: Release) -> None:
    answer = submit_by_script(browser, release)
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/submissions/{Submission.objects.get().pk}/"


def test_a_form_sent_twice_makes_one_submission(browser: Client, release: Release) -> None:
    once, twice = (submit(browser, release, submission=KEY) for _ in range(2))
    assert once.url == twice.url == f"/submissions/{KEY}/"
    assert Submission.objects.count() == CountedUpload.objects.count() == 1


KEY = UUID("6f1c1e0a-53f5-4c0e-9a60-0d5a9b8a3d11")


def test_another_user_s_submission_is_not_mistaken_for_a_repeat(
    browser: Client, bob: User, release: Release
) -> None:
    other = make_submission(bob, release, b"{}")
    answer = submit(browser, release, submission=other.pk)
    assert answer.status_code == 422
    assert "has expired" in texts_of(answer)
    assert Submission.objects.get() == other


@pytest.mark.django_db(transaction=True)
def test_a_form_sent_twice_at_once_makes_one_submission(
    alice: User, release: Release, storage: object
) -> None:
    mine, ready, places = model_of(alice), Barrier(2), []

    def send() -> None:
        browser = signed_in(alice)
        ready.wait()
        answer = submit(browser, release, submission=KEY, language_model=mine.pk)
        places.append(answer.url)
        connection.close()

    threads = [Thread(target=send) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert places == [f"/submissions/{KEY}/"] * 2
    [submission] = Submission.objects.all()
    assert default_storage.listdir("uploads")[1] == [original_of(submission).file.name[8:]]


# Mistakes


def test_all_errors_are_shown_at_once_and_the_input_is_kept(
    browser: Client, release: Release
) -> None:
    wrong = {
        "release": 12_345,
        "truncation": "sideways",
        "input_limit": "many",
        "output_limit": -1,
        "link": "javascript:alert(1)",
        "task": "chess",
        "prompt_strategy": "kept as typed",
        "model-name": "",
        "model-context_window": 10**12,
        "model-link": "ftp://example.org/",
    }
    answer = submit(browser, release, [], **wrong)
    kept = set(wrong) - {"prompt_strategy"}
    assert set(errors_of(answer)) == {*kept, "predictions"}
    assert 'value="kept as typed"' in answer.content.decode()
    assert not Submission.objects.exists()
    assert not LanguageModel.objects.exists()


def test_errors_are_shown_in_the_order_of_the_page(browser: Client, release: Release) -> None:
    wrong = {
        "link": "x",
        "model-link": "x",
        "model-name": "",
        "output_limit": "x",
        "input_limit": "x",
        "release": "",
    }
    assert errors_of(submit(browser, release, [], **wrong)) == [
        "predictions", "release", "model-name", "model-link", "input_limit", "output_limit", "link"
    ]  # fmt: skip


@pytest.mark.parametrize("typed", ["0", "-1", "128 KB", "1.5", str(10**12), "9" * 5_000])
def test_an_invalid_number_of_tokens_is_answered_with_an_example(
    browser: Client, release: Release, typed: str
) -> None:
    answer = submit(browser, release, input_limit=typed)
    assert errors_of(answer) == ["input_limit"]
    assert "for example 131072" in texts_of(answer)


@pytest.mark.parametrize("typed", ["128K", "128,000", "0.128m", "１２８Ｋ"])
def test_a_number_of_tokens_may_be_typed_as_people_write_it(
    browser: Client, release: Release, typed: str
) -> None:
    fields = {"input_limit": typed, "model-context_window": typed}
    submission = submitted(submit(browser, release, **fields))
    assert submission.input_limit == submission.language_model.context_window == 128_000


@pytest.mark.parametrize("typed", ["paper", "http://", "ftp://example.org/", "https://x y"])
def test_an_invalid_link_is_answered_with_an_example(
    browser: Client, release: Release, typed: str
) -> None:
    answer = submit(browser, release, link=typed)
    assert errors_of(answer) == ["link"]
    assert "for example https://example.org/paper" in texts_of(answer)


TEXTS = {
    "  a   name\t": "a name",
    "ﬁne ①": "fine 1",
    "模型": "模型",
    "bidi \u202e override": None,
    "zero\u200bwidth": None,
    "bell\x07": None,
    "nul\0": None,
    "x" * 121: None,
    "\u0301\u0316" * 100_000: None,  # would take minutes to normalise
}


@pytest.mark.parametrize("typed", TEXTS, ids=ascii)
def test_a_name_is_normalised_and_visible(browser: Client, release: Release, typed: str) -> None:
    answer = submit(browser, release, **{"model-name": typed})
    if (expected := TEXTS[typed]) is None:
        assert errors_of(answer) == ["model-name"]
    else:
        assert submitted(answer).language_model.name == expected


@pytest.mark.parametrize("field", ["prompt_strategy", "link", "model-licence", "submission"])
def test_a_nul_is_refused_in_every_text(browser: Client, release: Release, field: str) -> None:
    answer = submit(browser, release, **{field: "https://example.org/\0"})
    assert errors_of(answer) == [field]


def test_a_model_described_before_is_to_be_chosen(
    browser: Client, alice: User, release: Release
) -> None:
    model_of(alice)
    answer = submit(browser, release, **{"model-name": "MODEL"})
    assert errors_of(answer) == ["model-name"]


def test_a_closed_release_cannot_be_chosen(browser: Client, release: Release) -> None:
    Release.objects.create(slug="open", title="Open")
    Release.objects.filter(pk=release.pk).update(accepts_submissions=False)
    assert errors_of(submit(browser, release)) == ["release"]


def test_releases_are_chosen_by_what_they_are(browser: Client, release: Release) -> None:
    Release.objects.update(description="Labels of a small world.")
    page = browser.get("/submit/").content.decode()
    assert "Labels of a small world." in page
    assert page.count('<input type="radio" name="release"') == 1
    assert re.search(rf'name="release" value="{release.pk}"[^>]* checked', page)


def test_a_release_is_preselected_only_if_there_is_no_other(
    browser: Client, release: Release
) -> None:
    """The next files may be for another release than the last submission."""
    chosen = re.compile(r'name="release" value="(\d+)"[^>]* checked')
    submit(browser, release)
    assert chosen.findall(browser.get("/submit/").content.decode()) == [str(release.pk)]
    Release.objects.create(slug="newer", title="Newer")
    assert chosen.findall(browser.get("/submit/").content.decode()) == []


def test_no_language_model_is_preselected(browser: Client, release: Release) -> None:
    page = browser.get("/submit/").content.decode()
    assert re.search(r'name="language_model" value="new"[^>]* checked', page)  # there is no other
    submitted(submit(browser, release))
    page = browser.get("/submit/").content.decode()
    assert not re.search(r'name="language_model"[^>]* checked', page)
    assert errors_of(submit(browser, release, language_model="")) == ["language_model"]


def test_many_releases_are_a_list_of_names(browser: Client, release: Release) -> None:
    Release.objects.bulk_create(Release(slug=f"r{n}", title=f"R{n}") for n in range(6))
    page = browser.get("/submit/").content.decode()
    assert '<select name="release"' in page
    assert submitted(submit(browser, release)).release == release


def test_without_a_release_there_is_no_form(browser: Client) -> None:
    Release.objects.update(accepts_submissions=False)
    page = browser.get("/submit/")
    assert "data-upload" not in page.content.decode()


# What belongs to others


def test_private_models_of_others_are_neither_offered_nor_accepted(
    browser: Client, bob: User, release: Release
) -> None:
    secret = LanguageModel.objects.create(name="Unreleased 9", slug="unreleased-9", owner=bob)
    assert "Unreleased" not in browser.get("/submit/").content.decode()
    answer = submit(browser, release, language_model=secret.pk)
    assert errors_of(answer) == ["language_model"]
    assert "Unreleased" not in answer.content.decode()


def test_the_address_of_a_model_does_not_reveal_the_names_of_others(
    browser: Client, bob: User, release: Release
) -> None:
    secret = LanguageModel.objects.create(name="Unreleased 9", slug="unreleased-9", owner=bob)
    mine = submitted(submit(browser, release, **{"model-name": "Unreleased 9"})).language_model
    assert mine != secret
    assert len(mine.slug) == len("unreleased-9-") + 6


def offered(
    browser: Client, search: str = "", address: str = "/submit/", **asked: str
) -> list[str]:
    """The values that can be chosen: ids, and “new”."""
    page = BeautifulSoup(browser.get(address, {"models": search, **asked}).content, "html.parser")
    return [str(choice["value"]) for choice in page.select("[name=language_model]")]


@pytest.mark.parametrize("address", ["/submit/", "/submit/models/"])
def test_public_models_are_found_however_they_are_spelled(
    browser: Client, bob: User, release: Release, address: str
) -> None:
    make_submission(bob, release, b"{}")
    Submission.objects.update(state=SubmissionState.PUBLISHED)
    paper = LanguageModel.objects.create(name="Llama-3.1-8B", slug="l", organisation="Meta")
    assert offered(browser, address=address) == ["new"]
    assert offered(browser, "model", address) == [str(model_of(bob).pk), "new"]
    assert offered(browser, "llama 3.1 meta", address) == [str(paper.pk), "new"]
    assert offered(browser, "no such", address) == ["new"]


def test_own_models_are_offered_without_a_search_and_come_first(
    browser: Client, alice: User
) -> None:
    site = LanguageModel.objects.create(name="A model", slug="of-the-site")
    mine = model_of(alice)
    assert offered(browser) == [str(mine.pk), "new"]
    assert offered(browser, "model") == [str(mine.pk), str(site.pk), "new"]


def test_the_baselines_of_the_site_and_private_models_are_not_found(
    browser: Client, bob: User
) -> None:
    LanguageModel.objects.create(name="Reader", slug="reader", baseline=True)
    LanguageModel.objects.create(name="Reader 2", slug="reader-2", owner=bob)
    assert offered(browser, "reader") == ["new"]


def test_what_is_chosen_stays_in_the_list_and_a_long_list_is_cut(browser: Client) -> None:
    many = [LanguageModel.objects.create(name=f"M {n:02}", slug=f"m-{n}") for n in range(12)]
    found = offered(browser, "m", "/submit/models/", chosen=str(many[11].pk))
    assert found == [str(one.pk) for one in (many[11], *many[:10])] + ["new"]


# What is asked of a language model


def test_weights_are_not_stated_unless_the_author_states_them(
    browser: Client, release: Release
) -> None:
    page = browser.get("/submit/").content.decode()
    [chosen] = re.findall(r'<input type="radio" name="model-weights"[^>]*checked[^>]*>', page)
    assert 'value=""' in chosen
    model = submitted(submit(browser, release, **{"model-weights": ""})).language_model
    assert (model.weights, model.get_weights_display()) == ("", "not stated")
    texts = texts_of(browser.get(f"/submissions/{model.submissions.get().pk}/"))
    assert "Weights not stated" in " ".join(texts.split())


# A new version


def test_a_new_version_begins_with_the_settings_of_the_earlier(
    browser: Client, release: Release
) -> None:
    first = submitted(submit(browser, release, prompt_strategy="as before", drop_first=True))
    page = browser.get(f"/submit/?from={first.pk}").content.decode()
    assert 'value="as before"' in page
    model = first.language_model_id
    assert re.search(rf'name="language_model" value="{model}"[^>]* checked', page)
    assert re.search(r'<input[^>]* name="drop_first"[^>]* checked>', page)
    assert f'href="/submissions/{first.pk}/"' in page
    assert f"{first.created:%Y-%m-%d %H:%M}" in page
    assert f'name="previous" value="{first.pk}"' in page


def test_a_new_version_is_linked_to_the_earlier_one(browser: Client, release: Release) -> None:
    first = submitted(submit(browser, release))
    mine = first.language_model_id
    second = submitted(submit(browser, release, previous=first.pk, language_model=mine))
    assert second.previous == first
    other = submitted(submit(browser, release, previous=first.pk, **OTHER_MODEL))
    assert other.previous is None  # a run of another language model is not a version of this one


def test_an_invalid_form_remembers_the_earlier_version(browser: Client, release: Release) -> None:
    first = submitted(submit(browser, release))
    answer = submit(browser, release, [], previous=first.pk)
    assert errors_of(answer)[0] == "predictions"
    assert f'name="previous" value="{first.pk}"' in answer.content.decode()


@pytest.mark.parametrize("which", ["x", str(KEY)])
def test_a_version_of_a_deleted_submission_is_a_first_version(
    browser: Client, alice: User, release: Release, which: str
) -> None:
    answer = submit(browser, release, previous=which, language_model=model_of(alice).pk)
    assert answer.status_code == (422 if which == "x" else 302)


def test_a_version_of_the_submission_of_another_user_is_refused(
    browser: Client, alice: User, bob: User, release: Release
) -> None:
    other = make_submission(bob, release, b"{}")
    mine = submitted(submit(browser, release, previous=other.pk))
    assert mine.previous is None
    with refused("not_own"):
        submit_predictions(
            owner=alice,
            language_model=model_of(alice),
            release=release,
            settings=SubmissionSettings(),
            upload=Upload(ContentFile(b"{}"), "x"),
            previous=other,
        )


def test_the_settings_of_others_cannot_be_copied(
    browser: Client, bob: User, release: Release
) -> None:
    other = make_submission(bob, release, b"{}")
    assert browser.get(f"/submit/?from={other.pk}").status_code == 404


@pytest.mark.parametrize("which", ["", "x", "%00", str(KEY)])
def test_an_unknown_earlier_version_is_not_found(browser: Client, which: str) -> None:
    assert browser.get(f"/submit/?from={which}").status_code in (400, 404)


# The quota


def test_the_page_shows_the_remaining_quota(browser: Client, release: Release) -> None:
    submit(browser, release)
    assert "29 of 30 uploads left (24 hours)." in texts_of(browser.get("/submit/"))


def test_when_the_quota_is_used_up_the_page_says_until_when(
    browser: Client, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(QUOTAS, Role.AUTHOR, 1)
    submit(browser, release)
    for answer, status in ((browser.get("/submit/"), 200), (submit(browser, release), 429)):
        assert answer.status_code == status
        assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d", texts_of(answer))
        assert "data-upload" not in answer.content.decode()
    assert Submission.objects.count() == 1


def test_with_too_many_in_the_queue_the_page_says_so(
    browser: Client, release: Release, settings: Settings
) -> None:
    settings.MAX_QUEUED = 1
    submit(browser, release)
    with patch("portal.submissions.submit.views.receive") as receive:
        answer = submit(browser, release)
    assert not receive.called  # no byte of the body was read
    assert (answer.status_code, answer["Retry-After"]) == (429, "60")
    for page in (answer, browser.get("/submit/")):
        assert 'data-code="queue_full"' in page.content.decode()
        assert "data-upload" not in page.content.decode()


def test_an_upload_beyond_the_bytes_of_the_day_is_refused_unread(
    browser: Client, release: Release, settings: Settings
) -> None:
    settings.DAILY_BYTES = 1_000
    upload = {"CONTENT_LENGTH": str(FORM_ROOM + 1_001)}
    with patch("portal.submissions.submit.views.receive") as receive:
        answer = browser.post("/submit/", {"files": ContentFile(b"x", name="x")}, **upload)  # type: ignore[arg-type]
    assert not receive.called
    assert answer.status_code == 429
    assert 'data-code="bytes_quota"' in answer.content.decode()


def test_an_upload_that_would_fill_the_disk_is_refused_unread(
    browser: Client, release: Release, settings: Settings
) -> None:
    settings.MIN_FREE = LARGE**2
    with patch("portal.submissions.submit.views.receive") as receive:
        answer = submit(browser, release)
    assert not receive.called
    assert answer.status_code == REFUSED_UPLOADS[Refusal.NO_ROOM].status == 507
    assert not CountedUpload.objects.exists()


def test_the_quota_is_checked_again_after_the_files_were_received(
    browser: Client, alice: User, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(QUOTAS, Role.AUTHOR, 1)
    checks = iter([Quota(limit=1, used=0)] * 2)  # before the files are received
    quota = "portal.submissions.submit.views.quota_of"
    with patch(quota, side_effect=lambda user: next(checks, None) or quota_of(user)):
        first, second = submit(browser, release), submit(browser, release, **OTHER_MODEL)
    assert (first.status_code, second.status_code) == (302, 429)
    assert "Retry-After" in second.headers
    assert LanguageModel.objects.count() == 1


OTHER_MODEL = {"model-name": "Another"}


@pytest.mark.parametrize(
    ("way", "own"), [("/submit/", ["upload"]), ("/submit/hub/", [])], ids=["files", "Hub"]
)
def test_each_way_to_submit_loads_the_scripts_of_all_pages_and_its_own_once(
    browser: Client, release: Release, way: str, own: list[str]
) -> None:
    scripts = html.page(browser.get(way)).select("head script[src]")
    names = sorted(str(one["src"]).rpartition("/")[2].partition(".")[0] for one in scripts)
    assert names == sorted(["site", "unsaved", "model-search", *own])
