"""Notes of reviewers on questions and on predictions, for reviewers."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.authentication import TokenView, owner_of
from portal.api.bodies import fields_of
from portal.api.errors import check_given, valid
from portal.api.pages import CURSOR, Pages
from portal.models import NOTE_CAP, Note, Scope
from portal.permissions.access import notes_seen_by
from portal.review.labels.queries import find_labelled
from portal.review.notes.forms import NoteForm
from portal.review.notes.queries import answering_submission, find_note
from portal.review.notes.services import edit_note, remove_note, write_note
from portal.web.problems import problems

_TAGS = ["Reviews"]
_NOT_A_REVIEWER = {403: ["no_reviewer", "not_allowed"]}
_WRITES = {
    400: ["no_object"], 404: ["not_found"], 422: ["invalid_fields"], 429: ["too_many_notes"],
    **_NOT_A_REVIEWER,
}  # fmt: skip


class NoteSerializer(serializers.Serializer[Note]):
    """What a reviewer wrote for the others."""

    id = serializers.IntegerField(source="pk", help_text="Its number.")
    task = serializers.CharField(source="example.data_set.task", help_text="The task.")
    key = serializers.CharField(source="example.key", help_text="The key of the example.")
    entry = serializers.UUIDField(
        source="submission_id",
        allow_null=True,
        help_text="Whose prediction it is about; null: the question.",
    )
    author = serializers.CharField(source="author.username", help_text="Who wrote it.")
    text = serializers.CharField(help_text="What it says.")
    written = serializers.DateTimeField(help_text="When.")
    edited = serializers.DateTimeField(allow_null=True, help_text="When last; or null.")


class NotePageSerializer(serializers.Serializer[Any]):
    """Some of the notes, and the addresses of the others."""

    next = serializers.URLField(allow_null=True, help_text="Address of older ones, or null.")
    previous = serializers.URLField(allow_null=True, help_text="Address of newer ones, or null.")
    notes = NoteSerializer(many=True, help_text="The newest first.")


class SentNoteTextSerializer(serializers.Serializer[Any]):
    """The text of a note."""

    text = serializers.CharField(
        max_length=NOTE_CAP,
        help_text="It stays in the audit log, even if the note is removed.",
    )


class SentNoteSerializer(SentNoteTextSerializer):
    """A note, and what it is about."""

    release = serializers.CharField(help_text="The release.")
    task = serializers.CharField(help_text="The task.")
    key = serializers.CharField(help_text="The key of the example.")
    entry = serializers.UUIDField(
        required=False, help_text="Whose prediction it is about; without it: the question."
    )


class NotesView(TokenView):
    """GET: those on predictions of others and on questions. POST: a new one."""

    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.REVIEW, "POST": Scope.REVIEW}

    @extend_schema(
        operation_id="list_notes",
        summary="Notes of reviewers",
        description="The newest first, 50 at a time; of all examples, or of one.",
        tags=_TAGS,
        parameters=[
            CURSOR,
            OpenApiParameter("release", description="With `task` and `key`: of this example."),
            OpenApiParameter("task", description="See `release`."),
            OpenApiParameter("key", description="See `release`."),
        ],
        responses={
            200: NotePageSerializer,
            **problems(
                {
                    400: ["bad_cursor", "missing_parameter"],
                    404: ["not_found"],
                    **_NOT_A_REVIEWER,
                }
            ),
        },
    )
    def get(self, request: Request) -> Response:
        user, named = owner_of(request), request.query_params
        seen = notes_seen_by(user).select_related("example__data_set", "author")
        if {"release", "task", "key"} & named.keys():
            check_given(named, "release", "task", "key")
            seen = seen.filter(example=find_labelled(user, named).example)
        pages = Pages("notes", ordering=("-written", "-pk"))
        found: Any = pages.paginate_queryset(seen, request)
        return pages.get_paginated_response(NoteSerializer(found, many=True).data)

    @extend_schema(
        operation_id="write_note",
        summary="Write a note",
        description="On a question, or on the prediction of an entry; only reviewers can read it.",
        tags=_TAGS,
        request=SentNoteSerializer,
        responses={201: NoteSerializer, **problems(_WRITES)},
    )
    def post(self, request: Request) -> Response:
        user, sent = owner_of(request), fields_of(request, SentNoteSerializer)
        example = find_labelled(user, sent).example
        entry = sent.get("entry")
        submission = answering_submission(user, example, str(entry)) if entry else None
        note = write_note(example, _text(sent), by=user, submission=submission)
        return Response(NoteSerializer(find_note(user, note.pk)).data, HTTPStatus.CREATED)


class NoteView(TokenView):
    """POST: another text in place of its own. DELETE."""

    scopes: ClassVar[Mapping[str, Scope]] = {"POST": Scope.REVIEW, "DELETE": Scope.REVIEW}

    @extend_schema(
        operation_id="edit_note",
        summary="Edit a note",
        description="Your own.",
        tags=_TAGS,
        request=SentNoteTextSerializer,
        responses={200: NoteSerializer, **problems(_WRITES)},
    )
    def post(self, request: Request, note_id: int) -> Response:
        user = owner_of(request)
        note = find_note(user, note_id)
        edit_note(note, _text(fields_of(request, SentNoteTextSerializer)), by=user)
        return Response(NoteSerializer(find_note(user, note_id)).data)

    @extend_schema(
        operation_id="remove_note",
        summary="Remove a note",
        description="Your own; admins remove any.",
        tags=_TAGS,
        responses={204: None, **problems(_NOT_A_REVIEWER)},
    )
    def delete(self, request: Request, note_id: int) -> Response:
        user = owner_of(request)
        remove_note(find_note(user, note_id), by=user)
        return Response(status=HTTPStatus.NO_CONTENT)


def _text(sent: Mapping[str, Any]) -> str:
    """Raises ``InvalidFields``."""
    text: str = valid(NoteForm({"text": sent.get("text", "")})).cleaned_data["text"]
    return text
