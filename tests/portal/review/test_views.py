"""What reviewers see and decide on pages, and what authors and admins do for publication."""

import re
from html import unescape
from uuid import uuid4

import pytest
from allauth.account.models import EmailAddress
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from portal.models import (
    AuditEntry,
    Evaluation,
    LanguageModel,
    Release,
    ReportedEntry,
    Role,
    Submission,
    User,
)
from portal.review.facts.duplicates import MAX_LISTED
from portal.review.facts.summary import (
    ReviewSummary,
    prefetch_for_review,
    review_summaries,
)
from portal.review.facts.warnings import critical_warnings, review_warnings
from portal.review.fingerprint import review_fingerprint
from portal.review.services import (
    hide_entry,
    publish_submission,
    reject_submission,
    request_publication,
    undo_decision,
)
from portal.scores.titles import METRIC_SET_TITLES
from tests.support.factories import ALL, checked, judge, judged, requested, whole_release
from tests.support.html import form_errors, notices

pytestmark = pytest.mark.django_db

WHY = "Complete, and the settings are clear."
FACTS = (
    "Model", "Release whole", "alice requested", "11 of 12 tasks", "11 answers", "1 error",
    "3 warnings", "few shots", "end truncated; output up to 77 tokens", "missing",
)  # fmt: skip


@pytest.fixture
def whole(db: None) -> Release:
    return whole_release()


@pytest.fixture
def asked(alice: User, whole: Release) -> Submission:
    return requested(judged(alice, whole), by=alice)


@pytest.fixture
def published(asked: Submission, rita: User) -> Submission:
    return publish_submission(asked, by=rita, reason=WHY)


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page(user: User, path: str) -> str:
    response = browser(user).get(path)
    assert response.status_code == 200
    return response.content.decode()


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def summary(submission: Submission) -> ReviewSummary:
    found = prefetch_for_review(Submission.objects.filter(pk=submission.pk))
    reader, _ = User.objects.get_or_create(username="reader", role=Role.REVIEWER)
    return review_summaries([found.get()], reader)[0]


# What waits


def test_pending_reviews_are_listed_oldest_first(
    alice: User, bob: User, rita: User, whole: Release
) -> None:
    old, new = judged(alice, whole, name="Old"), judged(bob, whole, name="New")
    requested(new, by=bob)
    requested(old, by=alice)
    judged(alice, whole, name="Private")
    text = text_of(page(rita, "/review/"))
    assert text.index("New") < text.index("Old")
    assert "Private" not in text


def test_without_pending_reviews_there_is_no_table(rita: User) -> None:
    assert "<table" not in page(rita, "/review/")


def test_a_row_summarises_the_submission(alice: User, rita: User, whole: Release) -> None:
    some = dict.fromkeys(list(ALL)[:11], 37.25)
    submission = judged(
        alice, whole, some, prompt_strategy="few shots", truncation="end", output_limit=77
    )
    Evaluation.objects.update(problems=[{"severity": "warning"}] * 3 + [{"severity": "error"}])
    requested(submission, by=alice)
    text = text_of(page(rita, "/review/"))
    for fact in FACTS:
        assert fact in text


def test_other_entries_of_the_model_are_shown(
    alice: User, bob: User, rita: User, whole: Release
) -> None:
    other = requested(judged(bob, whole, dict.fromkeys(ALL, 61.5), "MODEL"), by=bob)
    publish_submission(other, by=rita, reason=WHY)
    judged(bob, whole, dict.fromkeys(ALL, 12.5))  # private
    mine = requested(judged(alice, whole), by=alice)
    ReportedEntry.objects.create(
        language_model=LanguageModel.objects.create(slug="m", name="model"), source="A paper",
        average=44.5,
    )  # fmt: skip
    for path in ("/review/", f"/review/{mine.pk}/"):
        html = page(rita, path)
        assert f"/review/{other.pk}/" in html
        assert "61.50" in html
        assert "12.50" not in html
    assert "44.50" in page(rita, f"/review/{mine.pk}/")


