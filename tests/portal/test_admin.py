"""Django's admin: what can be viewed, what can be changed, and what cannot."""

import re
from collections.abc import Mapping
from html import unescape
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.db import connection, models
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from portal.audit.chain import verify_log
from portal.mail.outbox import notify_author, queue_account_email
from portal.models import (
    Action,
    AuditEntry,
    Evaluation,
    Example,
    LanguageModel,
    Notice,
    NoticeState,
    Release,
    ReleaseAdmission,
    ReportedEntry,
    ReportedScore,
    Role,
    Submission,
    User,
)
from portal.review.fingerprint import review_fingerprint
from portal.states import change_submission
from portal.submissions.services import delete_submission
from tests.support import html
from tests.support.factories import (
    as_if_scored,
    checked,
    make_submission,
    model_of,
    packed_folder,
)
from tests.support.html import notices

pytestmark = pytest.mark.django_db

MODELS = sorted((model for model in admin.site._registry), key=lambda model: model.__name__)
READ_ONLY = (
    "taskdataset",
    "example",
    "submission",
    "evaluation",
    "taskscore",
    "auditentry",
    "notice",
)


@pytest.fixture
def client(adam: User) -> Client:
    client = Client()
    client.force_login(adam)
    return client


@pytest.fixture
def submission(alice: User, release: Release, world: Path) -> Submission:
    """A submission, together with a row of every model."""
    submission = as_if_scored(make_submission(alice, release, packed_folder(world / "preds")))
    change_submission(submission, Action.REQUEST_PUBLICATION, by=alice)
    notify_author(submission)
    entry = ReportedEntry.objects.create(language_model=model_of(alice), source="a paper")
    ReportedScore.objects.create(entry=entry, task="passkey", percent=99.5)
    ReleaseAdmission.objects.create(release=release, account=alice)
    return submission


def page(model: type[models.Model] | str, action: str, pk: object = None) -> str:
    name = model if isinstance(model, str) else model._meta.model_name
    app = "portal" if isinstance(model, str) else model._meta.app_label
    return reverse(f"admin:{app}_{name}_{action}", args=[] if pk is None else [pk])


@pytest.mark.usefixtures("submission")
def test_every_model_can_be_listed_searched_and_opened(
    client: Client, subtests: pytest.Subtests
) -> None:
    for model in MODELS:
        with subtests.test(model=model.__name__):
            look_through(client, model)


def look_through(client: Client, model: type[models.Model]) -> None:
    assert client.get(page(model, "changelist")).status_code == 200
    for query in ("q=a", "q=%25%27%22%3C", "o=1", "p=99999999999", "e=1"):
        assert client.get(page(model, "changelist") + "?" + query).status_code in (200, 302)
    for query in ("nonsense=1", f"created__year={'9' * 24}&created__month=1", "created__day=1e99"):
        assert client.get(page(model, "changelist") + "?" + query).status_code in (302, 400)
    for row in model._default_manager.all()[:3]:
        for action in ("change", "history"):
            assert client.get(page(model, action, row.pk)).status_code == 200
    for unknown in ("0", "none", "9" * 40, "_00", "1e9", "-1"):
        assert client.get(page(model, "change", unknown)).status_code == 302


@pytest.mark.usefixtures("submission")
def test_every_filter_of_a_list_works(client: Client, subtests: pytest.Subtests) -> None:
    for place in (page(model, "changelist") for model in MODELS):
        for query in re.findall(r'<a href="(\?[^"]+)"', client.get(place).text):
            with subtests.test(place=place, query=query):
                assert client.get(place + unescape(query)).status_code == 200


@pytest.mark.usefixtures("submission")
def test_models_written_by_services_are_read_only(
    client: Client, subtests: pytest.Subtests
) -> None:
    for name in READ_ONLY:
        with subtests.test(name=name):
            try_to_change(client, name)


def try_to_change(client: Client, name: str) -> None:
    model = next(model for model in MODELS if model._meta.model_name == name)
    row = model._default_manager.all()[0]
    before = model._default_manager.values().get(pk=row.pk)
    assert client.get(page(name, "add")).status_code == 403
    for action in ("change", "delete"):
        assert client.post(page(name, action, row.pk), {"post": "yes"}).status_code == 403
    marked = {"action": "delete_selected", "_selected_action": row.pk, "post": "yes"}
    client.post(page(name, "changelist"), marked)
    assert model._default_manager.values().get(pk=row.pk) == before


