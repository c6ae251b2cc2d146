"""Redis as the cache of what may be lost: if it does not answer, nothing is cached.

Django loads this by its name where ``CACHE_URL`` is set. What throttles and quotas count is never
kept here (see ``CACHES``): a Redis that is flushed, full or gone changes no count.
"""

import hmac
import logging
import pickle
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Any, ClassVar, TypeVar

from django.conf import settings
from django.core.cache.backends.redis import RedisCache as DjangoRedisCache
from redis.exceptions import ConnectionError as NoConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as NoAnswerError

_PAUSE = 5.0  # seconds in which a Redis that did not answer is not asked again
_SIGNATURE = sha256().digest_size  # bytes

log = logging.getLogger(__name__)
_T = TypeVar("_T")


class ForgedValueError(ValueError):
    """The value was not written by this site, or with an earlier ``SECRET_KEY``."""


class SignedPickle:
    """Unpickling runs code, so values are signed: others may be able to write to the Redis."""

    def dumps(self, obj: object) -> bytes:
        data = pickle.dumps(obj)
        return _signature(data) + data

    def loads(self, data: bytes) -> object:
        """Raises ``ForgedValueError``."""
        signature, pickled = data[:_SIGNATURE], data[_SIGNATURE:]
        if not hmac.compare_digest(signature, _signature(pickled)):
            raise ForgedValueError
        return pickle.loads(pickled)  # noqa: S301 - it is ours


def _signature(data: bytes) -> bytes:
    return hmac.digest(f"{__name__}/{settings.SECRET_KEY}".encode(), data, sha256)


class RedisCache(DjangoRedisCache):
    _silent_until: ClassVar[float] = 0.0  # by the clock of this process, for all its threads

    def add(self, key: str, value: object, *options: Any, **more: Any) -> bool:
        return self._ask(lambda: super(RedisCache, self).add(key, value, *options, **more), False)

    def get(self, key: str, default: Any = None, *options: Any, **more: Any) -> Any:  # noqa: ANN401
        return self._ask(
            lambda: super(RedisCache, self).get(key, default, *options, **more), default
        )

    def set(self, key: str, value: object, *options: Any, **more: Any) -> None:
        self._ask(lambda: super(RedisCache, self).set(key, value, *options, **more), None)

    def delete(self, key: str, *options: Any, **more: Any) -> bool:
        return self._ask(lambda: super(RedisCache, self).delete(key, *options, **more), False)

    def _ask(self, do: Callable[[], _T], otherwise: _T) -> _T:
        if time.monotonic() < RedisCache._silent_until:
            return otherwise
        try:
            return do()
        except (NoConnectionError, NoAnswerError) as error:
            RedisCache._silent_until = time.monotonic() + _PAUSE
            log.warning("the cache does not answer: %r", error)
        except (RedisError, ForgedValueError) as error:  # it is full, or was changed
            log.warning("the cache is of no use: %r", error)
        return otherwise
