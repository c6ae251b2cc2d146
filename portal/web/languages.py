"""In which language a request is answered: what was chosen, else what the browser asks for."""

from django.conf import settings
from django.http import HttpRequest
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

_ADMIN = "/admin/"


class Languages(LocaleMiddleware):
    """The admin alone is in English only: it names tables and columns as the code does, and half a
    translation around these names would help nobody."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        if request.path_info.startswith(_ADMIN):
            translation.activate(settings.LANGUAGE_CODE)
            request.LANGUAGE_CODE = settings.LANGUAGE_CODE
