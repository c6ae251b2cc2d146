"""Changes in Django's admin are on the board the next time it is viewed."""

from collections.abc import Mapping

import pytest
from django.test import Client

from portal.models import LanguageModel, Release, ReportedEntry, User
from tests.support.factories import ALL, reported

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def client(adam: User) -> Client:
    client = Client()
    client.force_login(adam)
    return client


@pytest.fixture
def entry(official: Release) -> ReportedEntry:
    return reported("Model A", ALL)


NO_FACTS = {"facts-TOTAL_FORMS": 0, "facts-INITIAL_FORMS": 0}


def board() -> str:
    return Client().get("/board/hf/").content.decode()


def post(client: Client, address: str, fields: Mapping[str, object]) -> None:
    response = client.post(f"/admin/portal/{address}", fields)
    assert response.status_code == 302, response.content.decode()


def row(entry: ReportedEntry, percent: float) -> dict[str, object]:
    """The form of an entry, with a changed number for one of its tasks."""
    score = entry.scores.get(task="passkey")
    return {
        "language_model": entry.language_model_id, "source": entry.source, "note": "",
        "scores-TOTAL_FORMS": 1, "scores-INITIAL_FORMS": 1, "scores-0-id": score.pk,
        "scores-0-entry": entry.pk, "scores-0-task": "passkey", "scores-0-percent": percent,
    }  # fmt: skip


def test_a_model_under_another_name(client: Client, entry: ReportedEntry) -> None:
    assert "Model A" in board()
    fields = {"slug": "model-a", "name": "Renamed", "weights": "open", **NO_FACTS}
    post(client, f"languagemodel/{entry.language_model_id}/change/", fields)
    assert "Renamed" in board()


def test_changing_a_reported_number_changes_the_board(client: Client, entry: ReportedEntry) -> None:
    assert "98.7" not in board()
    post(client, f"reportedentry/{entry.pk}/change/", row(entry, 98.7))
    assert "98.7" in board()


def test_deleting_a_reported_row_changes_the_board(client: Client, entry: ReportedEntry) -> None:
    assert "Model A" in board()
    post(client, f"reportedentry/{entry.pk}/delete/", {"post": "yes"})
    assert "Model A" not in board()


def test_deleting_several_reported_rows_changes_the_board(
    client: Client, entry: ReportedEntry
) -> None:
    assert "Model A" in board()
    fields = {"action": "delete_selected", "_selected_action": entry.pk, "post": "yes"}
    post(client, "reportedentry/", fields)
    assert not ReportedEntry.objects.exists()
    assert "Model A" not in board()


def test_a_release_under_another_title(
    client: Client, entry: ReportedEntry, official: Release
) -> None:
    assert "Release hf" in board()
    post(client, f"release/{official.pk}/change/", {"title": "Renamed"})
    assert "Renamed" in board()


def test_a_deleted_model_is_not_a_choice(client: Client, entry: ReportedEntry) -> None:
    unused = LanguageModel.objects.create(slug="unused", name="Unused")
    post(client, f"languagemodel/{unused.pk}/delete/", {"post": "yes"})
    assert not LanguageModel.objects.filter(pk=unused.pk).exists()
