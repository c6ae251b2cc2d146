"""Redis as Celery's broker, from which a worker survives that its memory is full.

Kombu takes that for a mistake in what was sent: Celery ends the worker, or never gives it another
message. The row is the job: what the Redis refuses to note is delivered again later, and finds its
row done.
"""

import logging

from kombu.transport import redis
from kombu.transport.virtual import QoS
from redis.exceptions import OutOfMemoryError, ReadOnlyError

_REFUSALS = (OutOfMemoryError, ReadOnlyError)  # the second after another machine took over

log = logging.getLogger(__name__)


class _QoS(redis.QoS):
    def ack(self, delivery_tag: str) -> None:
        try:
            super().ack(delivery_tag)  # type: ignore[no-untyped-call]
        except _REFUSALS as error:
            log.warning("the broker cannot note that a message is done: %s", error)
            # Here it is done: the worker has room for the next one.
            QoS.ack(self, delivery_tag)


class _Channel(redis.Channel):
    QoS = _QoS


class Transport(redis.Transport):
    Channel = _Channel
    connection_errors = (*redis.Transport.connection_errors, *_REFUSALS)
