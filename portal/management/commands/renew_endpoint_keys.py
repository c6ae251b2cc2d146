"""``manage.py renew_endpoint_keys``: encrypt the keys of runs, the tokens of jobs
on the Hub, and the secrets of second factors again, each with the newest secret."""

from allauth.mfa.models import Authenticator
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from portal.accounts.second_factor import UnreadableSecretError
from portal.accounts.second_factor import renew_ciphertext as renew_secret
from portal.endpoint_runs.keys import EndpointKeyError, renew_ciphertext
from portal.models import EndpointRun, HubFetch

_SECRETS = ("secret", "seed")  # of an authenticator app, and of recovery codes


class Command(BaseCommand):
    help = (
        "Encrypt the keys of endpoint runs under the first of "
        "ENDPOINT_KEY_SECRETS, and the secrets of second factors under that of "
        "SECOND_FACTOR_SECRETS."
    )

    def handle(self, *args: object, **options: object) -> None:
        renewed, unreadable = 0, []
        pairs = [
            (model, pk)
            for model in (EndpointRun, HubFetch)
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
        for pk in Authenticator.objects.values_list("pk", flat=True):
            with transaction.atomic():
                factor = Authenticator.objects.select_for_update().filter(pk=pk).first()
                if factor and (name := next((one for one in _SECRETS if one in factor.data), "")):
                    try:
                        factor.data[name] = renew_secret(factor.data[name])
                    except UnreadableSecretError:
                        unreadable.append(f"second factor {pk}")
                        continue
                    factor.save(update_fields=["data"])
                    renewed += 1
        self.stdout.write(f"{renewed} renewed")
        if unreadable:
            raise CommandError(f"not readable with any of the secrets: {', '.join(unreadable)}")