def test_equal_predictions_are_shown(alice: User, bob: User, rita: User, whole: Release) -> None:
    first, second = judged(bob, whole, name="First"), judged(alice, whole)
    same = first.evaluations.get().predictions_hash
    second.evaluations.update(predictions_hash=same)
    judge(second, ALL, predictions_hash=same)  # scored again: still not a duplicate of itself
    requested(second, by=alice)
    assert summary(second).same_predictions == [first]
    assert summary(first).same_predictions == [second]
    for path in ("/review/", f"/review/{second.pk}/"):
        assert f"/review/{first.pk}/" in page(rita, path)


def test_many_duplicates_are_counted_and_only_the_first_listed(
    alice: User, bob: User, rita: User, whole: Release
) -> None:
    many = [judged(bob, whole, name="MODEL") for _ in range(MAX_LISTED + 3)]
    mine = judged(alice, whole)
    Submission.objects.update(state="in review")
    Evaluation.objects.update(predictions_hash="the same")
    newest_first = many[::-1]
    found = summary(mine)  # the newest of all
    assert (found.same_predictions, found.same_predictions_count) == (
        many[:MAX_LISTED],
        MAX_LISTED + 3,
    )
    assert [other.submission for other in found.others] == newest_first[:MAX_LISTED]
    assert found.others_count == MAX_LISTED + 3
    found = summary(many[0])  # the oldest of all
    assert (found.same_predictions, found.same_predictions_count) == (
        many[1 : MAX_LISTED + 1],
        MAX_LISTED + 3,
    )
    assert [other.submission for other in found.others] == [mine, *newest_first[: MAX_LISTED - 1]]


def test_a_private_submission_does_not_count_itself(alice: User, whole: Release) -> None:
    seen = judged(alice, whole)
    Submission.objects.update(state="rejected")
    private = judged(alice, whole)
    assert (summary(private).others_count, summary(seen).others_count) == (1, 0)


def test_the_number_of_queries_does_not_depend_on_the_number_of_rows(
    alice: User, bob: User, rita: User, whole: Release
) -> None:
    client = browser(rita)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/review/").status_code == 200
        return len(captured)

    requested(judged(alice, whole), by=alice)
    judged(bob, whole)
    few = queries()
    for number in range(6):
        owner = (alice, bob)[number % 2]
        requested(judged(owner, whole, name=f"Model {number % 3}"), by=owner)
    assert queries() == few


def test_long_lists_have_pages(alice: User, rita: User, whole: Release) -> None:
    for number in range(26):
        requested(judged(alice, whole, {"code_run": 1.0}, f"M{number}"), by=alice)
    first, second = page(rita, "/review/"), page(rita, "/review/?page=2")
    assert 'href="?page=2"' in first
    assert ">M25<" in second
    assert ">M25<" not in first


# What is unusual


def test_an_ordinary_submission_has_no_warnings(published: Submission, alice: User) -> None:
    ordinary = judged(alice, published.release, prompt_strategy="as published",
                      truncation="middle", input_limit=8_000, output_limit=100)  # fmt: skip
    assert review_warnings(summary(ordinary)) == []


STRANGE: dict[str, dict[str, object]] = {
    "Not stated: prompt strategy, truncation, input limit, output limit.": {},
    "First-time submitter.": {},
    "The first number of each Math.Calc answer is dropped, as the author requested.": {
        "drop_first": True
    },
    "Code.Run: 0 under every metric.": {"scores": ALL | {"code_run": 0.0}},
    "Nearly perfect: En.Sum 99.90 %.": {"scores": ALL | {"longbook_sum_eng": 99.9}},
}


@pytest.mark.parametrize("sentence", STRANGE)
def test_unusual_facts_have_a_warning(alice: User, whole: Release, sentence: str) -> None:
    assert sentence in review_warnings(summary(judged(alice, whole, **STRANGE[sentence])))  # type: ignore[arg-type]


def test_perfect_retrieval_is_not_unusual(alice: User, whole: Release) -> None:
    found = review_warnings(summary(judged(alice, whole, ALL | {"passkey": 100.0})))
    assert not [sentence for sentence in found if "PassKey" in sentence]


