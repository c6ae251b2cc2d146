"""The commands that talk to a site, and the exit codes and documents of all commands."""

import json
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from zipfile import ZipFile

import pytest

from scoring.__main__ import COMMANDS, main
from scoring.cli import placeholders as stand_ins
from scoring.cli.site.options import evaluation_text
from scoring.site.connection import PROBLEM
from tests.support.paths import ROOT
from tests.support.scripted_server import Scripted, scripted
from tests.support.worlds import write_rows

ID = "00000000-0000-4000-8000-000000000000"
SUBMISSION = {
    "id": ID, "state": "private", "url": "https://x/", "release": "one", "language_model": "two",
    "created": "2026-11-23T17:40:17Z", "actions": ["withdraw"],
    "evaluation": {"state": "queued", "failure": None, "waits": None, "question": None,
                   "problems": []},
}  # fmt: skip
LISTED = {"next": None, "submissions": [SUBMISSION]}
REPORT = {"overall": {"strict": 4.5}, "domains": {}}
REFUSAL = {"status": 401, "code": "bad_token", "detail": "No.", "errors": []}
ASKS = {
    "kind": "alignment", "sentence": "By id?", "answers": [{"align": "order"}],
    "advice": {"align": "order"},
}  # fmt: skip


def answer(document: object, status: int = 200, kind: str = "application/json") -> Scripted:
    return Scripted(status, json.dumps(document).encode(), {"Content-Type": kind})


def evaluated(**facts: object) -> Scripted:
    return answer(SUBMISSION | {"evaluation": SUBMISSION["evaluation"] | facts})  # type: ignore[operator]


def from_hub(state: str) -> Scripted:
    fetch = {
        "state": state, "repository": "a/b", "revision": "main", "commit": None, "size": None,
        "received": 0, "code": "not_found", "detail": "No.",
    }  # fmt: skip
    return answer(SUBMISSION | {"evaluation": None, "fetch": fetch})


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("INFINITEBENCH_TOKEN", "ibench_x")
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "gold" / "passkey.jsonl", [{"id": 0, "answer": ["1"]}])
    write_rows(tmp_path / "preds_passkey.jsonl", [{"id": 0, "prediction": "1"}])
    (tmp_path / "bad.jsonl").write_text("[]")
    with ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("preds_code_run.jsonl", '{"id": 0, "prediction": "4"}')
    return tmp_path


CODES = [
    (0, "status", [answer(LISTED)]),
    (0, f"status {ID}", [evaluated()]),
    (1, f"status {ID} --follow", [evaluated(state="failed", failure="crashed")]),
    (3, f"status {ID} --follow", [evaluated(state="needs answer", question=ASKS)]),
    (2, "status --follow", []),
    (0, "submit preds_passkey.jsonl --model two", [evaluated()]),
    (0, "submit --hub a/b@main:preds --model two", [evaluated()]),
    (1, "submit --hub a/b --model two --follow", [from_hub("waiting"), from_hub("failed")]),
    (2, "submit --hub a/b preds_passkey.jsonl --model two", []),
    (2, "submit --hub a/b --hub-token --model two", []),
    (2, "submit --model two", []),
    (2, "submit bad.jsonl --model two", []),
    (2, "submit nowhere.jsonl --model two", []),
    (2, "submit preds_passkey.jsonl a.zip --model two", []),
    (0, f"status {ID} --align order", [evaluated(), evaluated(state="scored"), answer(REPORT)]),
    (4, f"status {ID} --align id", [answer(REFUSAL, 409, PROBLEM)]),
    (2, "status --align id", []),
    (4, f"publish {ID}", [answer(REFUSAL, 409, PROBLEM)]),
    (0, f"withdraw {ID}", [evaluated()]),
    (4, "status", [answer(REFUSAL, 401, PROBLEM)]),
    (5, "status", [Scripted(302, b"", {"Location": "https://elsewhere/"})]),
    (5, "status", [Scripted(200, b"<html>a captive portal")]),
]  # fmt: skip


@pytest.mark.parametrize("command", ["status", "publish", "withdraw"])
def test_an_id_is_no_path(command: str) -> None:
    with scripted() as server:
        assert main([command, "../../etc/passwd", "--site", server.address]) == 2
    assert server.asked == []