@pytest.mark.usefixtures("submission")
def test_lists_do_not_load_long_columns(client: Client) -> None:
    long = {
        Evaluation: ("failure_details", "problems", "signature"),
        Example: ('"label"', '"question"'),
        Notice: ("failure", "body"),
    }
    for model, columns in long.items():
        with CaptureQueriesContext(
            connection,
        ) as queries:
            client.get(page(model, "changelist"))
        asked = [query["sql"] for query in queries if model._meta.db_table in query["sql"]]
        assert asked
        assert not [sql for sql in asked for column in columns if column in sql]


def test_no_password_is_shown(client: Client, alice: User) -> None:
    alice.set_password("long enough to be one")
    alice.save()
    text = client.get(page(User, "change", alice.pk)).content.decode()
    assert "alice" in text
    assert alice.password not in text
    assert "password" not in text.replace("/admin/password_change/", "").lower().replace(
        "change password", ""
    )


def role(client: Client, user: User, role: str, **more: str) -> int:
    fields = {"role": role, "organisation": "", "link": "", **more}
    return client.post(page(User, "change", user.pk), fields).status_code


def test_an_admin_makes_another_and_takes_it_back(client: Client, alice: User) -> None:
    for wanted, enters in ((Role.ADMIN, 200), (Role.REVIEWER, 302), (Role.AUTHOR, 302)):
        assert role(client, alice, wanted, is_active="on") == 302
        alice.refresh_from_db()
        assert alice.role == wanted
        theirs = Client()
        theirs.force_login(alice)
        assert theirs.get("/admin/").status_code == enters


def test_an_account_can_be_closed_but_not_ones_own(client: Client, alice: User, adam: User) -> None:
    role(client, alice, Role.AUTHOR)
    role(client, adam, Role.AUTHOR)
    alice.refresh_from_db()
    adam.refresh_from_db()
    assert (alice.is_active, adam.is_active, adam.role) == (False, True, Role.ADMIN)


def test_no_admin_can_reach_the_address_or_the_password_of_an_account(
    client: Client, alice: User
) -> None:
    """Either would give access to the account."""
    EmailAddress.objects.create(user=alice, email="alice@example.org", verified=True)
    assert client.get("/admin/account/emailaddress/").status_code == 404
    before = User.objects.values("username", "email", "password").get(pk=alice.pk)
    taken = {"username": "eve", "email": "eve@example.org", "addresses": "eve@example.org"}
    assert role(client, alice, Role.AUTHOR, is_active="on", password="eve", **taken) == 302
    assert User.objects.values("username", "email", "password").get(pk=alice.pk) == before
    assert [one.email for one in EmailAddress.objects.all()] == ["alice@example.org"]
    assert "alice@example.org (confirmed)" in client.get(page(User, "change", alice.pk)).text


def test_only_models_of_our_own_are_in_the_admin() -> None:
    """A model registered by a package might bypass the rules of the services."""
    assert {model._meta.app_label for model in MODELS} == {"portal"}


def test_an_unknown_role_is_an_error(client: Client, alice: User) -> None:
    assert role(client, alice, "emperor", is_active="on") == 200
    alice.refresh_from_db()
    assert alice.role == Role.AUTHOR


def test_only_the_title_and_the_status_of_a_release_can_be_changed(
    client: Client, release: Release
) -> None:
    asked = {"title": "Other", "slug": "other", "hidden": "on"}
    assert client.post(page(Release, "change", release.pk), asked).status_code == 302
    found = Release.objects.get()
    assert (found.title, found.accepts_submissions) == ("Other", False)
    assert (found.slug, found.hidden, found.data_sets.count()) == ("small", False, 3)


NO_FACTS = {"facts-TOTAL_FORMS": "0", "facts-INITIAL_FORMS": "0"}