def test_scores_far_from_the_other_entries_are_unusual(published: Submission, bob: User) -> None:
    near, far = (
        judged(bob, published.release, dict.fromkeys(ALL, percent)) for percent in (59.0, 61.0)
    )
    paper = METRIC_SET_TITLES["official-2024-06"].title
    text = f"More than 10 points away from every other entry, under {paper}."
    assert text not in review_warnings(summary(near))
    assert text in review_warnings(summary(far))


def test_metric_sets_far_apart_are_unusual(asked: Submission) -> None:
    [scored] = asked.evaluations.all()
    scored.task_scores.filter(metric_set="strict").update(mean=40.0)
    assert any("differ by 10.0 points" in sentence for sentence in review_warnings(summary(asked)))


def test_an_unusual_scoring_has_a_warning(asked: Submission, alice: User) -> None:
    asked.evaluations.update(
        sandbox_level="none", signature={"aligned": {"code_run": "order", "passkey": "id"}}
    )
    Evaluation.objects.create(submission=asked)
    asked.evaluations.get(state="scored").task_scores.filter(task="passkey").update(unknown=3)
    found = review_warnings(summary(asked))
    assert "Scored without a sandbox." in found
    assert "Matched by row order, not by id: Code.Run." in found
    assert "3 rows match no example of the release." in found
    assert any("being re-scored" in sentence for sentence in found)


def test_many_attempts_and_earlier_rejections_are_unusual(
    asked: Submission, alice: User, rita: User
) -> None:
    browser(rita).post(f"/review/{asked.pk}/reject/", {"reason": "Which version is it?"})
    for _ in range(3):
        judged(alice, asked.release)
    found = review_warnings(summary(asked))
    assert "Previous rejections: 1." in found
    assert any(sentence.startswith("This author has 4 submissions") for sentence in found)


def test_a_model_of_another_author_or_with_a_small_window_is_unusual(
    asked: Submission, bob: User
) -> None:
    LanguageModel.objects.update(owner=bob, context_window=32_000)
    for place, data_set in enumerate(asked.release.data_sets.order_by("task")):
        tokens = 32_001 if place < 3 else 32_000
        data_set.examples.create(index=0, key="0", label="", tokens=tokens)
    found = review_warnings(summary(asked))
    assert "Another author added this language model." in found
    sentence = (
        "The context window of the model is 32,000 tokens; 25.0 % of the inputs are longer "
        "(3 of 12)."
    )
    assert sentence in found


def test_a_window_is_compared_with_the_inputs_that_were_answered(
    alice: User, whole: Release
) -> None:
    short = judged(alice, whole, {"code_run": 40.0})
    LanguageModel.objects.update(context_window=16_384)
    for data_set in whole.data_sets.all():
        tokens = 4_000 if data_set.task == "code_run" else 100_000
        data_set.examples.create(index=0, key="0", label="", tokens=tokens)
    assert not [one for one in review_warnings(summary(short)) if "16,384" in one]


def test_without_lengths_a_window_is_compared_with_the_official_averages_or_not_at_all(
    asked: Submission,
) -> None:
    LanguageModel.objects.update(context_window=100_000)
    assert not [one for one in review_warnings(summary(asked)) if "100,000" in one]
    Release.objects.update(official=True)
    [said] = [one for one in review_warnings(summary(asked)) if "100,000" in one]
    assert said.endswith("tokens; the average input is longer in 9 of 12 tasks.")


# Names


def of_the_site(name: str = "GPT-4", organisation: str = "OpenAI") -> LanguageModel:
    return LanguageModel.objects.create(slug="gpt-4", name=name, organisation=organisation)


@pytest.mark.parametrize(
    "name", ["G\u0420\u0422-4", "GPT\u20114", "gpt 4", "\uff27\uff30\uff34-\uff14", "GPT\u22124"]
)
def test_a_name_that_looks_like_another_one_is_unusual(
    alice: User, whole: Release, name: str
) -> None:
    of_the_site()
    found = review_warnings(summary(judged(alice, whole, name=name)))
    assert "The name looks like “GPT-4 · OpenAI”, added by the site." in found


