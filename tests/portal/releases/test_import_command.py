"""Importing releases with their contexts: bounded, resumable after any end, with facets."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage

from portal.errors import ReleaseError
from portal.models import Context, Example, Release, ReleaseFile, TaskDataSet
from portal.releases.context_store import ContextStore
from portal.releases.context_windows import window_by_characters, window_by_tokens
from portal.releases.importer import ImportProgress, import_release
from portal.releases.official import import_checked_release
from scoring.generators.release import generate_release
from scoring.releases.gold import GoldError, read_release
from scoring.text import counting
from scoring.text.counting import PROCESSES
from scoring.text.tokens import count_tokens
from tests.bench.releases import children, import_cost
from tests.scoring.text.test_counting import is_alive
from tests.support.environments import environment
from tests.support.paths import ROOT
from tests.support.processes import eventually
from tests.support.releases import build_release
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db

NOVEL = "She met him twice. 她在船上。 " * 40
ROWS: list[dict[str, Any]] = [
    {"id": key, "context": context, "input": f"Who {key}?", "answer": ["Ann"], "options": []}
    for key, context in enumerate([NOVEL, NOVEL, NOVEL + "The end."])
]
FACETS: list[dict[str, Any]] = [
    {"id": 0, "target_tokens": 500, "ladder": 0, "depth": 0.25, "hops": 2, "kind": "who",
     "evidence": [[9, 12], [0, 3]]},
    {"id": 2, "depth": 1},
]  # fmt: skip


def written(folder: Path, *, facets: bool = True, rows: list[dict[str, Any]] = ROWS) -> Path:
    write_rows(folder / "longbook_qa_eng.jsonl", rows)
    if facets:
        write_rows(folder / "facets" / "longbook_qa_eng.jsonl", FACETS)
    return folder


def imported(
    folder: Path, *, hidden: bool = False, report: Callable[[str], None] = lambda _: None
) -> Release:
    return import_release(folder, slug="novels", title="Novels", hidden=hidden, report=report)


def found() -> list[tuple[Any, ...]]:
    """Everything that is stored about examples."""
    columns = (
        "data_set__task", "index", "key", "label", "options", "question", "context__sha256",
        "context__tokens", "context__size", "tokens", "tokens_estimated", "target_tokens",
        "ladder", "depth", "hops", "kind", "evidence",
    )  # fmt: skip
    return list(Example.objects.order_by("data_set__task", "index").values_list(*columns))


def lines_of(file: ReleaseFile | None) -> list[dict[str, Any]]:
    assert file
    with file.file.open("rb") as stored:
        return [json.loads(line) for line in stored]


def test_contexts_are_stored_once_and_examples_name_them(tmp_path: Path) -> None:
    imported(written(tmp_path))
    assert Context.objects.count() == 2
    examples = list(Example.objects.select_related("context"))
    assert examples[0].context == examples[1].context != examples[2].context
    for example, row in zip(examples, ROWS, strict=True):
        assert example.context
        length = len(row["context"])
        assert window_by_characters(example.context, 0, length).text == row["context"]
        expected = count_tokens(row["context"]) + count_tokens(row["input"])
        assert (example.tokens, example.tokens_estimated) == (
            expected.value,
            expected.estimated,
        )


def test_facets_stand_with_their_examples(tmp_path: Path) -> None:
    imported(written(tmp_path))
    first, second, third = Example.objects.all()
    assert (first.target_tokens, first.ladder, first.depth, first.hops) == (500, 0, 0.25, 2)
    assert (first.kind, first.evidence) == ("who", [[9, 12], [0, 3]])
    assert (second.depth, second.kind, second.evidence) == (None, "", None)
    assert third.depth == 1.0
    assert Example.objects.filter(evidence__isnull=True).count() == 2


def test_measured_lengths_are_taken_over(tmp_path: Path) -> None:
    rows = [
        {"id": 0, "tokens": 7, "estimated": False},
        {"id": 1, "tokens": 7, "estimated": True},
    ]
    write_rows(tmp_path / "tokens" / "longbook_qa_eng.jsonl", rows)
    imported(written(tmp_path))
    first, second, _ = Example.objects.all()
    assert first.tokens == 7
    assert second.tokens != 7


def test_what_the_generator_measured_is_what_an_import_counts(tmp_path: Path) -> None:
    out = tmp_path / "release"
    generate_release(out, seed=7, tokens=[1_000], tasks=["passkey", "code_run"], examples=2)
    release = imported(out)
    measured = list(Example.objects.values_list("tokens", "tokens_estimated"))
    release.delete()
    Example.objects.all().delete()
    TaskDataSet.objects.all().delete()
    shutil.rmtree(out / "tokens")
    imported(out)
    assert list(Example.objects.values_list("tokens", "tokens_estimated")) == measured


def test_labels_alone_need_no_counting_and_have_no_files(tmp_path: Path) -> None:
    rows = [{"id": 0, "answer": ["Ann"]}]
    release = imported(written(tmp_path, facets=False, rows=rows))
    data_set = release.data_sets.get()
    assert (data_set.whole_file, data_set.questions_file, data_set.facets_file) == (None,) * 3
    assert Example.objects.get().tokens is None
    assert not Path(default_storage.path("")).exists()


def test_a_set_that_was_imported_without_contexts_gets_them(tmp_path: Path) -> None:
    """As from before contexts were stored: with the same hashes and nothing else."""
    release = imported(written(tmp_path))
    expected = found()
    kept = list(Example.objects.values_list("pk", flat=True))
    Example.objects.update(
        context=None, tokens=None, target_tokens=None, ladder=None, depth=None, hops=None,
        kind="", evidence=None,
    )  # fmt: skip
    TaskDataSet.objects.update(whole_file=None, facets_file=None)
    assert imported(tmp_path) == release
    assert found() == expected
    assert list(Example.objects.values_list("pk", flat=True)) == kept
    assert lines_of(release.data_sets.get().whole_file) == ROWS


def test_facets_that_are_found_later_are_added_and_do_not_go_again(tmp_path: Path) -> None:
    release = imported(written(tmp_path / "plain", facets=False))
    assert Example.objects.filter(depth__isnull=False).count() == 0
    assert imported(written(tmp_path / "more")) == release
    expected = found()
    assert [row[-4] for row in expected] == [0.25, None, 1.0]
    assert imported(tmp_path / "plain") == release
    assert found() == expected
    assert Example.objects.filter(evidence__isnull=True).count() == 2
    assert [row["id"] for row in lines_of(release.data_sets.get().facets_file)] == [0, 2]


def test_estimates_become_counts_once_there_is_a_vocabulary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("NO_VOCABULARY", "1")
        patch.setattr(counting, "get_context", get_context)  # processes with this environment
        release = imported(written(tmp_path / "made"))
        estimates = found()
        assert imported(tmp_path / "made") == release
        assert found() == estimates
    assert all(Example.objects.values_list("tokens_estimated", flat=True))
    kept = list(Context.objects.order_by("pk").values_list("pk", "text"))
    imported(tmp_path / "made")
    assert not any(Example.objects.values_list("tokens_estimated", flat=True))
    assert list(Context.objects.order_by("pk").values_list("pk", "text")) == kept
    for example in Example.objects.select_related("context"):
        assert example.context
        expected = count_tokens(NOVEL if example.index < 2 else f"{NOVEL}The end.")
        window = window_by_tokens(example.context, 0, expected.value)
        assert (window.characters[1], window.estimated) == (example.context.characters, False)


@pytest.mark.parametrize(
    ("facets", "message"),
    [
        ({"id": 9}, "the id 9 is not in longbook_qa_eng.jsonl"),
        ({"id": 1, "evidence": [[0, 99_999]]}, "id 1: “evidence”"),
    ],
)
def test_facets_of_other_data_are_refused(
    tmp_path: Path, facets: dict[str, Any], message: str
) -> None:
    written(tmp_path)
    write_rows(tmp_path / "facets" / "longbook_qa_eng.jsonl", [facets])
    with pytest.raises(GoldError, match=message):
        imported(tmp_path)
    assert not TaskDataSet.objects.exists()


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ({"id": 9, "tokens": 5}, "the id 9 is not in longbook_qa_eng.jsonl"),
        ({"id": 1, "tokens": 0}, "id 1: “tokens” cannot be 0"),
        ({"id": 1, "tokens": 2_000_000}, "id 1: “tokens” cannot be 2,000,000"),
    ],
)
def test_counts_of_other_data_are_refused(
    tmp_path: Path, tokens: dict[str, Any], message: str
) -> None:
    write_rows(tmp_path / "tokens" / "longbook_qa_eng.jsonl", [tokens])
    with pytest.raises(GoldError, match=f"tokens/longbook_qa_eng.jsonl.*{message}"):
        imported(written(tmp_path))
    assert not TaskDataSet.objects.exists()


@pytest.mark.parametrize("damage", [Path.unlink, lambda file: file.write_bytes(b"x")])
def test_stored_files_that_were_lost_come_back(
    tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    """As when only the database was restored from a backup."""
    release = imported(written(tmp_path))
    expected, rows = found(), dict(Context.objects.values_list("pk", "tokens"))
    for file in Path(default_storage.path("")).glob("*/*"):
        damage(file)
    assert imported(tmp_path) == release
    assert (found(), dict(Context.objects.values_list("pk", "tokens"))) == (expected, rows)
    data_set = release.data_sets.get()
    assert lines_of(data_set.whole_file) == ROWS
    assert [row["id"] for row in lines_of(data_set.facets_file)] == [0, 2]
    for example in Example.objects.select_related("context"):
        assert example.context
        whole = window_by_characters(example.context, 0, example.context.characters)
        assert whole.text == ROWS[example.index]["context"]
        assert window_by_tokens(example.context, *whole.tokens).text == whole.text


def test_an_index_that_was_lost_comes_back_alone(tmp_path: Path) -> None:
    imported(written(tmp_path))
    context = Context.objects.earliest("pk")
    default_storage.delete(context.index.name)
    files = sorted(default_storage.listdir("contexts")[1])
    imported(tmp_path)
    assert Context.objects.earliest("pk").text == context.text
    assert set(default_storage.listdir("contexts")[1]) - set(files) == {
        Path(Context.objects.earliest("pk").index.name).name
    }


def test_what_is_no_part_of_the_format_is_not_given_away(tmp_path: Path) -> None:
    rows = [{**ROWS[0], "evidence": "canary", "seed": 7}]
    release = imported(written(tmp_path, facets=False, rows=rows))
    assert lines_of(release.data_sets.get().whole_file) == [ROWS[0]]


def test_the_files_of_a_hidden_release_have_no_answers(tmp_path: Path) -> None:
    data_set = imported(written(tmp_path), hidden=True).data_sets.get()
    assert data_set.whole_file is None
    assert lines_of(data_set.questions_file) == [{**row, "answer": []} for row in ROWS]


def test_progress_is_reported(tmp_path: Path) -> None:
    lines: list[str] = []
    file = written(tmp_path) / "longbook_qa_eng.jsonl"
    with ContextStore(1) as store:
        progress = ImportProgress(file.stat().st_size, store, lines.append, interval=0.0)
        progress.start_task("longbook_qa_eng")
        for row in read_release("longbook_qa_eng", file):
            progress.row_read(row)
    assert len(lines) == len(ROWS)
    assert lines[1].startswith("En.QA: 2 examples")
    assert all(word in lines[1] for word in ("MB in all", "tokens a second", "min left"))


def test_a_counting_process_that_dies_ends_the_import_with_a_sentence(tmp_path: Path) -> None:
    def kill_one() -> None:
        # All have started: a pool that breaks while it starts a process loses track of that one.
        eventually(lambda: len(active_children()) == PROCESSES, "the processes that count")
        active_children()[0].kill()

    with ThreadPoolExecutor(1) as threads:
        killed = threads.submit(kill_one)
        with pytest.raises(ReleaseError, match=r"has ended\. Import it once more\."):
            imported(written(tmp_path))
    killed.result()
    assert not Release.objects.exists()


# As in production: in processes of their own, which can be killed


def variables() -> Mapping[str, str]:
    return {**os.environ, **environment(), "DEMO": "1"}


def begun(folder: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "manage.py", "import_release", str(folder), "--slug", "novels"]
    return subprocess.Popen(command, cwd=ROOT, env=variables(), stdout=subprocess.DEVNULL)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_killed_in_the_middle_it_goes_on_where_it_was(tmp_path: Path) -> None:
    folder = build_release(tmp_path / "release", examples=40, tokens=15_000)
    with begun(folder) as importing:
        assert importing.wait() == 0
    expected, files = found(), set(ReleaseFile.objects.values_list("sha256", "size"))
    forget_everything()

    with begun(folder) as importing:
        eventually(lambda: Context.objects.count() >= 20, "contexts that are stored")
        counting = children(importing.pid)
        os.kill(importing.pid, signal.SIGKILL)
    eventually(lambda: not any(map(is_alive, counting)), "the end of the counting processes")
    assert not Release.objects.exists()
    assert not Example.objects.exists()
    before = dict(Context.objects.values_list("pk", "text"))
    assert 20 <= len(before) < 80

    with begun(folder) as importing:
        assert importing.wait() == 0
    assert found() == expected
    assert set(ReleaseFile.objects.values_list("sha256", "size")) == files
    assert dict(Context.objects.values_list("pk", "text")).items() >= before.items()


def forget_everything() -> None:
    Release.objects.all().delete()
    for model in (Example, TaskDataSet, Context, ReleaseFile):
        model._default_manager.all().delete()
    shutil.rmtree(default_storage.path(""))


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_memory_does_not_grow_with_the_release(tmp_path: Path) -> None:
    small = build_release(tmp_path / "small", examples=4, tokens=100_000)
    large = build_release(tmp_path / "large", examples=40, tokens=100_000)
    costs = [import_cost(variables(), folder) for folder in (small, large)]
    assert sum(file.stat().st_size for file in large.glob("*.jsonl")) > 26 << 20
    assert costs[1].main_peak - costs[0].main_peak < 14  # MiB
    assert costs[1].main_peak < 200
    assert costs[1].counter_peak < 150


def test_labels_alone_of_the_official_data_have_the_facets_of_their_ids(
    released: Path, tmp_path: Path
) -> None:
    for task in ("kv_retrieval", "code_run", "math_find"):
        shutil.copyfile(released / "gold" / "hf" / f"{task}.jsonl", tmp_path / f"{task}.jsonl")
    import_checked_release(tmp_path, slug="hf", title="Hub", official=True, other_labels=True)

    def example(task: str, key: int) -> Example:
        return Example.objects.get(data_set__task=task, key=str(key))

    assert (example("kv_retrieval", 50).depth, example("kv_retrieval", 499).depth) == (0.1, 0.998)
    assert (example("code_run", 79).hops, example("code_run", 80).hops) == (2, 4)
    assert (example("math_find", 0).kind, example("math_find", 349).kind) == ("max", "median")
    assert not Example.objects.exclude(tokens=None).exists()
