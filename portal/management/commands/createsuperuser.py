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
            made = User.objects.latest("pk")
            author = {**describe(made), "role": Role.AUTHOR.value}  # as everybody else begins
            log_record(made, author, describe(made), by=None)
