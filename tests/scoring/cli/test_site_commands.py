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
RUN: dict[str, object] = {
    "id": ID, "url": "https://x/", "state": "draft", "sentence": "It waits.", "release": "one",
    "language_model": "two", "submission": None, "created": "2026-11-23T17:40:17Z",
    "connection": {"steps": []}, "progress": None, "actions": ["start"],
    "estimate": {"state": "computing", "percent": 3},
}  # fmt: skip
ENDED = RUN | {
    "state": "ended", "estimate": None,
    "progress": {
        "ended": 1, "total": 1, "failures": [],
        "uses": [{"name": "money", "used": 1.5, "cap": 20.0}],
    },
}  # fmt: skip
REVIEW = {
    "id": ID, "url": "https://x/", "state": "in review", "release": "one", "owner": "alice",
    "language_model": {"name": "two"}, "requested": "2026-11-23T17:40:17Z", "claimed_by": None,
    "overall": {"strict": 4.5}, "answered": 1, "missing": 0,
    "warnings": [{"sentence": "It is odd.", "is_critical": False}],
}  # fmt: skip
OTHER: dict[str, object] = {
    "submission": {"id": ID, "title": "Two", "state": "rejected"}, "overall": {"strict": 0.0},
    "rejected": "Copied.",
}  # fmt: skip
REVIEWED = {"seen": "x", "summary": REVIEW, "flags": [], "copies": None, "others": [OTHER]}
LISTED = {"next": None, "submissions": [SUBMISSION]}
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


def card(*states: str) -> Scripted:
    requests = [
        {"state": state, "repository": "a/b", "url": None, "code": "no_access", "detail": "No."}
        for state in states
    ]
    document = {"path": ".eval_results/x.yaml", "content": "- value: 1\n", "repository": None}
    return answer(document | {"pull_requests": requests})


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("INFINITEBENCH_TOKEN", "ibench_x")
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "gold" / "passkey.jsonl", [{"id": 0, "answer": ["1"]}])
    write_rows(tmp_path / "preds_passkey.jsonl", [{"id": 0, "prediction": "1"}])
    (tmp_path / "bad.jsonl").write_text("[]")
    (tmp_path / "bad.yaml").write_text("&a [*a]")
    (tmp_path / "run.yaml").write_text("url: https://example.org/v1\nmodel: two")
    with ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("preds_code_run.jsonl", '{"id": 0, "prediction": "4"}')
    return tmp_path


CODES = [
    (0, "board", [answer({"release": "r", "metric_set": "m", "labels": None, "next": None,
                          "entries": []})]),
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
    (0, f"resolve {ID} --align order", [evaluated()]),
    (4, f"publish {ID}", [answer(REFUSAL, 409, PROBLEM)]),
    (0, f"withdraw {ID}", [evaluated()]),
    (0, f"cancel-request {ID}", [evaluated()]),
    (0, f"reply {ID} it-was-a-typo", [evaluated()]),
    (0, f"edit {ID} --note x", [evaluated()]),
    (0, f"score-again {ID}", [evaluated()]),
    (0, f"schedule {ID} --on now", [evaluated()]),
    (0, f"reviews claim {ID}", [answer(REVIEWED)]),
    (0, f"reviews hide {ID} --reason bad", [answer(REVIEWED)]),
    (0, f"reviews restore {ID} --seen x --reason good", [answer(REVIEWED)]),
    (0, f"reviews withdraw {ID} --reason asked", [answer(REVIEWED)]),
    (0, f"delete {ID}", [Scripted(204, b"")]),
    (4, f"delete {ID}", [answer(REFUSAL, 409, PROBLEM)]),
    (0, "runs list", [answer({"next": None, "runs": [RUN]})]),
    (0, "runs create run.yaml --new-model two --weights open", [answer(RUN, 201)]),
    (2, "runs create bad.yaml --model two", []),
    (0, f"runs start {ID}", [answer(RUN)]),
    (4, f"runs stop {ID}", [answer(REFUSAL, 409, PROBLEM)]),
    (0, f"runs delete {ID}", [Scripted(204, b"")]),
    (0, f"runs status {ID} --follow", [answer(ENDED | {"submission": ID})]),
    (3, f"runs status {ID} --follow", [answer(RUN)]),
    (0, "reviews list", [answer({"next": None, "reviews": [REVIEW]})]),
    (0, f"reviews show {ID}", [answer(REVIEWED)]),
    (0, f"reviews publish {ID} --seen x --reason good", [answer(REVIEWED)]),
    (4, f"reviews reject {ID} --reason bad", [answer(REFUSAL, 403, PROBLEM)]),
    (0, f"model-card {ID}", [card()]),
    (0, f"model-card {ID} --out card.yaml", [card("done")]),
    (2, f"model-card {ID} --pull-request a/b", []),  # without a token
    (4, f"model-card {ID}", [answer(REFUSAL, 409, PROBLEM)]),
    (0, f"download {ID}", [answer({})]),
    (4, f"download {ID}", [answer(REFUSAL, 404, PROBLEM)]),
    (2, f"download {ID} --what everything", []),
    (2, "download reported-8 --entry", []),
    (4, "status", [answer(REFUSAL, 401, PROBLEM)]),
    (5, "status", [Scripted(302, b"", {"Location": "https://elsewhere/"})]),
    (5, "status", [Scripted(200, b"<html>a captive portal")]),
]  # fmt: skip