def test_a_language_model_of_the_site_can_be_saved(client: Client) -> None:
    fields = {"slug": "gpt-4", "name": "GPT-4", "weights": "closed", "owner": "", **NO_FACTS}
    assert client.post(page(LanguageModel, "add"), fields).status_code == 302
    model = LanguageModel.objects.get()
    fields |= {"licence": "Other"}
    assert client.post(page(LanguageModel, "change", model.pk), fields).status_code == 302
    model.refresh_from_db()
    assert (model.owner, model.licence) == (None, "Other")


def test_a_language_model_in_use_stays(client: Client, submission: Submission) -> None:
    model = submission.language_model
    client.post(page(LanguageModel, "delete", model.pk), {"post": "yes"})
    assert LanguageModel.objects.filter(pk=model.pk).exists()


def test_a_reported_row_is_typed_with_its_scores(client: Client, alice: User) -> None:
    fields: Mapping[str, object] = {
        "language_model": model_of(alice).pk, "source": "a model card", "average": "50",
        "scores-TOTAL_FORMS": "2", "scores-INITIAL_FORMS": "0",
        "scores-0-task": "passkey", "scores-0-percent": "99.5",
        "scores-1-task": "passkey", "scores-1-percent": "98",
    }  # fmt: skip
    assert client.post(page(ReportedEntry, "add"), fields).status_code == 200  # the same task twice
    fields = {**fields, "scores-1-task": "math_calc"}
    assert client.post(page(ReportedEntry, "add"), fields).status_code == 302
    assert ReportedScore.objects.count() == 2


WHY = "Complete, and the settings are clear."


def decide(client: Client, action: str, *submissions: Submission, **fields: str) -> Any:
    """Send a decision. Returns the page that follows, with its messages."""
    seen = {f"{one.pk}-seen": review_fingerprint(one.pk) for one in submissions}
    marked = {"action": action, "_selected_action": [str(one.pk) for one in submissions], **seen}
    answer = client.post(page(Submission, "changelist"), {**marked, **fields}, follow=True)
    assert answer.status_code in (200, 422)
    return answer


def test_a_decision_asks_for_its_reason_first(client: Client, submission: Submission) -> None:
    asked = decide(client, "publish", submission)
    assert 'name="reason"' in asked.text
    assert str(submission.pk) in asked.text
    again = decide(client, "publish", submission, decided="yes", reason="short")
    assert 'name="reason"' in again.text
    submission.refresh_from_db()
    assert submission.state == "in review"


@pytest.mark.parametrize(
    ("actions", "after"),
    [
        (["publish"], "published"),
        (["reject"], "rejected"),
        (["publish", "hide"], "hidden"),
        (["publish", "hide", "restore"], "published"),
    ],
)
def test_decisions_can_be_made_in_the_list(
    client: Client, submission: Submission, actions: list[str], after: str
) -> None:
    checked(submission)
    for action in actions:
        answer = decide(client, action, submission, decided="yes", reason=WHY)
    submission.refresh_from_db()
    assert submission.state == after
    assert notices(answer) == ["good"]
    entries = AuditEntry.objects.filter(submission=submission, reason=WHY)
    assert list(entries.order_by("pk").values_list("action", flat=True)) == actions


@pytest.mark.usefixtures("submission")
def test_a_marked_row_with_an_impossible_id_is_refused(
    client: Client, subtests: pytest.Subtests
) -> None:
    for model in MODELS:
        with subtests.test(model=model.__name__):
            mark_impossible(client, model)


def mark_impossible(client: Client, model: type[models.Model]) -> None:
    choices = client.get(page(model, "changelist")).text
    actions = {*re.findall(r'<option value="([a-z_]+)"', choices), "delete_selected", "no such"}
    for action, marked in product(actions, ("x", "1.5", "[]", "9" * 40, "-1", "\0", "")):
        asked = {"action": action, "_selected_action": [marked, marked], "index": "x"}
        status = client.post(page(model, "changelist"), asked).status_code
        assert status in (200, 302, 400), (action, marked)


def test_without_a_request_nothing_can_be_published(client: Client, submission: Submission) -> None:
    Submission.objects.update(state="private")
    answer = decide(client, "publish", submission, decided="yes", reason=WHY)
    assert notices(answer) == ["wrong_state"]


