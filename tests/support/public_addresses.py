"""Every public address about a release, an entry, a model or a task, as the resolver knows them,
with queries that show more."""

from collections.abc import Iterator

from django.urls import URLPattern
from django.urls.resolvers import RoutePattern

from leaderboard.api import urls as api_urls
from leaderboard.examples import urls as example_urls
from leaderboard.urls import urlpatterns

QUERIES = {
    "task": ("?release={release}", "?release={release}&metric_set=strict"),
    "task-svg": ("?release={release}",),
    "release-coverage-svg": ("?task=passkey",),
    "ladder": ("", "?interactive=1"),
    "compare": ("?a={entry_id}&b={other}&interactive=1",),
    "language-model": ("?board={release}", "?metric_set=strict"),
    "entry": ("", "?metric_set=strict"),
    "board-metrics": ("", "?task=passkey"),
    "example": ("", "?entry={entry_id}", "?entry={other}", "?list=is%3Dright"),
    "example-json": ("", "?entry={entry_id}", "?entry={other}"),
    "example-markdown": ("", "?entry={entry_id}", "?entry={other}"),
    "example-context": ("", "?line=2"),
    "example-search": ("?q=the",),
    "examples-contexts": ("", "?q=the"),
    "api-entries": ("?release={release}&entries=all",),
    "api-task": ("?release={release}", "?release={release}&metric_set=strict"),
    "api-task-examples": ("", "?words=canary", "?is=right", "?sort=difficulty", "?words=secret"),
    "api-example": ("", "?entry={entry_id}", "?entry={other}", "?tokens=20"),
    "api-context": ("", "?line=2"),
    "api-context-search": ("?q=the",),
    "api-breakdowns": ("?task=passkey&by=depth",),
    "examples": (
        *("", "?words=canary", "?is=right", "?sort=difficulty", "?words=answer", "?set=strict"),
        *("?entry={entry_id}", "?entry={entry_id}&words=answer", "?entry={entry_id}&is=right"),
        *("?entry={other}", "?entry={entry_id}&is=empty", "?entry={entry_id}&is=missing"),
        *("?solved={entry_id}", "?higher={entry_id},{other}", "?kind=x", "?score_from=1"),
    ),
    "examples-json": (
        "",
        "?words=canary",
        "?is=right",
        "?sort=difficulty",
        "?words=secret",
        "?entry={entry_id}&words=answer",
        "?entry={entry_id}&score_from=50",
    ),
    "api-compare": ("?a={entry_id}&b={other}&task=passkey",),
}  # the others have none


def public_addresses(*, entry_id: str, other: str, release: str, model: str) -> Iterator[str]:
    """``other``: another entry, for comparisons."""
    values = {
        "entry_id": entry_id,
        "other": other,
        "task_id": "passkey",
        "release": release,
        "task": "passkey",
        "model": model,
        "key": "0",
    }
    below = [("/", one) for one in urlpatterns]
    below += [("/api/v1/", one) for one in api_urls.urlpatterns]
    below += [("/examples/", one) for one in example_urls.urlpatterns]
    for start, one in below:
        if isinstance(one, URLPattern) and isinstance(one.pattern, RoutePattern):
            path = f"{start}{one.pattern}"
            values["slug"] = model if path.startswith("/models/") else release
            for name, value in values.items():
                path = path.replace(f"<slug:{name}>", value).replace(f"<path:{name}>", value)
            for query in QUERIES.get(str(one.name), ("",)):
                yield f"{path}{query.format(**values)}"
