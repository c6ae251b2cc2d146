"""The entries of a board as plain values."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from portal.models import matches_words, spelled_alike, with_method
from portal.scores.comparison.runs import Runs, runs_key
from portal.scores.comparison.separations import entry_key, reported_key
from portal.scores.controls import Control
from portal.scores.makers import MakerClaim, maker_note
from portal.scores.samples import Sample
from portal.scores.scores import ByTask
from portal.scores.titles import SettingsLine
from portal.scores.trust import Trust

System = tuple[str, str, str]  # model, method, and which control, if it is one


class Mark(StrEnum):
    """Where the scores of an entry come from, most trusted first; in the words of ``Trust``."""

    SCORED = "scored"  # here, against the labels of the release
    HISTORICAL = "re-scored"  # here, against the labels that released files contain
    REPORTED = "reported"  # copied from a publication


@dataclass(frozen=True, slots=True)
class Model:
    """The fields of a language model that a board shows."""

    slug: str
    name: str
    organisation: str = ""
    weights: str = ""  # open, closed; empty: unknown
    parameters: str = ""  # as stated: 8B, 47B (13B active)
    context_window: int | None = None  # tokens, as claimed
    released: str = ""  # a day, a month or a year
    baseline: bool = False  # it goes by rules: no language model
    aliases: tuple[str, ...] = ()  # former addresses and names


class OtherData(NamedTuple):
    """How the data behind a score differ from the board's: in examples or in labels."""

    size: int  # examples
    board_size: int
    differing: int  # labels, among the questions that both have


@dataclass(frozen=True, slots=True)
class Entry:
    id: str  # in addresses
    mark: Mark
    model: Model
    scores: ByTask  # under one metric set; boards read them in full only where they are shown
    created: datetime  # when it was submitted or imported
    method: str = ""  # built around the model; empty: the model alone
    run: SettingsLine | None = None  # None: only reported
    prompt: str = ""  # the strategy as stated; ``run`` has it in the reader's language
    source: str = ""  # where reported scores come from
    caveats: Mapping[str, str] = field(default_factory=dict)  # by task: why its score is unreliable
    scorer: str = ""  # the version that scored it
    # The label versions that have all of its data; empty: it has data of its own. None: unknown.
    label_versions: Collection[str] | None = None
    # By task, how its data differ from the board's.
    other_data: Mapping[str, OtherData] = field(default_factory=dict)
    submission: UUID | None = None  # primary key; None: only reported
    evaluation: int | None = None  # that the scores belong to
    data_sets: frozenset[int] = frozenset()  # primary keys of those it was scored with
    # Its evaluation and those of all entries made in the same way; empty: there are no others.
    runs: Runs = ()
    is_run_by_us: bool = False  # this site asked for its predictions
    # Set if this site's run asked only a sample: its scores are estimates, and it has no rank.
    sample: Sample | None = None
    maker_claim: MakerClaim | None = None  # whether it is by the maker of its model
    control: Control | None = None  # it was given no text, or only the evidence: it has no rank
    # For the mean of repeated runs their ids, oldest first. It has the id of the newest.
    run_ids: Sequence[str] = ()

    @property
    def title(self) -> str:
        return with_method(self.model.name, self.method)

    @property
    def is_sample(self) -> bool:
        return self.sample is not None

    @property
    def has_no_rank(self) -> bool:
        """Whatever its scores: they are estimates, or those of a control or a baseline."""
        return self.is_sample or self.control is not None or self.model.baseline

    @property
    def trust(self) -> Trust:
        return Trust.RUN if self.is_run_by_us else Trust(self.mark)

    @property
    def maker_note(self) -> str:
        return maker_note(self.maker_claim, self.model.organisation)

    @property
    def key(self) -> str:
        """Identifies it in comparisons: by its scores."""
        if self.run_ids:
            return runs_key(self.runs)
        if self.evaluation is not None:
            return entry_key(self.evaluation)
        return reported_key(self.id, {task: one.percent for task, one in self.scores.items()})

    @property
    def ids(self) -> Sequence[str]:
        """Those of all entries that this line of a board stands for."""
        return self.run_ids or (self.id,)

    @property
    def system(self) -> System:
        """What is ranked: entries with the same model and method are runs of one system. A control
        never replaces another entry."""
        return self.model.slug, spelled_alike(self.method), self.control or ""

    def matches(self, search: str) -> bool:
        """Whether every word occurs in the name, the method or the organisation."""
        return matches_words(search, (self.model.name, self.method, self.model.organisation))

    @property
    def submitted_on(self) -> date | None:
        """None if it was imported: then it is older than its row."""
        return self.created.date() if self.mark is Mark.SCORED else None

    def count_scored(self, tasks: Iterable[str]) -> int:
        """How many of these tasks have a score."""
        return sum(task in self.scores for task in tasks)
