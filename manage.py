"""Django's commands: ``python manage.py help``."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from environs import EnvError

from portal.management.commands import reference_endpoint

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    try:
        if sys.argv[1:2] == ["reference_endpoint"]:  # needs none of the site's settings
            reference_endpoint.Command().run_from_argv(sys.argv)
        else:
            execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, EnvError) as error:  # a sentence for the operator
        sys.exit(str(error))
