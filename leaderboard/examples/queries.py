"""The questions of a task in a release, and the entries that answered them, as a reader may see
them.

Readers who may not see the labels of a hidden release see no answers but their own, and those
without verdicts.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from django.http import Http404
from django.shortcuts import get_object_or_404
from numpy.typing import NDArray

from leaderboard.board.ranking.standings import kept_standings
from leaderboard.cache import cached_by_evaluation, cached_forever
from leaderboard.entries import Entry, Mark
from leaderboard.queries import find_release, releases_with_boards
from portal.models import (
    Example,
    Release,
    ScoreVector,
    TaskDataSet,
    TaskScore,
    User,
    with_method,
)
from portal.permissions.access import (
    Reader,
    current_ids,
    parsed_uuid,
    scored_evaluation,
    sees_labels,
    submission_at,
    submissions_by_id,
    with_verdicts_for,
)
from portal.scores.vectors import unpack_scores
from scoring.catalog import TASKS, Task
from scoring.metrics import PAPER_SET

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A task data set in a release, for one reader."""

    release: Release
    task: Task
    data_set: TaskDataSet
    # Whether labels, facets that reveal them, and anything computed from scores may be shown.
    shows_answers: bool

    @property
    def board(self) -> str:
        """The slug of the release whose board has the entries: the one that the label version
        belongs to."""
        return self.release.part_of.slug if self.release.part_of else self.release.slug


class Answering(NamedTuple):
    """An entry, or a submission of the reader, with answers to questions of a set."""

    id: str  # of the entry in addresses; of a submission that is not public, as it was asked for
    submission: str  # its primary key
    title: str  # of the entry
    model: str  # the slug of the language model
    organisation: str
    mark: Mark
    evaluation: int
    data_set: int  # that it was scored with
    is_public: bool
    shows_verdicts: bool


def find_question_set(reader: Reader, slug: str, task_id: str) -> QuestionSet:
    """Raises ``Http404`` for a release without a page, and for a task that it does not have."""
    if task_id not in TASKS:
        raise Http404
    releases = Release.objects.public().select_related("part_of")
    release = get_object_or_404(releases, slug=slug)
    data_set = get_object_or_404(release.data_sets, task=task_id)
    return QuestionSet(release, TASKS[task_id], data_set, sees_labels(reader, release))


def find_example(questions: QuestionSet, key: str) -> Example:
    """With its context. Raises ``Http404``."""
    found = Example.objects.filter(data_set=questions.data_set).select_related("context")
    return get_object_or_404(found, key=key)


def published_answering(reader: Reader, questions: QuestionSet) -> list[Answering]:
    """The published entries with answers to these questions, best in the task first; empty if the
    reader may not see the labels."""
    release = find_release(releases_with_boards(), questions.board)
    if release is None or not questions.shows_answers:
        return []
    candidates = kept_standings(release, PAPER_SET).candidates
    entries = [one.entry for one in candidates if one.entry.evaluation is not None]
    names = {entry.id: entry.title for entry in entries}
    entries.sort(key=lambda entry: (-_percent(entry, questions.task), names[entry.id], entry.id))
    used = frozenset[int]().union(*(entry.data_sets for entry in entries))
    of_task = TaskDataSet.objects.filter(pk__in=used, task=questions.task.id)
    data_sets = frozenset(of_task.values_list("pk", flat=True))
    concealed = _concealed(reader, questions, [entry.id for entry in entries])
    titles = _titles(entries, names)
    return [
        Answering(
            entry.id,
            str(entry.submission),
            titles[entry.id],
            entry.model.slug,
            entry.model.organisation,
            entry.mark,
            entry.evaluation or 0,
            data_set,
            is_public=True,
            shows_verdicts=entry.id not in concealed,
        )
        for entry in entries
        for data_set in entry.data_sets & data_sets
    ]


def _titles(entries: Sequence[Entry], names: Mapping[str, str]) -> dict[str, str]:
    """By id, in the form of ``names``; with the prompt strategy if another entry has the same
    title."""
    counts = Counter(names.values())
    return {
        entry.id: f"{name} ({entry.run.prompt_strategy})"
        if counts[name] > 1 and entry.run and entry.run.prompt_strategy
        else name
        for entry in entries
        for name in [names[entry.id]]
    }


def _percent(entry: Entry, task: Task) -> float:
    score = entry.scores.get(task.id)
    return -1.0 if score is None else score.percent


def _concealed(reader: Reader, questions: QuestionSet, entries: Collection[str]) -> set[str]:
    """The entries whose verdicts this reviewer may not see, being their author."""
    if not questions.release.hidden or not isinstance(reader, User):
        return set()
    submissions = submissions_by_id(entries)
    visible = with_verdicts_for(reader, submissions.values())
    return {one for one in entries if submissions[one].pk not in visible}


