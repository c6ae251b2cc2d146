"""The ledger of what was scored and decided before there was one, in the order in which it happened.

Each entry says that it was written afterwards. Of reasons only those of publications are taken over:
whoever wrote the others was not told that everybody would read them.
"""

import json
import secrets
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from heapq import merge
from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import Exists, OuterRef

_CHUNK = 1_000  # rows in memory
_KINDS = {
    "publish": "published",
    "publish historical": "published",
    "undo decision": "undone",
    "hide": "hidden",
    "restore": "restored",
    "withdraw": "removed",
}
_ON_BOARD = ("published", "hidden")

Event = tuple[datetime, int, Any]  # the number decides where times are equal


class _Past:
    def __init__(self, apps: StateApps) -> None:
        self._models = {
            name: apps.get_model("portal", name)
            for name in (
                "Attempt", "AuditEntry", "Decision", "Evaluation", "LabelDispute", "LedgerEntry",
                "Opening", "TaskScore",
            )
        }  # fmt: skip
        self._seen: dict[tuple[str, ...], Any] = {}  # attempts
        self._of: defaultdict[tuple[str, ...], list[Any]] = defaultdict(list)  # attempts

    def scorings(self) -> Iterator[Event]:
        partly = self._models["TaskScore"].objects.filter(
            evaluation=OuterRef("pk"), asked__isnull=False
        )
        rows = self._models["Evaluation"].objects.filter(
            state="scored", submission__owner__isnull=False
        )
        found = rows.select_related("submission__language_model", "submission__release").annotate(
            in_part=Exists(partly)
        )
        wanted = found.defer("problems", "signature", "question").order_by("finished", "pk")
        for row in wanted.iterator(chunk_size=_CHUNK):
            yield row.finished, row.pk, row

    def decisions(self) -> Iterator[Event]:
        rows = self._models["AuditEntry"].objects.filter(
            action__in=_KINDS, submission__isnull=False
        )
        related = ("actor", "submission__language_model", "submission__release")
        for row in rows.select_related(*related).order_by("number").iterator(chunk_size=_CHUNK):
            if row.submission_id and (row.after == "published" or row.before in _ON_BOARD):
                yield row.at, row.number, row

    def disputes(self) -> Iterator[Event]:
        rows = (
            self._models["LabelDispute"].objects.exclude(outcome="").exclude(release__hidden=True)
        )
        found = rows.select_related("release", "example__data_set", "decided_by")
        for row in found.order_by("decided_at", "pk").iterator(chunk_size=_CHUNK):
            yield row.decided_at, row.pk, row

    def add_attempt(self, row: Any) -> None:  # noqa: ANN401 - a model of that time
        submission = row.submission
        group, release = f"user:{submission.owner_id}", submission.release.slug
        model = submission.language_model.slug
        suffix = "+drop_first" if submission.drop_first else ""
        predictions = f"{row.predictions_hash}{suffix}"
        same = (group, release, model, predictions)
        own = (str(submission.pk), release)
        if same in self._seen or own in self._seen:
            self._seen.setdefault(own, self._seen.get(same))
            return
        of_group, of_model = self._of[group, release], self._of[group, release, model]
        content = {
            "group": group,
            "model": model,
            "release": release,
            "predictions": predictions,
            "in_part": row.in_part,
            "number_of_model": len(of_model) + 1,
            "number_of_group": len(of_group) + 1,
        }
        entry = self._append("attempt", release, content, row.finished)
        attempt = self._models["Attempt"].objects.create(
            entry=entry,
            submission_id=submission.pk,
            group=group,
            owner=submission.owner_id,
            language_model=model,
            release=release,
            predictions=predictions,
            in_part=row.in_part,
        )
        self._seen[same] = self._seen[own] = attempt
        of_group.append(attempt)
        of_model.append(attempt)

    def add_decision(self, row: Any) -> None:  # noqa: ANN401 - a model of that time
        submission, kind = row.submission, _KINDS[row.action]
        role = "site"
        if row.actor:
            role = "admin" if row.actor.role == "admin" else "reviewer"
            role = "author" if row.actor.pk == submission.owner_id else role
        if kind == "removed" and role == "author":
            kind = "withdrawn"
        release = submission.release.slug
        content = {
            "decision": kind,
            "entry": str(submission.pk),
            "release": release,
            "role": role,
            "reason": row.reason if kind == "published" else "",
        }
        entry = self._append("decision", release, content, row.at)
        attempt = self._seen.get((str(submission.pk), release)) if kind == "published" else None
        decision = self._models["Decision"].objects.create(
            entry=entry, kind=kind, role=role, submission_id=submission.pk, attempt=attempt
        )
        if attempt:
            model = submission.language_model.slug
            Opening = self._models["Opening"]  # noqa: N806 - a model of that time
            Opening.objects.bulk_create(
                Opening(attempt=one, decision=decision)
                for one in self._of[attempt.group, release, model]
            )

    def add_dispute(self, row: Any) -> None:  # noqa: ANN401 - a model of that time
        role = "admin" if row.decided_by.role == "admin" else "reviewer"
        content = {
            "decision": "relabelled",
            "release": row.release.slug,
            "task": row.example.data_set.task,
            "example": row.example.key,
            "outcome": row.outcome,
            "role": role,
            "reason": "",
        }
        entry = self._append("decision", row.release.slug, content, row.decided_at)
        self._models["Decision"].objects.create(
            entry=entry, kind="relabelled", role=role, dispute=row
        )

    def _append(self, kind: str, release: str, content: dict[str, Any], at: datetime) -> Any:  # noqa: ANN401
        return self._models["LedgerEntry"].objects.create(
            kind=kind,
            release=release,
            key=secrets.token_hex(32),
            content=json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")),
            at=at,
            reconstructed=True,
        )


def write_the_past(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    past = _Past(apps)
    events = merge(
        ((at, 0, key, row, past.add_attempt) for at, key, row in past.scorings()),
        ((at, 1, key, row, past.add_decision) for at, key, row in past.decisions()),
        ((at, 2, key, row, past.add_dispute) for at, key, row in past.disputes()),
        key=lambda event: event[:3],
    )
    for _at, _kind, _key, row, add in events:
        add(row)
    # The next migrations may change the tables in the same transaction.
    schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    schema_editor.execute("SET CONSTRAINTS ALL DEFERRED")


class Migration(migrations.Migration):
    dependencies = [("portal", "0039_ledger")]

    operations = [migrations.RunPython(write_the_past, migrations.RunPython.noop)]
