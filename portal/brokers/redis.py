"""Redis as Celery's broker, from which a worker survives that its memory is full, or that it does
not answer.

Kombu takes the first for a mistake in what was sent, and Celery ends the worker. And where Redis
could not be told that a message is done, Celery counts it as one that the worker has, and never
gives it another. The row is the job: what the Redis does not note is delivered again later, and
finds its row done.
"""

import logging

from kombu.transport import redis
from kombu.transport.virtual import QoS
from redis.exceptions import ConnectionError as DisconnectedError
from redis.exceptions import OutOfMemoryError, ReadOnlyError
from redis.exceptions import TimeoutError as SilentError

_REFUSALS = (OutOfMemoryError, ReadOnlyError)  # the second after another machine took over
_NOT_NOTED = (*_REFUSALS, DisconnectedError, SilentError)

log = logging.getLogger(__name__)


class _QoS(redis.QoS):
    def ack(self, delivery_tag: str) -> None:
        try:
            super().ack(delivery_tag)  # type: ignore[no-untyped-call]
        except _NOT_NOTED as error:
            self._forget(delivery_tag, error)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        try:
            super().reject(delivery_tag, requeue)  # type: ignore[no-untyped-call]
        except _NOT_NOTED as error:
            self._forget(delivery_tag, error)

    def _forget(self, delivery_tag: str, error: Exception) -> None:
        """Here it is done: the worker has room for the next one."""
        log.warning("the broker cannot note that a message is done: %s", error)
        QoS.ack(self, delivery_tag)


class _Channel(redis.Channel):
    QoS = _QoS


class Transport(redis.Transport):
    Channel = _Channel
    connection_errors = (*redis.Transport.connection_errors, *_REFUSALS)
