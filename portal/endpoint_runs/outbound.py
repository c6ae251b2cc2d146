"""Where the site may connect to for endpoint runs."""

from django.conf import settings

from scoring.endpoint.transport.addresses import OutboundPolicy


def outbound_policy() -> OutboundPolicy:
    return OutboundPolicy(settings.ENDPOINT_PORTS, settings.ENDPOINT_LOOPBACK_PORTS)
