"""What Django's models cannot say: see ``0002_database.sql``."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")


class Migration(migrations.Migration):
    dependencies = [("portal", "0001_schema")]

    operations = [migrations.RunSQL(SQL)]