def test_the_name_of_a_model_of_the_site_is_unusual(alice: User, bob: User, whole: Release) -> None:
    of_the_site()
    mine = judged(alice, whole, name="GPT-4")
    assert "Same name as “GPT-4 · OpenAI”, added by the site." in review_warnings(summary(mine))
    judged(bob, whole, name="GPT-4 ")  # which only bob has seen
    assert not [one for one in review_warnings(summary(mine)) if "bob" in one]


ADDRESS = "The author's address is at evil.example, not confirmed."


@pytest.mark.parametrize(
    ("model", "organisation"),
    [("GPT-5 Turbo", "OpenAI"), ("GPT-5 Turbo", "Open-AI Inc."), ("GPT-5 by \u041epenAI", "")],
)
def test_a_known_maker_in_a_new_model_is_critical_whether_it_is_claimed_or_not(
    alice: User, whole: Release, model: str, organisation: str
) -> None:
    """The site has no model of OpenAI yet, but a list of those that publications name."""
    User.objects.filter(pk=alice.pk).update(email="alice@evil.example")
    mine = judged(alice, whole, name=model)
    LanguageModel.objects.update(organisation=organisation)
    unclaimed = (
        f"A new model with the name of OpenAI, which the author does not claim to be. {ADDRESS}"
    )
    assert critical_warnings(summary(mine)) == [unclaimed]
    Submission.objects.update(by_maker=True)
    claimed = f"Claims to be by {organisation or 'the maker of the model'}. {ADDRESS}"
    assert critical_warnings(summary(mine)) == [claimed]
    EmailAddress.objects.create(user=alice, email="Alice@evil.example", verified=True)
    confirmed = claimed.replace("not confirmed", "confirmed")
    assert critical_warnings(summary(mine)) == [confirmed]


def test_a_known_model_in_the_name_of_a_new_one_is_unusual(
    alice: User, rita: User, whole: Release
) -> None:
    LanguageModel.objects.create(slug="site", name="Site Model")
    mine = judged(alice, whole, name="Super site-model 2 and gpt 4o")
    sentence = "A new model with the name of a known one in its own: Site Model, GPT-4o."
    assert sentence in review_warnings(summary(mine))
    publish_submission(requested(mine, by=alice), by=rita, reason=WHY)
    assert sentence not in review_warnings(summary(judged(alice, whole, name=mine.title)))


def test_an_ordinary_name_is_no_known_one(alice: User, whole: Release) -> None:
    mine = judged(alice, whole, name="Metaphor 4")
    LanguageModel.objects.update(organisation="OpenAirLab")
    assert not [one for one in review_warnings(summary(mine)) if "new model" in one]


def test_a_claim_to_be_the_maker_stands_at_the_top_of_the_page_and_in_the_queue(
    asked: Submission, alice: User, rita: User
) -> None:
    User.objects.filter(pk=alice.pk).update(email="alice@evil.example")
    LanguageModel.objects.update(organisation="OpenAI")
    Submission.objects.update(by_maker=True)
    for path in ("/review/", f"/review/{asked.pk}/"):
        shown = page(rita, path)
        assert 'data-maker="claimed"' in shown
        assert "address at <bdi>evil.example</bdi>, not confirmed" in shown
        assert f"Claims to be by OpenAI. {ADDRESS}" in unescape(shown)


@pytest.mark.parametrize(("by_maker", "tick", "is_confirmed"), [
    (True, "on", True), (True, "", False), (False, "on", False), (None, "on", False),
])  # fmt: skip
def test_only_the_claim_of_an_author_is_confirmed_by_a_tick(
    asked: Submission, rita: User, by_maker: bool | None, tick: str, is_confirmed: bool
) -> None:
    Submission.objects.update(by_maker=by_maker)
    path = f"/review/{asked.pk}/"
    assert ('name="maker_confirmed"' in page(rita, path)) == bool(by_maker)
    sent = {"reason": WHY, "seen": review_fingerprint(checked(asked).pk), "maker_confirmed": tick}
    if by_maker:  # a claim is critical
        assert ("", "flags_unanswered") in form_errors(browser(rita).post(f"{path}publish/", sent))
        assert 'name="flags_answer"' in page(rita, path)
        sent["flags_answer"] = "The address is the maker's."
    assert browser(rita).post(f"{path}publish/", sent).status_code == 302
    asked.refresh_from_db()
    assert (asked.state, asked.maker_confirmed) == ("published", is_confirmed)


