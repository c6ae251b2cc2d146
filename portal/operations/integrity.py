"""Whether the site is intact: its audit log, and scores that come out the same again."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from django.conf import settings
from django.db import connection

from portal.audit.chain import EMPTY, BrokenLogError, Link, verify_log
from portal.errors import ReleaseError
from portal.evaluations.boxes import AttemptFailedError, score_in_boxes
from portal.evaluations.sandbox import sandbox
from portal.models import SCORE_COLUMNS, AuditHead, Evaluation, ExampleResult
from scoring.sandbox.results_file import ResultsFileError
from scoring.sandbox.run import Boxes

# Not needed by a restored site: sessions, so that everybody signs in again, and what is recomputed.
LEFT_OUT = ("django_session", "portal_cache", "portal_heartbeat")


class IntegrityError(Exception):
    """What is wrong, as a sentence."""


def log_head() -> Link:
    """The newest entry of the audit log. Works with a database that is not migrated yet, too."""
    head = AuditHead.objects.values_list("entries", "hash").first()
    return Link(*head) if head else EMPTY


def verify_audit_log(known: Link) -> None:
    """``known``: an entry that must still be there. Raises ``IntegrityError``."""
    try:
        verify_log(known)
    except BrokenLogError as error:
        raise IntegrityError(f"The audit log is broken. {error}") from error


def row_counts() -> dict[str, int]:
    tables = sorted(set(connection.introspection.table_names()) - {*LEFT_OUT})
    counts = {}
    with connection.cursor() as cursor:
        for table in tables:
            name = connection.ops.quote_name(table)
            cursor.execute(f"SELECT count(*) FROM {name}")  # noqa: S608 - quoted by Django
            [counts[table]] = cursor.fetchone() or [0]
    return counts


def fingerprints() -> dict[str, list[str]]:
    """Of the secrets, which no backup holds, to tell whether the right ones are set. Slow to
    compute, so that a short secret cannot be guessed from its fingerprint."""
    values = {
        "SECRET_KEY": [settings.SECRET_KEY],
        "SECOND_FACTOR_SECRETS": settings.SECOND_FACTOR_SECRETS,
        "ENDPOINT_KEY_SECRETS": settings.ENDPOINT_KEY_SECRETS,
    }
    return {
        name: [
            hashlib.scrypt(secret.encode(), salt=name.encode(), n=1 << 14, r=8, p=1, dklen=8).hex()
            for secret in secrets
        ]
        for name, secrets in values.items()
    }


def missing_secrets(expected: Mapping[str, Iterable[str]]) -> list[str]:
    """Names of settings that lack an expected secret."""
    present = fingerprints()
    return [name for name, known in expected.items() if not {*known} <= {*present.get(name, ())}]


# Scores


class Rescored(NamedTuple):
    evaluation: int
    difference: str = ""  # empty: the same result
    unknown: str = ""  # why it cannot be compared


def sample_of_scored(number: int) -> list[int]:
    """A random sample of evaluations whose files are here."""
    with_files = Evaluation.objects.scored().filter(submission__files__isnull=False)
    keys = with_files.values_list("pk", flat=True).distinct()
    shuffled = Evaluation.objects.filter(pk__in=keys).order_by("?")
    return list(shuffled.values_list("pk", flat=True)[:number])


def score_again(evaluation_id: int) -> Rescored:
    """In the sandbox, as a worker does it; stores nothing."""
    evaluation = Evaluation.objects.select_related("submission__release").get(pk=evaluation_id)
    before = evaluation.signature or {}
    try:
        with score_in_boxes(evaluation, Boxes(sandbox().level)) as found:
            after = found.report.get("signature")
            examples = {
                (one.task, one.index): (
                    one.prediction,
                    *(one.verdicts[name].score if one.verdicts else None for name in SCORE_COLUMNS),
                )
                for one in found.examples
            }
    except (AttemptFailedError, ResultsFileError, ReleaseError) as error:
        details = getattr(error, "details", "")
        return Rescored(evaluation_id, f"it could not be scored: {error} {details}".strip())
    if after is None:
        return Rescored(evaluation_id, unknown="its author would be asked something today")
    if after["gold"] != before.get("gold"):
        return Rescored(evaluation_id, unknown="the labels have been changed since")
    columns = {
        name: column
        for name, column in SCORE_COLUMNS.items()
        # Only a new version of the scorer may differ, and only in our own set of metrics.
        if name.startswith("official") or after["scorer"] == before.get("scorer")
    }
    stored = ExampleResult.objects.filter(evaluation=evaluation_id)
    rows = stored.values_list("task", "index", "prediction", *columns.values())
    names = list(SCORE_COLUMNS)
    again = {
        (*key, values[0], *(values[1 + names.index(name)] for name in columns))
        for key, values in examples.items()
    }
    if (hash_before := _hash(rows)) != (hash_after := _hash(again)):
        return Rescored(evaluation_id, f"its result was {hash_before}, and is {hash_after} now")
    return Rescored(evaluation_id)


def _hash(rows: Iterable[tuple[object, ...]]) -> str:
    digest = hashlib.sha256()
    for row in sorted(rows, key=lambda row: (row[0], row[1])):
        digest.update(json.dumps(row).encode() + b"\n")
    return digest.hexdigest()[:16]
