"""Which releases are ∞Bench's own data is declared when they are imported, or later."""

from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from portal.errors import ReleaseError
from portal.models import Release
from portal.releases.importer import import_release
from tests.support.factories import ALL, reported

pytestmark = pytest.mark.django_db


def is_claimed(client: Client) -> bool:
    boards = [f"/board/{slug}/" for slug in ("small", "infinitebench")]
    return any("Claimed" in client.get(path).content.decode() for path in boards)


def test_a_new_release_has_a_board_at_once(world: Path, client: Client) -> None:
    assert client.get("/board/small/").status_code == 404
    import_release(world / "gold", slug="small", title="Small")
    assert client.get("/board/small/").status_code == 200


def test_a_release_can_be_called_official_later(world: Path, client: Client) -> None:
    reported("Claimed", ALL)
    import_release(world / "gold", slug="small", title="Small")
    assert not is_claimed(client)
    said = {"official": True, "other_labels": True}
    call_command("import_release", world / "gold", slug="small", **said, verbosity=0)
    assert is_claimed(client)


def test_an_official_release_stays_official(world: Path) -> None:
    import_release(world / "gold", slug="small", title="Small", official=True)
    import_release(world / "gold", slug="small", title="Small")
    assert Release.objects.get(slug="small").official


def test_another_release_of_the_same_name_is_not_made_official(world: Path) -> None:
    import_release(world / "gold", slug="small", title="Small")
    (world / "gold" / "passkey.jsonl").unlink()
    with pytest.raises(ReleaseError):
        import_release(world / "gold", slug="small", title="Small", official=True)
    assert not Release.objects.get(slug="small").official
