"""Every address of the site, as the resolver knows it, with an example path."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from django.urls import URLPattern, URLResolver, get_resolver, reverse

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
SAMPLES: dict[str, str] = {  # for the variable parts of an address
    "submission_id": "00000000-0000-4000-8000-000000000000",
    "run_id": "00000000-0000-4000-8000-000000000000",
    "slug": "small",
    "group": "entries",
    "digest": "0",
    "release": "small",
    "model": "small",
    "task": "code_run",
    "task_id": "code_run",
    "entry_id": "none",
    "key": "0",
    "example_id": "1",
    "note_id": "1",
    "uidb36": "3",
    "number": "1",
    "token_id": "1",
    "token": "unknown",
    "session_id": "0",  # nobody's: the first would be the client's own
    "pk": "1",  # of a passkey
    "provider_id": "huggingface",
    "object_id": "1",
    "content_type_id": "1",
    "app_label": "portal",
}
# Read-only addresses of the API, which uses neither cookies nor forms: a POST gets 405.
READ_ONLY = frozenset(
    {
        "api-entries", "api-compare", "api-breakdowns", "api-schema", "api-entry", "api-models",
        "api-model", "api-releases", "api-release", "api-tasks", "api-task", "api-task-examples",
        "api-example", "api-context", "api-context-search",
    }
)  # fmt: skip
WITH_TOKEN = frozenset(  # checked before anything is read
    {
        "api-submissions", "api-submission", "api-from-hub", "api-report",
        "api-answer",
        "api-try-again", "api-score-again", "api-request", "api-cancel", "api-reply",
        "api-withdraw", "api-schedule", "api-predictions", "api-examples",
        "api-edit", "api-my-models", "api-my-model",
    }
)  # fmt: skip
API = READ_ONLY | WITH_TOKEN
# The same for everybody, whoever is signed in.
PUBLIC = READ_ONLY | {
    "healthz", "readyz", "release-manifest", "release-checksums", "release-rows",
    "release-facets", "release-eval", "release-composition", "release-composition-svg",
    "release-coverage",
}  # fmt: skip
_NAMELESS = {  # paths of addresses without a name, by route
    "admin/(?P<url>.*)$": "/admin/nothing/here/",
}


class Address(NamedTuple):
    name: str  # or the route, if it has none
    parts: frozenset[str]  # its variable parts

    def path(self, **known: object) -> str:
        values: Mapping[str, object] = SAMPLES | known
        if self.name in _NAMELESS:
            return _NAMELESS[self.name]
        if "/" in self.name:  # a route of the admin, which redirects
            return "/" + self.name.replace("<path:object_id>", str(values["object_id"]))
        return reverse(self.name, kwargs={part: values[part] for part in self.parts})


def addresses() -> list[Address]:
    return list(_walk(get_resolver().url_patterns, "", "", frozenset()))


def site_addresses() -> list[Address]:
    """Addresses of our own pages and of accounts, without the admin."""
    return [address for address in addresses() if not is_admin(address)]


def admin_addresses() -> list[Address]:
    return [address for address in addresses() if is_admin(address)]


def is_admin(address: Address) -> bool:
    return address.name.startswith(("admin:", "admin/"))


def _walk(
    patterns: Sequence[URLPattern | URLResolver], route: str, space: str, parts: frozenset[str]
) -> Iterator[Address]:
    for pattern in patterns:
        place = route + str(pattern.pattern)
        found = parts | set(pattern.pattern.converters) | _groups(pattern)
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from _walk(pattern.url_patterns, place, inner, found)
        else:
            yield Address(f"{space}{pattern.name}" if pattern.name else place, found)


def _groups(pattern: URLPattern | URLResolver) -> set[str]:
    regex = getattr(pattern.pattern, "regex", None)
    return set(regex.groupindex) if regex else set()
