"""The demo's broker; for workers that get broken messages see ``tests/system``."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from kombu.connection import Connection
from kombu.entity import Queue

BOARDS = Queue("boards", routing_key="boards")


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Connection]:
    with Connection(
        transport="portal.brokers.filesystem.Transport", transport_options={"folder": str(tmp_path)}
    ) as connection:
        yield connection


def test_a_message_goes_to_its_queue_alone(broker: Connection) -> None:
    with broker.SimpleQueue("boards") as boards, broker.SimpleQueue("mails") as mails:
        boards.put({"id": 1})
        assert (boards.qsize(), mails.qsize()) == (1, 0)
        message = boards.get(block=False)
        assert message.payload == {"id": 1}
        message.ack()
        assert boards.qsize() == 0


def test_messages_come_in_their_order(broker: Connection) -> None:
    with broker.SimpleQueue("boards") as boards:
        for number in range(12):
            boards.put(number)
        assert [boards.get(block=False).payload for _ in range(12)] == [*range(12)]


def test_workers_that_start_at_once_share_no_file_but_messages(
    broker: Connection, tmp_path: Path
) -> None:
    """A file that one has only begun to write would crash the second worker."""
    with broker.SimpleQueue(BOARDS), broker.clone() as second, second.SimpleQueue(BOARDS):
        assert [file for file in tmp_path.rglob("*") if file.is_file()] == []