def test_the_log_begins_with_the_newest(client: Client, submission: Submission, rita: User) -> None:
    change_submission(submission, Action.REJECT, by=rita, reason=WHY)
    lines = re.sub(r"<[^>]*>", " ", client.get(page(AuditEntry, "changelist")).content.decode())
    assert lines.index("reject") < lines.index("ask for publication")


def test_the_page_for_the_reason_contains_the_fingerprints(
    client: Client, submission: Submission
) -> None:
    seen = review_fingerprint(submission.pk)
    mark = f'name="{submission.pk}-seen" value="{seen}"'
    assert mark in decide(client, "publish", submission).text
    LanguageModel.objects.update(link="https://phish.example/")
    again = decide(
        client, "publish", submission, decided="yes", reason="no", **shown(submission, seen)
    )
    assert mark in again.text  # what was changed while they wrote is still not seen
    answer = decide(
        client, "publish", submission, decided="yes", reason=WHY, **shown(submission, seen)
    )
    assert notices(answer) == ["changed"]
    submission.refresh_from_db()
    assert submission.state == "in review"
    nothing = decide(
        client, "publish", submission, decided="yes", reason=WHY, **shown(submission, "")
    )
    assert notices(nothing) == ["changed"]


def shown(submission: Submission, seen: str) -> dict[str, str]:
    return {f"{submission.pk}-seen": seen}


def test_a_refused_decision_does_not_stop_the_others(
    client: Client, adam: User, submission: Submission, release: Release, world: Path
) -> None:
    own = as_if_scored(make_submission(adam, release, packed_folder(world / "preds"), name="Own"))
    own.evaluations.update(predictions_hash="1" * 64)  # as if it were not the same files
    change_submission(own, Action.REQUEST_PUBLICATION, by=adam)
    checked(submission)
    answer = decide(client, "publish", own, submission, decided="yes", reason=WHY)
    assert sorted(notices(answer)) == ["good", "not_allowed"]
    states = dict(Submission.objects.values_list("owner__username", "state"))
    assert states == {"adam": "in review", "alice": "published"}


def test_the_flags_of_each_submission_are_shown_and_have_to_be_answered(
    client: Client, bob: User, submission: Submission, release: Release, world: Path
) -> None:
    other = as_if_scored(make_submission(bob, release, packed_folder(world / "preds"), name="Own"))
    change_submission(other, Action.REQUEST_PUBLICATION, by=bob)
    Submission.objects.filter(pk=other.pk).update(by_maker=True)
    Evaluation.objects.update(predictions_hash="1" * 64)
    both = (submission, other)
    asked = html.page(decide(client, "publish", *both))
    assert len(asked.select("[data-code='not compared']")) == 2
    same = {one["data-duplicate"] for one in asked.select("[data-duplicate]")}
    assert same == {str(submission.pk), str(other.pk)}
    assert asked.select(f"[name='{other.pk}-maker_confirmed']")
    assert not asked.select(f"[name='{submission.pk}-maker_confirmed']")
    sent = {"decided": "yes", "reason": WHY, f"{other.pk}-maker_confirmed": "on"}
    why = {f"{other.pk}-flags_answer": "Both are by the same laboratory."}
    unchecked = decide(client, "publish", *both, **sent, **why)
    assert notices(unchecked) == ["not_checked", "not_checked"]
    for one in both:
        checked(one)
    answer = decide(client, "publish", *both, **sent, **why)
    assert sorted(notices(answer)) == ["flags_unanswered", "good"]
    other.refresh_from_db()
    assert (other.state, other.maker_confirmed) == ("published", True)


def test_mail_that_failed_can_be_sent_again(
    client: Client, alice: User, submission: Submission
) -> None:
    ended = {"attempts": 6, "ended": submission.created, "failure": "nobody was there"}
    Notice.objects.update(state=NoticeState.FAILED, **ended)
    sent = Notice.objects.create(
        recipient=alice,
        kind="decision",
        entry=submission.audit_entries.get(),
        state=NoticeState.SENT,
        ended=submission.created,
    )
    marked = {"action": "again", "_selected_action": [one.pk for one in Notice.objects.all()]}
    answer = client.post(page(Notice, "changelist"), marked, follow=True)
    assert "Emails that will be sent again: 1." in answer.text
    again = Notice.objects.exclude(pk=sent.pk).get()
    assert (again.state, again.attempts, again.ended) == ("waiting", 0, None)
    assert Notice.objects.get(pk=sent.pk).state == "sent"


