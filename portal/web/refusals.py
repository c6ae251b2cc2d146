"""What a person is told when a service refuses."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from portal.states import StateError
from portal.submissions.quotas import QuotaError


@contextmanager
def refusals_told(request: HttpRequest) -> Iterator[None]:
    """What cannot be done any more is a message on the page; what is gone by now is not there."""
    try:
        yield
    except StateError as error:
        messages.error(request, str(error))
    except QuotaError as error:
        messages.error(request, _out_of_quota(error))
    except ObjectDoesNotExist as error:
        raise Http404 from error


def _out_of_quota(error: QuotaError) -> str:
    opens = error.quota.opens
    when = date_format(opens, "Y-m-d H:i") if opens else ""
    return _("Your quota is used up. The next time is possible from %(when)s UTC.") % {"when": when}
