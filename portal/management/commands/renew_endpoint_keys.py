"""``manage.py renew_endpoint_keys``: encrypt the keys of all runs and spot checks, and the tokens
of jobs that ask the Hub, under the newest secret."""

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from portal.endpoint_runs.keys import EndpointKeyError, renew_ciphertext
from portal.models import CardRequest, EndpointRun, HubFetch, SpotCheck


class Command(BaseCommand):
    help = (
        "Encrypt the keys of endpoint runs and spot checks under the first of ENDPOINT_KEY_SECRETS."
    )

    def handle(self, *args: object, **options: object) -> None:
        renewed, unreadable = 0, []
        pairs = [
            (model, pk)
            for model in (EndpointRun, SpotCheck, HubFetch, CardRequest)
            for pk in model.objects.exclude(key="").values_list("pk", flat=True)
        ]
        for model, pk in pairs:
            with transaction.atomic():
                row = model.objects.select_for_update().get(pk=pk)
                if not row.key:  # it has ended meanwhile
                    continue
                try:
                    row.key = renew_ciphertext(row.key)
                except EndpointKeyError:
                    unreadable.append(str(pk))
                    continue
                row.save(update_fields=["key"])
                renewed += 1
        self.stdout.write(f"{renewed} renewed")
        if unreadable:
            raise CommandError(f"not readable with any of the secrets: {', '.join(unreadable)}")
