"""The settings of the site for tests and for mypy: nothing has to run or be set for them.

The tests put the address of their own PostgreSQL in the place of this one.
"""

import os
import tempfile
from pathlib import Path

os.environ["SECRET_KEY"] = "known to everybody: for tests only"
os.environ["ENDPOINT_KEY_SECRETS"] = "known to everybody: only for tests of endpoint runs"
os.environ["DATABASE_URL"] = "postgresql:///none-runs-yet"
os.environ["STATE_DIR"] = str(Path(tempfile.gettempdir(), "infinitebench-tests"))

from portal.settings import *  # noqa: F403 - the environment has to be set before
from portal.settings import STORAGES as _STORAGES

_STATIC = "django.contrib.staticfiles.storage.StaticFilesStorage"  # nothing is collected for tests
STORAGES = {**_STORAGES, "staticfiles": {"BACKEND": _STATIC}}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # quick; nothing is secret
SECURE_SSL_REDIRECT = False
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True  # else every client looks through all files first
MAX_QUEUED = 1_000  # only tests of this limit reach it
MIN_FREE = 0  # likewise

# Dozens of reviewers and admins act in these tests; those of the requirement set it.
SECOND_FACTOR = False
