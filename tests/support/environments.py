"""The environment of a program that shares the database and files of a test."""

import os
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import connection


def environment() -> dict[str, str]:
    """The variables of a process that works on the database and the files of this test."""
    place: dict[str, Any] = connection.settings_dict
    host = quote(str(place["HOST"]), safe="")
    return {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "portal.settings",
        "SECRET_KEY": "known to everybody: for tests only",
        "ENDPOINT_KEY_SECRETS": os.environ["ENDPOINT_KEY_SECRETS"],
        "DATABASE_URL": f"postgresql://{place['USER']}@{host}:{place['PORT']}/{place['NAME']}",
        "STATE_DIR": str(settings.STATE_DIR),
        **_files(),
        "CACHE_DIR": str(settings.CACHE_DIR),
        "LEASE_SECONDS": "1.5",
        "HEARTBEAT_SECONDS": "0.2",
        "CELERY_SKIP_CHECKS": "1",  # of the whole site: they take as long as the rest of a start
    }


def _files() -> dict[str, str]:
    """Where its files are: in the bucket of the test, or in its folder."""
    names = ("STORAGE_URL", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY")
    found = {name: os.environ[name] for name in names if name in os.environ}
    return found or {"STORAGE_DIR": default_storage.path("")}
