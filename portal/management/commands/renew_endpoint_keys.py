"""``manage.py renew_endpoint_keys``: encrypt the keys of all runs under the newest secret."""

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from portal.endpoint_runs.keys import EndpointKeyError, renew_ciphertext
from portal.models import EndpointRun


class Command(BaseCommand):
    help = "Encrypt the keys of endpoint runs under the first of ENDPOINT_KEY_SECRETS."

    def handle(self, *args: object, **options: object) -> None:
        renewed, unreadable = 0, []
        for pk in EndpointRun.objects.exclude(key="").values_list("pk", flat=True):
            with transaction.atomic():
                run = EndpointRun.objects.select_for_update().get(pk=pk)
                if not run.key:  # it has ended meanwhile
                    continue
                try:
                    run.key = renew_ciphertext(run.key)
                except EndpointKeyError:
                    unreadable.append(str(pk))
                    continue
                run.save(update_fields=["key"])
                renewed += 1
        self.stdout.write(f"{renewed} renewed")
        if unreadable:
            raise CommandError(f"not readable with any of the secrets: {', '.join(unreadable)}")