def test_another_request_needs_another_tick(asked: Submission, alice: User, rita: User) -> None:
    Submission.objects.update(by_maker=True)
    published = publish_submission(asked, by=rita, reason=WHY, maker_confirmed=True)
    undo_decision(published, by=rita)
    reject_submission(published, by=rita, reason=WHY)
    request_publication(published, by=alice, unknown_confirmed=True, by_maker=True)
    published.refresh_from_db()
    assert (published.by_maker, published.maker_confirmed) == (True, False)


def test_letters_of_several_scripts_in_a_word_are_unusual(alice: User, whole: Release) -> None:
    mine = judged(alice, whole, name="通义Qwen β")
    assert not [one for one in review_warnings(summary(mine)) if "scripts" in one]
    LanguageModel.objects.update(organisation="Open\u0410I")
    assert "Letters from different scripts in one word: OpenАI." in review_warnings(summary(mine))


def test_an_author_of_the_readers_organisation_is_unusual(asked: Submission, alice: User) -> None:
    summary(asked)
    User.objects.filter(username="reader").update(organisation="ACME Labs")
    text = "You and the author state the same organisation: ACME Labs."
    assert text not in review_warnings(summary(asked))
    User.objects.filter(pk=alice.pk).update(organisation="acme-labs")
    assert text in review_warnings(summary(asked))


def test_entries_under_a_name_that_looks_the_same_are_shown(asked: Submission, bob: User) -> None:
    other = judged(bob, asked.release, name="M\u043edel")
    assert [one.submission for one in summary(other).others] == [asked]
    ReportedEntry.objects.create(language_model=of_the_site("MODEL"), source="A paper")
    assert [one.source for one in summary(other).reported] == ["A paper"]


def test_a_submission_without_scores_has_a_page_too(
    alice: User, rita: User, whole: Release
) -> None:
    bare = judged(alice, whole)
    bare.evaluations.all().delete()
    assert page(rita, f"/review/{bare.pk}/")


# Deciding


@pytest.mark.parametrize(("action", "state"), [("publish", "published"), ("reject", "rejected")])
def test_after_a_decision_the_reviewer_sees_the_next_pending_reviews(
    asked: Submission, rita: User, action: str, state: str
) -> None:
    client = browser(rita)
    form = {"reason": WHY, "seen": review_fingerprint(checked(asked).pk)}
    response = client.post(f"/review/{asked.pk}/{action}/", form, follow=True)
    assert response.redirect_chain == [("/review/", 302)]
    assert notices(response) == ["good"]
    asked.refresh_from_db()
    assert asked.state == state


@pytest.mark.parametrize("reason", ["", "   ", "ok"])
@pytest.mark.parametrize("action", ["publish", "reject"])
def test_a_decision_without_a_reason_is_refused_and_keeps_the_input(
    asked: Submission, rita: User, action: str, reason: str
) -> None:
    response = browser(rita).post(f"/review/{asked.pk}/{action}/", {"reason": reason, "seen": "7"})
    assert response.status_code == 422
    html = response.content.decode()
    assert 'role="alert"' in html
    assert f">\n{reason}</textarea>" in html.replace("\r", "")
    assert 'name="seen" value="7"' in html
    asked.refresh_from_db()
    assert asked.state == "in review"


def test_the_second_of_two_reviewers_sees_the_first_decision(
    asked: Submission, rita: User, adam: User
) -> None:
    form = {"reason": WHY, "seen": review_fingerprint(checked(asked).pk)}
    browser(rita).post(f"/review/{asked.pk}/publish/", form)
    path = f"/review/{asked.pk}/reject/"
    response = browser(adam).post(path, {"reason": "I see it otherwise."})
    assert response.status_code == 422
    assert ("", "wrong_state") in form_errors(response)
    assert WHY in text_of(response.content.decode())
    assert "I see it otherwise.</textarea>" in response.content.decode()  # next to “Hide”


