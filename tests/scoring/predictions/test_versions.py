"""What a version takes from its uploads: the newest file of each task, unambiguously."""

import io
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from scoring.catalog import TASKS
from scoring.limits import LIMITS, Limits
from scoring.predictions.archive import open_stream
from scoring.predictions.versions import Upload, VersionContent, read_version
from tests.support.bad_archives import zipped
from tests.support.bad_inputs import rows


def upload(files: dict[str, bytes], kept: Iterable[str] | None = None, **named: object) -> Upload:
    """An upload of one file as it is, or of several in an archive."""
    name, content = next(iter(files.items())) if len(files) == 1 else ("run.zip", zipped(files))
    return Upload(
        name,
        lambda log: open_stream(name, io.BytesIO(content), LIMITS, log),
        kept=None if kept is None else list(kept),
        **named,  # type: ignore[arg-type]
    )


def texts(found: VersionContent) -> dict[str, str | None]:
    return {task: one.rows[0].prediction for task, one in found.predictions.tasks.items()}


def codes(found: VersionContent) -> list[str]:
    return [problem.code for problem in found.predictions.problems]


def of(version: str, *tasks: str) -> dict[str, bytes]:
    return {f"{task}.jsonl": rows(version) for task in tasks}


OLD = of("1", "passkey", "kv_retrieval", "code_run")


def test_a_new_file_replaces_the_kept_one_without_a_problem() -> None:
    old = upload(OLD, ["passkey", "kv_retrieval", "code_run"])
    found = read_version(upload(of("2", "kv_retrieval")), [old])
    assert texts(found) == {"passkey": "1", "kv_retrieval": "2", "code_run": "1"}
    assert found.tasks == [["passkey", "code_run"], ["kv_retrieval"]]
    assert codes(found) == []


def test_a_task_that_is_not_kept_is_gone() -> None:
    found = read_version(None, [upload(OLD, ["passkey"])])
    assert (texts(found), found.tasks) == ({"passkey": "1"}, [["passkey"]])


def test_the_digest_is_that_of_one_upload_with_the_same_rows() -> None:
    found = read_version(upload(of("1", "kv_retrieval")), [upload(OLD, ["passkey", "code_run"])])
    assert found.predictions.digest == read_version(upload(OLD)).predictions.digest


def test_problems_of_what_is_replaced_or_not_kept_are_not_reported_again() -> None:
    bad = {"kv_retrieval.jsonl": b"x", "code_run.jsonl": b"x\n" + rows("1"), "a.jsonl": b"x",
           "passkey.jsonl": rows("1"), "notes.pdf": b"%PDF-"}  # fmt: skip
    old = upload(bad, ["passkey", "code_run"])
    found = read_version(upload(of("2", "kv_retrieval")), [old])
    assert {(one.task, one.file) for one in found.predictions.problems} == {
        ("code_run", "code_run.jsonl")
    }


def test_an_unusable_new_file_still_replaces_the_kept_one() -> None:
    new = upload({"passkey.jsonl": rows("2"), "kv_retrieval.jsonl": b"%PDF-1.7"})
    found = read_version(new, [upload(OLD, ["passkey", "kv_retrieval", "code_run"])])
    assert texts(found) == {"passkey": "2", "code_run": "1"}
    assert codes(found) == ["file_not_rows"]


def test_nothing_is_scored_where_no_new_file_can_be_used() -> None:
    """But the kept files are still known, for the next version."""
    found = read_version(upload({"kv_retrieval.jsonl": b"%PDF-1.7"}), [upload(OLD, ["passkey"])])
    assert (texts(found), found.tasks) == ({}, [["passkey"], []])
    assert codes(found) == ["file_not_rows"]


def test_an_upload_that_was_not_read_yet_is_kept_whole_with_its_problems() -> None:
    old = upload({**OLD, "a.jsonl": rows("1")})
    found = read_version(upload(of("2", "passkey")), [old])
    assert found.tasks == [["kv_retrieval", "code_run"], ["passkey"]]
    assert codes(found) == ["task_unknown"]


def test_of_an_upload_with_nothing_left_no_word_is_said() -> None:
    found = read_version(upload(of("2", "passkey")), [upload(of("1", "passkey"))])
    assert (found.tasks, codes(found)) == ([[], ["passkey"]], [])


def test_tasks_that_were_given_for_files_stay_with_their_upload() -> None:
    single = upload({"a.txt": rows("1")}, ["passkey"], task="passkey")
    mapped = upload(
        {"a.jsonl": rows("2"), "b.jsonl": rows("3")},
        ["code_run"],
        file_tasks={"a.jsonl": "code_run", "b.jsonl": "math_find"},
    )
    found = read_version(None, [single, mapped])
    assert (texts(found), codes(found)) == ({"passkey": "1", "code_run": "2"}, [])


def test_the_limits_hold_for_all_uploads_together() -> None:
    files = {f"{task}.jsonl": rows("1") * 3 for task in ("passkey", "code_run")}
    kept = [upload({name: content}, [name[:-6]]) for name, content in files.items()]
    found = read_version(None, kept, Limits(lines=4))
    assert "lines_too_many" in codes(found)


def test_an_earlier_upload_that_is_damaged_by_now_is_reported() -> None:
    cut = io.BytesIO(zipped(OLD)[:-30])
    old = Upload("a.zip", lambda log: open_stream("a.zip", cut, LIMITS, log), kept=["passkey"])
    found = read_version(None, [old])
    assert (texts(found), codes(found)) == ({}, ["archive_incomplete"])


TASK_SETS = st.sets(st.sampled_from(list(TASKS)[:5]), min_size=1)


@given(st.lists(st.tuples(TASK_SETS, st.none() | TASK_SETS), min_size=1, max_size=4), st.booleans())
def test_every_task_is_of_the_last_upload_that_has_and_keeps_it(
    uploads: list[tuple[set[str], set[str] | None]], last_is_new: bool
) -> None:
    made = [upload(of(str(n), *sorted(has)), keeps) for n, (has, keeps) in enumerate(uploads)]
    if last_is_new:
        uploads[-1] = (uploads[-1][0], None)
        made[-1] = upload(of(str(len(made) - 1), *sorted(uploads[-1][0])))
        found = read_version(made[-1], made[:-1])
    else:
        found = read_version(None, made)
    expected = {
        task: str(number)
        for number, (has, keeps) in enumerate(uploads)
        for task in (has if keeps is None else has & keeps)
    }
    assert texts(found) == expected
    assert [set(own) for own in found.tasks] == [
        {task for task, last in expected.items() if last == str(number)}
        for number in range(len(uploads))
    ]