@pytest.mark.parametrize(("code", "line", "answers"), CODES)
def test_exit_codes_and_documents(
    code: int, line: str, answers: list[Scripted], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with scripted(*answers) as server:
        words = [*line.split(), "--site", server.address, "--json", "o.json"]
        assert main(words) == code, capsys.readouterr().err
    assert server.left == []
    assert not list(home.glob(".*"))  # no unfinished file
    printed = capsys.readouterr()
    assert "ibench_x" not in printed.out + printed.err
    if code in (4, 5):
        assert printed.err.startswith("error: ")
        assert json.loads(Path("o.json").read_text())["error"]["detail"]
    elif answers:
        assert isinstance(json.loads(Path("o.json").read_text()), dict)
        assert printed.out


def test_a_wrong_field_is_named_by_its_option(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fields = {
        "publish_on": "--on", "language_model": "--model",
        "model-name": "--new-model", "model-context_window": "--context-window",
    }  # fmt: skip
    errors = [{"field": field, "code": "invalid", "detail": "No."} for field in fields]
    refusal = REFUSAL | {"status": 422, "errors": errors}
    with scripted(answer(refusal, 422, PROBLEM)) as server:
        assert main(["publish", ID, "--on", "now", "--site", server.address]) == 4
    shown = [line.strip() for line in capsys.readouterr().err.splitlines()]
    assert {f"{option}: No." for option in fields.values()} <= {*shown}


def test_who_is_the_maker_of_the_model_says_so(home: Path) -> None:
    with scripted(evaluated(), evaluated()) as server:
        for options in ((), ("--by-maker",)):
            assert main(["publish", ID, *options, "--site", server.address]) == 0
        sent = [json.loads(one.body) for one in server.asked]
    assert [one.get("by_maker") for one in sent] == [None, True]


def test_what_a_reviewer_asks_or_gives_as_a_reason_is_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = SUBMISSION | {"state": "question", "reason": "Which template?\n\x1b[2JAnd why?"}
    rejected = SUBMISSION | {"state": "rejected", "reason": "Of another release."}
    with scripted(answer(asked), answer(rejected)) as server:
        shown = []
        for _ in range(2):
            assert main(["status", ID, "--site", server.address]) == 0
            shown.append(capsys.readouterr().out)
    question, reason = shown
    assert "Which template?" in question
    assert "⟨U+001B⟩[2JAnd why?" in question
    assert "Of another release." in reason


def test_a_question_of_alignment_names_the_commands_that_answer_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    version = {"kind": "version", "sentence": "Which?", "answers": [{"version": "hf"}]}
    asks = [evaluated(state="needs answer", question=one) for one in (ASKS, version)]
    with scripted(*asks, evaluated()) as server:
        line = ["status", ID, "--site", server.address]
        assert main(line) == 3
        assert f"infinitebench status {ID} --align order   (fits best)" in capsys.readouterr().out
        assert main(line) == 3
        assert "--" not in capsys.readouterr().out
    assert {one.method for one in server.asked} == {"GET"}


def test_an_answer_is_sent_before_the_submission_is_followed(home: Path) -> None:
    with scripted(evaluated(), evaluated(state="failed", failure="crashed")) as server:
        line = f"status {ID} --align order --follow --site {server.address}"
        assert main(line.split()) == 1
    first, second = server.asked
    assert json.loads(first.body) == {"align": "order"}
    assert first.path == f"{second.path}answer/"


def test_a_command_without_its_extra_package_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [one for one in sys.modules if one.startswith(("yaml", "scoring.endpoint"))]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("scoring.cli.local.run", "scoring.cli.local.endpoint_options"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert main(["run", "--gold", "gold", "--json", "-"]) == 2
    printed = capsys.readouterr()
    assert "infinitebench[run]" in printed.err
    assert '"missing_package"' in printed.out


def test_help_stands_in_for_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """tests/scoring/cli/test_wheel.py tests the help itself, where nothing else is installed."""
    monkeypatch.setattr(stand_ins, "PACKAGES", ("not_installed",))
    with stand_ins.placeholders():
        found = import_module("not_installed.errors")
        real = import_module("json")
    for name in ("not_installed.errors", "not_installed"):
        monkeypatch.delitem(sys.modules, name)
    assert issubclass(type("Own", (found.SomeError,), {}), Exception)
    assert found.SomeError.Inner is not None
    assert json is real
    with pytest.raises(ModuleNotFoundError):
        import_module("not_installed")


def test_every_command_and_exit_code_is_documented() -> None:
    page = (ROOT / "docs" / "command.md").read_text()
    documents = page.partition("document of `--json`")[2].partition("\n\n")[0]
    for name, command in COMMANDS.items():
        assert f"| `{name}` |" in page, name
        assert f"`{name}`" in documents, name
        assert command.summary
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)}
    assert codes == {code for code, _, _ in CODES} | {130}


def test_a_token_is_read_from_standard_input_and_never_from_the_command_line(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("INFINITEBENCH_TOKEN")
    read: Callable[[], str] = lambda: "ibench_typed\n"  # noqa: E731
    monkeypatch.setattr("sys.stdin.readline", read)
    with scripted(answer(LISTED), answer(LISTED)) as server:
        assert main(["login", server.address]) == 0
        assert main(["status"]) == 0
    assert {one.headers["authorization"] for one in server.asked} == {"Bearer ibench_typed"}
    assert "ibench_typed" not in capsys.readouterr().out
    assert main(["login", server.address, "ibench_typed"]) == 2
    with scripted(answer(REFUSAL, 401, PROBLEM)) as server:
        assert main(["login", server.address]) == 4  # and the stored one stays
    file = home / "infinitebench" / "login.json"
    assert json.loads(file.read_text())["token"]
    assert main(["login", server.address, "--forget"]) == 2
    assert (main(["login", "--forget"]), main(["login", "--forget"])) == (0, 0)
    assert not file.exists()


def test_the_place_in_the_queue_is_said_as_far_as_it_is_known() -> None:
    waits: dict[str, object] = {"sentence": "Waiting.", "reasons": []}
    evaluation = {"state": "queued", "failure": None, "waits": waits}
    assert evaluation_text(evaluation) == "queued: Waiting."  # of an older version of the site
    waits |= {"ahead": 2, "seconds": None}
    assert evaluation_text(evaluation).endswith(" 2 before you")
    waits["seconds"] = 4
    assert evaluation_text(evaluation).endswith(" 2 before you, about 4 s")
