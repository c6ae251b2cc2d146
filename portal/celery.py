"""The Celery application, for the worker: ``celery -A portal.celery worker``."""

import logging
import os

from celery import Celery
from celery.signals import worker_init

from portal.evaluations.sandbox import may_score, sandbox

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # of pages, which no worker needs to load

log = logging.getLogger(__name__)
app = Celery("portal")
app.config_from_object("django.conf:settings", namespace="CELERY")


def _before_the_first_child(**_: object) -> None:
    found = sandbox()  # measured once; the children inherit the answer
    level, told = logging.INFO, "the sandbox is %s: %s"
    if not may_score():
        level, told = logging.CRITICAL, "NOTHING IS SCORED HERE, the sandbox is %s: %s"
    log.log(level, told, found.level, found.reason)


worker_init.connect(_before_the_first_child)
