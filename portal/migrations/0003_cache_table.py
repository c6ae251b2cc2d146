from django.core.management import call_command
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

TABLE = "portal_cache"  # as in settings.CACHES


def create_table(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Run Django's own command, so that “migrate” alone makes a complete database."""
    call_command("createcachetable", TABLE, database=schema_editor.connection.alias, verbosity=0)


def drop_table(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    schema_editor.execute(f"DROP TABLE IF EXISTS {schema_editor.quote_name(TABLE)}")


class Migration(migrations.Migration):
    dependencies = [("portal", "0002_triggers")]

    operations = [migrations.RunPython(create_table, drop_table)]
