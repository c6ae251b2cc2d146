"""Importing releases, and the label files made from them."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from portal.board_version import board_version
from portal.errors import ReleaseError
from portal.models import Example, Release, TaskDataSet
from portal.releases.importer import import_release
from portal.releases.label_files import labels_of
from scoring.releases.gold import read_gold
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db


def test_a_release_is_imported_with_its_examples_in_order(world: Path, release: Release) -> None:
    gold = read_gold(world / "gold")
    assert {data_set.task for data_set in release.data_sets.all()} == set(gold)
    for data_set in release.data_sets.all():
        found = data_set.examples.order_by("index")
        assert data_set.labels_hash == gold[data_set.task].labels_hash
        assert [example.key for example in found] == [str(k) for k in gold[data_set.task].keys]


def test_importing_it_again_changes_nothing(world: Path, release: Release) -> None:
    before = list(Example.objects.values_list("pk", flat=True))
    assert import_release(world / "gold", slug="small", title="Small") == release
    assert list(Example.objects.values_list("pk", flat=True)) == before


def test_a_new_description_updates_the_boards(world: Path, release: Release) -> None:
    before = board_version()
    arguments = ("import_release", str(world / "gold"), "--slug", "small")
    call_command(*arguments, "--description", "Ids from 0.")
    assert Release.objects.get().description == "Ids from 0."
    assert board_version() == before + 1
    call_command(*arguments)  # without one, the stored value stays
    assert Release.objects.get().description == "Ids from 0."
    assert board_version() == before + 1


def test_a_release_has_a_title_and_a_description_in_each_language(
    world: Path, release: Release
) -> None:
    before = board_version()
    texts = ("--description", "Ids from 0.")
    call_command("import_release", str(world / "gold"), "--slug", "small", *texts)
    release.refresh_from_db()
    assert (release.title, release.description) == ("Small", "Ids from 0.")
    assert board_version() == before + 1


def test_releases_share_what_is_the_same(world: Path, release: Release) -> None:
    write_rows(world / "gold" / "code_run.jsonl", [{"id": 0, "answer": [5]}])
    other = import_release(world / "gold", slug="other", title="Other")
    shared = set(release.data_sets.all()) & set(other.data_sets.all())
    assert {data_set.task for data_set in shared} == {"passkey", "code_debug"}
    assert TaskDataSet.objects.count() == 4


@pytest.mark.usefixtures("release")
def test_other_data_under_the_same_name_are_refused(world: Path) -> None:
    write_rows(world / "gold" / "code_run.jsonl", [{"id": 0, "answer": [5]}])
    with pytest.raises(ReleaseError, match="choose another"):
        import_release(world / "gold", slug="small", title="Small")
    assert TaskDataSet.objects.count() == 3


@pytest.mark.parametrize("slug", ["", "数据", "a b/c", "x" * 61])
def test_a_name_that_no_address_can_have_is_refused(world: Path, slug: str) -> None:
    with pytest.raises(ReleaseError, match="--slug: "):
        import_release(world / "gold", slug=slug, title="Small")
    assert not Release.objects.exists()


@pytest.mark.parametrize("sign", ["\n", "\0", "\x1b", "\ud800"])
@pytest.mark.parametrize("name", ["title", "description"])
def test_what_no_page_can_show_is_refused(world: Path, name: str, sign: str) -> None:
    texts: dict[str, Any] = {"title": "Small", name: f"a{sign}b"}
    with pytest.raises(ReleaseError, match=f"--{name}: it contains .* cannot be displayed"):
        import_release(world / "gold", slug="small", **texts)
    with pytest.raises(CommandError, match=f"--{name}: it contains"):
        call_command("import_release", str(world / "gold"), f"--{name}", texts[name])


@pytest.mark.parametrize(
    ("name", "most"),
    [("title", 120), ("description", 300)],
)
def test_what_has_no_room_is_refused(world: Path, name: str, most: int) -> None:
    texts: dict[str, Any] = {"title": "Small", name: "x" * (most + 1)}
    with pytest.raises(ReleaseError, match=f"--{name.replace('_', '-')}: .*{most}"):
        import_release(world / "gold", slug="small", **texts)
    assert not Release.objects.exists()


@pytest.mark.parametrize("hidden", [True, False])
def test_what_one_release_hides_is_not_public_in_another(world: Path, hidden: bool) -> None:
    import_release(world / "gold", slug="first", title="First", hidden=hidden)
    (world / "gold" / "code_debug.jsonl").unlink()
    way = "with" if hidden else "without"
    with pytest.raises(ReleaseError, match=f"PassKey.* in the release “first”.* {way} --hidden"):
        import_release(world / "gold", slug="second", title="Second", hidden=not hidden)
    assert Release.objects.count() == 1
    assert TaskDataSet.objects.exclude(whole_file=None).exists() is False
    import_release(world / "gold", slug="second", title="Second", hidden=hidden)


@pytest.mark.usefixtures("release")
def test_a_release_does_not_become_hidden_on_the_way(world: Path) -> None:
    with pytest.raises(ReleaseError):
        import_release(world / "gold", slug="small", title="Small", hidden=True)


@pytest.mark.parametrize(
    ("task", "row"),
    [
        ("passkey", {"id": 0, "input": "a\0b", "answer": ["12345"]}),
        ("longbook_qa_eng", {"id": 0, "answer": ["a", "b\0"]}),
        ("longbook_choice_eng", {"id": 0, "answer": ["a"], "options": ["a", "b", "c", "\0"]}),
    ],
    ids=["question", "label", "option"],
)
def test_a_nul_is_refused_with_the_file_and_the_example(
    world: Path, task: str, row: dict[str, object]
) -> None:
    file = write_rows(world / "gold" / f"{task}.jsonl", [row])
    with pytest.raises(ReleaseError, match=str(file)):
        import_release(world / "gold", slug="small", title="Small")
    assert not Release.objects.exists()


def label_paths(release: Release) -> dict[str, Path]:
    return {one.task: one.source for one in labels_of(release) if isinstance(one.source, Path)}


def test_label_files_hold_the_same_gold_and_nothing_else(release: Release) -> None:
    labels = {one.task: one for one in labels_of(release)}
    for data_set in release.data_sets.all():
        file = label_paths(release)[data_set.task]
        [row, *_] = file.read_text().splitlines()
        assert set(json.loads(row)) == {"id", "answer", "options"}
        assert labels[data_set.task].questions == data_set.questions_hash
        assert file.parent.stat().st_mode & 0o777 == 0o700
        assert file.stat().st_mode & 0o777 == 0o600


def test_the_type_of_an_answer_is_part_of_the_label(release: Release) -> None:
    Example.objects.filter(data_set__task="passkey").update(answer_type="number")
    with pytest.raises(ReleaseError, match="not as imported"):
        labels_of(release)


def test_label_files_are_made_once(release: Release) -> None:
    first = {file: file.stat().st_mtime_ns for file in label_paths(release).values()}
    assert {file: file.stat().st_mtime_ns for file in label_paths(release).values()} == first
    assert {file.name for file in next(iter(first)).parent.iterdir()} == {f.name for f in first}


def test_labels_changed_in_the_database_are_not_served(release: Release) -> None:
    Example.objects.filter(data_set__task="passkey").update(label="00000")
    with pytest.raises(ReleaseError, match="not as imported"):
        labels_of(release)


def test_labels_come_back_with_the_hashes_of_their_release(released: Path, tmp_path: Path) -> None:
    release = import_release(released / "gold" / "hf", slug="hf", title="hf")
    for task, file in label_paths(release).items():
        (tmp_path / "back").mkdir(exist_ok=True)
        (tmp_path / "back" / f"{task}.jsonl").write_bytes(file.read_bytes())
    imported, back = read_gold(released / "gold" / "hf"), read_gold(tmp_path / "back")
    assert {task: one.labels_hash for task, one in imported.items()} == {
        task: one.labels_hash for task, one in back.items()
    }


def test_the_command_imports_and_reports_what_it_does(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("import_release", str(world / "gold"), "--slug", "small", "--hidden")
    assert Release.objects.get(slug="small").hidden
    assert "3 examples of Retrieve.PassKey" in capsys.readouterr().out


def test_the_command_says_what_is_wrong_with_a_directory(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="contains no release"):
        call_command("import_release", str(tmp_path))


@pytest.mark.parametrize("key", [".", "..", "a\nb", "a\u202eb", "a\x7f"])
def test_an_id_that_no_address_can_have_is_refused(tmp_path: Path, db: None, key: str) -> None:
    write_rows(tmp_path / "code_run.jsonl", [{"id": key, "answer": [5]}])
    with pytest.raises(ReleaseError, match="has no address"):
        import_release(tmp_path, slug="small", title="Small")
