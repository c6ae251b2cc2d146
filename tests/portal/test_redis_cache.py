"""A Redis for results that can be recomputed: no failure of it changes a count or a page."""

import pickle
import signal
from collections.abc import Iterator

import pytest
from django.core.cache import caches
from django.core.cache.backends.db import DatabaseCache
from django.core.cache.backends.redis import RedisCache as DjangoRedisCache
from django.core.cache.backends.redis import RedisSerializer
from django.test import Client
from redis import Redis

from portal.models import User
from portal.redis_cache import RedisCache, SignedPickle
from portal.web.throttle import MOST_EACH_MINUTE
from tests.support.redis_server import RedisServer, running_redis

OPTIONS = {
    "serializer": "portal.redis_cache.SignedPickle",
    "socket_connect_timeout": 0.2,
    "socket_timeout": 0.2,
}


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


@pytest.fixture
def cache(redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[RedisCache]:
    """A cache in place of the site's own for results."""
    monkeypatch.setattr(RedisCache, "_silent_until", 0.0)
    found = RedisCache(redis.cache_url, {"OPTIONS": OPTIONS, "KEY_PREFIX": "test"})
    before = caches["results"]
    caches["results"] = found
    yield found
    caches["results"] = before


def test_results_are_kept(cache: RedisCache) -> None:
    assert cache.add("key", {1: ("a", 0.5)}, 60)
    assert not cache.add("key", "other", 60)
    assert cache.get("key") == {1: ("a", 0.5)}
    cache.set("key", True, 60)
    assert cache.get("key") is True
    assert cache.delete("key")
    assert cache.get("key", "none") == "none"


def test_after_a_flush_nothing_is_known(cache: RedisCache, redis: RedisServer) -> None:
    cache.set("key", 1, 60)
    redis.do("flushall")
    assert cache.get("key") is None
    cache.set("key", 2, 60)
    assert cache.get("key") == 2


def test_a_full_redis_keeps_nothing_new_and_answers_what_it_has(
    cache: RedisCache, redis: RedisServer
) -> None:
    cache.set("key", 1, 60)
    redis.fill()
    cache.set("other", 2, 60)
    assert not cache.add("third", 3, 60)
    assert (cache.get("key"), cache.get("other")) == (1, None)
    redis.make_room()
    cache.set("other", 2, 60)
    assert cache.get("other") == 2


def test_a_redis_that_is_gone_is_asked_again_after_a_pause(
    cache: RedisCache, redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    redis.kill()
    assert cache.get("key", "none") == "none"
    redis.start()
    cache.set("key", 1, 60)
    assert cache.get("key") is None  # not queried
    monkeypatch.setattr(RedisCache, "_silent_until", 0.0)
    cache.set("key", 1, 60)
    assert cache.get("key") == 1


def test_a_redis_that_hangs_is_waited_for_once(
    cache: RedisCache, redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = []
    read = DjangoRedisCache.get

    def get(asked: RedisCache, key: str, default: object) -> object:
        reads.append(key)
        return read(asked, key, default)

    monkeypatch.setattr(DjangoRedisCache, "get", get)
    monkeypatch.setattr("portal.redis_cache._PAUSE", 3_600.0)
    cache.set("key", 1, 60)
    redis.send(signal.SIGSTOP)
    try:
        for _ in range(20):
            assert cache.get("key") is None
            cache.set("key", 2, 60)
    finally:
        redis.send(signal.SIGCONT)
    assert len(reads) == 1


def test_what_others_have_written_is_not_unpickled(cache: RedisCache, redis: RedisServer) -> None:
    name = cache.make_and_validate_key("key")
    changed = SignedPickle().dumps("ours")[:-1] + b"!"
    with Redis(unix_socket_path=str(redis.socket), db=1) as client:
        for forged in (pickle.dumps("run me"), b"", b"12", RedisSerializer().dumps(["a"]), changed):
            client.set(name, forged)
            assert cache.get("key") is None


@pytest.mark.django_db
@pytest.mark.parametrize("fault", ["flushed", "full", "gone"])
def test_throttles_count_on_whatever_happens_to_the_redis(
    client: Client, cache: RedisCache, redis: RedisServer, fault: str
) -> None:
    """The count is in the database: no failure of the cache opens or closes a throttle."""
    statuses = []
    for number in range(MOST_EACH_MINUTE + 1):
        if number == MOST_EACH_MINUTE // 2:
            {"flushed": lambda: redis.do("flushall"), "full": redis.fill, "gone": redis.kill}[
                fault
            ]()
        statuses.append(client.get("/api/v1/entries/", {"release": f"none{number}"}).status_code)
    assert 429 not in statuses[:-1]
    assert statuses[-1] == 429


@pytest.mark.django_db
def test_wrong_passwords_are_counted_without_the_redis(
    client: Client, alice: User, cache: RedisCache, redis: RedisServer
) -> None:
    wrong = {"login": alice.username, "password": "wrong"}
    redis.kill()
    answers = [client.post("/accounts/login/", wrong) for _ in range(11)]
    codes = [
        [error.code for errors in one.context["form"].errors.as_data().values() for error in errors]
        for one in answers
    ]
    assert codes[0] != codes[-1] == ["too_many_login_attempts"]


def test_counts_are_never_in_a_redis() -> None:
    assert isinstance(caches["default"], DatabaseCache)
