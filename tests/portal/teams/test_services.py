"""Teams: who decides what, what members share, and what ends with a membership."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.core.files.base import ContentFile
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now
from django.http import Http404

from portal.endpoint_runs.configuration.drafts import get_run
from portal.endpoint_runs.services import resume_run
from portal.errors import NotAllowedError, QuotaError, StateError
from portal.hub.failures import sentence_of
from portal.models import (
    Action,
    AuditEntry,
    EndpointRun,
    HubFetch,
    LanguageModel,
    Membership,
    OrganisationDomain,
    Release,
    RunState,
    Submission,
    SubmissionState,
    Team,
    TeamAction,
    TeamRole,
    User,
)
from portal.permissions.access import acts_for, get_submission, submissions_seen_by
from portal.permissions.actions import allowed_actions
from portal.review.services import withdraw_submission
from portal.submissions.files.originals import Upload
from portal.submissions.quotas import QUOTAS, quota_of, quota_of_team, refusal_for
from portal.submissions.services import SubmissionSettings, submit_predictions
from portal.teams import services
from portal.teams.services import (
    change_role,
    create_team,
    delete_team,
    edit_team,
    leave_team,
    move_model,
    remove_member,
)
from tests.support.factories import (
    endpoint_run,
    fetch_for,
    judged,
    language_model,
    make_submission,
    model_of,
    team_of,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def team(alice: User, bob: User) -> Team:
    """Alice owns it, Bob is a member."""
    return team_of(alice, bob)


def role(team: Team, user: User) -> str | None:
    found = Membership.objects.current().filter(team=team, user=user)
    return found.values_list("role", flat=True).first()


# Who decides


@pytest.mark.parametrize(
    "step",
    [
        lambda team, of, by: edit_team(team, name="Other", link="", by=by),
        lambda team, of, by: remove_member(team, of, by=by),
        lambda team, of, by: change_role(team, of, TeamRole.OWNER, by=by),
        lambda team, of, by: delete_team(team, by=by),
    ],
)
def test_what_only_owners_decide_members_reviewers_admins_and_strangers_do_not(
    team: Team, bob: User, rita: User, adam: User, step: Callable[[Team, User, User], None]
) -> None:
    before = AuditEntry.objects.count()
    for person in (bob, rita, adam):
        with pytest.raises(NotAllowedError):
            step(team, bob, person)
    assert (role(team, bob), AuditEntry.objects.count()) == (TeamRole.MEMBER, before)


def test_every_step_is_logged_with_whom_it_concerns(team: Team, alice: User, bob: User) -> None:
    edit_team(team, name="Renamed", link="https://example.org/", by=alice)
    change_role(team, bob, TeamRole.OWNER, by=alice)
    leave_team(team, by=alice)
    entries = AuditEntry.objects.filter(subject=f"team:{team.slug}").history()
    assert [(one.action, one.actor, one.after, one.reason) for one in entries] == [
        (TeamAction.CREATE, alice, "", "Long Lab"),
        (TeamAction.EDIT, alice, "", "Long Lab → Renamed"),
        (TeamAction.CHANGE_ROLE, alice, "owner", "bob"),
        (TeamAction.LEAVE, alice, "", "alice"),
    ]


def test_the_last_owner_can_neither_leave_nor_become_a_member(
    team: Team, alice: User, bob: User
) -> None:
    steps: tuple[Callable[[], None], ...] = (
        lambda: leave_team(team, by=alice),
        lambda: remove_member(team, alice, by=alice),
        lambda: change_role(team, alice, TeamRole.MEMBER, by=alice),
    )
    for step in steps:
        with pytest.raises(StateError) as refusal:
            step()
        assert refusal.value.code == "last_owner"
    change_role(team, bob, TeamRole.OWNER, by=alice)
    leave_team(team, by=alice)
    assert (role(team, alice), role(team, bob)) == (None, TeamRole.OWNER)


def test_an_owner_whose_account_is_closed_decides_nothing_so_another_one_stays(
    team: Team, alice: User, bob: User
) -> None:
    change_role(team, bob, TeamRole.OWNER, by=alice)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    with pytest.raises(StateError) as refusal:
        leave_team(team, by=alice)
    assert refusal.value.code == "last_owner"


@pytest.mark.django_db(transaction=True)
def test_of_two_owners_who_demote_each_other_at_once_one_stays(alice: User, bob: User) -> None:
    team = team_of(alice, bob)
    change_role(team, bob, TeamRole.OWNER, by=alice)
    ready = Barrier(2)

    def demote(pair: tuple[User, User]) -> str:
        ready.wait()
        try:
            change_role(team, pair[1], TeamRole.MEMBER, by=pair[0])
            return ""
        except StateError as error:
            return error.code
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(demote, [(alice, bob), (bob, alice)]))
    assert sorted(said) == ["", "not_allowed"]
    assert Membership.objects.owners().filter(team=team).count() == 1


def at_the_end_of_a_transaction(change: Callable[[], object]) -> None:
    with transaction.atomic():
        change()
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_the_database_keeps_no_team_without_an_owner(team: Team, alice: User) -> None:
    for rows in (
        lambda: Membership.objects.filter(user=alice).update(role=TeamRole.MEMBER),
        lambda: Membership.objects.filter(user=alice).update(left="2026-01-01T00:00Z"),
        lambda: Membership.objects.filter(user=alice).delete(),
        lambda: Team.objects.create(name="Empty", slug="empty", skeleton="empty"),
    ):
        with pytest.raises(IntegrityError, match="has no owner"):
            at_the_end_of_a_transaction(rows)


# Names


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("L0NG 1AB", "name_taken"),
        ("Long L\u0430b", "mixed_scripts"),  # a Cyrillic letter
        ("long-lab.", "name_taken"),
        ("Team", "reserved"),
        ("Infinite Bench", "reserved"),
        ("∞bench", "reserved"),
        ("Ad-min", "reserved"),
        ("Open Al", "name_of_maker"),
        ("M00NSHOT AI", "name_of_maker"),
        ("see evil.example/now", "address"),
    ],
)
def test_no_team_has_a_name_that_passes_for_another(
    team: Team, bob: User, name: str, code: str
) -> None:
    LanguageModel.objects.create(slug="gpt", name="GPT", organisation="OpenAI")
    OrganisationDomain.objects.create(domain="moonshot.example", organisation="Moonshot AI")
    with pytest.raises(StateError) as refusal:
        create_team(name=name, by=bob)
    assert refusal.value.code == code


def test_a_private_model_of_another_keeps_no_name_from_anybody(bob: User, alice: User) -> None:
    LanguageModel.objects.create(slug="x", name="X", organisation="Secret Lab", owner=alice)
    assert create_team(name="Secret Lab", by=bob).slug == "secret-lab"


def test_nobody_has_more_teams_than_may_be(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MAX_OWNED", 2)
    team_of(alice, name="One")
    two = team_of(alice, name="Two")
    with pytest.raises(QuotaError):
        create_team(name="Three", by=alice)
    three = team_of(bob, alice, name="Three")
    with pytest.raises(QuotaError):
        change_role(three, alice, TeamRole.OWNER, by=bob)
    delete_team(two, by=alice)
    change_role(three, alice, TeamRole.OWNER, by=bob)


# What is shared


def test_what_is_submitted_for_a_team_is_its_members_and_nobody_elses(
    team: Team, alice: User, bob: User, adam: User, release: Release
) -> None:
    carol = User.objects.create_user("carol")
    shared = make_submission(bob, release, b"{}", team=team)
    own = make_submission(bob, release, b"{}")
    assert set(submissions_seen_by(alice)) == {shared}
    assert set(submissions_seen_by(bob)) == {shared, own}
    assert get_submission(alice, shared.pk) == shared
    assert [acts_for(one, shared) for one in (alice, bob, carol, adam)] == [
        True,
        True,
        False,
        False,
    ]
    with pytest.raises(Http404):
        get_submission(carol, shared.pk)
    # Not even an admin decides about submissions of their own team.
    Membership.objects.create(team=team, user=adam)
    shared.refresh_from_db()
    assert Action.PUBLISH not in allowed_actions(adam, shared)


def test_members_submit_and_ask_and_only_owners_withdraw(
    team: Team, alice: User, bob: User, release: Release
) -> None:
    carol = User.objects.create_user("carol")
    Membership.objects.create(team=team, user=carol)
    one = judged(bob, release, {"code_run": 50.0}, team=team)
    for person, may in ((carol, False), (bob, True), (alice, True)):  # bob has submitted it
        allowed = allowed_actions(person, one)
        assert {Action.SCORE_AGAIN, Action.EDIT_SETTINGS, Action.SUBMIT_NEW_VERSION} <= allowed
        assert (Action.DELETE in allowed) == may
    Submission.objects.filter(pk=one.pk).update(state=SubmissionState.PUBLISHED)
    one.refresh_from_db()
    for person in (bob, carol):
        with pytest.raises(NotAllowedError):
            withdraw_submission(one, by=person)
    withdraw_submission(one, by=alice)
    assert Submission.objects.get().state == SubmissionState.WITHDRAWN


def test_a_model_of_a_team_is_edited_by_its_members(team: Team, alice: User, bob: User) -> None:
    model = LanguageModel.objects.create(slug="m", name="M", owner=bob, team=team)
    assert list(LanguageModel.objects.shared_with(alice)) == [model]
    leave_team(team, by=bob)
    assert not LanguageModel.objects.shared_with(bob).exists()
    assert not LanguageModel.objects.offered_to(bob).exists()


# Quotas


def test_an_upload_for_a_team_counts_for_the_person_and_for_the_team(
    team: Team, alice: User, bob: User, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(QUOTAS, "author", 2)
    other = team_of(bob, name="Another")
    make_submission(bob, release, b"{}", team=team)
    make_submission(bob, release, b"{}", team=other)
    used = [quota_of(alice).used, quota_of(bob).used]
    assert (used, quota_of_team(team).used, quota_of_team(other).used) == ([0, 2], 1, 1)
    # Many teams do not raise a person's quota …
    for chosen in (None, team, other):
        with pytest.raises(QuotaError):
            make_submission(bob, release, b"{}", team=chosen)
    # … and many members do not raise a team's.
    make_submission(alice, release, b"{}", team=team)
    with pytest.raises(QuotaError):
        make_submission(alice, release, b"{}", team=team)
    assert refusal_for(alice, team)
    assert refusal_for(alice, None) is None


# The end of a membership


@pytest.mark.parametrize("is_removed", [True, False])
def test_who_is_no_longer_in_a_team_has_nothing_of_it(
    team: Team, alice: User, bob: User, release: Release, is_removed: bool
) -> None:
    theirs = make_submission(bob, release, b"{}", team=team)
    running = endpoint_run(
        bob, release, team=team, state=RunState.RUNNING, key="secret", resumed=Now()
    )
    draft = endpoint_run(bob, release, "Other", team=team)
    own = endpoint_run(bob, release, "Third")
    fetch = fetch_for(bob, release, team)
    assert {*EndpointRun.objects.shared_with(alice)} == {running}  # a draft is its owner's
    remove_member(team, bob, by=alice) if is_removed else leave_team(team, by=bob)
    assert [*submissions_seen_by(bob)] == []
    assert [*EndpointRun.objects.shared_with(bob)] == [own]
    for run in (running, draft):
        with pytest.raises(Http404):
            get_run(bob, run.pk)
    # Their key is not used again, whoever goes on with the run.
    running.refresh_from_db()
    assert (running.state, running.reason, running.key) == ("paused", "left_team", "")
    with pytest.raises(StateError) as refusal:
        resume_run(running, alice)
    assert refusal.value.code == "key_of_another"
    resume_run(running, alice, key="hers")
    assert EndpointRun.objects.get(pk=running.pk).owner == alice
    # Nor is the Hub asked with their token.
    fetch.refresh_from_db()
    assert (fetch.state, fetch.reason, fetch.key) == ("failed", "left_team", "")
    assert [*HubFetch.objects.shared_with(bob)] == []
    assert [*HubFetch.objects.shared_with(alice)] == [fetch]
    assert "no longer in the team" in sentence_of(fetch.reason)
    # What they have submitted stays the team's, and they can never decide about it.
    assert get_submission(alice, theirs.pk) == theirs
    User.objects.filter(pk=bob.pk).update(role="reviewer")
    bob.refresh_from_db()
    assert not allowed_actions(bob, theirs)


def test_an_upload_that_is_under_way_when_its_sender_is_removed_is_not_stored(
    team: Team, alice: User, bob: User, release: Release
) -> None:
    class RemovedMeanwhile(ContentFile):  # type: ignore[type-arg]  # only the stubs know it
        def read(self, size: int = -1) -> bytes:
            if Membership.objects.current().filter(user=bob).exists():
                remove_member(team, bob, by=alice)
            return bytes(self.file.read(size))

    with pytest.raises(StateError) as refusal:
        submit_predictions(
            owner=bob,
            team=team,
            language_model=model_of(bob),
            release=release,
            settings=SubmissionSettings(),
            upload=Upload(RemovedMeanwhile(b"{}"), "preds.zip"),
        )
    assert refusal.value.code == "not_in_team"
    assert not Submission.objects.exists()


# Moving and deleting


def test_a_model_moves_with_everything_of_its_owner_and_nothing_of_others(
    team: Team, alice: User, bob: User, release: Release
) -> None:
    model = language_model("Shared", bob)
    half = {"code_run": 50.0}
    private = judged(bob, release, half, "Shared")
    public = judged(bob, release, half, "Shared", state=SubmissionState.PUBLISHED)
    of_another = Submission.objects.create(owner=alice, release=release, language_model=model)
    run = endpoint_run(bob, release, state=RunState.RUNNING)
    EndpointRun.objects.update(language_model=model)
    with pytest.raises(NotAllowedError):
        move_model(model, team, by=alice)
    move_model(model, team, by=bob)
    moved = {*Submission.objects.filter(team=team)}
    assert moved == {private, public}
    assert Submission.objects.get(pk=of_another.pk).team is None
    assert EndpointRun.objects.get(pk=run.pk).team == team
    assert LanguageModel.objects.get(pk=model.pk).team == team
    for one in moved:
        told = one.audit_entries.latest("number")
        assert (told.action, told.reason, told.actor) == (Action.MOVE_TO_TEAM, "Long Lab", bob)
    with pytest.raises(NotAllowedError):  # it belongs to the team
        move_model(model, team_of(bob, name="Another"), by=bob)


def test_a_team_is_deleted_only_while_nothing_belongs_to_it(
    team: Team, alice: User, bob: User, release: Release
) -> None:
    one = make_submission(bob, release, b"{}", team=team)
    with pytest.raises(StateError) as refusal:
        delete_team(team, by=alice)
    assert refusal.value.code == "in_use"
    Submission.objects.filter(pk=one.pk).delete()
    LanguageModel.objects.update(team=None)
    delete_team(team, by=alice)
    assert not Team.objects.exists()
    assert quota_of(bob).used == 1  # uploads for it still count for the uploader
