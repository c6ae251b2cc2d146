"""Refuse requests in which an address means something else: pages are cached by their address.

A prefix would begin every link of the page, and Django would read the query in the charset that the
request declares.
"""

import codecs
from collections.abc import Iterable

from django.utils.http import parse_header_parameters

from portal.web.refused_bodies import Application, Environ, StartResponse

_PREFIXES = ("SCRIPT_NAME", "SCRIPT_URL", "REDIRECT_URL")  # where Django looks for one


def pin_addresses(application: Application) -> Application:
    """Wrap the WSGI application of the site, so that it is below no prefix and reads UTF-8."""

    def wrapped(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        if any(map(environ.get, _PREFIXES)):
            reason = b"This site has no prefix.\n"
        elif not _is_utf_8(environ.get("CONTENT_TYPE", "")):
            reason = b"This site reads UTF-8 only.\n"
        else:
            return application(environ, start_response)
        headers = [("Content-Type", "text/plain"), ("Content-Length", str(len(reason)))]
        start_response("400 Bad Request", headers)
        return [reason]

    return wrapped


def _is_utf_8(content_type: str) -> bool:
    """As Django reads it, which ignores a charset that it does not know."""
    try:
        _, parameters = parse_header_parameters(content_type)
        return codecs.lookup(parameters.get("charset", "utf-8")).name == "utf-8"
    except LookupError:
        return True
    except ValueError:  # where Django would fail
        return False
