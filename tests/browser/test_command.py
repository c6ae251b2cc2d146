"""The command at the real site: from a token to the request for publication, and the files back."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.paths import ROOT
from tests.support.servers import Site

TOKEN = """
from pathlib import Path
from portal.accounts.tokens import create_token
from portal.models import User
owner = User.objects.get(username="author")
Path({file!r}).write_text(create_token(owner, "command", ["read", "submit"], 30).text)
"""


def test_everything_from_login_to_publication_by_command_alone(site: Site, tmp_path: Path) -> None:
    token = tmp_path / "token"
    site.manage("shell", "-c", TOKEN.format(file=str(token)))
    samples = site.state / "demo-samples"
    home = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}

    def command(*words: object, sent: str = "", code: int = 0) -> str:
        finished = subprocess.run(
            [sys.executable, "-m", "scoring", *map(str, words)],
            cwd=ROOT, env=home, input=sent, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert finished.returncode == code, finished.stderr
        assert token.read_text() not in finished.stdout + finished.stderr
        return finished.stdout

    command("login", site.address, sent=token.read_text())
    model = ("--release", "synthetic-demo", "--new-model", "By command", "--weights", "open")
    first = json.loads(command("submit", samples, *model, "--json", "-"))
    again = json.loads(command("submit", samples, *model, "--json", "-"))  # as after a kill
    assert again["id"] == first["id"]
    assert first["id"] in command("status")
    followed = json.loads(command("status", first["id"], "--follow", "--json", "-"))
    assert followed["evaluation"]["state"] == "scored"
    assert {one["code"] for one in followed["evaluation"]["problems"]} == {"predictions_missing"}

    command("download", first["id"], "--what", "report,predictions,examples", "--out", tmp_path)
    report, predictions, examples = (
        next(tmp_path.glob(f"*-{name}.*")) for name in ("report", "predictions", "examples")
    )
    gold = site.state / "releases" / "synthetic-demo"
    scored = json.loads(command("score", predictions, "--gold", gold, "--json", "-"))
    assert scored["overall"] == json.loads(report.read_text())["overall"]
    assert len(examples.read_text().splitlines()) == sum(
        task["n"] for task in scored["tasks"].values()
    )

    refused = json.loads(command("publish", first["id"], "--json", "-", code=4))
    assert refused["error"]["errors"][0]["code"] == "settings_missing"
    asked = json.loads(command("publish", first["id"], "--unknown-confirmed", "--json", "-"))
    assert asked["state"] == "in review"
    assert "withdrawn" in command("withdraw", first["id"])
    assert "synthetic-demo" in command("board", "--release", "synthetic-demo")
    command("logout")
    command("status", code=2)
