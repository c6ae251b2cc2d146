"""Back to the page of ours that an address or a form names."""

from collections.abc import Mapping

from django.utils.http import url_has_allowed_host_and_scheme


def way_back(asked: Mapping[str, str]) -> str:
    """What ``next`` names; empty where that is no page of ours: no host is allowed, so that it
    cannot lead away."""
    page = asked.get("next", "")
    ours = page.startswith("/") and url_has_allowed_host_and_scheme(page, allowed_hosts=None)
    return page if ours else ""
