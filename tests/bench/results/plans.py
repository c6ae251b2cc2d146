"""``python -m tests.bench.results.plans``: asks every address of the site, as a reader, an author
and a reviewer, in the database of ``tests.bench.examples_fill``, and prints the queries that read
all results of examples instead of finding theirs by an index."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import django

django.setup()  # before any model can be imported

from django.conf import settings  # noqa: E402
from django.core.cache import cache  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

from portal.models import Role, Submission, User  # noqa: E402
from tests.support.addresses import site_addresses  # noqa: E402

TABLE = "portal_resultblock"
_VIEW = "portal_exampleresult"
_TASK = "longbook_qa_eng"
_QUERIES = (  # of lists of examples
    "is=missing", "is=only-failure", "failed=Model+7", "words=seldom7", "words=the",
    "words=nowhere",
)  # fmt: skip


@contextmanager
def scans() -> Iterator[list[str]]:
    """The queries within that would scan the table, and ``found``: how many were about it."""
    found: list[str] = []

    def explain(
        execute: Callable[..., object],
        sql: str,
        params: list[str] | None,
        many: bool,
        context: object,
    ) -> object:
        if (TABLE in sql or _VIEW in sql) and sql.lstrip().startswith(("SELECT", "WITH")):
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN (COSTS OFF) {sql}", params)
                plan = "\n".join(line for (line,) in cursor.fetchall())
            found.append(sql if f"Seq Scan on {TABLE}" in plan else "")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        yield found


def paths() -> list[str]:
    entry = Submission.objects.published().earliest("pk")
    others = Submission.objects.published().exclude(pk=entry.pk).order_by("pk")[:20]
    known = {
        "submission_id": entry.pk, "entry_id": entry.entry_id, "slug": "hf", "release": "hf",
        "model": entry.language_model.slug, "task": _TASK, "task_id": _TASK, "key": f"{_TASK}/17",
    }  # fmt: skip
    of_site = (one for one in site_addresses() if not one.name.startswith("account"))
    found = [one.path(**known) for one in of_site]
    found.append(f"/models/{entry.language_model.slug}/")
    lists = [f"/examples/hf/{_TASK}/", f"/examples/hf/{_TASK}.json"]
    found += [f"{one}?{query}" for one in lists for query in _QUERIES]
    opened = "&".join(f"entry={one.entry_id}" for one in others)
    found.append(f"/examples/hf/{_TASK}/{_TASK}%2F17/?{opened}")
    found += [f"/compare/?a={entry.entry_id}&b={one.entry_id}" for one in others[:2]]
    return [one for one in found if "logout" not in one]


def main() -> None:
    settings.ALLOWED_HOSTS = ["*"]
    connection.force_debug_cursor = False
    User.objects.get_or_create(username="rita", defaults={"role": Role.REVIEWER})
    about, answered, bad = 0, 0, set[str]()
    for name in (None, "alice", "rita"):
        client = Client(raise_request_exception=False)
        if name:
            client.force_login(
                User.objects.get(username=name),
                backend="django.contrib.auth.backends.ModelBackend",
            )
        for path in paths():
            cache.clear()  # it counts requests, and would refuse most of these
            if not name:  # pages of readers without a session are kept
                client.cookies[settings.SESSION_COOKIE_NAME] = "of-nobody"
            with scans() as found:
                answer = client.get(path)
                answer.getvalue()
            answered += answer.status_code == 200
            about += len(found)
            bad |= {f"{path}: {' '.join(sql.split())[:400]}" for sql in found if sql}
    print("\n".join(sorted(bad)))
    print(f"pages {answered} queries {about} scans {len(bad)}")


if __name__ == "__main__":
    main()
