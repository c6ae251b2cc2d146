"""The wheel in an environment of its own, as pipx would install it."""

import json
import subprocess
import sys
import venv
from hashlib import sha256
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.worlds import write_rows

pytestmark = pytest.mark.slow
_UNREACHABLE = ("NewConnectionError", "ConnectTimeoutError", "NameResolutionError")


def run(*command: object, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run it without our environment variables, which would lead it to the checkout."""
    words = [str(word) for word in command]
    plain = {"PATH": "/usr/bin:/bin", "HOME": str(cwd)} if cwd != ROOT else None
    return subprocess.run(words, cwd=cwd, env=plain, capture_output=True, text=True, check=False)


def made(*command: object) -> None:
    finished = run(*command)
    if any(sign in finished.stderr for sign in _UNREACHABLE):
        pytest.skip("THE WHEEL IS NOT TESTED: no package registry can be reached")
    assert finished.returncode == 0, finished.stderr


def test_the_wheel_alone_checks_and_scores(tmp_path: Path) -> None:
    made("sh", ROOT / "requirements" / "wheel.sh", sys.executable, tmp_path / "wheel")
    [wheel] = (tmp_path / "wheel").iterdir()
    box = tmp_path / "box"
    venv.create(box, with_pip=False)
    lock = (ROOT / "requirements" / "command.txt").read_text()
    own = f"{wheel} --hash=sha256:{sha256(wheel.read_bytes()).hexdigest()}\n"
    (tmp_path / "lock.txt").write_text(lock + own)
    pip = (sys.executable, "-m", "pip", "--python", box / "bin" / "python")
    quiet = ("-qq", "--no-compile", "--disable-pip-version-check")
    made(*pip, "install", *quiet, "--require-hashes", "-r", tmp_path / "lock.txt")
    [packages] = (box / "lib").glob("python*/site-packages")
    names = {one.name.partition("-")[0] for one in packages.glob("*.dist-info")}
    assert names == {"infinitebench", "orjson"}
    assert not {"portal", "leaderboard", "tests"} & {one.name for one in packages.iterdir()}

    command = box / "bin" / "infinitebench"
    write_rows(tmp_path / "gold" / "passkey.jsonl", [{"id": 0, "answer": ["12345"]}])
    write_rows(tmp_path / "preds_passkey.jsonl", [{"id": 0, "prediction": "12345"}])
    ways = ("preds_passkey.jsonl", "--gold", "gold", "--json", "-")
    checked = run(command, "check", *ways, cwd=tmp_path)
    scored = run(command, "score", *ways, cwd=tmp_path)
    again = run(box / "bin" / "python", "-m", "scoring", "score", *ways, cwd=tmp_path)
    assert (checked.returncode, scored.returncode, again.returncode) == (0, 0, 0), scored.stderr
    assert json.loads(checked.stdout)["clean"]
    assert json.loads(scored.stdout)["tasks"]["passkey"]["scores"]["strict"] == 100
    assert again.stdout == scored.stdout

    sound = run(command, "verify", cwd=tmp_path)  # the golden cases are in the wheel
    assert (sound.returncode, "[verify]" in sound.stdout) == (0, True), sound.stderr
    asked = ("run", "--endpoint", "http://127.0.0.1:9/v1", "--model", "m", "--gold", "gold")
    refused = run(command, *asked, "--out", "out", cwd=tmp_path)
    assert refused.returncode == 2
    assert "pip install 'infinitebench[run]'" in refused.stderr
    for name, option, extra in (
        ("run", "--endpoint URL", "run"), ("estimate", "--max-cost", "run"),
        ("generate", "--tokens N,N", "run"), ("answer", "--jobs N", "run"),
    ):  # fmt: skip
        helped = run(command, name, "--help", cwd=tmp_path)
        assert (helped.returncode, option in helped.stdout) == (0, True), helped
        assert f"pip install 'infinitebench[{extra}]'" in helped.stdout
    assert run(command, "--version", cwd=tmp_path).stdout.startswith("infinitebench ")
