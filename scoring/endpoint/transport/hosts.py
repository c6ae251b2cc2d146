"""Where a key may be sent unencrypted: to this machine, and on request to a local network.

Names are judged as written: nothing is looked up.
"""

import re
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from scoring.endpoint.settings import SettingsError

Networks = list[IPv4Network | IPv6Network]

_LOOPBACK: Networks = [ip_network(each) for each in ("127.0.0.0/8", "::1/128")]
_LOCAL: Networks = [
    ip_network(each)
    for each in (
        "10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16",
        "fc00::/7", "fe80::/10",
    )
]  # fmt: skip
# One label, which no number is (“134744072” is 8.8.8.8), or under a name that the internet lacks.
_LOCAL_NAME = re.compile(r"[a-z][a-z0-9_-]*|.+\.(?:local|internal|home\.arpa)", re.IGNORECASE)


def check_key_is_safe(url: str, key: str, *, is_local_allowed: bool = False) -> None:
    """Raises ``SettingsError`` if the key could be read on its way."""
    if not key or is_encrypted_or_loopback(url) or (is_local_allowed and _is_local(url)):
        return
    places = "this machine or a local network" if is_local_allowed else "this machine"
    raise SettingsError(
        f"The key would be sent without encryption: that is done to {places} only. "
        "Give an address with https."
    )


def is_encrypted_or_loopback(url: str) -> bool:
    parts = urlsplit(url)
    host = parts.hostname or ""
    return parts.scheme == "https" or host == "localhost" or _is_in(host, _LOOPBACK)


def _is_local(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return _is_in(host, _LOCAL) or bool(_LOCAL_NAME.fullmatch(host))


def _is_in(host: str, networks: Networks) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return any(address in network for network in networks)
