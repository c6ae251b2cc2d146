"""The file system as Celery's broker, for one machine without Redis, like the demo.

Kombu's own transport ends a worker that meets half a message or whose folder was deleted, moves
messages through the folder for temporary files, which may be full, and writes the names of queues
into a file that one of two starting workers may read while the other has just emptied it. Here a
message appears whole, the worker that deletes it has it, and an unreadable one is discarded: the
row is the job. Each process declares its queues itself, so their names stay in memory.
"""

import json
import logging
import time
from pathlib import Path
from queue import Empty
from typing import Any
from uuid import uuid4

from kombu.transport import virtual

log = logging.getLogger(__name__)


class Channel(virtual.Channel):
    def _put(self, queue: str, payload: object, **_: object) -> None:  # type: ignore[override]  # kombu's own differ
        name = f"{time.time_ns():020}_{uuid4()}"
        draft = self._messages / f"{name}.draft"
        try:
            draft.write_text(json.dumps(payload))
            draft.rename(self._messages / f"{name}.{queue}.msg")
        finally:
            draft.unlink(missing_ok=True)

    def _get(self, queue: str, timeout: object = None) -> dict[str, Any]:
        """The oldest message. Raises ``Empty``."""
        for file in sorted(self._messages.glob(f"*.{queue}.msg")):
            if message := _take(file):
                return message
        raise Empty

    def _size(self, queue: str) -> int:
        return len(list(self._messages.glob(f"*.{queue}.msg")))

    def _purge(self, queue: str) -> int:
        return sum(_take(file) is not None for file in self._messages.glob(f"*.{queue}.msg"))

    @property
    def _messages(self) -> Path:
        """The folder, created again where it was deleted."""
        folder = Path(self.connection.client.transport_options["folder"], "messages")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder


def _take(file: Path) -> dict[str, Any] | None:
    """The message; None where another worker was faster, or where it cannot be read."""
    try:
        raw = file.read_bytes()
        file.unlink()
        message: dict[str, Any] = json.loads(raw)
        _ = message["properties"]["delivery_tag"]
    except OSError:
        return None
    except (ValueError, LookupError, TypeError):  # the power failed, or the disk was full
        log.warning("an unreadable message was discarded")
        return None
    return message


class Transport(virtual.Transport):
    Channel = Channel
    global_state = virtual.BrokerState()  # the queues of this process, whatever its connections
    driver_type = driver_name = "filesystem"

    def __init__(self, client: Any, **options: Any) -> None:  # noqa: ANN401 - as in Kombu
        super().__init__(client, **options)  # type: ignore[no-untyped-call]  # typed in part
        self.state = self.global_state

    def driver_version(self) -> str:
        return "N/A"
