"""What settings need beyond ``environs``: a secret that the demo makes itself, and a database."""

import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from environs import FileAwareEnv, ValidationError, validate


class FilesEnv(FileAwareEnv):
    """Also reads a variable from the file that ``NAME_FILE`` names, as containers get secrets."""

    def _get_value(self, env_key: str, default: Any) -> Any:  # noqa: ANN401 - as in environs
        try:
            return super()._get_value(env_key, default)
        except ValueError as error:
            raise ImproperlyConfigured(
                f"{env_key}_FILE must name a file of text to read."
            ) from error


env = FilesEnv(strip_whitespace=True)
COUNT = validate.Range(min=0)
POSITIVE = validate.Range(min=1)
_POOLING = "pool_mode"  # in DATABASE_URL: the mode of the pgbouncer that it leads to
_SHORTEST_SECRET = 32  # characters
_CONN_MAX_AGE = 60  # seconds that a thread keeps its connection to the database
# Without these a page waits for minutes for a machine that has vanished. Options in DATABASE_URL
# take precedence.
_TIMEOUTS = {
    "connect_timeout": 5,  # seconds
    "tcp_user_timeout": 10_000,  # milliseconds in which what was sent must have arrived
    "keepalives_idle": 10,  # seconds, also of the next; then a query is given up
    "keepalives_interval": 5,
    "keepalives_count": 2,
}
DURATION = validate.Range(min=0, min_inclusive=False, max=1e9)  # seconds


def web_or_mail_address(value: str) -> None:
    """A link that a page may show. Raises ``ValidationError``."""
    if value and not re.fullmatch(r"https?://\S+|(?:mailto:)?[^\s:/@]+@[^\s:/@]+", value):
        raise ValidationError("Must start with https:// or http://, or be an email address.")


def web_address(value: str) -> None:
    """Raises ``ValidationError``."""
    if value and not re.fullmatch(r"https?://\S+", value):
        raise ValidationError("Must start with https:// or http://.")


def long_secret(value: str) -> None:
    """A long one, or none. Raises ``ValidationError``."""
    if value and len(value) < _SHORTEST_SECRET:
        raise ValidationError(f"Must be a random text of {_SHORTEST_SECRET} characters or more.")


def as_link(address: str) -> str:
    return f"mailto:{address}" if "@" in address and ":" not in address else address


def app_of(name: str, client_id: str, secret: str) -> list[dict[str, str]]:
    """allauth's settings for another site that people sign in with; empty if this site is not
    registered there."""
    if bool(client_id) != bool(secret):
        raise ImproperlyConfigured(f"Set both {name}_ID and {name}_SECRET, or neither.")
    return [{"client_id": client_id, "secret": secret}] if client_id else []


def secret_key(file: Path, *, may_make: bool) -> str:
    """``SECRET_KEY``; without one, in the demo, that of a file that only its owner can read."""
    if value := env.str("SECRET_KEY", ""):
        return value
    if not may_make:
        raise ImproperlyConfigured("Set SECRET_KEY to a long random text that stays the same.")
    return secret_of(file)


def secrets_of(name: str, file: Path, *, may_make: bool) -> list[str]:
    """The secrets of a variable: the first one is for what is new, and all are for what exists.
    Without any, in the demo, that of a file."""
    found: list[str] = env.list(name, [])
    if any(len(secret.strip()) < _SHORTEST_SECRET for secret in found):
        raise ImproperlyConfigured(
            f"Set {name} to random texts with 32 characters or more, separated by commas, the "
            "newest first."
        )
    return [secret.strip() for secret in found] or ([secret_of(file)] if may_make else [])


def secret_of(file: Path) -> str:
    """The secret in a file that only its owner can read; it is created if there is none."""
    if not file.exists():
        # Linked into place, so that processes that start at once all read the same, whole key.
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(50), encoding="ascii")
        with suppress(FileExistsError):
            file.hardlink_to(draft)
        draft.unlink()
    return file.read_text(encoding="ascii")


def database(running: Path) -> dict[str, Any]:
    """Django's entry for ``DATABASE_URL``, or for the address that a running demo wrote there."""
    url = env.str("DATABASE_URL", "")
    if not url and running.exists():
        url = running.read_text(encoding="utf-8").strip()
    if not url:
        raise ImproperlyConfigured(
            "Set DATABASE_URL=postgresql://user:password@host/name, or start the embedded "
            f"PostgreSQL with “make demo” (none runs for {running.parent})."
        )
    try:
        # Each thread of a web process keeps its connection: opening one takes longer than answering
        # with a cached page.
        parsed = dj_database_url.parse(url, conn_max_age=_CONN_MAX_AGE, conn_health_checks=True)
        entry = dict[str, Any](parsed)
    except ValueError:
        entry = {}
    options = {**_TIMEOUTS, **entry.get("OPTIONS", {})}
    entry["OPTIONS"] = options
    pooling = options.pop(_POOLING, "session")
    # The next query may get another connection of pgbouncer, without the cursors of this one.
    entry["DISABLE_SERVER_SIDE_CURSORS"] = pooling == "transaction"
    if pooling not in ("session", "transaction"):
        raise ImproperlyConfigured(f"{_POOLING} in DATABASE_URL is “session” or “transaction”.")
    if entry.get("ENGINE") != "django.db.backends.postgresql" or not entry["NAME"]:
        raise ImproperlyConfigured(
            "DATABASE_URL must look like postgresql://user:password@host/name."
        )
    return entry


def file_storage(folder: Path, *, for_group: bool = False) -> dict[str, object]:
    """Django's entry for the files of the site: in the bucket of ``STORAGE_URL``, or the folder,
    where others of our group may read them too."""
    url = env.str("STORAGE_URL", "")
    if not url:
        options: dict[str, object] = {
            "location": folder,
            "file_permissions_mode": 0o640 if for_group else 0o600,
            "directory_permissions_mode": 0o750 if for_group else 0o700,
        }
        return {"BACKEND": "portal.storage.folder.AtomicFileSystemStorage", "OPTIONS": options}
    parts = urlsplit(url)
    more = dict(parse_qsl(parts.query, keep_blank_values=True))
    endpoint, region = more.pop("endpoint", None), more.pop("region", None)
    is_address = endpoint is None or re.fullmatch(r"https?://[^\s/?#]+/?", endpoint)
    if parts.scheme != "s3" or not parts.hostname or more or not is_address:
        raise ImproperlyConfigured(
            "STORAGE_URL must look like s3://bucket/prefix?endpoint=https://host&region=name; "
            "endpoint and region may be left out."
        )
    options = {
        "bucket_name": parts.netloc,
        "location": unquote(parts.path).strip("/"),
        "endpoint_url": endpoint,
        # Self-hosted servers have no regions, but signatures need one.
        "region_name": region or ("us-east-1" if endpoint else None),
        "addressing_style": "path" if endpoint else "auto",
        # An empty one, as in a file that always exists, counts as none.
        "access_key": env.str("S3_ACCESS_KEY_ID", "") or None,
        "secret_key": env.str("S3_SECRET_ACCESS_KEY", "") or None,
        "file_overwrite": False,
    }
    return {"BACKEND": "portal.storage.bucket.RangeStorage", "OPTIONS": options}
