"""The pages of disputes."""

import pytest
from django.test import Client

from portal.models import Example, LabelDispute, Outcome, Release, User
from portal.review.disputes.services import decide_dispute, file_dispute
from tests.portal.review.conftest import GOLD, answered
from tests.support import html

KEYS, QA = "passkey", "longbook_qa_eng"
NEW = f"/disputes/new/?release=texts&task={KEYS}&key={KEYS}/3"
REASON = "The context says 4711."


def filed(release: Release, index: int, by: User, label: object = "4711") -> LabelDispute:
    example = Example.objects.get(data_set__task=KEYS, index=index)
    return file_dispute(release, example, proposed_label=label, reason=REASON, by=by)


def test_a_dispute_is_filed_from_the_example_and_leads_to_its_consequences(
    client: Client, tasks_of_text: Release, alice: User, rita: User
) -> None:
    right = answered(alice, tasks_of_text, "Copy", {KEYS: GOLD[KEYS]})
    client.force_login(rita)
    example = html.page(client.get(f"/examples/texts/{KEYS}/{KEYS}%2F3/"))
    [link] = example.select("a[data-dispute]")
    sent = {"proposal": "label", "label": "4711", "reason": REASON}
    answer = client.post(str(link["href"]), sent)
    dispute = LabelDispute.objects.get()
    assert answer.headers["Location"] == f"/disputes/{dispute.pk}/"
    assert (dispute.proposed_label, dispute.reason, dispute.filed_by) == ("4711", REASON, rita)
    page = html.page(client.get(answer.headers["Location"]))
    [row] = page.select("tr[data-entry]")
    assert row["data-entry"] == str(right.pk)
    assert [float(str(row.select("td")[1][f"data-{when}"])) for when in ("before", "after")] == [
        100, 95,
    ]  # fmt: skip
    assert page.select("[data-code=own_dispute]")


@pytest.mark.parametrize(
    ("sent", "errors"),
    [
        ({"proposal": "label", "label": "", "reason": REASON}, {("label", "required")}),
        (
            {"proposal": "label", "label": GOLD[KEYS][3], "reason": "short"},
            {("label", "same_label"), ("reason", "min_length")},
        ),
        ({"proposal": "other", "reason": REASON}, {("proposal", "invalid_choice")}),
        ({}, {("proposal", "required"), ("reason", "required")}),
    ],
)
def test_what_cannot_be_filed_comes_back_with_its_errors(
    client: Client, tasks_of_text: Release, rita: User, sent: dict[str, str],
    errors: set[tuple[str, str]],
) -> None:  # fmt: skip
    Example.objects.filter(data_set__task=KEYS, index=3).update(label=GOLD[KEYS][3])
    client.force_login(rita)
    answer = client.post(NEW, sent)
    assert answer.status_code == 422
    assert html.form_errors(answer) == errors
    assert not LabelDispute.objects.exists()


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?release=texts",
        "?release=none&task=passkey&key=1",
        "?release=texts&task=x&key=passkey/1",
        "?release=texts&task=passkey&key=nothing",
    ],
)
def test_what_is_not_there_cannot_be_disputed(
    client: Client, tasks_of_text: Release, rita: User, query: str
) -> None:
    client.force_login(rita)
    assert client.get(f"/disputes/new/{query}").status_code == 404


def test_another_reviewer_decides_on_its_page(
    client: Client, tasks_of_text: Release, rita: User, adam: User
) -> None:
    dispute = filed(tasks_of_text, 3, rita)
    client.force_login(adam)
    address = f"/disputes/{dispute.pk}/"
    refused = client.post(f"{address}decide/", {"reason": "It is so."})
    assert refused.status_code == 422
    assert html.form_errors(refused) == {("outcome", "required"), ("reason", "min_length")}
    sent = {"outcome": "ambiguous", "reason": "Two answers fit the context."}
    assert client.post(f"{address}decide/", sent).headers["Location"] == address
    dispute.refresh_from_db()
    assert dispute.outcome == Outcome.AMBIGUOUS
    again = client.post(f"{address}decide/", sent)
    assert again.status_code == 422
    assert html.page(again).select("[data-state=ambiguous]")


