"""``manage.py remove_second_factor USER``: for a user who has lost it, if no admin can help."""

from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.accounts.second_factor import remove_second_factors
from portal.models import User


class Command(BaseCommand):
    help = "Remove the second factors of a user who has lost them, and end all their sessions."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: object, username: str, **options: object) -> None:
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"there is no user {username}")
        if not remove_second_factors(user, by=None):
            raise CommandError(f"{username} has no second factor")
        self.stdout.write(f"{username} signs in by password alone now")
