"""The settings of the site: this one file, configured by the environment.

With ``DEMO=1`` nothing has to be set. Otherwise ``SECRET_KEY``, ``DATABASE_URL`` and
``ALLOWED_HOSTS`` are needed, and ``CELERY_BROKER_URL`` (Redis) where workers run on several
machines. What is missing or wrong stops the start with a sentence.
"""

import socket
from pathlib import Path

from csp.constants import NONE, SELF
from django.contrib.messages import constants as messages
from django.core.exceptions import ImproperlyConfigured
from kombu.entity import Exchange, Queue

from portal.env import (
    COUNT,
    DURATION,
    POSITIVE,
    app_of,
    as_link,
    database,
    env,
    file_storage,
    long_secret,
    secret_key,
    secrets_of,
    web_address,
    web_or_mail_address,
)
from scoring.limits import LIMITS
from scoring.releases.official import REPOSITORY

BASE_DIR = Path(__file__).resolve().parent.parent

DEMO = env.bool("DEMO", False)
DEBUG = env.bool("DEBUG", False)
STATE_DIR = env.path("STATE_DIR", BASE_DIR / ".demo").absolute()  # everything that has to be kept
SECRET_KEY_FILE = STATE_DIR / "secret-key"  # for the demo only
SECRET_KEY = secret_key(SECRET_KEY_FILE, may_make=DEMO)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"] if DEMO else [])

INSTALLED_APPS = [
    "portal",  # first, so that its templates go before those of the packages
    "django.contrib.admin",
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.github",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "csp",
    "django_htmx",
]
MIDDLEWARE = [
    "portal.logs.json_lines.log_requests",
    "portal.web.request_metrics.count_requests",  # only with METRICS_TOKEN
    # Headers first, so that they are on every response, including those of later middleware.
    "portal.web.middleware.set_default_headers",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    # Before everything that reads cookies: those above only set headers.
    "portal.web.middleware.refuse_long_cookies",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "portal.web.middleware.refuse_long_bodies",
    "portal.web.middleware.RefuseBrokenText",
    "portal.review.openings.open_on_time",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "portal.web.middleware.SiteCommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "portal.web.error_pages.method_not_allowed_page",
]
ROOT_URLCONF = "portal.urls"
RANK_PREVIEW = "leaderboard.board.preview.preview_ranks"  # see portal.scores.comparison.ranks
WSGI_APPLICATION = "portal.wsgi.application"
REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PARSER_CLASSES": [],  # nothing is written
    "EXCEPTION_HANDLER": "portal.api.errors.answer_error",
    "URL_FORMAT_OVERRIDE": None,
    "DEFAULT_SCHEMA_CLASS": "portal.api.description.schema.ApiSchema",
}
SPECTACULAR_SETTINGS = {
    "OAS_VERSION": "3.1.1",
    "TITLE": "∞Bench leaderboard",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SORT_OPERATIONS": False,  # in the order of the code
    "SORT_OPERATION_PARAMETERS": False,
    "DISABLE_DOCSTRING_DESCRIPTIONS": True,  # docstrings are for readers of the code
    "POSTPROCESSING_HOOKS": [],  # values stay where they are allowed
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENABLE_DJANGO_DEPLOY_CHECK": False,
}
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "portal.context_processors.site",
            ],
        },
    }
]

