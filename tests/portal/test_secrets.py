"""Secrets that no page may show: canaries, and a crawl of all pages in every role."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from portal.board_version import raise_board_version
from portal.models import (
    Evaluation,
    EvaluationState,
    Example,
    Release,
    Scope,
    Submission,
    TaskScore,
    User,
)
from tests.support.addresses import API, site_addresses
from tests.support.clients import ACTORS, Cast, cast_around
from tests.support.factories import as_if_scored, make_submission, packed_folder
from tests.support.programs import program

pytestmark = pytest.mark.django_db
PUBLIC = ("anonymous", "owner", "other")  # those who may not see what reviewers see


@pytest.fixture
def submission(alice: User, release: Release, world: Path) -> Submission:
    return as_if_scored(make_submission(alice, release, packed_folder(world / "preds")))


@pytest.fixture
def cast(submission: Submission) -> Cast:
    return cast_around(submission)


def everything(client: Client, cast: Cast) -> Iterator[str]:
    """Every response that they get, including each page of the board, with its headers."""
    return answers_at(client, [cast.path(address) for address in site_addresses()])


def answers_at(client: Client, paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        is_part = path.startswith("/submissions/") and path.endswith(
            "/status/"
        )  # of a page, which its script asks for
        answer = client.get(path, headers={"HX-Request": "true"} if is_part else None)
        yield f"{path} {answer.headers} {answer.getvalue().decode(errors='replace')}"


def those_with(answers: Iterable[str], *canaries: str) -> list[str]:
    return [text[:80] for text in answers if any(canary in text for canary in canaries)]


def test_details_of_a_failure_are_not_for_the_public(cast: Cast, subtests: pytest.Subtests) -> None:
    Evaluation.objects.update(
        state=EvaluationState.FAILED, failure="internal_error", failure_details="canary /srv/secret"
    )
    for actor in PUBLIC:
        with subtests.test(actor=actor):
            assert those_with(everything(cast.doors[actor], cast), "canary") == []


EXACT, ERROR = 87.6543, 41.3219
# As separate numbers, in whole percent or with decimals.
OF_SCORES = re.compile(r"(?<![\w.:-])(87|88|41)\.\d|>\s*8[78]\s*<|: ?8[78](\.\d+)?\b[,}]")


def test_secrets_are_nowhere(cast: Cast, subtests: pytest.Subtests) -> None:
    """Nobody gets keys and hashes of passwords; only reviewers get labels and undisclosed scores of
    a hidden release, and what is computed from them: means, intervals, ranks, differences."""
    hashes = [user.password for user in User.objects.exclude(password="")]
    assert len(hashes) == 4
    Release.objects.update(hidden=True)
    for example in Example.objects.all():
        Example.objects.filter(pk=example.pk).update(label=[f"canary-label-{example.pk}"])
    TaskScore.objects.update(mean=EXACT, stderr=ERROR, public_percent=None)
    for state, actors in (("private", ACTORS), ("in review", PUBLIC), ("rejected", ["owner"])):
        Submission.objects.update(state=state)
        raise_board_version()  # no earlier page is cached
        for actor in actors:
            answers = list(everything(cast.doors[actor], cast))
            with subtests.test(state=state, actor=actor):
                assert those_with(answers, settings.SECRET_KEY, *hashes) == []
                if actor in PUBLIC:
                    assert with_scores(answers) == []
                    assert those_with(answers, "canary-label") == []


def test_labels_and_undisclosed_scores_of_a_hidden_release_are_in_no_answer_to_a_program(
    cast: Cast,
) -> None:
    """With all scopes; a reviewer sees the scores on the pages alone."""
    Release.objects.update(hidden=True)
    for example in Example.objects.all():
        Example.objects.filter(pk=example.pk).update(label=[f"canary-label-{example.pk}"])
    TaskScore.objects.update(mean=EXACT, stderr=ERROR, public_percent=None)
    people = [cast.submission.owner, *User.objects.filter(username__in=("other", "reviewer"))]
    clients = {user.username: program(user, *Scope) for user in people if user}
    for state in ("private", "in review"):
        Submission.objects.update(state=state)
        raise_board_version()
        for name, client in clients.items():
            paths = [cast.path(address) for address in site_addresses() if address.name in API]
            contents = [client.get(path).getvalue().decode(errors="replace") for path in paths]
            answers = [f"{path} {content}" for path, content in zip(paths, contents, strict=True)]
            assert with_scores(answers) == [], (state, name)
            assert those_with(answers, "canary-label") == []


def test_disclosed_bands_are_for_the_owner(cast: Cast) -> None:
    Release.objects.update(hidden=True)
    TaskScore.objects.update(mean=EXACT, stderr=ERROR, public_percent=80, public_width=10)
    for actor in PUBLIC:
        answers = list(everything(cast.doors[actor], cast))
        assert with_scores(answers) == []
        assert bool(those_with(answers, "80–90")) == (actor == "owner")


def test_what_is_shown_is_found(cast: Cast) -> None:
    """Or the tests above would say nothing."""
    page = [reverse("submission", args=[cast.submission.pk])]
    owner = cast.doors["owner"]
    TaskScore.objects.update(mean=EXACT, stderr=ERROR)
    assert with_scores(answers_at(owner, page))
    Release.objects.update(hidden=True)
    TaskScore.objects.update(public_percent=88)
    assert with_scores(answers_at(owner, page))
    User.objects.filter(username="alice").update(organisation="canary")
    assert those_with(answers_at(owner, [reverse("profile")]), "canary")


def with_scores(answers: Iterable[str]) -> list[str]:
    return [text[:80] for text in answers if OF_SCORES.search(text)]
