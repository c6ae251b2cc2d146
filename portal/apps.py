"""The one app that owns models."""

import logging

from django.apps import AppConfig
from django.core.checks import register

from portal.web.pictures import check_font


class PortalConfig(AppConfig):
    name = "portal"
    verbose_name = "∞Bench"

    def ready(self) -> None:
        logging.captureWarnings(True)  # so that they are lines of the log as well
        register(check_font, deploy=True)
