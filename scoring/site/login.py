"""The address of a site and the token for it, as ``login`` keeps them.

The token is sent to the very address that it was given for, and nowhere else.
"""

import json
import os
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from scoring.site.errors import LoginError

SITE_VARIABLE = "INFINITEBENCH_SITE"
TOKEN_VARIABLE = "INFINITEBENCH_TOKEN"  # noqa: S105 - the name of a variable
_LARGEST = 10_000  # bytes of the file


class Login(NamedTuple):
    address: str  # without a slash at its end
    token: str


def login_file(environment: Mapping[str, str] = os.environ) -> Path:
    base = environment.get("XDG_CONFIG_HOME", "")
    folder = Path(base) if Path(base).is_absolute() else Path.home() / ".config"
    return folder / "infinitebench" / "login.json"


def address_of(text: str) -> str:
    """The address of a site as it is kept: scheme and host. Raises ``LoginError``."""
    text = text.strip()
    parts = urlsplit(text if "://" in text else f"https://{text}")
    try:
        port = parts.port
    except ValueError:
        port = None
    host = parts.hostname or ""
    plain = f"{host}:{port}" if port else host
    if ":" in host:
        plain = f"[{host}]:{port}" if port else f"[{host}]"
    if not host or parts.netloc.lower() != plain or parts.path.strip("/") or parts.query:
        raise LoginError(f"{text!r} is not the address of a site: give it as https://HOST.")
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_loopback(host)):
        raise LoginError(
            "The token would be sent without encryption: that is done to this machine only. "
            "Give an address with https://."
        )
    return f"{parts.scheme}://{plain}"


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def checked_token(text: str) -> str:
    """The token without white space around it. Raises ``LoginError`` without repeating it."""
    token = text.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise LoginError("A token is one word of plain characters, as the site shows it.")
    return token


def find_login(site: str = "", environment: Mapping[str, str] = os.environ) -> Login:
    """The site that is named, else that of the environment, else the stored one; with its token.

    Raises ``LoginError`` where there is none, ``OSError`` where the file cannot be read.
    """
    stored = read_login(login_file(environment))
    named = site or environment.get(SITE_VARIABLE, "")
    if not named and not stored:
        raise LoginError(
            "No site is known. Log in once (infinitebench login https://HOST), or name it with "
            f"--site or {SITE_VARIABLE}."
        )
    address = address_of(named) if named else stored.address if stored else ""
    own = stored.token if stored and stored.address == address else ""
    given = environment.get(TOKEN_VARIABLE, "")
    token = checked_token(given) if given else own
    if not token:
        raise LoginError(
            f"There is no token for {address}. Make one there, on your profile, and log in: "
            f"infinitebench login {address}"
        )
    return Login(address, token)


def read_login(file: Path) -> Login | None:
    """Raises ``LoginError`` for a file that is damaged, or readable by others."""
    try:
        with file.open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            content = stream.read(_LARGEST)
    except FileNotFoundError:
        return None
    if stat.S_IMODE(mode) & 0o077:
        raise LoginError(
            f"{file} can be read by others, and holds your token. Revoke that on your profile if "
            f"it may have been read; then: chmod 600 {file}"
        )
    try:
        found = json.loads(content)
        return Login(address_of(found["address"]), checked_token(found["token"]))
    except (ValueError, KeyError, TypeError, AttributeError, LoginError) as error:
        raise LoginError(f"{file} is damaged. Log in again.") from error


def write_login(login: Login, file: Path) -> None:
    """Nobody else can read the file at any moment, and it is never there in part."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=file.parent)  # with mode 0600
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            json.dump(login._asdict(), stream)
        Path(name).replace(file)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def forget_login(file: Path) -> bool:
    """Returns whether there was one."""
    try:
        file.unlink()
    except FileNotFoundError:
        return False
    return True
