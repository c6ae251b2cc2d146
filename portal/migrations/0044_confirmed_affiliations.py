"""What admins have confirmed of accounts gets rows of its own, which say who, when and why."""

from django.db import migrations

COPY = """
INSERT INTO portal_affiliation (user_id, organisation, reason)
    SELECT id, affiliation, 'confirmed before reasons were kept'
    FROM portal_user WHERE affiliation <> '';
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0043_teams"),
    ]

    operations = [
        migrations.RunSQL(COPY, migrations.RunSQL.noop),
        migrations.RemoveField(
            model_name="user",
            name="affiliation",
        ),
    ]
