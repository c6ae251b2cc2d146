"""Everybody signs in once more: only sessions that begin from here on are listed, and can be ended
when a second factor is added."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def end_sessions(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("sessions", "Session").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0049_outcome_indexes"),
        ("sessions", "0001_initial"),
        ("usersessions", "0001_initial"),
    ]

    operations = [migrations.RunPython(end_sessions, migrations.RunPython.noop)]
