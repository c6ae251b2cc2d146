"""The form that filters a list of examples, and checks the same parameters of scripts."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.functional import cached_property

from leaderboard.examples.example_filter import (
    IN_ORDER,
    SORTS,
    STATES,
    ExampleFilter,
    Pair,
    Range,
    read_words,
)
from leaderboard.examples.listing.facts import facts_of
from leaderboard.examples.listing.search import normal_words
from leaderboard.examples.listing.selection import Selection
from leaderboard.examples.notes import count_notes
from leaderboard.examples.queries import (
    Answering,
    AnsweringLookup,
    QuestionSet,
    published_answering,
)
from portal.permissions.access import Reader
from portal.scores.titles import METRIC_SET_TITLES
from portal.web.fields import TokenCount
from scoring.metrics import PAPER_SET

_MOST_WORDS = 12
_MOST_OFFERED = 100  # entries in the list of names
_MOST_ENTRIES = 20  # in a field
_LONGEST = 500  # characters
_LONGEST_ENTRIES = 1_500  # characters, enough for the ids of so many
_ENTRIES = ("entry", "solved", "failed", "higher", "equal")
_REVEALING = (
    *("solved", "failed", "higher", "equal", "set", "score_from", "score_to"),
    *("depth_from", "depth_to", "hops", "kind"),
)
_CONCEALED = "The answers of this release are secret, and this filter would disclose some of them."


class _Entries(forms.CharField):
    def __init__(self, label: str, help_text: str = "") -> None:
        super().__init__(
            label=label,
            help_text=help_text,
            required=False,
            max_length=_LONGEST_ENTRIES,
            widget=forms.TextInput(attrs={"autocomplete": "off", "list": "entry-names"}),
        )


def _limit(label: str, most: float) -> forms.FloatField:
    """A text input: browsers send nothing from a number input with anything else in it."""
    field = forms.FloatField(label=label, required=False, min_value=0, max_value=most)
    field.widget = forms.TextInput(attrs={"inputmode": "decimal", "maxlength": "12", "size": "6"})
    return field


def _tokens(label: str) -> TokenCount:
    widget = forms.TextInput(attrs={"maxlength": "12", "size": "6"})
    return TokenCount(label=label, help_text="", widget=widget)


class ExampleFilterForm(forms.Form):
    """Always bound. Offers only what this reader may filter by.

    Entries are shown by their names, and printed in addresses by their ids.
    """

    words = forms.CharField(
        label="Words",
        required=False,
        max_length=_LONGEST,
        widget=forms.TextInput(
            attrs={"type": "search", "autocomplete": "off", "placeholder": 'captain "pass key"'}
        ),
    )
    entry = _Entries("Answers by", "Models or ids of entries, with commas between them.")
    solved = _Entries("Solved by", "All of them score 50 % or more.")
    failed = _Entries("Failed by", "All of them score less.")
    higher = _Entries("Higher, lower", "Two entries: the first has the higher score.")
    equal = _Entries("Equal", "Two entries with the same score.")
    set = forms.ChoiceField(label="Metric", required=False)
    score_from = _limit("Score from, in percent", 100)
    score_to = _limit("Score to, in percent", 100)
    tokens_from = _tokens("Tokens from")
    tokens_to = _tokens("Tokens to")
    depth_from = _limit("Depth from, 0 to 1", 1)
    depth_to = _limit("Depth to, 0 to 1", 1)
    hops = forms.IntegerField(
        label="Hops",
        required=False,
        min_value=0,
        max_value=1_000_000,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "maxlength": "7", "size": "6"}),
    )
    kind = forms.MultipleChoiceField(
        label="Kind", required=False, widget=forms.CheckboxSelectMultiple
    )
    sort = forms.ChoiceField(label="Order", required=False)

    def __init__(self, reader: Reader, questions: QuestionSet, query: QueryDict) -> None:
        """Raises ``NotStoredError``."""
        self.questions = questions
        self.facts = facts_of(questions)  # first: it checks the number of examples
        self.notes = count_notes(reader, questions.data_set)
        self.published = published_answering(reader, questions)
        self._lookup = AnsweringLookup(reader, questions, self.published)
        data = query.copy()
        for name in filter(query.__contains__, _ENTRIES):
            data[name] = self._with_names(", ".join(filter(None, query.getlist(name))))
        super().__init__(data)
        self._offer()

    def _with_names(self, text: str) -> str:
        """Instead of ids, where these are known."""
        if len(text) > _LONGEST_ENTRIES:
            return text  # refused for its length
        identified = self._identified(text)
        texts = [self._name(entry) if entry else part for part, entry in identified]
        if len(identified) > 1:
            texts = [
                entry.id if entry and "," in name else name
                for (_part, entry), name in zip(identified, texts, strict=True)
            ]
        names = ", ".join(texts)
        ids = ", ".join(entry.id if entry else part for part, entry in identified)
        return names if len(names) <= _LONGEST_ENTRIES else ids

    def _name(self, entry: Answering) -> str:
        """Its id if the parts of its title are other entries."""
        name = self._lookup.name(entry)
        return name if [one for _part, one in self._identified(name)] == [entry] else entry.id

    def _identified(self, text: str) -> list[tuple[str, Answering | None]]:
        """The parts between commas and the entries that they identify, or all of the text if a
        title with commas is in it."""
        parts = list(filter(None, map(str.strip, text.split(","))))
        entries = self._lookup.all_at(parts)
        if None in entries and (entry := self._lookup.answering_at(text.strip())):
            return [(text.strip(), entry)]
        return list(zip(parts, entries, strict=True))

    def _offer(self) -> None:
        shows_answers = self.questions.shows_answers
        fields: dict[str, Any] = self.fields
        states = {
            name: state.title
            for name, state in STATES.items()
            if (shows_answers or not state.reveals_answers)
            and (self.notes is not None or not state.for_reviewers)
        }
        fields["is"] = forms.MultipleChoiceField(  # no name for an attribute
            label="The answer is", required=False, widget=forms.CheckboxSelectMultiple
        )
        kinds = sorted({*self.facts.kinds} - {""})
        sets = {name: title.title for name, title in METRIC_SET_TITLES.items()}
        sorts = {
            name: sort.title
            for name, sort in SORTS.items()
            if shows_answers or not sort.reveals_answers
        }
        for name, choices in (
            ("is", states), ("kind", dict.fromkeys(kinds)), ("set", sets), ("sort", sorts)
        ):  # fmt: skip
            fields[name].choices = [(value, title or value) for value, title in choices.items()]
            fields[name].error_messages["invalid_choice"] = f"Use one of: {', '.join(choices)}."
        if not kinds:
            fields["kind"].error_messages["invalid_choice"] = "The kinds are not known here."
        if not shows_answers:
            for name in _REVEALING:
                del fields[name]

    @property
    def names(self) -> list[str]:
        """Of the best entries, for fields that take some."""
        return [self._lookup.name(entry) for entry in self.published[:_MOST_OFFERED]]

    def clean_words(self) -> tuple[str, ...]:
        words = read_words(self.cleaned_data["words"])
        if len(words) > _MOST_WORDS:
            message = f"Use at most {_MOST_WORDS} words, or quotation marks for phrases."
            raise forms.ValidationError(message, "too_many_words")
        if words and not all(normal_words(words)):
            message = "Use letters, digits or Chinese characters in each word."
            raise forms.ValidationError(message, "no_word")
        return words

    def clean_entry(self) -> tuple[str, ...]:
        return self._clean_entries("entry")

    def clean_solved(self) -> tuple[str, ...]:
        return self._clean_entries("solved")

    def clean_failed(self) -> tuple[str, ...]:
        return self._clean_entries("failed")

    def clean_higher(self) -> tuple[Pair, ...]:
        return self._clean_pairs("higher")

    def clean_equal(self) -> tuple[Pair, ...]:
        return self._clean_pairs("equal")

    def _clean_entries(self, name: str) -> tuple[str, ...]:
        """Their ids."""
        return tuple(dict.fromkeys(self._ids(name)))

    def _clean_pairs(self, name: str) -> tuple[Pair, ...]:
        ids = self._ids(name)
        if len(ids) % 2:
            message = "Name two entries, with a comma between them."
            raise forms.ValidationError(message, "no_pair")
        return tuple(dict.fromkeys(zip(ids[::2], ids[1::2], strict=True)))

    def _ids(self, name: str) -> list[str]:
        ids = []
        identified = self._identified(self.cleaned_data[name])
        if len(identified) > _MOST_ENTRIES:
            message = f"Name at most {_MOST_ENTRIES} entries."
            raise forms.ValidationError(message, "too_many_entries")
        for identifier, entry in identified:
            if entry is None:
                message = (
                    f"No single entry with answers to this task is called “{identifier}”. Use the "
                    "name of its model, or the id in the address of its page."
                )
                raise forms.ValidationError(message, "unknown_entry")
            ids.append(entry.id)
        return ids

    def clean(self) -> dict[str, Any]:
        cleaned = dict(self.cleaned_data)
        if any(self.data.get(name) for name in set(_REVEALING) - set(self.fields)):
            raise forms.ValidationError(_CONCEALED, "concealed")
        for name in ("score", "tokens", "depth"):
            limits = _range(cleaned, name)
            if None not in limits and limits.low > limits.high:  # type: ignore[operator]
                message = "The end of the range is below its start."
                self.add_error(f"{name}_to", forms.ValidationError(message, "empty_range"))
        return cleaned

    @cached_property
    def filter(self) -> ExampleFilter:
        """Of a valid form."""
        cleaned = self.cleaned_data
        return ExampleFilter(
            words=cleaned["words"],
            entries=cleaned["entry"],
            solved=cleaned.get("solved", ()),
            failed=cleaned.get("failed", ()),
            higher=cleaned.get("higher", ()),
            equal=cleaned.get("equal", ()),
            metric_set=cleaned.get("set") or PAPER_SET,
            score=_range(cleaned, "score"),
            tokens=_range(cleaned, "tokens"),
            depth=_range(cleaned, "depth"),
            hops=cleaned.get("hops"),
            kinds=tuple(dict.fromkeys(cleaned.get("kind", ()))),
            states=tuple(dict.fromkeys(cleaned["is"])),
            sort=cleaned["sort"] or IN_ORDER,
        )

    @cached_property
    def selection(self) -> Selection:
        """Of a valid form."""
        found = ((one, self._lookup.answering_at(one)) for one in self.filter.named_entries)
        named = {one: entry for one, entry in found if entry}
        answering = [named[name] for name in self.filter.entries] or self.published
        return Selection(
            self.questions, self.facts, self.filter, answering, self.published, named, self.notes
        )


def _range(cleaned: dict[str, Any], name: str) -> Range:
    """Rounded as it is printed, so that an address finds the same."""
    ends = (cleaned.get(f"{name}_{end}") for end in ("from", "to"))
    if name == "tokens":
        return Range(*ends)
    return Range(*(None if end is None else abs(float(f"{end:.6g}")) for end in ends))
