"""The passphrase of backups: from a file or the environment, never an argument, which every user of
the machine could read."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

_SHORTEST = 16  # characters


def add_passphrase_file(parser: CommandParser) -> None:
    parser.add_argument(
        "--passphrase-file", type=Path, metavar="FILE", help="instead of BACKUP_PASSPHRASE"
    )


def read_passphrase(options: Mapping[str, Any]) -> str | None:
    """None: there is none. Raises ``CommandError``."""
    file: Path | None = options["passphrase_file"]
    try:
        text = file.read_text(encoding="utf-8") if file else os.environ.get("BACKUP_PASSPHRASE", "")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"The passphrase cannot be read: {error}") from error
    passphrase = text.strip()
    if passphrase and len(passphrase) < _SHORTEST:
        raise CommandError(f"The passphrase must have {_SHORTEST} characters or more.")
    return passphrase or None
