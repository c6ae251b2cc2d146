"""Importing from the Hub: what is fetched, how failures are reported, what differs."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from portal.models import Example, Release
from portal.releases.hub import HubError, fetch_release
from scoring.generators.release import generate_release
from scoring.releases.gold import read_gold, release_files
from scoring.releases.official import HUB_LABELS, PAPER_LABELS
from tests.support.disks import small_disk_at
from tests.support.hub_server import COMMIT, REPOSITORY, Hub, official_hub, running
from tests.support.official_rows import write_official

FIRST = 12  # rows of each task


@pytest.fixture(scope="module")
def official(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_official(tmp_path_factory.mktemp("official"), FIRST)


@pytest.fixture
def hub(official: Path, settings: Settings) -> Iterator[Hub]:
    with running(official_hub(official)) as hub:
        settings.HUB_ENDPOINT = hub.url
        settings.HUB_TOKEN = ""
        yield hub


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the client's waits between retries."""
    monkeypatch.setattr("time.sleep", lambda _: None)


def imported(*arguments: str) -> Release:
    call_command("import_release", "--hub", REPOSITORY, *arguments)
    return Release.objects.filter(data_sets__isnull=False, label_versions=None).latest("pk")


def fetched() -> dict[str, Path]:
    """The files of a fetched release, by task."""
    return release_files(fetch_release(REPOSITORY, "main").folder)


# Fetching


def test_the_files_come_as_they_are_on_the_hub(hub: Hub, official: Path) -> None:
    assert fetch_release(REPOSITORY, "main").commit == COMMIT
    files = fetched()
    assert len(files) == 12
    for file in files.values():
        assert file.read_bytes() == (official / file.name).read_bytes()


def test_only_files_of_a_release_are_asked_for(hub: Hub, settings: Settings) -> None:
    hub.files |= {"../../outside.jsonl": b"{}\n", "/etc/cron.d/x": b"x", "passkey.jsonl.py": b"x"}
    hub.files |= {"facets/../../../outside": b"x", "more/passkey.jsonl": b"{}\n"}
    assert len(fetched()) == 12
    assert not any("outside" in line or "README" in line for line in hub.asked)
    assert not list(Path(settings.CACHE_DIR).parent.rglob("outside*"))


def test_what_another_commit_has_is_no_part_of_this_one(hub: Hub) -> None:
    hub.files["facets/passkey.jsonl"] = b'{"id": 0, "depth": 0.5}\n'
    [facets] = fetch_release(REPOSITORY, "main").folder.glob("facets/*")
    del hub.files["facets/passkey.jsonl"], hub.files["kv_retrieval.jsonl"]
    hub.commit = "1" * 40
    assert "kv_retrieval" not in fetched()
    assert not facets.exists()


def test_a_second_time_nothing_large_is_fetched_again(hub: Hub) -> None:
    fetch_release(REPOSITORY, "main")
    before = len(hub.fetched())
    fetch_release(REPOSITORY, COMMIT)
    assert len(hub.fetched()) == before


