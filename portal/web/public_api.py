"""What the public addresses of the API share: they answer everybody, also scripts on other
sites."""

from hashlib import sha256

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from portal.web.query_parameters import check_parameters
from portal.web.throttle import set_rate_limit

_DAY = 24 * 3600
_EXPOSED_HEADERS = "ETag, RateLimit, RateLimit-Policy, Retry-After"  # to scripts on other sites


class PublicView(APIView):
    """For everybody and from any site; in English whoever asks, so that one answer serves all."""

    http_method_names = ["get", "head", "options"]  # noqa: RUF012 - as in Django

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        check_parameters(self, request)

    @method_decorator(gzip_page)
    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = _EXPOSED_HEADERS
        response["Cross-Origin-Resource-Policy"] = "cross-origin"
        response["Cache-Control"] = "public, no-cache"  # cached, but never used without asking us
        set_rate_limit(request, response)
        return response

    def options(self, request: HttpRequest, *args: object, **kwargs: object) -> Response:
        """What a browser asks before a script of another site may send ``If-None-Match``."""
        response = Response(status=204)
        response["Allow"] = response["Access-Control-Allow-Methods"] = "GET, HEAD, OPTIONS"
        response["Access-Control-Allow-Headers"] = "If-None-Match"
        response["Access-Control-Max-Age"] = str(_DAY)
        return response


def conditional(request: Request, body: bytes) -> HttpResponseBase:
    """The body, or 304 if the client has it already."""
    response = HttpResponse(body, content_type="application/json")
    response["ETag"] = f'"{sha256(body).hexdigest()[:32]}"'
    found = get_conditional_response(request, etag=response["ETag"], response=response)
    return found or response
