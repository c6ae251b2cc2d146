"""Django's commands, for the people who run the site: ``python manage.py help``."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:  # its sentence is for whoever starts this
        sys.exit(str(error))
