"""The WSGI application."""

import os

from django.core.wsgi import get_wsgi_application
from django.template.loader import get_template
from django.urls import resolve

from portal.web.pinned_addresses import pin_addresses
from portal.web.refused_bodies import read_refused_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
application = read_refused_bodies(pin_addresses(get_wsgi_application()))

# Loaded before gunicorn forks; otherwise the first request of each process takes half a second.
resolve("/")
get_template("cached_page.html")
