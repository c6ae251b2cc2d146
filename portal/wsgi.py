"""The WSGI application."""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.template.loader import get_template
from django.urls import resolve
from django.utils.translation import override

from portal.web.refused_bodies import read_refused_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
application = read_refused_bodies(get_wsgi_application())

# Loaded before gunicorn forks; otherwise the first request of each process takes half a second.
resolve("/")
get_template("cached_page.html")
for _language, _name in settings.LANGUAGES:
    with override(_language):
        "Leaderboard"
