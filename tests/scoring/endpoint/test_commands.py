"""``python -m scoring run`` and ``estimate`` as people use them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from portal.demo.openai_behaviour import question_hash
from scoring.catalog import TASKS
from scoring.endpoint.estimate import perfect_answer
from scoring.endpoint.prompts import Sight, prompt_for
from scoring.endpoint.questions import read_questions
from scoring.endpoint.run.records import Ended, JsonLines, Sent, history_of
from scoring.endpoint.settings import RunSettings, settings_of
from scoring.endpoint.settings_file import PageFields, settings_text
from tests.support.endpoint_runs import passkey_release
from tests.support.paths import ROOT
from tests.support.processes import eventually
from tests.support.raw_server import ok, raw_server
from tests.support.reference_endpoint import Endpoint, served_here
from tests.support.worlds import write_lines

CANARY = "sk-canary-7f3a9c"


def scoring(*arguments: object, key: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", _START, *map(str, arguments)]
    variables = {**os.environ, "ENDPOINT_API_KEY": key}
    return subprocess.run(
        command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False
    )


def run_arguments(endpoint: Endpoint, world: Path, *more: object) -> list[object]:
    place = ["--endpoint", endpoint.url, "--model", endpoint.model]
    return ["run", *place, "--gold", world / "gold", "--out", world / "run", *more]


@pytest.fixture
def world(tmp_path: Path) -> Path:
    passkey_release(tmp_path / "gold", 40)
    return tmp_path


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_run_writes_predictions_that_the_scorer_reads(world: Path) -> None:
    with served_here("--window", "8K") as endpoint:
        finished = scoring(*run_arguments(endpoint, world))
    assert finished.returncode == 0, finished.stderr
    assert "40 answered" in finished.stderr
    assert [row["id"] for row in rows(world / "run" / "preds_passkey.jsonl")] == list(range(40))
    scored = scoring("score", world / "run", "--gold", world / "gold", "--json", "-")
    assert json.loads(scored.stdout)["tasks"]["passkey"]["scores"]["strict"] == 100
    assert "✗" not in scored.stderr


_START = (  # a background job of a shell would ignore Ctrl-C
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from scoring.__main__ import main; raise SystemExit(main(sys.argv[1:]))"
)


@contextmanager
def started(arguments: list[object]) -> Iterator["subprocess.Popen[bytes]"]:
    command = [sys.executable, "-c", _START, *map(str, arguments)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def stored(world: Path) -> dict[int, str]:
    """The hash of the prompt of each question whose answer is stored."""
    file = world / "run" / "run.log"
    lines = file.read_bytes().split(b"\n")[:-1] if file.exists() else []
    records = [json.loads(line) for line in lines]
    return {one["key"]: one["text"] for one in records if one["record"] == "ended"}


def wait_for_answers(world: Path, least: int) -> None:
    eventually(lambda: len(stored(world)) >= least, f"{least} answers")


def test_after_kill_9_nothing_is_asked_again_whose_answer_was_stored(world: Path) -> None:
    """The run is killed twice; the endpoint's own log shows what it was asked."""
    log = world / "log.jsonl"
    questions = {one.key: one for one in read_questions(world / "gold", ["passkey"])}
    behaviour = ("--log", str(log), "--latency", "0.05,0.5", "--faults", "429=0.05,drop=0.05")
    with served_here("--window", "8K", *behaviour) as endpoint:
        arguments = run_arguments(endpoint, world, "--concurrency", 4)
        kept: list[tuple[float, set[int]]] = []
        for least in (8, 20):
            with started(arguments) as process:
                wait_for_answers(world, least)
                process.kill()
                process.wait()
            kept.append((time.time(), set(stored(world))))
        finished = scoring(*arguments)
    assert finished.returncode == 0, finished.stderr
    settings = settings_of({"url": endpoint.url, "model": endpoint.model})
    hashes = {key: question_hash(prompt_for(one, settings).text) for key, one in questions.items()}
    asked = [line for line in rows(log) if line["ended"] == "answered"]
    for killed, answered in kept:
        later = {line["question"] for line in rows(log) if line["from"] > killed}
        assert not later & {hashes[key] for key in answered}
    times = [sum(line["question"] == name for line in asked) for name in hashes.values()]
    assert min(times) == 1
    assert sum(times) - len(times) <= 2 * 4  # what was in flight when it was killed
    assert len(rows(world / "run" / "preds_passkey.jsonl")) == 40
    with JsonLines(world / "run" / "run.log") as store:
        records = list(store.read())
    assert history_of(records).spent.requests == sum(isinstance(one, Sent) for one in records)
    ends = [one.key for one in records if isinstance(one, Ended)]
    assert len(ends) == len(set(ends)) == 40


