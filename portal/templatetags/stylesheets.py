"""The stylesheets that every page has."""

from collections.abc import Sequence

from django import template
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage

from portal.web.static_storage import JOINED_SHEET, SHEETS_OF_ALL_PAGES, StaticStorage

register = template.Library()


@register.simple_tag
def sheets_of_all_pages() -> Sequence[str]:
    """Their addresses: of one file, unless static files are served from where they are written."""
    is_collected = isinstance(staticfiles_storage, StaticStorage) and not settings.DEBUG
    names = (JOINED_SHEET,) if is_collected else SHEETS_OF_ALL_PAGES
    return [staticfiles_storage.url(name) for name in names]
