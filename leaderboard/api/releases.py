"""Releases: their tasks and lengths, and the files to download."""

from collections.abc import Mapping
from typing import Any

from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from leaderboard.api.answers import CURSOR, LIMIT, PageSerializer, answer, page_of, rows_of, sent
from leaderboard.releases.files import files_by_name
from leaderboard.releases.queries import ReleaseLine, ReleaseTask, all_releases, release_tasks
from portal.models import Release
from portal.web.problems import problems
from portal.web.public_api import PublicView
from scoring.catalog import TASKS

_TAGS = ["Releases"]


class SpanSerializer(serializers.Serializer[Any]):
    """Lengths of examples: tokens of context and question together."""

    shortest = serializers.IntegerField(help_text="Of the shortest example.")
    longest = serializers.IntegerField(help_text="Of the longest example.")
    estimated = serializers.BooleanField(
        help_text="Whether some of them were estimated, not counted."
    )


class LengthsSerializer(SpanSerializer):
    """Lengths of the examples of a task: tokens of context and question together."""

    examples = serializers.IntegerField(help_text="Of so many examples.")
    median = serializers.IntegerField(help_text="Of the example in the middle.")
    mean = serializers.FloatField(help_text="Their mean.")


class TargetLengthsSerializer(LengthsSerializer):
    """The same for the examples that were made for one target length."""

    target_tokens = serializers.IntegerField(help_text="The target.")


class FileSerializer(serializers.Serializer[Any]):
    """A file to download."""

    name = serializers.CharField(help_text="In the directory of the release.")
    url = serializers.URLField(help_text="Its address.")
    bytes = serializers.IntegerField(help_text="Its size.")
    sha256 = serializers.CharField(help_text="Hash of its content, hexadecimal.")


class ReleaseSerializer(serializers.Serializer[ReleaseLine]):
    """A fixed data set, with a leaderboard of its own."""

    id = serializers.CharField(source="release.slug", help_text="Its ID, as in its URL.")
    title = serializers.CharField(help_text="Its title, unlike that of any other.")
    description = serializers.CharField(
        source="release.description", help_text="In a sentence, or empty."
    )
    official = serializers.BooleanField(
        source="release.official", help_text="Whether it is original ∞Bench data."
    )
    hidden = serializers.BooleanField(
        source="release.hidden", help_text="Whether its labels are secret."
    )
    accepts_submissions = serializers.SerializerMethodField(
        help_text="Whether predictions can be submitted for it."
    )
    part_of = serializers.SerializerMethodField(
        help_text="Of a label version: the release whose leaderboard it shares. Otherwise null."
    )
    minimum_answered = serializers.IntegerField(
        source="release.minimum_answered",
        help_text="Answers that publication needs, in percent of the examples of each task.",
    )
    created = serializers.DateTimeField(source="release.created", help_text="When it was imported.")
    tasks = serializers.SerializerMethodField(help_text="Ids of its tasks.")
    examples = serializers.IntegerField(help_text="Number of examples of all tasks.")
    tokens = SpanSerializer(
        source="span", allow_null=True, help_text="Their lengths; null: only labels are known."
    )
    bytes = serializers.IntegerField(
        source="size", help_text="Size of all downloads; 0: there are none."
    )
    page = serializers.SerializerMethodField(help_text="Path of its page.")

    def get_accepts_submissions(self, line: ReleaseLine) -> bool:
        return line.release.accepts_submissions and line.release.part_of_id is None

    def get_part_of(self, line: ReleaseLine) -> str | None:
        return line.release.part_of.slug if line.release.part_of else None

    def get_tasks(self, line: ReleaseLine) -> list[str]:
        return [task.id for task in line.tasks]

    def get_page(self, line: ReleaseLine) -> str:
        return reverse("release", args=[line.release.slug])