def own_answering(reader: Reader, questions: QuestionSet, entry_id: str) -> Answering | None:
    """A submission that is not public but visible to this reader: their own, or any to a reviewer.
    None if its newest scores are not for this task. Raises ``Http404``."""
    if not isinstance(reader, User):
        raise Http404
    submission = submission_at(reader, entry_id)
    evaluation = scored_evaluation(submission)
    if evaluation is None or submission.release.slug != questions.board:
        return None
    scores = TaskScore.objects.filter(evaluation=evaluation, task=questions.task.id)
    data_set = scores.order_by().values_list("data_set", flat=True).first()
    if data_set is None:
        return None
    model = submission.language_model
    return Answering(
        entry_id,
        str(submission.pk),
        with_method(model.name, submission.method),
        model.slug,
        model.organisation,
        Mark.SCORED,
        evaluation.pk,
        data_set,
        is_public=False,
        shows_verdicts=bool(with_verdicts_for(reader, [submission])),
    )


class AnsweringLookup:
    """Finds entries by what identifies them in addresses and forms."""

    def __init__(
        self, reader: Reader, questions: QuestionSet, published: Sequence[Answering]
    ) -> None:
        self._reader, self._questions = reader, questions
        self._known: dict[str, Answering | None] = {one.id: one for one in published}
        self._ids = frozenset(self._known)
        titles = Counter(
            title for title, _id in {(one.title.casefold(), one.id) for one in published}
        )
        self._by_title = {
            title: one for one in published if titles[title := one.title.casefold()] == 1
        }

    def answering_at(self, identifier: str) -> Answering | None:
        """A published entry, by its id, a former one or a title that no other one has; or a
        submission that the reader may see, by its primary key."""
        [entry] = self.all_at([identifier])
        return entry

    def all_at(self, identifiers: Sequence[str]) -> list[Answering | None]:
        """As many queries for any number of those that nobody is called."""
        unknown = [one for one in dict.fromkeys(identifiers) if one not in self._known]
        matches = {one: self._by_title.get(one.casefold()) for one in unknown}
        untitled = [one for one, entry in matches.items() if entry is None]
        current = current_ids(untitled) if untitled else {}
        for identifier, entry in matches.items():
            match = entry or self._known.get(current.get(identifier, ""))
            if match is None and (identifier in current or parsed_uuid(identifier)):
                match = self._own(identifier)
            self._known[identifier] = match
        return [self._known[identifier] for identifier in identifiers]

    def _own(self, identifier: str) -> Answering | None:
        try:
            return own_answering(self._reader, self._questions, identifier)
        except Http404:
            return None

    def name(self, entry: Answering) -> str:
        """Its title, if that identifies it: another entry may have the same one, or have it as its
        id. Otherwise its id."""
        is_only = self._by_title.get(entry.title.casefold()) == entry
        return entry.title if is_only and entry.title not in self._ids - {entry.id} else entry.id


def places_in(questions: QuestionSet, data_set: int) -> Sequence[int | None]:
    """For each question its index in another data set of the task, whose label may differ; None: it
    is not there."""
    if data_set == questions.data_set.pk:
        return range(questions.data_set.size)
    name = f"places/{questions.data_set.pk}/{data_set}"
    return cached_forever(name, lambda: _places(questions.data_set.pk, data_set))


def _places(data_set: int, other: int) -> list[int | None]:
    there = {identity: place for place, identity in enumerate(_identities(other))}
    return [there.get(identity) for identity in _identities(data_set)]


def _identities(data_set: int) -> list[Hashable]:
    """For its questions in order; repeated questions are matched in the order in which they
    occur."""
    seen: Counter[int] = Counter()
    found: list[Hashable] = []
    rows = Example.objects.filter(data_set=data_set).order_by("index")
    for index, number in rows.values_list("index", "question_number"):
        if number is None:
            found.append((data_set, index, ""))
        else:
            seen[number] += 1
            found.append((number, seen[number]))
    return found


def score_matrix(questions: QuestionSet, answering: Sequence[Answering], metric_set: str) -> Scores:
    """The scores from 0 to 1, of shape (entries, questions): NaN if an entry was not asked the
    question, 0 if it gave no answer. Only entries whose verdicts the reader may see."""
    size = questions.data_set.size
    data_sets = {one.evaluation: one.data_set for one in answering if one.shows_verdicts}

    def read(evaluations: Collection[int]) -> Mapping[int, Scores]:
        vectors = ScoreVector.objects.filter(
            task_score__evaluation__in=evaluations,
            task_score__task=questions.task.id,
            task_score__metric_set=metric_set,
        )
        rows = vectors.order_by().values_list("task_score__evaluation", "scores")
        found = {}
        for evaluation, packed in rows:
            places = places_in(questions, data_sets[evaluation])
            own = np.append(unpack_scores(packed), np.nan)
            found[evaluation] = own[[-1 if place is None else place for place in places]]
        return found

    name = f"question scores/{questions.data_set.pk}/{metric_set}"
    known = cached_by_evaluation(name, sorted(data_sets), read)
    unknown = np.full(size, np.nan)
    rows = [known.get(one.evaluation, unknown) for one in answering]
    return np.array(rows).reshape(len(answering), size)
