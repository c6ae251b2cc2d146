"""Settings from the environment: a value is right, or the start fails with a sentence."""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from portal.demo.postgres import connection_of

_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")


def text(name: str, default: str | None = None) -> str:
    """The value, or the default; without a default it has to be set."""
    value = os.environ.get(name, default)
    if value is None:
        raise ImproperlyConfigured(f"Set {name}: it has no default.")
    return value


def flag(name: str, default: bool) -> bool:
    value = os.environ.get(name)
    if value is None:
        return default
    if value.lower() not in _TRUE + _FALSE:
        raise ImproperlyConfigured(f"{name} is “{value}”; write 1 or 0.")
    return value.lower() in _TRUE


def seconds(name: str, default: float) -> float:
    """A length of time above zero."""
    value = os.environ.get(name, default)
    with suppress(ValueError):
        if 0 < float(value) < 1e9:
            return float(value)
    raise ImproperlyConfigured(f"{name} is “{value}”; write a number of seconds.")


def number(name: str, default: int) -> int:
    """A whole number from zero on."""
    value = os.environ.get(name, str(default))
    if not (value.isascii() and value.isdigit()):
        raise ImproperlyConfigured(f"{name} is “{value}”; write a whole number.")
    return int(value)


def names(name: str, default: tuple[str, ...] = ()) -> list[str]:
    """A list with commas."""
    value = os.environ.get(name)
    return list(default) if value is None else [part for part in value.split(",") if part]


def folder(name: str, default: Path) -> Path:
    return Path(os.environ.get(name, default)).absolute()


def secret(name: str, file: Path, *, may_make: bool) -> str:
    """The value; without one, where it may be made, that of a file which only we can read."""
    value = os.environ.get(name)
    if value:
        return value
    if not may_make:
        raise ImproperlyConfigured(f"Set {name} to a long random text that stays the same.")
    with suppress(FileExistsError):
        _write_new(file, secrets.token_urlsafe(50))
    return file.read_text(encoding="ascii")


def _write_new(file: Path, value: str) -> None:
    """The whole file or none, even when several processes start at once."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    try:
        draft.touch(mode=0o600)
        draft.write_text(value, encoding="ascii")
        file.hardlink_to(draft)
    finally:
        draft.unlink(missing_ok=True)


def database(name: str, state: Path) -> dict[str, object]:
    """Django's entry for a PostgreSQL: that of the URL, or the embedded one that runs here."""
    url = os.environ.get(name)
    if url is None:
        running = connection_of(state)
        if running is None:
            raise ImproperlyConfigured(
                f"Set {name}=postgresql://user:password@host/name, or start the embedded "
                f"PostgreSQL with “make demo” (none runs for {state})."
            )
        url = running.url
    return database_entry(name, url)


def database_entry(name: str, url: str) -> dict[str, object]:
    """Django's entry for ``postgresql://user:password@host:port/name?option=value``."""
    parts = urlsplit(url)
    if parts.scheme not in ("postgresql", "postgres") or len(parts.path) < 2:
        raise ImproperlyConfigured(f"{name} must look like postgresql://user:password@host/name.")
    try:
        port = str(parts.port or "")
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: the port is no number.") from error
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path[1:]),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": _host(parts.netloc),
        "PORT": port,
        "OPTIONS": dict(parse_qsl(parts.query)),
    }


def _host(netloc: str) -> str:
    """The host, or the folder of a socket (``hostname`` would write that in lower case)."""
    place = netloc.rpartition("@")[2]
    inner = place[1:].partition("]")[0] if place.startswith("[") else place.partition(":")[0]
    return unquote(inner)
