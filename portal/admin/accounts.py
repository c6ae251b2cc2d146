"""Accounts, the domains by which they are affiliated, and the emails to them."""

from operator import itemgetter
from typing import Any

from allauth.account.models import EmailAddress
from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.timezone import now

from portal.accounts.second_factor import remove_second_factors
from portal.admin.base import HTTPS, OnTheBoard, ReadOnly
from portal.audit.records import describe
from portal.board_version import raise_board_version
from portal.errors import StateError
from portal.mail.outbox import send_again
from portal.models import Affiliation, Notice, OrganisationDomain, Role, Team, User
from portal.permissions.access import user_of
from portal.review.facts.confusables import skeleton
from portal.teams.names import MAX_LENGTH, check_free
from portal.web.fields import PlainText


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
        known += [(one.email, one.confirmed) for one in user.affiliation_addresses.all()]
        return ", ".join(
            f"{email} ({'confirmed' if confirmed else 'not confirmed'})"
            for email, confirmed in sorted(known, key=itemgetter(0))
        )

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:  # noqa: ANN401 - Django's
        """Django's own flags follow the role."""
        obj.is_staff = obj.is_superuser = obj.role == Role.ADMIN
        super().save_model(request, obj, form, change)


@admin.register(OrganisationDomain)
class OrganisationDomainAdmin(OnTheBoard):
    """Accounts with a confirmed address at the domain are shown as affiliated."""

    list_display = ("domain", "organisation")
    search_fields = ("domain", "organisation")


@admin.register(Affiliation)
class AffiliationAdmin(OnTheBoard):
    """What an admin knows stays as it was written, with who and when; it can be revoked."""

    fields = ("user", "team", "organisation", "reason", "confirmed_by", "confirmed", "revoked")
    autocomplete_fields = ("user", "team")
    list_display = ("organisation", "user", "team", "confirmed_by", "confirmed", "revoked")
    list_select_related = ("user", "team", "confirmed_by")
    search_fields = ("organisation", "user__username", "team__name")
    actions = ("revoke",)

    def get_readonly_fields(self, request: HttpRequest, obj: object = None) -> tuple[str, ...]:
        return self.fields if obj else ("confirmed_by", "confirmed", "revoked")

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Affiliation, form: Any, change: bool) -> None:  # noqa: ANN401 - Django's
        if not change:
            obj.confirmed_by = user_of(request)
        super().save_model(request, obj, form, change)

    @admin.action(description="Revoke")
    @transaction.atomic
    def revoke(self, request: HttpRequest, chosen: "QuerySet[Affiliation]") -> None:
        for one in chosen.filter(revoked=None).select_for_update(of=("self",)):
            before = describe(one)
            one.revoked = now()
            one.save(update_fields=["revoked"])
            self.log_edit(request, one, before)
        raise_board_version()


class TeamForm(forms.ModelForm):  # type: ignore[type-arg]  # only the stubs know its parameter
    name = PlainText(label="Name", max_length=MAX_LENGTH)

    class Meta:
        model = Team
        fields = ("name",)  # the admin adds its others

    def clean_name(self) -> str:
        """Admins may give a name that is reserved, but none that another team has."""
        name: str = self.cleaned_data["name"]
        looks = skeleton(name)
        try:
            check_free(looks, self.instance)
        except StateError as error:
            raise ValidationError(str(error), error.code) from error
        self.instance.skeleton = looks
        return name


@admin.register(Team)
class TeamAdmin(OnTheBoard):
    """Names that others know by now are changed here; who is in a team is for its owners."""

    form = TeamForm
    formfield_overrides = HTTPS
    fields = ("name", "link", "slug", "created")
    readonly_fields = ("slug", "created")
    list_display = ("name", "slug", "created")
    search_fields = ("name", "slug")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


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