@pytest.mark.usefixtures("quick")
def test_a_connection_that_breaks_is_taken_up_where_it_broke(hub: Hub) -> None:
    piece = 10 << 20  # the chunk that the client writes at a time
    hub.files = {"longbook_qa_chn.jsonl": b"0123456789abcdef" * (piece // 12)}
    hub.cut = piece + 1_000
    [file] = fetched().values()
    assert hub.fetched() == [file.name, f"{file.name} from {piece}"]
    assert file.read_bytes() == hub.files[file.name]


def test_the_faster_way_is_not_taken_and_nothing_else_is_asked(hub: Hub) -> None:
    hub.xet = True
    assert len(fetched()) == 12
    ways = ("/api/datasets/", "/datasets/", "/cdn/")
    assert all(line.split()[1].startswith(ways) for line in hub.asked)


def test_what_came_whole_before_a_failure_is_kept(hub: Hub) -> None:
    damaged = hub.files["number_string.jsonl"].replace(b"grass", b"grams")
    hub.instead = {"number_string.jsonl": damaged}
    with pytest.raises(HubError, match=r"number_string\.jsonl is not what .* says"):
        fetch_release(REPOSITORY, "main")
    hub.instead = {}
    hub.asked.clear()
    fetch_release(REPOSITORY, "main")
    assert "passkey.jsonl" not in hub.fetched()
    assert "number_string.jsonl" in hub.fetched()


def test_a_file_of_another_size_is_refused(hub: Hub) -> None:
    hub.instead = {"passkey.jsonl": hub.files["passkey.jsonl"][:-100]}
    with pytest.raises(HubError, match="A download was incomplete"):
        fetch_release(REPOSITORY, "main")


def test_a_file_that_was_damaged_here_is_fetched_again(hub: Hub, official: Path) -> None:
    [file, *_] = fetched().values()
    file.write_bytes(file.read_bytes().replace(b"sky", b"sea"))
    fetch_release(REPOSITORY, "main")
    assert file.read_bytes() == (official / file.name).read_bytes()


def test_a_small_file_is_checked_by_the_name_that_git_gives_it(hub: Hub) -> None:
    hub.files["passkey.jsonl"] = b'{"id": 0, "answer": ["12345"]}\n'
    file = fetched()["passkey"]
    assert file.read_bytes() == hub.files["passkey.jsonl"]


@pytest.mark.parametrize(
    ("refuse", "sentence"),
    [
        ((404, "RepoNotFound"), "There is no dataset xinrongzhang2022/InfiniteBench at http"),
        ((403, "GatedRepo"), "open only to accounts that accepted its terms"),
        ((401, ""), "refused access|is no dataset"),
        ((500, ""), "answered 500. Try again later"),
    ],
)
@pytest.mark.usefixtures("quick")
def test_a_refusal_is_a_sentence(hub: Hub, refuse: tuple[int, str], sentence: str) -> None:
    hub.refuse = refuse
    with pytest.raises(HubError, match=sentence):
        fetch_release(REPOSITORY, "main")


def test_an_unknown_revision_is_a_sentence(hub: Hub) -> None:
    with pytest.raises(HubError, match="has no revision “v9”"):
        fetch_release(REPOSITORY, "v9")


@pytest.mark.parametrize("name", ["no/such/thing", "../../etc", "a b"])
def test_a_name_that_names_nothing_is_a_sentence(hub: Hub, name: str) -> None:
    with pytest.raises(HubError, match="is not the name of a dataset"):
        fetch_release(name, "main")
    assert hub.asked == []


def test_a_data_set_without_tasks_is_a_sentence(hub: Hub) -> None:
    hub.files = {"README.md": b"# Something else\n"}
    with pytest.raises(HubError, match="contains no release"):
        fetch_release(REPOSITORY, "main")


@pytest.mark.usefixtures("quick")
def test_no_network_is_a_sentence(settings: Settings) -> None:
    settings.HUB_ENDPOINT = "http://127.0.0.1:9"
    with pytest.raises(HubError, match="cannot be reached"):
        fetch_release(REPOSITORY, "main")


@pytest.mark.usefixtures("quick")
def test_failures_in_the_middle_are_a_sentence(hub: Hub) -> None:
    hub.failing_at = "kv_retrieval.jsonl"
    with pytest.raises(HubError, match="answered 500"):
        fetch_release(REPOSITORY, "main")


def test_a_full_disk_is_reported_before_anything_is_fetched(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage("/")
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage._replace(free=1_000))
    with pytest.raises(HubError, match=r"has 0\.0 MB left, but .* still to be downloaded"):
        fetch_release(REPOSITORY, "main")
    assert hub.fetched() == []


def test_a_disk_that_fills_up_on_the_way_is_a_sentence(
    hub: Hub, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.files = {"passkey.jsonl": b"x" * 2_000_000}
    usage = shutil.disk_usage("/")
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage._replace(free=10_000_000))
    with small_disk_at(Path(settings.CACHE_DIR)), pytest.raises(HubError, match="disk is full"):
        fetch_release(REPOSITORY, "main")


@pytest.mark.parametrize("xet", [False, True])
def test_a_token_is_sent_only_if_the_operator_set_it(
    hub: Hub, settings: Settings, xet: bool
) -> None:
    hub.token, hub.xet = "hf_of_the_operator", xet
    with pytest.raises(HubError, match="HF_TOKEN") as refused:
        fetch_release(REPOSITORY, "main")
    settings.HUB_TOKEN = hub.token
    assert len(fetched()) == 12
    assert hub.token not in str(refused.value)
    assert hub.shown_elsewhere == []


# Importing


@pytest.mark.django_db
def test_the_official_set_is_imported_with_what_its_contexts_show(hub: Hub) -> None:
    release = imported("--other-labels")
    assert (release.slug, release.official) == ("hub-90f0394", True)
    assert release.description == f"From {REPOSITORY} at {COMMIT}."
    pair = Example.objects.get(data_set__task="kv_retrieval", key="3")
    assert pair.context is not None
    assert pair.depth == pytest.approx(3 / 500, abs=0.001)
    chain = Example.objects.get(data_set__task="code_run", key="3")
    assert chain.evidence
    assert (chain.hops, len(chain.evidence)) == (2, 2)
    assert Example.objects.get(data_set__task="math_find", key="3").kind == "max"
    assert Example.objects.get(data_set__task="longbook_qa_eng", key="3").evidence is None


@pytest.mark.django_db
def test_every_difference_is_reported(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.loads(line) for line in hub.files["math_find.jsonl"].splitlines()]
    rows[5]["answer"] = [100]
    hub.files["math_find.jsonl"] = "\n".join(map(json.dumps, rows)).encode()
    del hub.files["longbook_qa_chn.jsonl"]
    imported()
    output = capsys.readouterr().out
    for sentence in (
        "Zh.QA: There is no longbook_qa_chn.jsonl.",
        f"Retrieve.PassKey: There are {FIRST} rows, not 590.",
        f"Math.Find: 1 of {FIRST} answers are not a number from 0 to 99 (id 5: 100).",
        f"Math.Find: 1 of {FIRST} answers are not what the context gives (id 5: 100, not ",
        "En.Sum: The labels are neither those of the Hub since March 2024 nor",
        "Retrieve.Number: Context and question have ",
    ):
        assert sentence in output


@pytest.mark.django_db
def test_importing_the_same_commit_again_changes_nothing(hub: Hub) -> None:
    first = imported()
    before = list(Example.objects.values_list("pk", flat=True))
    assert imported("--revision", COMMIT) == first
    assert list(Example.objects.values_list("pk", flat=True)) == before


@pytest.mark.django_db
def test_another_commit_of_the_same_branch_is_another_release(hub: Hub) -> None:
    imported()
    hub.commit = "1" * 40
    hub.files["passkey.jsonl"] = hub.files["passkey.jsonl"].replace(b"grass", b"grams")
    second = imported()
    assert Release.objects.count() == 2
    assert second.description.endswith(f"at {'1' * 40}.")


@pytest.mark.django_db
def test_data_that_cannot_be_used_store_nothing(hub: Hub) -> None:
    hub.files["passkey.jsonl"] += b'{"id": 0, "answer": ["12345"]}\n'
    with pytest.raises(CommandError, match=r"passkey\.jsonl, line 13: the id 0 appears twice"):
        imported()
    assert not Release.objects.exists()


@pytest.mark.django_db
def test_a_release_that_we_made_keeps_the_facets_it_has(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = tmp_path / "made"
    generate_release(made, seed=2, tokens=(1_000,), tasks=("passkey", "code_run"), examples=3)
    files = (file for file in made.rglob("*") if file.is_file())
    hub.files = {file.relative_to(made).as_posix(): file.read_bytes() for file in files}
    hub.repository = "someone/made"
    call_command("import_release", "--hub", "someone/made", "--description", "Made by us.")
    release = Release.objects.get()
    assert (release.official, release.title) == (False, "made 90f0394")
    assert release.description == f"Made by us. From someone/made at {COMMIT}."
    assert set(Example.objects.values_list("target_tokens", flat=True)) == {1_000}
    assert "Differences" not in capsys.readouterr().out


@pytest.mark.django_db
def test_a_directory_of_the_official_data_is_looked_through_likewise(
    official: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(official.rglob("*"))
    call_command("import_release", str(official), "--slug", "local", "--official")
    assert f"There are {FIRST} rows, not 590." in capsys.readouterr().out
    assert Example.objects.get(data_set__task="passkey", key="11").depth == pytest.approx(
        1 / 58, abs=1e-6
    )
    assert sorted(official.rglob("*")) == before


@pytest.mark.django_db
def test_data_with_other_labels_are_not_official_unless_the_command_says_so(
    hub: Hub, official: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their scores cannot be compared with numbers from papers."""
    assert not imported().official
    warning = capsys.readouterr().err
    assert "The labels of Retrieve.PassKey, " in warning
    assert "So this release is NOT official" in warning
    call_command("import_release", str(official), "--slug", "local", "--official")
    assert not Release.objects.get(slug="local").official
    call_command("import_release", str(official), "--slug", "local", "--official", "--other-labels")
    assert Release.objects.get(slug="local").official
    assert "It is official all the same" in capsys.readouterr().err


@pytest.mark.django_db
@pytest.mark.parametrize("known", [HUB_LABELS, PAPER_LABELS], ids=["hub", "paper"])
def test_known_labels_are_official(
    official: Path, monkeypatch: pytest.MonkeyPatch, known: dict[str, str]
) -> None:
    for task, gold in read_gold(official).items():
        monkeypatch.setitem(known, task, gold.labels_hash[:16])
    call_command("import_release", str(official), "--slug", "local", "--official")
    assert Release.objects.get(slug="local").official


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Give either a directory, or a dataset"),
        (["somewhere", "--hub", REPOSITORY], "either a directory"),
        (["somewhere", "--revision", "main"], "give that with --hub"),
    ],
)
def test_what_is_asked_of_the_command_has_to_be_one_thing(
    arguments: list[str], sentence: str
) -> None:
    with pytest.raises(CommandError, match=sentence):
        call_command("import_release", *arguments)


@pytest.mark.django_db
def test_a_description_leaves_room_for_where_the_data_come_from(hub: Hub) -> None:
    with pytest.raises(
        CommandError, match="The description has 331 characters, but at most 300 fit"
    ):
        imported("--description", "x" * 250)