def test_the_list_has_open_ones_decided_ones_and_what_is_proposed(
    client: Client, tasks_of_text: Release, rita: User, adam: User
) -> None:
    first, second, third = (filed(tasks_of_text, index, rita) for index in (3, 4, 5))
    decide_dispute(second, Outcome.LABEL_WRONG, reason="It is as filed.", by=adam)
    decide_dispute(third, Outcome.ENTRY_WRONG, reason="It is the entry.", by=adam)
    client.force_login(rita)
    page = html.page(client.get("/disputes/"))
    rows = [int(str(row["data-dispute"])) for row in page.select("tr[data-dispute]")]
    assert rows == [first.pk, third.pk, second.pk]
    [proposal] = page.select("a[data-proposal]")
    assert proposal["data-proposal"] == f"texts/{KEYS}"
    assert client.get(str(proposal["href"])).status_code == 200


def test_readers_see_what_became_of_a_label_and_find_it_with_a_filter(
    client: Client, tasks_of_text: Release, rita: User, adam: User
) -> None:
    _, accepted, rejected = (filed(tasks_of_text, index, rita) for index in (3, 4, 5))
    decide_dispute(accepted, Outcome.LABEL_WRONG, reason="It is as filed.", by=adam)
    decide_dispute(rejected, Outcome.STANDS, reason="The label is right.", by=adam)
    states = []
    for index in (3, 4, 5, 6):
        page = html.page(client.get(f"/examples/texts/{KEYS}/{KEYS}%2F{index}/"))
        assert bool(page.select("a[data-dispute]")) == (index != 3)
        states.append([one["data-state"] for one in page.select("[data-code='disputed label']")])
    assert states == [["open"], ["label wrong"], ["stands"], []]
    found = client.get(f"/examples/texts/{KEYS}.json", {"q": "is:flagged"}).json()
    assert [one["key"] for one in found["examples"]] == [f"{KEYS}/3", f"{KEYS}/4"]


def test_readers_file_disputes_and_learn_no_names(
    client: Client, tasks_of_text: Release, alice: User, bob: User, adam: User
) -> None:
    client.force_login(alice)
    client.post(NEW, {"proposal": "leave-out", "reason": REASON})
    dispute = LabelDispute.objects.get()
    assert (dispute.filed_by, dispute.proposed_label) == (alice, None)
    decide_dispute(dispute, Outcome.AMBIGUOUS, reason="Two answers fit.", by=adam)
    for reader in (None, bob):
        client.logout()
        if reader:
            client.force_login(reader)
        for address in (
            f"/disputes/{dispute.pk}/",
            "/disputes/",
            f"/disputes/proposed/texts/{KEYS}/",
        ):
            page = html.page(client.get(address))
            names = {html.text(one) for one in page.select("main bdi")}
            assert page.select(f"[data-dispute='{dispute.pk}']")
            assert not {"alice", "adam"} & names
    assert client.post(f"/disputes/{dispute.pk}/decide/").status_code == 403


def test_of_a_hidden_release_nothing_is_said_to_others(
    client: Client, tasks_of_text: Release, rita: User, alice: User
) -> None:
    Release.objects.update(hidden=True)
    own = answered(rita, tasks_of_text, "Rita's", {KEYS: GOLD[KEYS]})
    dispute = filed(tasks_of_text, 3, rita)
    client.force_login(alice)
    page = client.get(f"/examples/texts/{KEYS}/{KEYS}%2F3/")
    assert not html.page(page).select("[data-code='disputed label'], a[data-dispute]")
    for address in (NEW, f"/disputes/{dispute.pk}/", f"/disputes/proposed/texts/{KEYS}/"):
        assert client.get(address).status_code == 404
    assert not html.page(client.get("/disputes/")).select("[data-dispute]")
    refused = client.get(f"/examples/texts/{KEYS}.json", {"q": "is:flagged"})
    assert refused.status_code == 400
    client.force_login(rita)
    about = client.get(f"/disputes/{dispute.pk}/")
    assert str(own.pk) not in about.content.decode()


def test_long_labels_and_questions_are_cut(
    client: Client, tasks_of_text: Release, rita: User
) -> None:
    Example.objects.filter(data_set__task=QA, index=0).update(
        question="why " * 50_000, label=["x" * 100_000]
    )
    example = Example.objects.get(data_set__task=QA, index=0)
    dispute = file_dispute(
        tasks_of_text, example, proposed_label=["y" * 100_000], reason=REASON, by=rita
    )
    client.force_login(rita)
    for address in (f"/disputes/{dispute.pk}/", "/disputes/"):
        assert len(client.get(address).content) < 40_000