def test_an_id_is_no_path(home: Path) -> None:
    with scripted(*[answer(REFUSAL, 404, PROBLEM)] * 2) as server:
        for entry in ([], ["--entry"]):
            words = ["download", "../../etc/passwd", *entry, "--site", server.address]
            assert main(words) == 4
    assert [one.path.count("..") + one.path.count("%") for one in server.asked] == [0, 0]


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
        "publish_on": "--on", "anonymous_until": "--anonymous-until", "language_model": "--model",
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


def test_what_reviewers_ask_and_what_they_are_warned_of_is_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = SUBMISSION | {"state": "question", "reason": "Which template?\n\x1b[2JAnd why?"}
    rejected = SUBMISSION | {"state": "rejected", "reason": "Of another release."}
    copied = {"sentence": "Identical to Two (published).", "is_critical": True}
    review = REVIEW | {"warnings": [copied, *REVIEW["warnings"]]}  # type: ignore[misc]
    lines = (f"status {ID}", f"status {ID}", "reviews list", f"reviews show {ID}")
    with scripted(
        answer(asked),
        answer(rejected),
        answer({"next": None, "reviews": [review]}),
        answer(REVIEWED | {"summary": review}),
    ) as server:
        shown = []
        for line in lines:
            assert main([*line.split(), "--site", server.address]) == 0
            shown.append(capsys.readouterr().out)
    question, reason, listed, seen = shown
    assert "Which template?" in question
    assert "⟨U+001B⟩[2JAnd why?" in question
    assert f"infinitebench reply {ID}" in question
    assert "Of another release." in reason
    assert "2 ✗" in listed
    assert "✗ Identical to Two (published)." in seen
    assert "not been compared" in seen
    assert f"Two, rejected: Copied.; strict 0.00  {ID}" in seen


def test_what_the_file_says_of_the_page_is_sent_unless_an_option_says_otherwise(home: Path) -> None:
    page = "release: hub\nlanguage_model: two\nmethod: RAG\nnote: first\n"
    Path("page.yaml").write_text(page + Path("run.yaml").read_text())
    with scripted(answer(RUN, 201)) as server:
        line = f"runs create page.yaml --method x --site {server.address}"
        assert main(line.split()) == 0
        sent = json.loads(server.asked[0].body)
    settings = sent.pop("settings")
    assert sent == {
        "release": "hub", "language_model": "two", "method": "x", "note": "first"
    }  # fmt: skip
    assert "release" not in settings
    assert main(["runs", "create", "run.yaml"]) == 2  # no model given


@pytest.mark.parametrize(("state", "code"), [("done", 0), ("failed", 1)])
def test_a_pull_request_is_asked_for_with_the_token_of_the_hub(
    state: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_canary")
    with scripted(card(), card("waiting"), card(state)) as server:
        line = f"model-card {ID} --pull-request a/b --follow --site {server.address}"
        assert main(line.split()) == code
        assert json.loads(server.asked[1].body) == {"repository": "a/b", "token": "hf_canary"}
    with scripted(card()) as server:  # a model without a link to a repository
        assert main(f"model-card {ID} --pull-request --site {server.address}".split()) == 2
    printed = capsys.readouterr()
    assert state in printed.out
    assert "hf_canary" not in printed.out + printed.err


def test_help_and_lists_need_no_extra_package(
    monkeypatch: pytest.MonkeyPatch, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [one for one in sys.modules if one.startswith(("yaml", "scoring.endpoint"))]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("scoring.cli.site.runs", "scoring.cli.local.run"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(SystemExit) as stopped:
        main(["runs", "--help"])
    assert stopped.value.code == 0
    with scripted(answer({"next": None, "runs": []})) as server:
        assert main(["runs", "list", "--site", server.address]) == 0
    assert main(["runs", "create", "run.yaml", "--model", "two", "--json", "-"]) == 2
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
    assert json.loads((home / "infinitebench" / "login.json").read_text())["token"]


def test_the_place_in_the_queue_is_said_as_far_as_it_is_known() -> None:
    waits: dict[str, object] = {"sentence": "Waiting.", "reasons": []}
    evaluation = {"state": "queued", "failure": None, "waits": waits}
    assert evaluation_text(evaluation) == "queued: Waiting."  # of an older version of the site
    waits |= {"ahead": 2, "seconds": None}
    assert evaluation_text(evaluation).endswith(" 2 before you")
    waits["seconds"] = 4
    assert evaluation_text(evaluation).endswith(" 2 before you, about 4 s")