DATABASES = {"default": database(STATE_DIR / "database-url")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "portal.User"

USE_I18N = False
LANGUAGE_CODE = "en"
FORMAT_MODULE_PATH = ["portal.web.formats"]
TIME_ZONE = "UTC"
USE_TZ = True

MESSAGE_TAGS = {messages.SUCCESS: "good", messages.ERROR: "bad"}  # as the stylesheets call them

# Accounts.
AUTHENTICATION_BACKENDS = ["portal.accounts.auth_backend.ConstantTimeAuthBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "submissions"
ACCOUNT_LOGOUT_REDIRECT_URL = "home"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "optional" if DEMO else "mandatory"  # optional: but the mail is sent
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True  # the link lets them sign in anyway
ACCOUNT_ADAPTER = "portal.accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {"signup": "portal.accounts.forms.SignUpForm"}
ACCOUNT_CHANGE_EMAIL = True  # one address each, which a new one replaces once it is confirmed
ACCOUNT_REAUTHENTICATION_REQUIRED = True  # a session left open is not enough to take an account
ACCOUNT_EMAIL_NOTIFICATIONS = True  # of a changed password or address
ACCOUNT_EMAIL_SUBJECT_PREFIX = "∞Bench: "
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "http" if DEMO else "https"
ACCOUNT_USERNAME_MIN_LENGTH = 3
ACCOUNT_USERNAME_VALIDATORS = "portal.accounts.usernames.VALIDATORS"
ACCOUNT_RATE_LIMITS = {  # on top of allauth's own, most of which are per minute
    "signup": "10/m/ip,100/d/ip",
    # key: the name or address that was typed. An attacker can exhaust this limit; the owner has
    # another one in each browser used to sign in before (portal.accounts.known_devices).
    "login_failed": "10/5m/ip,30/h/ip,50/h/key",
    "login_failed_on_known_device": "10/5m/key,30/h/key",
    "reset_password": "20/m/ip,5/h/key",  # key: the address, so that no mailbox is flooded
    "manage_email": "10/h/user",
}
# Other sites that people can sign in with, each where its id and secret are set.
_GITHUB = app_of("GITHUB", env.str("GITHUB_ID", ""), env.str("GITHUB_SECRET", ""))
_HUGGINGFACE = app_of(
    "HUGGINGFACE", env.str("HUGGINGFACE_ID", ""), env.str("HUGGINGFACE_SECRET", "")
)
_OPENID = {
    "provider_id": "huggingface",
    "name": "Hugging Face",
    "settings": {"server_url": "https://huggingface.co"},
}
SOCIALACCOUNT_PROVIDERS = {
    "github": {"APPS": _GITHUB, "OAUTH_PKCE_ENABLED": True},
    "openid_connect": {
        "APPS": [{**app, **_OPENID} for app in _HUGGINGFACE],
        "OAUTH_PKCE_ENABLED": True,
    },
}
_PROVIDER_ORIGINS = ["https://github.com"] * len(_GITHUB)
_PROVIDER_ORIGINS += ["https://huggingface.co"] * len(_HUGGINGFACE)
SOCIALACCOUNT_ADAPTER = "portal.accounts.providers.ProviderAdapter"
SOCIALACCOUNT_FORMS = {"signup": "portal.accounts.forms.ProviderSignUpForm"}
SOCIALACCOUNT_AUTO_SIGNUP = False  # everybody chooses a user name by our rules
SOCIALACCOUNT_STORE_TOKENS = False  # we request nothing later
SOCIALACCOUNT_QUERY_EMAIL = True
SOCIALACCOUNT_EMAIL_AUTHENTICATION = True  # under the conditions of our adapter
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
PASSWORD_RESET_TIMEOUT = 24 * 3600
# Whether reviewers and admins have only the rights of authors until they have a second factor.
SECOND_FACTOR = env.bool("SECOND_FACTOR", not DEMO)
# What authenticator apps share with the site is encrypted under the first of them, or SECRET_KEY.
SECOND_FACTOR_SECRETS = secrets_of(
    "SECOND_FACTOR_SECRETS", STATE_DIR / "second-factor-secret", may_make=DEMO
)
MFA_ADAPTER = "portal.accounts.second_factor.SecondFactorAdapter"
MFA_FORMS = {
    "add_webauthn": "portal.accounts.passkeys.AddPasskeyForm",
    "edit_webauthn": "portal.accounts.passkeys.RenamePasskeyForm",
    "authenticate_webauthn": "portal.accounts.passkeys.SecondFactorForm",
    "reauthenticate_webauthn": "portal.accounts.passkeys.ConfirmForm",
    "login_webauthn": "portal.accounts.passkeys.SignInForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_TOLERANCE = 1  # periods of 30 seconds by which a clock may be wrong
# Nobody signs in before the address is confirmed, and a new one replaces it only when it is: so one
# that is not confirmed yet is no reason to refuse a second factor, nor the other way round.
MFA_ALLOW_UNVERIFIED_EMAIL = True
# The IP addresses of clients (X-Forwarded-For) are believed only from so many proxies of our own,
# and so is X-Forwarded-Proto below.
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("TRUSTED_PROXIES", 0, validate=COUNT)

# Mail: the demo writes it into a folder and shows it on a page.
MAIL_DIR = STATE_DIR / "mail"
_EMAIL_MODULE = "portal.demo.mailbox" if DEMO else "django.core.mail.backends.smtp"
EMAIL_BACKEND = f"{_EMAIL_MODULE}.EmailBackend"
EMAIL_HOST = env.str("EMAIL_HOST", "localhost")
EMAIL_PORT = env.int("EMAIL_PORT", 25, validate=COUNT)
EMAIL_HOST_USER = env.str("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = env.str("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = env.bool("EMAIL_USE_TLS", False)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", "leaderboard@localhost")
# Where links in mails lead; pages link by path alone.
_DEMO_URL = f"http://127.0.0.1:{env.str('PORT', '') or 8000}"
_DEFAULT_URL = f"https://{(ALLOWED_HOSTS or ['localhost'])[0].lstrip('.')}"
# Links at the foot of every page: the code of this site, where to report problems, who runs it.
SOURCE_URL = env.str("SOURCE_URL", "", validate=web_or_mail_address)
ISSUES_URL = as_link(env.str("ISSUES_URL", "", validate=web_or_mail_address))
CONTACT_URL = as_link(env.str("CONTACT", "", validate=web_or_mail_address))
# A font with Latin and Chinese for the pictures that previews of links show, and its family; else
# the first one in portal.web.pictures. Without any there are no such pictures.
PICTURE_FONT = env.str("PICTURE_FONT", "")
PICTURE_FONT_FAMILY = env.str("PICTURE_FONT_FAMILY", "")
SITE_URL = env.str("SITE_URL", _DEMO_URL if DEMO else _DEFAULT_URL).rstrip("/")

# For all processes and machines. What throttles and quotas count is in the database, whose rows no
# restart loses; a migration makes the table. It is so large that no client can push its own count
# out of it. Results that can be computed again are in the same table, or in the Redis of CACHE_URL.
_DATABASE_CACHE: dict[str, object] = {
    "BACKEND": "django.core.cache.backends.db.DatabaseCache",
    "LOCATION": "portal_cache",
    "OPTIONS": {"MAX_ENTRIES": 50_000},
}
CACHE_URL = env.str("CACHE_URL", "")
CACHES: dict[str, dict[str, object]] = {
    "default": _DATABASE_CACHE,
    "results": {
        "BACKEND": "portal.redis_cache.RedisCache",
        "LOCATION": CACHE_URL,
        "KEY_PREFIX": "infinitebench",
        "OPTIONS": {
            "serializer": "portal.redis_cache.SignedPickle",
            "socket_connect_timeout": 0.5,
            "socket_timeout": 0.5,
        },
    }
    if CACHE_URL
    else _DATABASE_CACHE,
    # Parts of pages, in each process. Requests for every possible board evict only these.
    "regions": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "regions",
        "TIMEOUT": 3600,
        "OPTIONS": {"MAX_ENTRIES": 100},
    },
    # Whole pages for readers without an account, compressed to 5–100 kB, in each process.
    "pages": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pages",
        "TIMEOUT": 3600,
        "OPTIONS": {"MAX_ENTRIES": 1_000},
    },
}

# No inline script or style, and no embedding in other sites.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "font-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        # A browser follows the button of another site only where the policy names that too.
        "form-action": [SELF, *_PROVIDER_ORIGINS],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
WHITENOISE_ALLOW_ALL_ORIGINS = False
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_HTTPONLY = True
# A browser accepts cookies with this prefix only from this very host, by https.
COOKIE_PREFIX = "" if DEMO else "__Host-"
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}session", f"{COOKIE_PREFIX}csrf"
CSRF_FAILURE_VIEW = "portal.web.error_pages.csrf_failure"
# The demo is plain http on this machine; anything else is https, behind a proxy that says so.
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = not DEMO
SECURE_HSTS_SECONDS = 0 if DEMO else 365 * 24 * 3600
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = not DEMO
SECURE_REDIRECT_EXEMPT = [r"^healthz\Z", r"^readyz\Z", r"^metrics\Z"]  # asked from within
SECURE_PROXY_SSL_HEADER = (
    ("HTTP_X_FORWARDED_PROTO", "https") if ALLAUTH_TRUSTED_PROXY_COUNT else None
)

STATIC_URL = "static/"
STATIC_ROOT = env.path("STATIC_ROOT", STATE_DIR / "static").absolute()
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "portal.web.plotly.PlotlyFinder",
]

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"lines": {"()": "portal.logs.json_lines.JsonLines"}},
    "filters": {"once_a_minute": {"()": "portal.logs.json_lines.OnceAMinute"}},
    "handlers": {"lines": {"class": "logging.StreamHandler", "formatter": "lines"}},
    "root": {"handlers": ["lines"], "level": "INFO"},
    # log_requests writes a line for each response, so Django logs only our own failures.
    # The Hub's client would log each request, with the signatures in its addresses.
    "loggers": {
        "django.request": {"level": "ERROR", "filters": ["once_a_minute"]},
        "portal.submissions.files.uploads": {"filters": ["once_a_minute"]},
        "portal.redis_cache": {"filters": ["once_a_minute"]},
        "httpx2": {"level": "WARNING"},
    },
}

