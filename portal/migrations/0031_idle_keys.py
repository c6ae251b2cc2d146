"""Keys of runs that are not running get an end: seven days from now where they are stored already."""

from django.db import migrations, models

_END = """
UPDATE portal_endpointrun SET key_until = now() + interval '7 days'
WHERE state IN ('draft', 'paused') AND key <> ''
"""


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0030_answer_checks"),
    ]

    operations = [
        migrations.AddField(
            model_name="endpointrun",
            name="key_until",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.RunSQL(_END, migrations.RunSQL.noop),
        migrations.AddConstraint(
            model_name="endpointrun",
            constraint=models.CheckConstraint(
                name="a_key_that_is_not_used_has_an_end",
                condition=models.Q(
                    ("state__in", ("running", "ended")),
                    ("key", ""),
                    ("key_until__isnull", False),
                    _connector="OR",
                ),
            ),
        ),
    ]
