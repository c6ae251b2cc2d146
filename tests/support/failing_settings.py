"""The settings of the tests, with pages that fail and no database."""

from tests.settings import *  # noqa: F403
from tests.settings import MIDDLEWARE as _MIDDLEWARE

ROOT_URLCONF = "tests.support.failing_urls"
ALLOWED_HOSTS = ["localhost"]
MIDDLEWARE = [name for name in _MIDDLEWARE if name != "portal.review.openings.open_on_time"]
SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
