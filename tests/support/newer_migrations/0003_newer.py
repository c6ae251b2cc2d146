from django.db import migrations

COLUMN = "ALTER TABLE portal_evaluation ADD newer integer"


class Migration(migrations.Migration):
    dependencies = [("portal", "0002_database")]

    operations = [migrations.RunSQL(COLUMN, "ALTER TABLE portal_evaluation DROP newer")]
