"""What can go wrong with a request, in plain sentences, and what follows from it."""

from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """Why there is no answer."""

    ADDRESS = "address"
    SCHEME = "scheme"
    PORT = "port"
    PRIVATE = "not public"
    NAME = "name"
    CERTIFICATE = "certificate"
    CONNECTION = "connection"
    TIMEOUT = "timeout"
    BUSY = "busy"
    SERVER = "server"
    HALF = "half"
    MALFORMED = "malformed"
    TOO_LARGE = "too large"
    REPORTED = "reported"
    KEY = "key"
    CREDIT = "credit"
    MODEL = "model"
    REDIRECT = "redirect"
    TOO_LONG = "too long"
    REQUEST = "request"


class Rule(NamedTuple):
    sentence: str
    is_retried: bool = False
    stops: bool = False  # no other question would fare better …
    stops_first: bool = False  # … as long as the endpoint has not answered at all
    is_ours: bool = False  # our request was wrong, not the endpoint
    is_free: bool = True  # nothing was computed that could be billed


RULES: dict[Kind, Rule] = {
    Kind.ADDRESS: Rule("The address of the endpoint cannot be used.", stops=True),
    Kind.SCHEME: Rule("The address of the endpoint must begin with https://.", stops=True),
    Kind.PORT: Rule("This port is not allowed for endpoints.", stops=True),
    Kind.PRIVATE: Rule("The endpoint is not on the public internet.", stops=True),
    Kind.NAME: Rule(
        "The name of the endpoint is not known to the network.", is_retried=True, stops_first=True
    ),
    Kind.CERTIFICATE: Rule("The certificate of the endpoint is not valid.", stops=True),
    Kind.CONNECTION: Rule("The endpoint cannot be reached.", is_retried=True),
    Kind.TIMEOUT: Rule("The endpoint took too long.", is_retried=True, is_free=False),
    Kind.BUSY: Rule("The endpoint asks for fewer requests.", is_retried=True),
    Kind.SERVER: Rule("The endpoint has failed.", is_retried=True),
    Kind.HALF: Rule("The answer broke off.", is_retried=True, is_free=False),
    Kind.MALFORMED: Rule("The answer cannot be read.", is_retried=True, is_free=False),
    Kind.TOO_LARGE: Rule("The answer is too large.", is_free=False),
    Kind.REPORTED: Rule("The endpoint reports an error.", is_retried=True, is_free=False),
    Kind.KEY: Rule("The endpoint does not accept the key.", stops=True),
    Kind.CREDIT: Rule("The account at the endpoint has no credit left.", stops=True),
    Kind.MODEL: Rule("The endpoint knows no such model or address.", stops=True),
    Kind.REDIRECT: Rule("The endpoint sends us to another address.", stops=True),
    Kind.TOO_LONG: Rule("The prompt is too long for the endpoint.", is_ours=True),
    Kind.REQUEST: Rule("The endpoint does not accept the request.", is_ours=True),
}


class EndpointError(Exception):
    """A request without an answer. ``detail`` is the endpoint's, short and without the key."""

    def __init__(self, kind: Kind, detail: str = "", retry_after: float | None = None) -> None:
        super().__init__(f"{RULES[kind].sentence} {detail}".strip())
        self.kind = kind
        self.detail = detail
        self.retry_after = retry_after  # seconds

    @property
    def rule(self) -> Rule:
        return RULES[self.kind]