def test_the_text_of_account_emails_is_neither_shown_nor_sent_again(client: Client) -> None:
    """Its link gives access to the account, and after a failure the text is deleted."""
    link = "https://board.example/canary/"
    queue_account_email("Reset", link, address="alice@example.org", user=None)
    notice = Notice.objects.get()
    pages = page(Notice, "changelist"), *(page(Notice, a, notice.pk) for a in ("change", "history"))
    for address in pages:
        assert "canary" not in client.get(address).text
    Notice.objects.update(state="failed", ended=Now(), failure="x", body="", address="")
    marked = {"action": "again", "_selected_action": [notice.pk]}
    client.post(page(Notice, "changelist"), marked)
    assert Notice.objects.get().state == "failed"


def test_users_without_admin_rights_cannot_decide_in_the_admin(
    alice: User, submission: Submission
) -> None:
    theirs = Client()
    theirs.force_login(alice)
    marked = {"action": "publish", "_selected_action": submission.pk, "decided": "1", "reason": WHY}
    assert theirs.post(page(Submission, "changelist"), marked).status_code == 302
    submission.refresh_from_db()
    assert submission.state == "in review"


def test_times_are_written_as_on_the_site(client: Client, submission: Submission) -> None:
    text = client.get(page(Submission, "changelist")).content.decode()
    assert f"{submission.created:%Y-%m-%d %H:%M} UTC" in text


def test_the_admin_uses_the_site_s_sign_in(alice: User) -> None:
    client = Client()
    answer = client.get("/admin/portal/user/", follow=True)
    assert answer.redirect_chain[-1][0] == "/accounts/login/?next=/admin/portal/user/"
    client.force_login(alice)
    assert client.get("/admin/", follow=True).status_code == 403


def test_a_door_leads_nowhere_else(client: Client) -> None:
    strange = Client().get("/admin/login/?next=https://evil.example/", follow=True)
    assert strange.status_code == 200
    assert client.get("/admin/login/?next=https://evil.example/").headers["Location"] == "/admin/"


def test_actions_of_admins_are_logged(client: Client, alice: User) -> None:
    role(client, alice, Role.REVIEWER, is_active="on")
    assert "Role" in client.get(page(User, "history", alice.pk)).content.decode()


def test_the_audit_log_and_a_submission_link_to_each_other(
    client: Client, submission: Submission
) -> None:
    change = page(Submission, "change", submission.pk)
    assert f'href="{change}"' in client.get(page(AuditEntry, "changelist")).text
    links = re.findall(r'href="([^"]+)"', client.get(change).text.partition("field-pages")[2])
    for address in links[:5]:
        found = client.get(address)
        assert found.status_code == 200, address
        assert submission.language_model.name in found.text, address


def test_an_audit_entry_of_a_deleted_submission_names_its_id(
    client: Client, alice: User, submission: Submission
) -> None:
    private = make_submission(alice, submission.release, b"{}")
    delete_submission(private, by=alice)
    assert f"submission {private.pk}" in client.get(page(AuditEntry, "changelist")).text


# What the audit log records


def logged() -> list[tuple[str, str, str, str]]:
    """The logged entries; also checks that the chain is intact."""
    assert verify_log().number == AuditEntry.objects.count()
    columns = AuditEntry.objects.order_by("number").values_list(
        "subject", "action", "actor__username", "reason"
    )
    return [(subject, action, str(actor), reason) for subject, action, actor, reason in columns]


def test_a_role_that_is_granted_or_removed_is_in_the_audit_log(client: Client, alice: User) -> None:
    for wanted in (Role.ADMIN, Role.ADMIN, Role.AUTHOR):  # the second changes nothing
        role(client, alice, wanted, is_active="on")
    assert logged() == [
        ("user:alice", "change role", "adam", "role: author → admin"),
        ("user:alice", "change role", "adam", "role: admin → author"),
    ]
    changes = AuditEntry.objects.order_by("number").values_list("before", "after")
    assert list(changes) == [("author", "admin"), ("admin", "author")]


