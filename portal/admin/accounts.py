"""Accounts, the domains by which they are affiliated, and the emails to them."""

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from portal.admin.base import HTTPS, Logged, ReadOnly
from portal.mail.outbox import send_again
from portal.models import Notice, OrganisationDomain, Role, User


@admin.register(User)
class UserAdmin(Logged):
    """Users sign up by themselves, and are deactivated instead of deleted."""

    formfield_overrides = HTTPS
    fields = (
        "username", "email", "addresses", "role", "is_active", "organisation", "link",
        "affiliation", "date_joined", "last_login",
    )  # fmt: skip
    readonly_fields = ("username", "email", "addresses", "date_joined", "last_login")
    list_display = ("username", "email", "role", "is_active", "organisation", "date_joined")
    list_filter = ("role", "is_active")
    search_fields = ("username", "email")
    ordering = ("username",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:
        """Admins cannot lock themselves out: that could only be undone in a shell."""
        own = ("role", "is_active") if obj == request.user else ()
        return [*self.readonly_fields, *own]

    @admin.display(description=gettext_lazy("Email addresses"))
    def addresses(self, user: User) -> str:
        known = EmailAddress.objects.filter(user=user).order_by("email")
        return ", ".join(
            f"{one.email} ({_('confirmed') if one.verified else _('not confirmed')})"
            for one in known
        )

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:  # noqa: ANN401 - Django's
        """Django's own flags follow the role."""
        obj.is_staff = obj.is_superuser = obj.role == Role.ADMIN
        super().save_model(request, obj, form, change)


@admin.register(OrganisationDomain)
class OrganisationDomainAdmin(Logged):
    """Accounts with a confirmed address at the domain are shown as affiliated."""

    list_display = ("domain", "organisation")
    search_fields = ("domain", "organisation")


@admin.register(Notice)
class NoticeAdmin(ReadOnly):
    exclude = ("body",)  # may hold a link that opens an account
    long = ("failure", "body")
    list_display = ("id", "kind", "recipient", "state", "attempts", "created", "due", "ended")
    list_filter = ("state", "kind")
    list_select_related = ("recipient",)
    search_fields = ("=recipient__username",)
    actions = ("again",)

    @admin.action(description=gettext_lazy("Resend failed emails"))
    def again(self, request: HttpRequest, chosen: "QuerySet[Notice]") -> None:
        found = {"count": send_again(chosen)}
        messages.success(request, _("Emails that will be sent again: %(count)s.") % found)
