"""Follow a book's events one by one: a way to the answers that is independent of filtering.

It also notes contradictions: a thing given by someone who does not have it, a person in two beds.
"""

from collections import defaultdict
from collections.abc import Sequence

from scoring.generators.novel.events import NONE, Event
from scoring.generators.novel.questions import Question


class Chronicle:
    def __init__(self, events: Sequence[Event]) -> None:
        self.contradictions: list[Event] = []
        self._spent: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        self._visits: dict[tuple[int, int], int] = defaultdict(int)
        self._worn: dict[tuple[int, int], list[Event]] = defaultdict(list)
        self._owners: dict[int, list[int]] = {}
        self._heard: dict[int, dict[int, int]] = defaultdict(dict)
        self._beds: dict[tuple[int, int], int] = {}
        self._nights: dict[int, set[int]] = defaultdict(set)
        self._signers: dict[int, list[int]] = defaultdict(list)
        self._refusals: set[tuple[str, int, int, int]] = set()
        self._did: dict[str, dict[int, list[Event]]] = defaultdict(lambda: defaultdict(list))
        self._passed: dict[tuple[str, int, int], int] = {}
        for event in events:
            getattr(self, f"_{event.kind}")(event)
        self._refused = [event for event in events if event.kind == "happened" and not event.real]
        self._compare()

    def _doubt(self, event: Event, *, doubtful: bool) -> None:
        if doubtful:
            self.contradictions.append(event)

    def _paid(self, event: Event) -> None:
        self._doubt(event, doubtful=event.asked <= event.price)
        self._did["paid"][event.who].append(event)
        if event.real:
            self._spent[event.who, event.key].append((event.price, event.whom))

    def _went(self, event: Event) -> None:
        self._did["went"][event.who].append(event)
        self._visits[event.who, event.key] += event.real

    def _met(self, event: Event) -> None:
        if event.real:
            self._worn[event.who, event.whom].append(event)

    def _gave(self, event: Event) -> None:
        """Only an owner gives or offers; a source gave exactly this thing."""
        owners = self._owners.setdefault(event.key, [event.who])
        self._doubt(event, doubtful=owners[-1] != event.who)
        self._doubt(event, doubtful=event.source not in (NONE, *owners[-2:-1]))
        if event.real:
            owners.append(event.whom)
        self._pair(event)

    def _told(self, event: Event) -> None:
        """A source told exactly this secret."""
        heard = self._heard[event.key]
        self._doubt(event, doubtful=event.source not in (NONE, heard.get(event.who)))
        if event.real:
            self._doubt(event, doubtful=event.whom in heard)
            heard[event.whom] = event.who
        self._pair(event)

    def _pair(self, event: Event) -> None:
        """Something passes between two people only once, and never if it was refused."""
        if not event.real:
            self._refusals.add((event.kind, event.key, event.who, event.whom))
            return
        refused = (event.kind, event.key, event.who, event.whom) in self._refusals
        self._doubt(event, doubtful=refused)
        pair = (event.kind, event.who, event.whom)
        self._doubt(event, doubtful=pair in self._passed)
        self._passed[pair] = event.key

    def _happened(self, event: Event) -> None:
        if event.real:
            self._nights[event.woe].add(event.key)

    def _stayed(self, event: Event) -> None:
        if event.real:
            self._doubt(event, doubtful=(event.who, event.key) in self._beds)
            self._beds[event.who, event.key] = event.place

    def _signed(self, event: Event) -> None:
        """A source is the most recent one."""
        signers = self._signers[event.key]
        self._doubt(event, doubtful=event.source not in (NONE, *signers[-1:]))
        self._doubt(event, doubtful=event.who in signers)
        self._doubt(event, doubtful=(event.kind, event.key, event.who, NONE) in self._refusals)
        if not event.real:
            self._refusals.add((event.kind, event.key, event.who, NONE))
        else:
            signers.append(event.who)

    def _compare(self) -> None:
        """The person compared with did it once, and earlier."""
        for people in self._did.values():
            for events in people.values():
                for event in events:
                    did = people.get(event.source, [])
                    done = [one.key for one in did if one.real]
                    self._doubt(event, doubtful=event.source != NONE and done != [event.key])
        for event in self._refused:
            self._doubt(event, doubtful=event.key in self._nights[event.woe])

    def answer(self, asked: Question) -> list[int]:
        """All answers that the events allow: there should be exactly one."""
        bought = self._spent[asked.who, asked.key]
        heard, signers = self._heard[asked.key], self._signers[asked.key]
        met = self._worn[asked.who, asked.whom][asked.nth - 1 : asked.nth]
        answers = {
            "total spent": [sum(price for price, _ in bought)],
            "dearest purchase": [one for price, one in bought if price == max(bought)[0]],
            "count of visits": [self._visits[asked.who, asked.key]],
            "meeting": [event.colour if asked.part == "colour" else event.garment for event in met],
            "last owner": self._owners.get(asked.key, [])[-1:],
            "who told": [heard.get(heard.get(asked.who, NONE), NONE)],
            "whereabouts": [
                self._beds.get((asked.who, night), NONE) for night in self._nights[asked.key]
            ],
            "order of signing": signers[asked.nth - 1 : asked.nth],
        }
        return answers[asked.kind]