def test_an_account_that_is_closed_is_in_the_audit_log(client: Client, alice: User) -> None:
    role(client, alice, Role.AUTHOR)
    assert logged() == [("user:alice", "edit", "adam", "is active: True → False")]


def test_a_published_model_that_is_renamed_is_in_the_audit_log_and_in_its_history(
    client: Client, submission: Submission, rita: User
) -> None:
    change_submission(submission, Action.PUBLISH, by=rita, reason=WHY)
    before, model = len(logged()), submission.language_model
    fields = {"slug": model.slug, "name": "Other", "organisation": "Lab", "owner": model.owner_id}
    client.post(page(LanguageModel, "change", model.pk), {**fields, **NO_FACTS})
    lines = "name: Model → Other\norganisation: – → Lab"
    assert logged()[before:] == [
        (f"model:{model.slug}", "edit", "adam", lines),
        ("", "edit language model", "adam", lines),
    ]
    assert AuditEntry.objects.latest("number").submission == submission


def test_models_that_are_added_and_deleted_are_in_the_audit_log(client: Client) -> None:
    client.post(page(LanguageModel, "add"), {"slug": "gpt-4", "name": "GPT-4", **NO_FACTS})
    model = LanguageModel.objects.get()
    marked = {"action": "delete_selected", "_selected_action": model.pk, "post": "yes"}
    client.post(page(LanguageModel, "changelist"), marked)
    assert [entry[:3] for entry in logged()] == [
        ("model:gpt-4", "add", "adam"),
        ("model:gpt-4", "delete", "adam"),
    ]


def test_a_reported_number_that_is_changed_is_in_the_audit_log(
    client: Client, submission: Submission
) -> None:
    entry, before = ReportedEntry.objects.get(), len(logged())
    fields: dict[str, object] = {
        "language_model": entry.language_model_id, "source": "a paper",
        "scores-TOTAL_FORMS": "1", "scores-INITIAL_FORMS": "1",
        "scores-0-id": entry.scores.get().pk, "scores-0-entry": entry.pk,
        "scores-0-task": "passkey", "scores-0-percent": "12.5",
    }  # fmt: skip
    assert client.post(page(ReportedEntry, "change", entry.pk), fields).status_code == 302
    client.post(page(ReportedEntry, "delete", entry.pk), {"post": "yes"})
    subject = f"reported:{submission.language_model.slug}: a paper"
    edited, deleted = logged()[before:]
    assert edited == (subject, "edit", "adam", "Retrieve.PassKey: 99.5 → 12.5")
    assert deleted[:3] == (subject, "delete", "adam")
    assert "Retrieve.PassKey: 12.5 → –" in deleted[3]


def test_who_is_admitted_to_a_hidden_release_is_in_the_audit_log(
    client: Client, alice: User, release: Release
) -> None:
    Release.objects.update(hidden=True)
    asked = {"release": release.pk, "account": alice.pk}
    client.post(page(ReleaseAdmission, "add"), asked)
    admission = release.admissions.get(account=alice)
    client.post(page(ReleaseAdmission, "change", admission.pk), asked)  # there is nothing to change
    client.post(page(ReleaseAdmission, "delete", admission.pk), {"post": "yes"})
    subject = "admission:small: alice"
    assert [entry[:3] for entry in logged()] == [
        (subject, "add", "adam"),
        (subject, "delete", "adam"),
    ]
    assert verify_log().number == 2


def test_accounts_are_admitted_to_hidden_releases_only(
    client: Client, alice: User, release: Release
) -> None:
    asked = {"release": release.pk, "account": alice.pk}
    assert client.post(page(ReleaseAdmission, "add"), asked).status_code == 200
    assert not release.admissions.exists()


def test_the_list_of_the_audit_log_names_what_an_entry_is_about(
    client: Client, alice: User
) -> None:
    role(client, alice, Role.REVIEWER, is_active="on")
    assert "user:alice" in client.get(page(AuditEntry, "changelist") + "?q=user:alice").text