def test_a_reason_entered_too_late_is_shown_again(published: Submission, rita: User) -> None:
    path = f"/review/{published.pk}/reject/"
    response = browser(rita).post(path, {"reason": "I see it otherwise."})
    assert "I see it otherwise." in text_of(response.content.decode())


@pytest.mark.parametrize("action", ["publish", "reject", "hide", "restore"])
def test_a_get_request_to_a_decision_redirects_to_the_page(
    asked: Submission, rita: User, action: str
) -> None:
    response = browser(rita).get(f"/review/{asked.pk}/{action}/")
    assert (response.status_code, response.headers["Location"]) == (302, f"/review/{asked.pk}/")


def test_recent_decisions_and_hidden_entries_are_listed(
    asked: Submission, published: Submission, adam: User, rita: User
) -> None:
    hide_entry(published, by=adam, reason="Until its author has answered.")
    text = text_of(page(adam, "/review/"))
    assert "Until its author has answered." in text
    assert WHY in text
    everything = reverse("admin:portal_submission_changelist")
    assert everything in page(adam, "/review/")
    assert everything not in page(rita, "/review/")


def test_why_a_version_was_rejected_is_shown_with_the_next(
    asked: Submission, alice: User, rita: User, whole: Release
) -> None:
    reject_submission(asked, by=rita, reason="The settings are missing.")
    again = requested(judged(alice, whole), by=alice)
    assert "The settings are missing." in page(rita, f"/review/{again.pk}/")


@pytest.mark.parametrize("seen", ["as on the page", ""])
def test_a_decision_on_an_outdated_page_is_refused(
    asked: Submission, rita: User, seen: str
) -> None:
    html = page(rita, f"/review/{asked.pk}/")
    assert f'name="seen" value="{review_fingerprint(asked.pk)}"' in html
    form = {"reason": WHY, "seen": seen and review_fingerprint(asked.pk)}
    judge(asked, ALL)
    response = browser(rita).post(f"/review/{asked.pk}/publish/", form, follow=True)
    assert ("", "changed") in form_errors(response)
    asked.refresh_from_db()
    assert asked.state == "in review"


def test_reviewers_cannot_decide_about_their_own(rita: User, whole: Release) -> None:
    mine = requested(judged(rita, whole), by=rita)
    assert "/publish/" not in page(rita, f"/review/{mine.pk}/")
    path = f"/review/{mine.pk}/publish/"
    response = browser(rita).post(path, {"reason": WHY}, follow=True)
    assert ("", "not_allowed") in form_errors(response)
    mine.refresh_from_db()
    assert mine.state == "in review"


def test_reviewers_cannot_decide_about_their_own_predictions_either(
    asked: Submission, rita: User
) -> None:
    same = asked.evaluations.get().predictions_hash
    judged(rita, asked.release, name="Mine").evaluations.update(predictions_hash=same)
    html = page(rita, f"/review/{asked.pk}/")
    assert "/publish/" not in html


def test_an_admin_hides_and_restores(published: Submission, adam: User, rita: User) -> None:
    path = f"/review/{published.pk}/"
    assert "/hide/" not in page(rita, path)
    assert "/hide/" in page(adam, path)
    browser(adam).post(f"{path}hide/", {"reason": "Its licence is doubtful."})
    assert "/restore/" in page(adam, path)
    form = {"seen": review_fingerprint(published.pk)}
    browser(rita).post(f"{path}restore/", {"reason": "I want it back.", **form})
    published.refresh_from_db()
    assert published.state == "hidden"
    browser(adam).post(f"{path}restore/", {"reason": "The licence is clear.", **form})
    published.refresh_from_db()
    assert published.state == "published"


def test_pages_of_reviewers_are_closed_to_authors(asked: Submission, alice: User) -> None:
    for path in ("/review/", f"/review/{asked.pk}/", f"/review/{uuid4()}/"):
        assert browser(alice).get(path).status_code == 403
        assert Client().get(path).headers["Location"] == f"/accounts/login/?next={path}"


def test_an_unknown_address_is_not_found(rita: User) -> None:
    assert browser(rita).get(f"/review/{uuid4()}/").status_code == 404
    assert browser(rita).post(f"/review/{uuid4()}/publish/", {"reason": WHY}).status_code == 404