class ReleaseTaskSerializer(serializers.Serializer[ReleaseTask]):
    """The examples of a task in a release. The context has ``release`` and ``base``."""

    task = serializers.ChoiceField(choices=list(TASKS), source="task.id", help_text="The task.")
    examples = serializers.IntegerField(source="data_set.size", help_text="How many there are.")
    labels_sha256 = serializers.SerializerMethodField(
        help_text="Hash of keys and labels; null: the labels are secret."
    )
    questions_sha256 = serializers.SerializerMethodField(
        help_text="Hash of questions and contexts; null: only labels are known."
    )
    tokens = LengthsSerializer(
        source="lengths", allow_null=True, help_text="Their lengths; null: only labels are known."
    )
    lengths = serializers.SerializerMethodField(
        help_text="By target length, where examples were made for one."
    )
    files = serializers.SerializerMethodField(help_text="What can be downloaded.")

    def get_labels_sha256(self, task: ReleaseTask) -> str | None:
        return None if self.context["release"].hidden else task.data_set.labels_hash

    def get_questions_sha256(self, task: ReleaseTask) -> str | None:
        return task.data_set.questions_hash or None

    @extend_schema_field(TargetLengthsSerializer(many=True))
    def get_lengths(self, task: ReleaseTask) -> list[dict[str, Any]]:
        return [
            {"target_tokens": target, **LengthsSerializer(lengths).data}
            for target, lengths in task.by_target.items()
        ]

    @extend_schema_field(FileSerializer(many=True))
    def get_files(self, task: ReleaseTask) -> list[dict[str, Any]]:
        return [
            {
                "name": name,
                "url": f"{self.context['base']}{name}",
                "bytes": file.size,
                "sha256": file.sha256,
            }
            for name, file in files_by_name(task.task.id, task.files).items()
        ]


class LabelVersionSerializer(serializers.Serializer[Release]):
    """The same questions with other labels or ids."""

    id = serializers.CharField(source="slug", help_text="Its ID, as in its URL.")
    title = serializers.CharField(help_text="Its title.")
    created = serializers.DateTimeField(help_text="When it was imported.")


class ReleaseDetailSerializer(ReleaseSerializer):
    """A release with everything that is public about its data."""

    label_versions = LabelVersionSerializer(many=True, help_text="The newest first.")
    task_data = ReleaseTaskSerializer(many=True, help_text="Its tasks, in the usual order.")
    manifest = serializers.URLField(help_text="The same as a file, with the coverage of lengths.")
    eval_yaml = serializers.URLField(
        allow_null=True,
        help_text="What makes a dataset on the Hub the benchmark that model cards name; null: its "
        "labels are secret, or it has no leaderboard of its own.",
    )


class ReleasePageSerializer(PageSerializer):
    """A page of the releases."""

    releases = ReleaseSerializer(many=True, help_text="The newest first.")


class ReleasesView(PublicView):
    @extend_schema(
        operation_id="list_releases",
        summary="All releases",
        description="The newest first, each followed by its label versions.",
        tags=_TAGS,
        parameters=[CURSOR, LIMIT],
        responses={
            200: ReleasePageSerializer,
            **problems({400: ["bad_cursor", "bad_limit"]}),
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        query = sent(request, "cursor", "limit")
        address = request.build_absolute_uri(request.path)
        return answer(request, f"{address}?{query}", lambda: releases_document(query, address))


def releases_document(query: Mapping[str, str], address: str) -> dict[str, Any]:
    """Raises ``ParseError``."""
    page = page_of(all_releases(), lambda line: str(line.release.slug), query, address)
    return {**page.about, "releases": rows_of(ReleaseSerializer, page.rows)}


class ReleaseView(PublicView):
    @extend_schema(
        operation_id="get_release",
        summary="One release",
        description="With the sizes, lengths, hashes and files of its tasks.",
        tags=_TAGS,
        responses={200: ReleaseDetailSerializer, **problems({404: ["unknown_release"]})},
    )
    def get(self, request: Request, release: str) -> HttpResponseBase:
        base = request.build_absolute_uri(reverse("release", args=[release]))
        return answer(request, base, lambda: release_document(release, base))


def release_document(slug: str, base: str) -> dict[str, Any]:
    """``base`` is the address of the release's page, which its files are below. Raises
    ``NotFound``."""
    line = next((one for one in all_releases() if one.release.slug == slug), None)
    if line is None:
        raise NotFound("There is no such release.", "unknown_release")
    release = line.release
    versions = release.label_versions.order_by("-created", "-pk")
    return {
        **ReleaseSerializer(line).data,
        "label_versions": rows_of(LabelVersionSerializer, versions),
        "task_data": rows_of(
            ReleaseTaskSerializer, release_tasks(release), release=release, base=base
        ),
        "manifest": f"{base}manifest.json",
        "eval_yaml": None if release.hidden or release.part_of_id else f"{base}eval.yaml",
    }