# Uploads, contexts and files of releases, under names of our own, readable only by our user: in
# this folder, or in the bucket of STORAGE_URL.
STORAGE_DIR = env.path("STORAGE_DIR", STATE_DIR / "storage").absolute()
# Whether the proxy, which belongs to the group of that folder, sends its files: responses of the
# site tell it which (portal.web.file_responses). It cannot read those in a bucket.
PROXY_DOWNLOADS = env.bool("PROXY_DOWNLOADS", False)
if PROXY_DOWNLOADS and not ALLAUTH_TRUSTED_PROXY_COUNT:
    raise ImproperlyConfigured("PROXY_DOWNLOADS=1 needs a proxy: set TRUSTED_PROXIES too.")
STORAGES = {
    "default": file_storage(STORAGE_DIR, for_group=PROXY_DOWNLOADS),
    "staticfiles": {"BACKEND": "portal.web.static_storage.StaticStorage"},
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = True  # pages link no others; compressing takes seconds
# Only one page accepts files (portal.submissions.files.uploads); elsewhere they are refused unread.
FILE_UPLOAD_HANDLERS = ["portal.submissions.files.uploads.RejectFilesHandler"]
INCOMING_DIR = STATE_DIR / "incoming"  # files on their way in
DATA_UPLOAD_MAX_NUMBER_FILES = LIMITS.entries
CACHE_DIR = env.path("CACHE_DIR", STATE_DIR / "cache").absolute()  # may be deleted at any time
# The Hub that releases are imported from, if not the public one; and a token where one is needed.
HUB_ENDPOINT = env.str("HF_ENDPOINT", "").rstrip("/")
HUB_TOKEN = env.str("HF_TOKEN", "")
# For development: ports of this machine where the Hub of authors' fetches may be.
HUB_LOOPBACK_PORTS = frozenset(env.list("HUB_LOOPBACK_PORTS", [], subcast=int))
# The dataset there whose eval.yaml defines the leaderboards that model cards name.
HUB_BENCHMARK = env.str("HUB_BENCHMARK", REPOSITORY)

# Jobs: the row is the job (portal/evaluations/leases.py). In seconds: how long a lease holds, how
# often it is renewed, how often the sweeper looks, when a queued job is enqueued again because its
# message must be lost, and the time between two mails to one reviewer.
LEASE = env.float("LEASE_SECONDS", 60, validate=DURATION)
HEARTBEAT = env.float("HEARTBEAT_SECONDS", 5, validate=DURATION)
SWEEP = env.float("SWEEP_SECONDS", 60, validate=DURATION)
RESEND = env.float("RESEND_SECONDS", 120, validate=DURATION)
# How long a queued evaluation or a due mail may wait before the site says that it is not ready.
MAX_WAIT = env.float("MAX_WAIT_SECONDS", 900, validate=DURATION)
REVIEW_MAIL = env.float("REVIEW_MAIL_SECONDS", 3600, validate=DURATION)
# Endpoint runs: requests at once for each run and for each worker; how many runs a worker asks for
# side by side; seconds that it keeps one while others wait, that it waits for answers when it is
# stopped, of nothing but failures until a run pauses, and for one answer, whatever its author asks
# for; how many runs of one author may be running, and start in a day.
RUN_CONCURRENCY = env.int("RUN_CONCURRENCY", 64, validate=POSITIVE)
RUN_WIDTH = env.int("RUN_WIDTH", 32, validate=POSITIVE)
RUNS_AT_ONCE = env.int("RUNS_AT_ONCE", 8, validate=POSITIVE)
RUN_TURN = env.float("RUN_TURN_SECONDS", 180, validate=DURATION)
RUN_GRACE = env.float("RUN_GRACE_SECONDS", 6, validate=DURATION)
RUN_TIMEOUT = env.int("RUN_TIMEOUT_SECONDS", 900, validate=POSITIVE)
RUN_SILENCE = env.float("RUN_SILENCE_SECONDS", 120, validate=DURATION)
MAX_RUNS = env.int("MAX_RUNS", 2, validate=POSITIVE)
MAX_DAILY_RUNS = env.int("MAX_DAILY_RUNS", 20, validate=POSITIVE)
# Days after which the key of a run is deleted that is not running: not started, or paused.
IDLE_KEY_DAYS = env.int("IDLE_KEY_DAYS", 7, validate=POSITIVE)
# How many endpoint runs of one author may be set up without being started.
MAX_RUN_DRAFTS = env.int("MAX_RUN_DRAFTS", 10, validate=POSITIVE)
# How many connections of endpoints one author may test in an hour.
HOURLY_TESTS = env.int("HOURLY_CONNECTION_TESTS", 20, validate=POSITIVE)
# How many evaluations of one author may be queued, until one of them has been scored.
MAX_QUEUED = env.int("MAX_QUEUED", 10, validate=POSITIVE)
# Bytes that one author may upload in 24 hours, and that uploads leave free on the disks.
DAILY_BYTES = env.int("DAILY_BYTES", 1_000_000_000, validate=POSITIVE)
MIN_FREE = env.int("MIN_FREE_BYTES", 1_000_000_000, validate=COUNT)
# Without a sandbox nothing is scored, unless a developer allows it here.
SCORE_WITHOUT_SANDBOX = env.bool("SCORE_WITHOUT_SANDBOX", False)

# Endpoint runs. The ports of endpoints on the public internet; those of this machine that are asked
# too, by plain http, while developing. Keys of endpoints are encrypted under the first of the
# secrets, and can be read with each of them.
ENDPOINT_PORTS = frozenset(env.list("ENDPOINT_PORTS", [443], subcast=int))
ENDPOINT_LOOPBACK_PORTS = frozenset(env.list("ENDPOINT_LOOPBACK_PORTS", [], subcast=int))
ENDPOINT_KEY_SECRETS = secrets_of(
    "ENDPOINT_KEY_SECRETS", STATE_DIR / "endpoint-key-secret", may_make=DEMO
)

# Monitoring: who may read /metrics, and where failures are reported.
METRICS_TOKEN = env.str("METRICS_TOKEN", "", validate=long_secret)
SENTRY_DSN = env.str("SENTRY_DSN", "", validate=web_address)
SENTRY_ENVIRONMENT = env.str("SENTRY_ENVIRONMENT", "production")
if SENTRY_DSN:
    INSTALLED_APPS += ["portal.logs.error_reports.ErrorReports"]

# Celery only carries the message that a job is queued.
CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", "filesystem://")
_FILE_BROKER = CELERY_BROKER_URL == "filesystem://"
CELERY_BROKER_TRANSPORT = "portal.brokers.filesystem.Transport" if _FILE_BROKER else None
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = (
    {
        "folder": str(STATE_DIR / "broker"),
        "polling_interval": 0.05,  # the default is a second
    }
    if _FILE_BROKER
    else {
        "socket_timeout": 2,  # a worker waits for a message a second at a time
        "socket_connect_timeout": 2,
        # A worker waits for messages without a time limit. Where the network was cut, and the
        # worker has another address since, nobody would ever tell it: it would wait for ever.
        "socket_keepalive": True,
        "socket_keepalive_options": {
            socket.TCP_KEEPIDLE: 10,  # seconds, also of the next
            socket.TCP_KEEPINTVL: 5,
            socket.TCP_KEEPCNT: 2,
            socket.TCP_USER_TIMEOUT: 10_000,  # milliseconds in which what was sent must arrive
        },
        # Longer than a scoring may take. What takes longer is delivered again, to a worker that
        # finds its row claimed: a part of a run, the test of a connection.
        "visibility_timeout": 900,
        "max_retries": 1,  # of a connection, when a job is enqueued
        "interval_start": 0.2,
    }
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a worker waits for its broker as long as it takes
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_TASK_PUBLISH_RETRY = False  # the sweeper sends again
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = False  # True repeats a poison file without end
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SOFT_TIME_LIMIT = 420  # two boxes with 150 seconds each, and time to store
CELERY_TASK_TIME_LIMIT = 480
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 100
CELERY_WORKER_LOST_WAIT = 1.0  # after a child was killed: nothing comes from it any more
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_IMPORTS = (
    "portal.endpoint_runs.preparation", "portal.endpoint_runs.tasks", "portal.evaluations.tasks",
    "portal.hub.tasks", "portal.mail.tasks", "portal.operations.worker_heartbeats",
)  # fmt: skip
# What takes seconds waits for nothing that takes hours: each kind has a queue, and may have workers
# of its own. A worker that names no queues takes turns with all of them but the runs, which go on
# for hours, as tests of connections may, as slow as an endpoint wants.
CELERY_TASK_DEFAULT_QUEUE = "scoring"
CELERY_TASK_QUEUES = [
    Queue(name, Exchange(name), routing_key=name) for name in ("scoring", "mail", "imports")
]
CELERY_TASK_ROUTES = {
    "portal.endpoint_runs.preparation.make_estimate": {"queue": "imports"},
    "portal.endpoint_runs.preparation.test_connection": {"queue": "runs"},
    "portal.endpoint_runs.tasks.ask_slice": {"queue": "runs"},
    "portal.endpoint_runs.tasks.hand_in_run": {"queue": "imports"},
    "portal.hub.tasks.fetch_submission": {"queue": "imports"},
    "portal.mail.tasks.send_notice": {"queue": "mail"},
}