# What authors do


def test_an_author_requests_publication(alice: User, whole: Release) -> None:
    mine = judged(alice, whole)
    known = {"unknown_confirmed": "on", "truncation": "unknown", "by_maker": "False"}
    response = browser(alice).post(f"/submissions/{mine.pk}/request/", known, follow=True)
    assert response.redirect_chain == [(f"/submissions/{mine.pk}/", 302)]
    assert notices(response) == ["good"]
    assert AuditEntry.objects.get().action == "ask for publication"
    assert Submission.objects.get().by_maker is False


def test_the_request_asks_whether_it_is_by_the_maker(alice: User, whole: Release) -> None:
    mine, known = judged(alice, whole), {"unknown_confirmed": "on", "truncation": "unknown"}
    path = f"/submissions/{mine.pk}/request/"
    assert form_errors(browser(alice).post(path, known)) == {("by_maker", "required")}
    browser(alice).post(path, known | {"by_maker": "True"})
    assert Submission.objects.get().by_maker is True


def test_requesting_publication_twice_is_refused_with_a_message(
    asked: Submission, alice: User
) -> None:
    known = {"unknown_confirmed": "on", "truncation": "unknown", "by_maker": "False"}
    response = browser(alice).post(f"/submissions/{asked.pk}/request/", known, follow=True)
    assert notices(response) == ["wrong_state"]


def test_withdrawing_needs_a_confirmation(published: Submission, alice: User) -> None:
    path = f"/submissions/{published.pk}/withdraw/"
    assert '<form method="post"' in page(alice, path)
    published.refresh_from_db()
    assert published.state == "published"
    response = browser(alice).post(path, follow=True)
    assert response.redirect_chain == [(f"/submissions/{published.pk}/", 302)]
    published.refresh_from_db()
    assert published.state == "withdrawn"
    assert 'name="reason"' not in page(alice, path)


def test_an_admin_withdraws_with_a_reason(published: Submission, adam: User, rita: User) -> None:
    path = f"/submissions/{published.pk}/withdraw/"
    assert browser(adam).post(path).status_code == 422
    assert 'name="reason"' not in page(rita, path)
    browser(rita).post(path, {"reason": "I want it gone."})
    published.refresh_from_db()
    assert published.state == "published"
    browser(adam).post(path, {"reason": "The author asked by mail."})
    published.refresh_from_db()
    assert published.state == "withdrawn"


def test_a_reason_is_escaped(asked: Submission, rita: User) -> None:
    attack = "<script>alert(1)</script> & <b>bold</b>"
    browser(rita).post(f"/review/{asked.pk}/reject/", {"reason": attack})
    html = page(rita, f"/review/{asked.pk}/")
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_a_hidden_entry_says_so(published: Submission, adam: User, rita: User) -> None:
    hide_entry(published, by=adam, reason=WHY)
    assert 'class="state state-hidden"' in page(rita, f"/review/{published.pk}/")


def test_times_are_those_of_the_database(asked: Submission) -> None:
    when = summary(asked).requested
    assert when
    assert abs((timezone.now() - when).total_seconds()) < 600


def test_the_page_of_a_submission_says_what_can_be_done_about_it(
    alice: User, rita: User, whole: Release
) -> None:
    mine = judged(alice, whole)
    path, ask = f"/submissions/{mine.pk}/", f"/submissions/{mine.pk}/request/"
    assert ask in page(alice, path)
    assert ask not in page(rita, path)
    requested(mine, by=alice)
    assert ask not in page(alice, path)
    assert "state-in-review" in page(alice, path)
    assert f"/review/{mine.pk}/" in page(rita, path)


def test_an_author_reads_the_decision_on_the_page(
    asked: Submission, alice: User, rita: User
) -> None:
    browser(rita).post(f"/review/{asked.pk}/reject/", {"reason": "Which version is it?"})
    html = page(alice, f"/submissions/{asked.pk}/")
    assert "Which version is it?" in html
    assert "rita" not in html
    assert f"/submissions/{asked.pk}/request/" in html
