"""Accounts, and the emails to them."""

from operator import itemgetter
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from portal.accounts.second_factor import remove_second_factors
from portal.admin.base import HTTPS, OnTheBoard, ReadOnly
from portal.mail.outbox import send_again
from portal.models import Notice, Role, User
from portal.permissions.access import user_of


@admin.register(User)
class UserAdmin(OnTheBoard):
    """Users sign up by themselves, and are deactivated instead of deleted."""

    formfield_overrides = HTTPS
    fields = (
        "username", "email", "addresses", "role", "is_active", "organisation", "link",
        "date_joined", "last_login",
    )  # fmt: skip
    readonly_fields = ("username", "email", "addresses", "date_joined", "last_login")
    list_display = ("username", "email", "role", "is_active", "organisation", "date_joined")
    list_filter = ("role", "is_active")
    search_fields = ("username", "email")
    ordering = ("username",)
    actions = ("remove_second_factors",)

    @admin.action(description="Remove second factors (of people who have lost them)")
    def remove_second_factors(self, request: HttpRequest, chosen: "QuerySet[User]") -> None:
        removed = sum(remove_second_factors(user, by=user_of(request)) for user in chosen)
        messages.success(request, f"Accounts without a second factor now: {removed}.")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:
        """Admins cannot lock themselves out: that could only be undone in a shell."""
        own = ("role", "is_active") if obj == request.user else ()
        return [*self.readonly_fields, *own]

    @admin.display(description="Email addresses")
    def addresses(self, user: User) -> str:
        known = [(one.email, one.verified) for one in EmailAddress.objects.filter(user=user)]
        return ", ".join(
            f"{email} ({'confirmed' if confirmed else 'not confirmed'})"
            for email, confirmed in sorted(known, key=itemgetter(0))
        )

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:  # noqa: ANN401 - Django's
        """Django's own flags follow the role."""
        obj.is_staff = obj.is_superuser = obj.role == Role.ADMIN
        super().save_model(request, obj, form, change)


@admin.register(Notice)
class NoticeAdmin(ReadOnly):
    exclude = ("body",)  # may hold a link that opens an account
    long = ("failure", "body")
    list_display = ("id", "kind", "recipient", "state", "attempts", "created", "due", "ended")
    list_filter = ("state", "kind")
    list_select_related = ("recipient",)
    search_fields = ("=recipient__username",)
    actions = ("again",)

    @admin.action(description="Resend failed emails")
    def again(self, request: HttpRequest, chosen: "QuerySet[Notice]") -> None:
        found = {"count": send_again(chosen)}
        messages.success(request, "Emails that will be sent again: {count}.".format(**found))
