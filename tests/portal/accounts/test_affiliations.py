"""Email addresses by which people show that they belong to a language model's maker."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.utils.timezone import now

from portal.accounts import affiliations
from portal.models import (
    AffiliationAddress,
    LanguageModel,
    Notice,
    OrganisationDomain,
    User,
    confirmation,
    organisations_of,
)
from tests.support.clients import signed_in
from tests.support.factories import ALL, published, release_of_all_tasks, team_of
from tests.support.html import form_errors, notices, page

pytestmark = pytest.mark.django_db

PLACE = "/profile/affiliations/"


@pytest.fixture(autouse=True)
def makers(db: None) -> None:
    for domain, organisation in (("01.ai", "01.AI"), ("kimi.example", "Kimi"), ("qq.com", "QQ")):
        OrganisationDomain.objects.create(domain=domain, organisation=organisation)


def link_to(email: str) -> str:
    """The path of the link in the last mail to this address."""
    body = Notice.objects.filter(address=email).latest("pk").body
    return str(re.findall(rf"https?://[^/\s]+({PLACE}confirm/\S+)", body)[0])


def shown(client: Client) -> list[str]:
    return [str(row["data-address"]) for row in page(client.get(PLACE)).select("[data-address]")]


def test_a_second_address_shows_where_one_belongs_once_its_link_was_followed(
    alice: User, bob: User
) -> None:
    entry = published(alice, release_of_all_tasks("all"), "Model A", ALL)
    LanguageModel.objects.update(organisation="01.AI")
    browser, reader = signed_in(alice), Client()

    def origin() -> str:
        return reader.get(f"/entries/{entry.pk}/").content.decode()

    assert notices(browser.post(PLACE, {"email": "Al.Ice@01.AI"}, follow=True))
    link = link_to("al.ice@01.ai")
    assert "alice" in Notice.objects.latest("pk").body
    assert signed_in(bob).post(link).status_code == 302  # signed in as somebody else
    browser.get(link)  # as mail scanners do
    assert (shown(browser), organisations_of(alice)) == (["sent"], [])
    assert 'data-affiliation="none"' in origin()
    browser.post(link)
    assert shown(browser) == ["confirmed"]
    assert [maker for maker, _how in organisations_of(alice)] == ["01.AI"]
    assert 'data-affiliation="confirmed"' in origin()
    assert "al.ice" not in origin()
    assert notices(browser.post(link, follow=True))[-1] == "expired"  # it works once
    assert page(browser.get(link)).select('[data-code="expired"]')
    address = AffiliationAddress.objects.get()
    assert signed_in(bob).post(f"{PLACE}{address.pk}/remove/").status_code == 404
    browser.post(f"{PLACE}{address.pk}/remove/")
    assert (shown(browser), organisations_of(alice)) == ([], [])
    assert 'data-affiliation="none"' in origin()


def test_only_the_last_link_counts_and_only_in_time(alice: User) -> None:
    browser = signed_in(alice)
    links = []
    for _time in range(2):
        browser.post(PLACE, {"email": "a@01.ai"})
        links.append(link_to("a@01.ai"))
    assert notices(browser.post(links[0], follow=True))[-1] == "expired"
    AffiliationAddress.objects.update(expires=now() - timedelta(seconds=1))
    assert notices(browser.post(links[1], follow=True))[-1] == "expired"
    assert shown(browser) == ["expired"]


@pytest.mark.parametrize(
    ("email", "code"),
    [
        ("a@gmail.com", "public_mail"),
        ("a@qq.com", "public_mail"),  # although it was registered as an organisation's domain
        ("a@mail.01.ai", "unknown_domain"),
        ("a@ai", "invalid"),
        ("a@01.ai.example", "unknown_domain"),
        ("a@\u212aimi.example", "not_ascii"),  # the lower case of the Kelvin sign is k
        ("a@01.аi", "not_ascii"),  # a Cyrillic letter
        ("ä@01.ai", "invalid"),
        ("a@01.ai\nBcc: b@01.ai", "invalid"),
    ],
)
def test_what_confirms_nothing_is_not_even_mailed(alice: User, email: str, code: str) -> None:
    answer = signed_in(alice).post(PLACE, {"email": email})
    assert (answer.status_code, form_errors(answer)) == (422, {("email", code)})
    assert not AffiliationAddress.objects.exists()
    assert not Notice.objects.exists()


def test_an_address_belongs_to_one_account_at_a_time(alice: User, bob: User) -> None:
    links = {}
    for person in (alice, bob):
        affiliations.add_address(person, "a@01.ai")
        links[person.username] = link_to("a@01.ai")
    of_alice, of_bob = signed_in(alice), signed_in(bob)
    of_alice.post(links["alice"])
    assert notices(of_bob.post(links["bob"], follow=True))[-1] == "of_another"
    of_alice.post(f"{PLACE}{AffiliationAddress.objects.get(user=alice).pk}/remove/")
    of_bob.post(links["bob"])
    assert (organisations_of(alice), len(organisations_of(bob))) == ([], 1)
    # An account's own address cannot belong to anybody else.
    EmailAddress.objects.create(user=alice, email="Own@01.ai", verified=True)
    affiliations.add_address(bob, "own@01.ai")
    assert notices(of_bob.post(link_to("own@01.ai"), follow=True))[-1] == "of_another"
    affiliations.end_use_by_others(alice, "A@01.ai")  # as when an account confirms it as its own
    assert organisations_of(bob) == []


def test_a_team_belongs_where_each_owner_has_an_address_of_either_kind(
    alice: User, bob: User
) -> None:
    team = team_of(alice, bob)
    team.memberships.update(role="owner")
    EmailAddress.objects.create(user=alice, email="a@01.ai", verified=True)
    assert confirmation(team, "01.AI") is None
    affiliations.add_address(bob, "b@01.ai")
    signed_in(bob).post(link_to("b@01.ai"))
    found = confirmation(team, "01.ai")
    assert found
    assert found.domain == "01.ai"


@pytest.mark.parametrize(
    ("limit", "email", "code"),
    [
        ("MAX_ADDRESSES", lambda number: f"a{number}@01.ai", "too_many_addresses"),
        ("_MAX_MAILS", lambda _number: "a@01.ai", "too_many_mails"),
    ],
)
def test_nobody_sends_mail_without_end(
    alice: User, limit: str, email: Callable[[int], str], code: str
) -> None:
    browser, most = signed_in(alice), getattr(affiliations, limit)
    answers = [browser.post(PLACE, {"email": email(number)}) for number in range(most + 1)]
    assert [one.status_code for one in answers] == [302] * most + [422]
    assert form_errors(answers[-1]) == {("email", code)}
    assert Notice.objects.count() == most


def test_a_mailbox_is_not_flooded_from_many_accounts(db: None) -> None:
    for number in range(5):
        affiliations.add_address(User.objects.create(username=f"u{number}"), "a@01.ai")
    assert Notice.objects.count() == 3
