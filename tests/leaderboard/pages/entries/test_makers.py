"""Whether an entry is by the maker of its model: a claim, or confirmed by a reviewer."""

import csv
import json
from io import StringIO

import pytest
from django.test import Client

from leaderboard.formats.every_eval_ever import archive_members
from leaderboard.formats.exported import exported_entry
from portal.models import Evaluation, LanguageModel, Release, Submission, User
from tests.support import html
from tests.support.factories import ALL, published

CLAIM, CONFIRMED = "claims to be by 01.AI, not confirmed", "submitted by its maker"


@pytest.fixture
def entry(alice: User, official: Release) -> Submission:
    found = published(alice, official, "Model A", ALL)
    LanguageModel.objects.update(organisation="01.AI")
    return found


@pytest.mark.parametrize(
    ("by_maker", "confirmed", "claim", "note"),
    [
        (None, False, None, ""),
        (False, False, None, ""),
        (True, False, "claimed", CLAIM),
        (True, True, "confirmed", CONFIRMED),
    ],
)
def test_it_is_the_same_on_pages_in_the_api_and_in_files(  # noqa: PLR0917 - fixtures
    client: Client, entry: Submission, by_maker: bool | None, confirmed: bool, claim: str | None,
    note: str,
) -> None:  # fmt: skip
    Submission.objects.update(by_maker=by_maker, maker_confirmed=confirmed)
    slug = entry.language_model.slug
    marks = html.page(client.get(f"/board/{entry.release.slug}/")).select("[data-maker]")
    assert [one["title"] for one in marks] == ([CLAIM] if claim == "claimed" else [])
    for address in (f"/entries/{entry.entry_id}/", f"/models/{slug}/"):
        shown = html.page(client.get(address)).select("[data-maker]")
        assert [one.text.lower() for one in shown] == ([note.lower()] if note else [])
    board = client.get(f"/board/{entry.release.slug}/board.json").json()
    [row] = csv.DictReader(StringIO(client.get(f"/board/{entry.release.slug}/board.csv").text))
    assert ([one["maker_claim"] for one in board["entries"]], row["maker_claim"]) == (
        [claim], claim or "",
    )  # fmt: skip
    [listed] = client.get(f"/api/v1/entries/?release={entry.release.slug}").json()["entries"]
    detail = client.get(f"/api/v1/entries/{entry.entry_id}/").json()
    assert (listed["maker_claim"], detail["maker_claim"]) == (claim, claim)


@pytest.mark.parametrize(
    ("confirmed", "relationship", "note"),
    [(False, "other", CLAIM), (True, "first_party", CONFIRMED)],
)
def test_files_for_every_eval_ever_tell_a_claim_from_what_is_confirmed(
    entry: Submission, confirmed: bool, relationship: str, note: str
) -> None:
    Submission.objects.update(by_maker=True, maker_confirmed=confirmed)
    evaluation = Evaluation.objects.get(submission=entry)
    evaluation.submission = Submission.objects.get(pk=entry.pk)
    exported = exported_entry(evaluation, "https://site.example")
    *_, document = [b"".join(content) for _, content in archive_members(exported, lambda _: ())]
    source = json.loads(document)["source_metadata"]
    assert source["evaluator_relationship"] == relationship
    assert source["additional_details"]["maker"] == note