def test_a_run_goes_on_with_more_questions_and_another_pace(world: Path) -> None:
    log = world / "log.jsonl"
    with served_here("--window", "8K", "--log", str(log)) as endpoint:
        for limit, total in ((10, 10), (25, 25), (25, 25)):
            more = ("--limit", limit, "--concurrency", limit)
            finished = scoring(*run_arguments(endpoint, world, *more))
            assert finished.returncode == 0, finished.stderr
            assert len(rows(log)) == total
    assert len(rows(world / "run" / "preds_passkey.jsonl")) == 25


def test_a_run_does_not_go_on_with_other_settings_or_other_data(world: Path) -> None:
    with served_here("--window", "8K") as endpoint:
        assert scoring(*run_arguments(endpoint, world)).returncode == 0
        other = scoring(*run_arguments(endpoint, world, "--strategy", "step-by-step"))
        passkey_release(world / "gold", 41)
        changed = scoring(*run_arguments(endpoint, world))
    assert other.returncode == changed.returncode == 2
    assert "begun with “strategy: direct”" in other.stderr
    assert "command has “strategy: step-by-step”" in other.stderr
    assert "questions of other data" in changed.stderr


def test_a_folder_with_something_else_is_left_alone(world: Path) -> None:
    (world / "run").mkdir()
    (world / "run" / "thesis.tex").write_text("x")
    with served_here("--window", "8K") as endpoint:
        finished = scoring(*run_arguments(endpoint, world))
    assert finished.returncode == 2
    assert "holds no run" in finished.stderr
    assert [file.name for file in (world / "run").iterdir()] == ["thesis.tex"]


def test_what_was_refused_for_its_key_does_not_count_against_the_cap(world: Path) -> None:
    more = ("--max-requests", 40, "--concurrency", 4)
    with served_here("--window", "8K", "--key", "right") as endpoint:
        refused = scoring(*run_arguments(endpoint, world, *more), key="wrong")
        assert refused.returncode == 1, refused.stderr
        finished = scoring(*run_arguments(endpoint, world, *more), key="right")
    assert finished.returncode == 0, finished.stderr
    assert "40 answered" in finished.stderr


def test_an_estimate_says_what_a_cap_pays_for(world: Path) -> None:
    prices = ("--price-input", 1, "--price-output", 1)
    place = ("--endpoint", "http://127.0.0.1:9/v1", "--model", "m", "--json", "-")
    whole = json.loads(scoring("estimate", *place, "--gold", world / "gold", *prices).stdout)[
        "cost"
    ]
    given = (*place, "--gold", world / "gold", *prices, "--max-cost", whole / 4)
    [cap] = json.loads(scoring("estimate", *given).stdout)["caps"]
    assert (cap["name"], cap["questions"]) == ("money", 10)
    assert cap["percent"] == pytest.approx(25)
    table = scoring("estimate", *given[:4], *given[6:])
    assert "10 of 40" in table.stdout
    assert "25 %" in table.stdout


def test_a_cap_ends_a_run_with_a_code_of_its_own(world: Path) -> None:
    with served_here("--window", "8K") as endpoint:
        finished = scoring(*run_arguments(endpoint, world, "--max-requests", 7))
    assert finished.returncode == 3
    assert "7 answered" in finished.stderr
    assert "The cap of 7 requests is reached." in finished.stderr


