"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

from portal.views.health import healthz, readyz
from portal.views.home import home

urlpatterns = [
    path("", home, name="home"),
    # the site itself
    path("accounts/", include("allauth.account.urls")),
    path("admin/", admin.site.urls),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
]
