import uuid

from django.conf import settings
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db import migrations, models
from django.db.models.functions import Now
from django.utils import timezone

TASKS = [
    ("passkey", "Retrieve.PassKey"),
    ("number_string", "Retrieve.Number"),
    ("kv_retrieval", "Retrieve.KV"),
    ("longbook_sum_eng", "En.Sum"),
    ("longbook_qa_eng", "En.QA"),
    ("longbook_choice_eng", "En.MC"),
    ("longbook_qa_chn", "Zh.QA"),
    ("longdialogue_qa_eng", "En.Dia"),
    ("code_debug", "Code.Debug"),
    ("code_run", "Code.Run"),
    ("math_calc", "Math.Calc"),
    ("math_find", "Math.Find"),
]


class Migration(migrations.Migration):
    initial = True

    dependencies = [("auth", "0012_alter_user_first_name_max_length")]

    operations = [
        migrations.CreateModel(
            name="User",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                (
                    "last_login",
                    models.DateTimeField(blank=True, null=True, verbose_name="last login"),
                ),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "username",
                    models.CharField(
                        error_messages={"unique": "A user with that username already exists."},
                        help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                        max_length=150,
                        unique=True,
                        validators=[UnicodeUsernameValidator()],
                        verbose_name="username",
                    ),
                ),
                (
                    "first_name",
                    models.CharField(blank=True, max_length=150, verbose_name="first name"),
                ),
                (
                    "last_name",
                    models.CharField(blank=True, max_length=150, verbose_name="last name"),
                ),
                (
                    "email",
                    models.EmailField(blank=True, max_length=254, verbose_name="email address"),
                ),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="Designates whether the user can log into this admin site.",
                        verbose_name="staff status",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                (
                    "date_joined",
                    models.DateTimeField(default=timezone.now, verbose_name="date joined"),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("author", "author"),
                            ("reviewer", "reviewer"),
                            ("admin", "admin"),
                        ],
                        default="author",
                        max_length=10,
                        verbose_name="role",
                    ),
                ),
                (
                    "organisation",
                    models.CharField(blank=True, max_length=120, verbose_name="organisation"),
                ),
                (
                    "link",
                    models.URLField(
                        blank=True, help_text="Your own page, or your group's.", verbose_name="link"
                    ),
                ),
                ("email_decisions", models.BooleanField(db_default=True, default=True)),
                ("email_reviews", models.BooleanField(db_default=True, default=True)),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("is_staff", False), ("role", "admin"), _connector="OR"),
                        name="only_admins_enter_the_admin",
                    )
                ]
            },
        ),
        migrations.CreateModel(
            name="Context",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("characters", models.PositiveBigIntegerField()),
                ("size", models.PositiveBigIntegerField()),
                ("tokens", models.PositiveBigIntegerField()),
                ("tokens_estimated", models.BooleanField()),
                ("text", models.FileField(editable=False, max_length=200, upload_to="")),
                ("index", models.FileField(editable=False, max_length=200, upload_to="")),
                ("last_used", models.DateTimeField(db_default=Now())),
            ],
        ),
        migrations.CreateModel(
            name="ReleaseFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("size", models.PositiveBigIntegerField()),
                ("file", models.FileField(editable=False, max_length=200, upload_to="")),
                ("last_used", models.DateTimeField(db_default=Now())),
            ],
        ),
        migrations.CreateModel(
            name="TaskDataSet",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("task", models.CharField(choices=TASKS, max_length=40)),
                ("labels_hash", models.CharField(max_length=64)),
                ("questions_hash", models.CharField(max_length=64)),
                ("size", models.PositiveIntegerField()),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "whole_file",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="whole_of",
                        to="portal.releasefile",
                    ),
                ),
                (
                    "questions_file",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="questions_of",
                        to="portal.releasefile",
                    ),
                ),
                (
                    "facets_file",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="facets_of",
                        to="portal.releasefile",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("task", "labels_hash", "questions_hash"),
                        name="one_set_for_the_same_data",
                    )
                ]
            },
        ),
        migrations.CreateModel(
            name="Example",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "data_set",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.PROTECT,
                        related_name="examples",
                        to="portal.taskdataset",
                    ),
                ),
                ("index", models.PositiveIntegerField()),
                ("key", models.CharField(max_length=200)),
                ("label", models.JSONField()),
                ("options", models.JSONField(default=list)),
                ("question", models.TextField(blank=True)),
                (
                    "context",
                    models.ForeignKey(
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="examples",
                        to="portal.context",
                    ),
                ),
                ("tokens", models.PositiveIntegerField(null=True)),
                ("tokens_estimated", models.BooleanField(default=False)),
                ("target_tokens", models.PositiveIntegerField(null=True)),
                ("ladder", models.PositiveIntegerField(null=True)),
                ("depth", models.FloatField(null=True)),
                ("hops", models.PositiveIntegerField(null=True)),
                ("kind", models.CharField(blank=True, default="", max_length=60)),
                ("evidence", models.JSONField(null=True)),
            ],
            options={
                "ordering": ["data_set", "index"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("depth__isnull", True), ("depth__range", (0, 1)), _connector="OR"
                        ),
                        name="a_depth_is_from_0_to_1",
                    ),
                    models.UniqueConstraint(
                        fields=("data_set", "index"), name="one_example_in_a_place"
                    ),
                    models.UniqueConstraint(
                        fields=("data_set", "key"), name="one_example_with_a_key"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Release",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=60, unique=True)),
                ("title", models.CharField(max_length=120)),
                (
                    "title_zh",
                    models.CharField(blank=True, max_length=120, verbose_name="title in Chinese"),
                ),
                ("description", models.CharField(blank=True, max_length=300)),
                (
                    "description_zh",
                    models.CharField(
                        blank=True, max_length=300, verbose_name="description in Chinese"
                    ),
                ),
                (
                    "hidden",
                    models.BooleanField(
                        default=False, help_text="Only reviewers can see labels and verdicts."
                    ),
                ),
                ("accepts_submissions", models.BooleanField(default=True)),
                (
                    "official",
                    models.BooleanField(
                        default=False,
                        help_text="Original ∞Bench data: its leaderboards also show re-scored and reported entries.",
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "data_sets",
                    models.ManyToManyField(related_name="releases", to="portal.taskdataset"),
                ),
            ],
            options={"ordering": ["slug"]},
        ),
        migrations.CreateModel(
            name="BoardVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveBigIntegerField(default=1)),
            ],
        ),
        migrations.CreateModel(
            name="LanguageModel",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=80, unique=True, verbose_name="address")),
                ("name", models.CharField(max_length=120, verbose_name="name")),
                (
                    "organisation",
                    models.CharField(blank=True, max_length=120, verbose_name="organisation"),
                ),
                (
                    "parameters",
                    models.CharField(
                        blank=True,
                        help_text="For example 8B, 47B (13B active).",
                        max_length=40,
                        verbose_name="parameters",
                    ),
                ),
                ("licence", models.CharField(blank=True, max_length=80, verbose_name="licence")),
                (
                    "weights",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("open", "open weights"),
                            ("closed", "closed weights"),
                            ("", "not stated"),
                        ],
                        default="",
                        max_length=10,
                        verbose_name="weights",
                    ),
                ),
                (
                    "context_window",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="In tokens.",
                        null=True,
                        verbose_name="claimed context window",
                    ),
                ),
                ("link", models.URLField(blank=True, verbose_name="link")),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="language_models",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={"ordering": ["name", "slug"]},
        ),
        migrations.CreateModel(
            name="Submission",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "origin",
                    models.CharField(
                        choices=[("uploaded", "submitted"), ("historical", "re-scored")],
                        default="uploaded",
                        editable=False,
                        max_length=10,
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="submissions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "language_model",
                    models.ForeignKey(
                        on_delete=models.PROTECT,
                        related_name="submissions",
                        to="portal.languagemodel",
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="submissions", to="portal.release"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("private", "private"),
                            ("in review", "in review"),
                            ("published", "published"),
                            ("hidden", "hidden"),
                            ("rejected", "rejected"),
                            ("withdrawn", "withdrawn"),
                        ],
                        default="private",
                        editable=False,
                        max_length=12,
                    ),
                ),
                (
                    "prompt_strategy",
                    models.CharField(blank=True, max_length=200, verbose_name="prompt strategy"),
                ),
                (
                    "truncation",
                    models.CharField(
                        choices=[
                            ("middle", "middle removed, both ends kept"),
                            ("end", "end truncated"),
                            ("start", "start truncated"),
                            ("none", "no truncation"),
                            ("unknown", "unknown"),
                        ],
                        default="unknown",
                        max_length=10,
                        verbose_name="truncation",
                    ),
                ),
                (
                    "input_limit",
                    models.PositiveIntegerField(
                        blank=True, help_text="In tokens.", null=True, verbose_name="input limit"
                    ),
                ),
                (
                    "output_limit",
                    models.PositiveIntegerField(
                        blank=True, help_text="In tokens.", null=True, verbose_name="output limit"
                    ),
                ),
                (
                    "drop_first",
                    models.BooleanField(
                        default=False, verbose_name="Math.Calc answers repeat the first operand"
                    ),
                ),
                (
                    "link",
                    models.URLField(
                        blank=True, help_text="Paper, code or model card.", verbose_name="link"
                    ),
                ),
                (
                    "note",
                    models.CharField(
                        blank=True,
                        help_text="What is special about this run.",
                        max_length=300,
                        verbose_name="note",
                    ),
                ),
                (
                    "previous",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=models.SET_NULL,
                        related_name="versions",
                        to="portal.submission",
                    ),
                ),
                (
                    "task",
                    models.CharField(blank=True, choices=TASKS, max_length=40, verbose_name="task"),
                ),
                ("upload", models.FileField(editable=False, max_length=200, upload_to="")),
                ("upload_name", models.CharField(editable=False, max_length=255)),
                ("upload_size", models.PositiveBigIntegerField(editable=False)),
                ("upload_hash", models.CharField(editable=False, max_length=64)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["-created", "pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("owner__isnull", False),
                            models.Q(("origin", "uploaded"), _negated=True),
                            _connector="OR",
                        ),
                        name="uploaded_submissions_have_an_owner",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="CountedUpload",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="counted_uploads",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("submission", models.UUIDField(db_index=True, default=uuid.uuid4)),
                ("failure", models.CharField(blank=True, max_length=40)),
                ("at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "ordering": ["-at", "-pk"],
                "indexes": [
                    models.Index(fields=["owner", "at"], name="counted_uploads_of_an_owner")
                ],
            },
        ),
        migrations.CreateModel(
            name="Evaluation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="evaluations", to="portal.submission"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "queued"),
                            ("running", "scoring"),
                            ("needs answer", "needs input"),
                            ("scored", "scored"),
                            ("failed", "failed"),
                        ],
                        default="queued",
                        editable=False,
                        max_length=12,
                    ),
                ),
                ("attempt", models.PositiveSmallIntegerField(default=0)),
                ("attempts_allowed", models.PositiveSmallIntegerField(default=3)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("enqueued_at", models.DateTimeField(blank=True, null=True)),
                ("created", models.DateTimeField(db_default=Now())),
                ("started", models.DateTimeField(blank=True, null=True)),
                ("finished", models.DateTimeField(blank=True, null=True)),
                (
                    "align",
                    models.CharField(
                        blank=True,
                        choices=[("id", "by id"), ("order", "by row order")],
                        max_length=5,
                    ),
                ),
                ("question", models.JSONField(blank=True, null=True)),
                ("failure", models.CharField(blank=True, max_length=40)),
                ("failure_details", models.TextField(blank=True)),
                ("signature", models.JSONField(blank=True, null=True)),
                ("problems", models.JSONField(default=list)),
                ("predictions_hash", models.CharField(blank=True, max_length=64)),
                ("sandbox_level", models.CharField(blank=True, max_length=10)),
            ],
            options={
                "ordering": ["-created", "-pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "queued")),
                        fields=["created"],
                        name="evaluations_waiting",
                    ),
                    models.Index(
                        condition=models.Q(("state", "running")),
                        fields=["lease_until"],
                        name="evaluations_running",
                    ),
                    models.Index(fields=["predictions_hash"], name="evaluations_of_predictions"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "scored"), _negated=True),
                            models.Q(("finished__isnull", False), ("signature__isnull", False)),
                            _connector="OR",
                        ),
                        name="scored_means_there_is_a_signature",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "failed"), _negated=True),
                            models.Q(("failure", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="failed_means_there_is_a_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "running"), _negated=True),
                            ("lease_until__isnull", False),
                            _connector="OR",
                        ),
                        name="running_means_there_is_a_lease",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "needs answer"), _negated=True),
                            ("question__isnull", False),
                            _connector="OR",
                        ),
                        name="needs_answer_means_there_is_a_question",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ("queued", "running", "needs answer"))),
                        fields=("submission",),
                        name="one_open_evaluation_for_a_submission",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ExampleResult",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "evaluation",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.CASCADE,
                        related_name="example_results",
                        to="portal.evaluation",
                    ),
                ),
                ("task", models.CharField(max_length=40)),
                ("index", models.PositiveIntegerField()),
                ("prediction", models.TextField(null=True)),
                ("official_2024_06", models.FloatField(null=True)),
                ("official_2024_09", models.FloatField(null=True)),
                ("strict", models.FloatField(null=True)),
            ],
            options={
                "ordering": ["evaluation", "task", "index"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("evaluation", "task", "index"), name="one_result_for_an_example"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="TaskScore",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "evaluation",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.CASCADE,
                        related_name="task_scores",
                        to="portal.evaluation",
                    ),
                ),
                ("task", models.CharField(max_length=40)),
                ("metric_set", models.CharField(max_length=40)),
                (
                    "data_set",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="scores", to="portal.taskdataset"
                    ),
                ),
                ("mean", models.FloatField()),
                ("stderr", models.FloatField(null=True)),
                ("size", models.PositiveIntegerField()),
                ("answered", models.PositiveIntegerField()),
                ("unknown", models.PositiveIntegerField()),
                ("public_percent", models.FloatField(null=True)),
                ("is_previous_best", models.BooleanField(default=False)),
            ],
            options={
                "ordering": ["evaluation", "task", "metric_set"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("evaluation", "task", "metric_set"),
                        name="one_score_for_a_task_and_set",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="BestDisclosedScore",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.CASCADE,
                        related_name="best_disclosed_scores",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("labels_hash", models.CharField(max_length=64)),
                ("task", models.CharField(choices=TASKS, max_length=40)),
                ("metric_set", models.CharField(max_length=40)),
                ("percent", models.FloatField(default=0)),
                ("scores", models.JSONField(default=list)),
            ],
            options={
                "ordering": ["owner", "labels_hash", "task", "metric_set"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("owner", "labels_hash", "task", "metric_set"),
                        name="one_best_for_an_owner_task_and_set",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ReportedEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "language_model",
                    models.ForeignKey(
                        on_delete=models.PROTECT,
                        related_name="reported_entries",
                        to="portal.languagemodel",
                    ),
                ),
                ("source", models.CharField(max_length=200, verbose_name="source")),
                ("note", models.CharField(blank=True, max_length=300, verbose_name="note")),
                (
                    "average",
                    models.FloatField(blank=True, null=True, verbose_name="published average"),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name_plural": "reported entries",
                "ordering": ["language_model", "source"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("language_model", "source"), name="one_reported_entry_of_a_source"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ReportedScore",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "entry",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.CASCADE,
                        related_name="scores",
                        to="portal.reportedentry",
                    ),
                ),
                ("task", models.CharField(choices=TASKS, max_length=40)),
                ("percent", models.FloatField()),
            ],
            options={
                "ordering": ["entry", "task"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("entry", "task"), name="one_reported_score_of_a_task"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        db_constraint=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="audit_entries",
                        to="portal.submission",
                    ),
                ),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="audit_entries",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("action", models.CharField(max_length=40)),
                ("before", models.CharField(max_length=12)),
                ("after", models.CharField(max_length=12)),
                ("reason", models.TextField(blank=True)),
                ("at", models.DateTimeField(db_default=Now())),
                ("number", models.BigIntegerField(db_default=0, editable=False, unique=True)),
                ("hash", models.CharField(db_default="", editable=False, max_length=64)),
            ],
            options={"verbose_name_plural": "audit entries", "ordering": ["number"]},
        ),
        migrations.CreateModel(
            name="AuditHead",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("entries", models.BigIntegerField()),
                ("hash", models.CharField(max_length=64)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("pk", 1)), name="one_audit_head")
                ]
            },
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "recipient",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="notices",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("decision", "review decision"), ("review", "waiting for review")],
                        editable=False,
                        max_length=10,
                    ),
                ),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="notices", to="portal.auditentry"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "queued"),
                            ("sent", "sent"),
                            ("failed", "failed"),
                            ("dropped", "no longer needed"),
                        ],
                        default="waiting",
                        editable=False,
                        max_length=10,
                    ),
                ),
                ("created", models.DateTimeField(db_default=Now())),
                ("due", models.DateTimeField(db_default=Now())),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("begun", models.DateTimeField(blank=True, null=True)),
                ("ended", models.DateTimeField(blank=True, null=True)),
                ("failure", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["-created", "-pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "waiting")),
                        fields=["due"],
                        name="notices_waiting",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "failed"), _negated=True),
                            models.Q(("failure", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="a_notice_that_failed_says_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended", None), ("state", "waiting")),
                            models.Q(
                                models.Q(("state", "waiting"), _negated=True),
                                ("ended__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="a_notice_waits_until_it_has_ended",
                    ),
                ],
            },
        ),
    ]
