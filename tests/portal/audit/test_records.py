"""Changes by commands are in the audit log too; for the admin see ``test_admin``."""

from pathlib import Path

import pytest
from django.core.management import call_command

from portal.audit.chain import verify_log
from portal.entries.reported import import_reported
from portal.models import AuditEntry, Role, User

pytestmark = pytest.mark.django_db


def test_an_admin_made_in_a_shell_is_in_the_audit_log() -> None:
    call_command("createsuperuser", username="ada", email="ada@example.org", interactive=False)
    assert User.objects.get().role == Role.ADMIN
    entry = AuditEntry.objects.get()
    assert (entry.subject, entry.action, entry.actor) == ("user:ada", "change role", None)
    assert (entry.before, entry.after) == ("author", "admin")


def test_reported_numbers_that_a_command_changes_are_in_the_audit_log(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    for percent in ("50", "50", "60"):
        table.write_text(f"model,source,passkey\nGPT-4,a paper,{percent}\n")
        import_reported(table)
    entries = AuditEntry.objects.filter(actor=None).order_by("number")
    assert list(entries.values_list("subject", "action")) == [
        ("model:gpt-4", "add"),
        ("reported:gpt-4: a paper", "add"),
        ("reported:gpt-4: a paper", "edit"),
    ]
    assert AuditEntry.objects.latest("number").reason == "Retrieve.PassKey: 50 → 60"
    assert verify_log().number == 3