def test_the_key_is_sent_and_written_nowhere(world: Path) -> None:
    with served_here("--window", "8K", "--key", CANARY) as endpoint:
        wrong = scoring(*run_arguments(endpoint, world), key="sk-wrong-123")
        right = scoring(*run_arguments(endpoint, world), key=CANARY)
    assert wrong.returncode == 1
    assert "paused: The endpoint does not accept the key." in wrong.stderr
    assert right.returncode == 0, right.stderr
    printed = wrong.stdout + wrong.stderr + right.stdout + right.stderr
    written = b"".join(file.read_bytes() for file in world.rglob("*") if file.is_file())
    for key in (CANARY, "sk-wrong-123"):
        assert key not in printed
        assert key.encode() not in written


@pytest.mark.parametrize("inside", ["", "\u200b"])
def test_an_endpoint_that_repeats_the_key_does_not_get_it_written(world: Path, inside: str) -> None:
    said = f"You are {CANARY[:5]}{inside}{CANARY[5:]}"
    choice = {"message": {"content": said, "reasoning": said}, "finish_reason": said}
    answer = ok(json.dumps({"choices": [choice]}).encode())
    error = ok(json.dumps({"error": {"message": said}}).encode())
    for number, parts in enumerate((answer, error)):
        out = world / f"run{number}"
        with raw_server(parts) as server:
            place = ["run", "--endpoint", server.url, "--model", "m", "--gold", world / "gold"]
            settings = world / "settings.yaml"
            settings.write_text("attempts: 1\n")
            more = ("--out", out, "--limit", 2, "--settings", settings)
            finished = scoring(*place, *more, key=CANARY)
        assert finished.returncode == number, finished.stderr
        written = "".join(file.read_text() for file in out.iterdir())
        assert "You are …" in written
        assert CANARY[-6:] not in written + finished.stdout + finished.stderr


def test_settings_come_from_a_file_and_options_come_before_them(world: Path) -> None:
    with served_here("--window", "8K") as endpoint:
        assert scoring(*run_arguments(endpoint, world, "--limit", 2)).returncode == 0
        file = world / "run" / "run.yaml"
        more = ("--gold", world / "gold", "--out", world / "again", "--limit", 3)
        finished = scoring("run", "--settings", file, *more)
    assert finished.returncode == 0, finished.stderr
    assert len(rows(world / "again" / "preds_passkey.jsonl")) == 3


