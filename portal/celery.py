"""The Celery application, for the worker: ``celery -A portal.celery worker``."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # of pages, which no worker needs to load

app = Celery("portal")
app.config_from_object("django.conf:settings", namespace="CELERY")
