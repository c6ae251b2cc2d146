"""Which addresses the site may connect to for others: public ones, at few ports, by https.

The tables are literal: what a Python version calls global has changed, and was wrong before.
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from scoring.endpoint.transport.failures import EndpointError, Kind

Address = IPv4Address | IPv6Address

_DENIED = [
    ip_network(each)
    for each in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # behind a provider's NAT; metadata of Alibaba's machines
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # the host of Azure's machines
        "169.254.0.0/16",  # link-local; metadata of most clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments; metadata of Oracle's machines
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # relays from 6to4
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks of networks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved; broadcast
        "2001::/23",  # protocol assignments, Teredo among them
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which has an IPv4 address in it
        "3fff::/20",  # documentation
    )
]
_IPV6 = ip_network("2000::/3")  # what is not in it is denied

_URL = re.compile(
    r"(?P<scheme>https?)://(?:\[(?P<ipv6>[0-9a-f:.]+)\]|(?P<host>[a-z0-9.-]+))"
    r"(?::(?P<port>[0-9]{1,5}))?(?:/[\w.~!$&'()*+,;=:@%/-]*)?",
    re.ASCII | re.IGNORECASE,
)
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# The last label begins with a letter: else it would be a number, and the whole an IPv4 address.
_NAME = re.compile(rf"(?=.{{4,253}}\Z)(?:{_LABEL}\.)+(?=[a-z]){_LABEL}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OutboundPolicy:
    ports: frozenset[int] = frozenset({443})  # of public addresses
    # Of this machine, by plain http too: for development. They are nobody else's.
    loopback_ports: frozenset[int] = frozenset()
    name_seconds: float = 5.0  # that finding the addresses of a name may take

    def allows(self, address: Address, port: int) -> bool:
        if port in self.loopback_ports:
            return address.is_loopback
        return port in self.ports and is_public(address)


def is_public(address: Address) -> bool:
    if isinstance(address, IPv6Address) and (address.scope_id or address not in _IPV6):
        return False
    return not any(address in network for network in _DENIED)


def check_address(url: str, policy: OutboundPolicy) -> None:
    """Raises ``EndpointError`` unless the address is well-formed and allowed, as far as can be told
    without looking up its name."""
    if not re.match(r"https?:", url, re.IGNORECASE):
        raise EndpointError(Kind.SCHEME)
    parts = _URL.fullmatch(url)
    if not parts:
        raise EndpointError(Kind.ADDRESS)
    is_plain = parts["scheme"].lower() == "http"
    port = int(parts["port"] or (80 if is_plain else 443))
    if is_plain and port not in policy.loopback_ports:
        raise EndpointError(Kind.SCHEME)
    if port not in policy.ports | policy.loopback_ports:
        raise EndpointError(Kind.PORT, str(port))
    address = address_of(parts["ipv6"] or parts["host"])
    if address:
        is_allowed = policy.allows(address, port)
    elif parts["host"] and parts["host"].lower() == "localhost":
        is_allowed = port in policy.loopback_ports
    elif parts["host"] and _NAME.fullmatch(parts["host"]):
        if is_plain:
            raise EndpointError(Kind.SCHEME)
        is_allowed = True
    else:
        raise EndpointError(Kind.ADDRESS)
    if not is_allowed:
        raise EndpointError(Kind.PRIVATE)


def address_of(text: str) -> Address | None:
    """None for names, and for numbers that programs read differently (“0177.0.0.1”)."""
    try:
        return ip_address(text)
    except ValueError:
        return None