def test_a_file_of_the_site_can_be_used(world: Path) -> None:
    page = PageFields("passkeys", "long-8b", "RAG", "a note", str(uuid4()))
    settings = RunSettings("http://127.0.0.1:9/v1", "m", tasks=("passkey",), subset=12)
    (world / "site.yaml").write_text(settings_text(settings, page))
    given = ("--settings", world / "site.yaml", "--gold", world / "gold", "--json", "-")
    estimated = scoring("estimate", *given)
    assert json.loads(estimated.stdout)["tasks"]["passkey"]["requests"] == 12
    assert "same_questions_as" in estimated.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "“url” is missing"),
        (["--endpoint", "example.org", "--model", "m"], "“url” must be an address"),
        (["--endpoint", "http://x/v1", "--model", "m", "--tasks", "x"], "no task"),
        (["--endpoint", "http://x/v1", "--model", "m", "--window", "520"], "no room"),
        (["--endpoint", "http://x/v1", "--model", "m", "--output-tokens", "x=5"], "no task"),
        (["--endpoint", "http://x/v1", "--model", "m", "--output-tokens", "passkey"], "tokens"),
        (["--endpoint", "http://x/v1", "--model", "m", "--max-cost", "nan"], "“caps”"),
        (["--endpoint", "http://x/v1", "--model", "m", "--max-cost", "5"], "needs prices"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(
    world: Path, options: list[str], said: str
) -> None:
    for command in (["run", "--out", str(world / "run")], ["estimate"]):
        finished = scoring(*command, "--gold", world / "gold", *options)
        assert finished.returncode == 2
        assert said in finished.stderr
    assert not (world / "run").exists()


def test_a_second_run_in_a_folder_changes_nothing(world: Path) -> None:
    with served_here("--window", "8K") as endpoint:
        arguments = run_arguments(endpoint, world, "--limit", 2)
        assert scoring(*arguments).returncode == 0
        before = (world / "run" / "run.yaml").read_bytes()
        with JsonLines(world / "run" / "run.log"):
            second = scoring(*arguments, "--concurrency", 3)
        assert second.returncode == 2
        assert "being written by another run" in second.stderr
        assert (world / "run" / "run.yaml").read_bytes() == before


def test_of_two_runs_that_begin_in_a_folder_only_that_with_the_lock_writes(world: Path) -> None:
    (world / "run").mkdir()
    with served_here("--window", "8K") as endpoint:
        with JsonLines(world / "run" / "run.log"):
            assert scoring(*run_arguments(endpoint, world)).returncode == 2
            assert [file.name for file in (world / "run").iterdir()] == ["run.log"]
        assert scoring(*run_arguments(endpoint, world, "--limit", 2)).returncode == 0


def test_a_run_without_its_settings_or_a_folder_with_other_files_is_left_alone(
    world: Path,
) -> None:
    (world / "run").mkdir()
    with served_here("--window", "8K") as endpoint:
        for name in ("run.log", "letter.txt"):
            write_lines(world / "run" / name, {"dear": "reader"})
            finished = scoring(*run_arguments(endpoint, world))
            assert finished.returncode == 2
            assert "holds no run" in finished.stderr
            assert [file.name for file in (world / "run").iterdir()] == [name]
            (world / "run" / name).unlink()


def test_a_run_that_was_refused_for_its_questions_can_follow_the_advice(world: Path) -> None:
    write_lines(world / "gold" / "passkey.jsonl", {"id": 0, "answer": ["12345"]})
    with served_here("--window", "8K") as endpoint:
        refused = scoring(*run_arguments(endpoint, world))
        assert refused.returncode == 2
        assert "--strategy closed-book" in refused.stderr
        followed = scoring(*run_arguments(endpoint, world, "--strategy", "closed-book"))
    assert followed.returncode == 0, followed.stderr


def test_a_full_disk_is_named_and_the_run_goes_on_later(world: Path) -> None:
    with served_here("--window", "8K") as endpoint:
        arguments = run_arguments(endpoint, world)
        command = [sys.executable, "-B", "-m", "scoring", *map(str, arguments)]
        full = subprocess.run(  # limits files to 16 blocks of 512 bytes
            ["sh", "-c", 'ulimit -f 16 && exec "$@"', "sh", *command],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert full.returncode == 2
        assert f"{world / 'run' / 'run.log'}: File too large" in full.stderr
        assert {row["id"] for row in rows(world / "run" / "preds_passkey.jsonl")} == set(
            stored(world)
        )
        assert 0 < len(stored(world)) < 40
        assert scoring(*arguments).returncode == 0
    assert len(stored(world)) == 40


def test_a_run_that_goes_on_remembers_how_the_endpoint_counts(world: Path) -> None:
    """The next request fits by our count of tokens, but not by the endpoint's."""
    choice = {"message": {"content": "42"}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1_800, "completion_tokens": 1}
    answer = json.dumps({"choices": [choice], "usage": usage}).encode()
    with raw_server(ok(answer)) as server:
        place = ["run", "--endpoint", server.url, "--model", "m", "--gold", world / "gold"]
        place += ["--out", world / "run"]
        assert scoring(*place, "--limit", 1).returncode == 0
        finished = scoring(*place, "--limit", 2, "--max-tokens", 3_000)
        assert len(server.requests) == 1
    assert finished.returncode == 3
    assert "3,000 tokens has no room" in finished.stderr


def test_the_key_is_not_sent_without_encryption_to_the_internet(world: Path) -> None:
    out = ("--model", "m", "--gold", world / "gold", "--out", world / "run")
    finished = scoring("run", "--endpoint", "http://example.org/v1", *out, key=CANARY)
    assert finished.returncode == 2
    assert "without encryption" in finished.stderr
    assert CANARY not in finished.stderr
    assert not (world / "run").exists()


def test_a_release_without_texts_is_refused_unless_the_book_stays_closed(world: Path) -> None:
    write_lines(world / "gold" / "passkey.jsonl", {"id": 0, "answer": ["12345"]})
    place = ("estimate", "--gold", world / "gold", "--endpoint", "http://x/v1", "--model", "m")
    refused = scoring(*place)
    assert refused.returncode == 2
    assert "labels without contexts" in refused.stderr
    assert scoring(*place, "--strategy", "closed-book").returncode == 0


def test_output_limits_are_given_by_task(world: Path) -> None:
    with served_here("--window", "8K") as endpoint:
        more = ("--window", "1K", "--output-tokens", "passkey=1", "--limit", 1)
        finished = scoring(*run_arguments(endpoint, world, *more))
    assert finished.returncode == 0, finished.stderr
    assert "1 cut at the output limit" in finished.stderr


def test_a_run_that_is_interrupted_keeps_its_answers_and_says_so(world: Path) -> None:
    with served_here("--window", "8K", "--delay", "0.05") as endpoint:
        with started(run_arguments(endpoint, world, "--concurrency", 2)) as process:
            wait_for_answers(world, 4)
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 130
        file = world / "run" / "preds_passkey.jsonl"
        assert {row["id"] for row in rows(file)} == set(stored(world))


def test_the_predicted_ceiling_is_the_score_of_an_oracle(tmp_path: Path) -> None:
    """The oracle knows every answer, and gives it if the evidence is in the prompt that it gets."""
    lengths = "4000,8000"
    gold, canned = tmp_path / "gold", tmp_path / "canned.jsonl"
    made = scoring("generate", gold, "--seed", 11, "--tokens", lengths, "--examples", 4)
    assert made.returncode == 0, made.stderr
    known = [task for task in TASKS if not task.startswith("longbook")]
    document: Mapping[str, object] = {
        "url": "http://127.0.0.1:9/v1", "model": "oracle", "window": 6_000, "tasks": known,
        "output_tokens": {"math_calc": 800},
    }  # fmt: skip
    file = tmp_path / "settings.yaml"
    file.write_text(json.dumps(document))  # JSON is YAML too
    oracle = []
    for question in read_questions(gold, known):
        prompt = prompt_for(question, settings_of(document))
        label = question.example.label
        answer = "" if prompt.sight is Sight.CUT else perfect_answer(question.task, label)
        oracle.append({"question": question_hash(prompt.text), "answer": answer})
    write_lines(canned, *oracle)
    estimated = scoring("estimate", "--settings", file, "--gold", gold, "--json", "-")
    with served_here("--window", "8K", "--name", "oracle", "--canned", str(canned)) as endpoint:
        out = tmp_path / "run"
        more = ("--settings", file, "--endpoint", endpoint.url, "--gold", gold, "--out", out)
        finished = scoring("run", *more)
        assert finished.returncode == 0, finished.stderr
    scored = json.loads(scoring("score", out, "--gold", gold, "--json", "-").stdout)
    predicted = json.loads(estimated.stdout)["tasks"]
    assert list(predicted) == known
    for task, estimate in predicted.items():
        assert estimate["exact"], task
        for name, ceiling in estimate["ceiling"].items():
            assert ceiling == pytest.approx(scored["tasks"][task]["scores"][name]), (task, name)
    ceilings = {task["ceiling"]["strict"] for task in predicted.values()}
    assert min(ceilings) < 60 < max(ceilings)


def test_an_estimate_counts_what_a_run_then_sends(world: Path) -> None:
    with served_here("--window", "8K") as endpoint:
        place = ["--endpoint", endpoint.url, "--model", endpoint.model, "--gold", world / "gold"]
        estimated = scoring("estimate", *place, "--json", "-")
        finished = scoring(*run_arguments(endpoint, world))
    assert finished.returncode == 0
    estimate = json.loads(estimated.stdout)["tasks"]["passkey"]
    sent = [one for one in rows(world / "run" / "run.log") if one["record"] == "sent"]
    assert estimate["requests"] == len(sent) == 40
    assert estimate["input_tokens"] == sum(one["input"] for one in sent)
    assert estimate["output_tokens"] == sum(one["output"] for one in sent)


def test_scoring_loads_neither_http_nor_yaml_nor_the_engine(world: Path) -> None:
    write_lines(world / "preds_passkey.jsonl", {"id": 0, "prediction": "00000"})  # next to gold/
    code = (
        "import sys; from scoring.__main__ import main; "
        f"main(['score', {str(world)!r}, '--gold', {str(world / 'gold')!r}]);"
        "print([name for name in ('httpx2', 'yaml', 'scoring.endpoint', 'asyncio') "
        "if name in sys.modules])"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert finished.stdout.rstrip().endswith("[]")
