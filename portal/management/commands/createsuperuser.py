"""``manage.py createsuperuser``: Django's command, with an entry in the audit log."""

from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.db import transaction

from portal.audit.records import describe, log_record
from portal.models import Role, User


class Command(createsuperuser.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic():
            super().handle(*args, **options)
            created = User.objects.latest("pk")
            before = {**describe(created), "role": Role.AUTHOR.value}  # everybody's first role
            log_record(created, before, describe(created), by=None)
