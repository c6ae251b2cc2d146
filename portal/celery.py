"""The Celery application, for the worker: ``celery -A portal.celery worker``."""

import os
from pathlib import Path

from celery import Celery
from celery.signals import worker_init
from django.conf import settings

from portal.sandbox import sandbox

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

app = Celery("portal")
app.config_from_object("django.conf:settings", namespace="CELERY")


def make_broker_folders() -> None:
    """The file system's transport needs its folders; other brokers have none."""
    options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    for name in ("data_folder_in", "control_folder"):
        if name in options:
            Path(str(options[name])).mkdir(mode=0o700, parents=True, exist_ok=True)


def _before_the_first_child(**_: object) -> None:
    make_broker_folders()
    sandbox()  # measured once; the children inherit the answer


worker_init.connect(_before_the_first_child)
