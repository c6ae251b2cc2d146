"""Settings from the environment: a value is right, or the start fails with a sentence."""

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

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


def number(name: str, default: float) -> float:
    value = os.environ.get(name)
    try:
        return default if value is None else float(value)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is “{value}”, which is no number.") from error


def names(name: str, default: tuple[str, ...] = ()) -> list[str]:
    """A list with commas."""
    value = os.environ.get(name)
    return list(default) if value is None else [part for part in value.split(",") if part]


def folder(name: str, default: Path) -> Path:
    return Path(os.environ.get(name, default)).absolute()
