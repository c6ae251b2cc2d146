from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0052_same_questions")]

    operations = [
        migrations.AlterField(
            "apitoken",
            "scopes",
            ArrayField(
                models.CharField(
                    choices=[
                        ("read", "Read what you may see, private submissions included"),
                        ("submit", "Submit predictions, and act on your submissions"),
                        (
                            "run",
                            "Configure, start, pause and stop endpoint runs, which can cost you money",
                        ),
                        (
                            "teams",
                            "Manage your teams: who is in them, invitations, addresses at makers",
                        ),
                        (
                            "review",
                            "Read what waits for review and decide, as long as you are a reviewer",
                        ),
                    ],
                    max_length=10,
                )
            ),
        )
    ]
