"""The port of the demo may be taken by another program while the demo is being prepared."""

import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from portal.demo import __main__ as demo
from portal.demo.state_folder import DemoError


def test_a_port_taken_during_the_preparation_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    with socket.socket() as probe, socket.socket() as other:
        probe.bind((demo.HOST, 0))
        port = probe.getsockname()[1]
        probe.close()

        class Children:
            def __init__(self, *_: object) -> None:
                pass

            def end_left_overs(self) -> None:
                pass

            def start(self, name: str, _argv: Sequence[str], **_: Any) -> None:
                started.append(name)

            def run(self, *_: object) -> None:
                other.bind((demo.HOST, port))
                other.listen()

            def stop(self, **_: object) -> None:
                started.append("stopped")

        monkeypatch.setattr(demo, "Children", Children)
        monkeypatch.setenv("DATABASE_URL", "postgresql://none")
        monkeypatch.setenv("PORT", str(port))
        with pytest.raises(DemoError, match=f"Port {port} "):
            demo._run(port, tmp_path)
    assert "web" not in started
    assert started[-1] == "stopped"
