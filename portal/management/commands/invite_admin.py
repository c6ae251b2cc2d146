"""``manage.py invite_admin EMAIL``: an admin's account, and a link that sets its password."""

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email

from portal.accounts.admin_invitation import invite_admin
from portal.errors import StateError


class Command(BaseCommand):
    help = "Make an admin and print the link with which they set their password, once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--username", help="if not the first part of the address")

    def handle(self, *_: Any, **options: Any) -> None:
        email: str = options["email"]
        try:
            validate_email(email)
            link = invite_admin(email, options["username"] or email.partition("@")[0])
        except StateError as error:
            raise CommandError(f"{error} Its password can be reset on the site.") from error
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        hours = settings.PASSWORD_RESET_TIMEOUT // 3600
        self.stderr.write(f"Within {hours} hours, and once, {email} sets a password here:")
        self.stdout.write(link)
