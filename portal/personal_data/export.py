"""Everything that the site holds about a person, as one document.

Secrets are not in it, not even encrypted or as hashes: passwords, tokens, keys, second factors.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.timezone import now

from portal.audit.records import subject_of
from portal.models import (
    AuditEntry,
    CountedUpload,
    HubFetch,
    LabelReport,
    Notice,
    Original,
    ReleaseAdmission,
    ScoredAttempt,
    Submission,
    User,
)

_ACCOUNT = (
    "pk", "username", "first_name", "last_name", "email", "organisation", "link", "role",
    "date_joined", "last_login", "email_decisions", "email_reviews",
)  # fmt: skip


def export_account(user: User) -> dict[str, object]:
    """Ready to be written as JSON by Django's encoder."""
    return {
        "made": now(),
        "site": settings.SITE_URL,
        "account": User.objects.values(*_ACCOUNT).get(pk=user.pk),
        **{name: list(rows.values(*columns)) for name, (rows, columns) in _tables(user).items()},
        "submissions": list(_submissions(user)),
    }


def _tables(user: User) -> Mapping[str, tuple["QuerySet[Any]", tuple[str, ...]]]:
    """By name: rows, and their columns."""
    about = Q(actor=user) | Q(subject=subject_of(user))
    addresses = EmailAddress.objects.filter(user=user)
    reported = Q(reported_by=user) | Q(decided_by=user)
    return {
        "email_addresses": (addresses, ("email", "verified", "primary")),
        "second_factors": (
            Authenticator.objects.filter(user=user), ("type", "created_at", "last_used_at"),
        ),
        "other_sites": (
            SocialAccount.objects.filter(user=user),
            ("provider", "uid", "extra_data", "date_joined", "last_login"),
        ),
        "sessions": (
            UserSession.objects.filter(user=user), ("ip", "user_agent", "created_at"),
        ),
        "tokens": (
            user.api_tokens.all(),
            ("name", "beginning", "scopes", "created", "expires", "used", "revoked"),
        ),
        "language_models": (
            user.language_models.all(),
            ("slug", "name", "organisation", "parameters", "licence", "weights",
             "context_window", "released", "link", "created", "rename_request__name"),
        ),
        "uploads_counted": (
            CountedUpload.objects.filter(owner=user), ("submission", "size", "at"),
        ),
        "scored_attempts": (
            ScoredAttempt.objects.filter(owner=user.pk),
            ("language_model", "model_name", "release", "predictions", "at"),
        ),
        "endpoint_runs": (
            user.endpoint_runs.all(),
            ("pk", "language_model__name", "release__slug", "method", "note", "settings", "state",
             "requests", "input_tokens", "output_tokens", "created", "started", "ended"),
        ),
        "fetched_from_the_hub": (
            HubFetch.objects.filter(owner=user),
            ("repository", "state", "reason", "created", "ended", "revision", "path"),
        ),
        "admitted_to": (
            ReleaseAdmission.objects.filter(account=user), ("release__slug", "created"),
        ),
        "best_scores_seen": (
            user.best_disclosed_scores.all(), ("labels_hash", "task", "percent", "width"),
        ),
        "notes": (
            user.notes.all(), ("example__key", "submission", "text", "written", "edited"),
        ),
        "label_reports": (
            LabelReport.objects.filter(reported),
            ("release__slug", "example__key", "proposed_answer", "reason", "reported_at", "verdict",
             "explanation", "decided_at"),
        ),
        "emails_to_you": (
            Notice.objects.filter(Q(recipient=user) | Q(address__in=addresses.values("email"))),
            ("kind", "address", "subject", "state", "created"),
        ),
        "log": (
            AuditEntry.objects.filter(about),
            ("number", "at", "action", "submission", "subject", "before", "after", "reason"),
        ),
    }  # fmt: skip


def _submissions(user: User) -> Iterator[dict[str, object]]:
    """With their files, and where to download what has been scored."""
    for one in Submission.objects.filter(owner=user).select_related("language_model", "release"):
        files = Original.objects.filter(uses__submission=one).distinct()
        yield {
            "id": one.pk,
            "page": settings.SITE_URL + reverse("submission", args=[one.pk]),
            "original": settings.SITE_URL + reverse("submission-original", args=[one.pk]),
            "report": settings.SITE_URL + reverse("submission-report", args=[one.pk]),
            "release": one.release.slug,
            "language_model": one.language_model.name,
            "state": one.state,
            "created": one.created,
            "settings": {
                name: getattr(one, name)
                for name in (
                    "method", "prompt_strategy", "truncation", "input_limit", "output_limit",
                    "drop_first", "link", "note", "publish_on", "show_account",
                    "by_maker", "maker_confirmed",
                )
            },
            "files": list(files.values("name", "size", "hash")),
            "evaluations": list(one.evaluations.values("pk", "state", "created")),
        }  # fmt: skip
