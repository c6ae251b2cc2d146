from django.core.management import call_command
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

TABLE = "portal_cache"  # of the cache in settings.py


def make_table(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Django's own command for it, so that “migrate” alone makes a whole database."""
    call_command("createcachetable", TABLE, database=schema_editor.connection.alias, verbosity=0)


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0003_web"),
    ]

    operations = [
        migrations.RunPython(make_table, migrations.RunPython.noop),
        migrations.AlterModelManagers(name="user", managers=[]),
    ]
