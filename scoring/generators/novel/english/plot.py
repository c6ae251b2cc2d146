"""The main plot in English: each beat in the book's words, and in a summary's.

``A``, ``B`` and ``C`` are the people of the beat; the other words are those of its ``Detail``. The
book's text contains everything that the summary says. Only En.Sum is about the plot.
"""

BEATS: dict[str, tuple[str, str]] = {
    "arrival.0": (
        "One [day], [A] stepped down from the coach in [town] with a [thing], [sum] and a letter that spoke of a [work]. Only [helper] was waiting.",
        "[A] came to [town] with a [thing], [sum] and a letter about a [work], met by [helper].",
    ),
    "arrival.1": (
        "The storm put [A] ashore [spot], where [helper] from [town] found the castaway clinging to a [thing]. There was talk of a [work] that very evening, although [cause].",
        "[A] came ashore [spot], where [helper] of [town] rescued the castaway clinging to a [thing]; people talked of a [work], although [cause].",
    ),
    "arrival.2": (
        "After eleven years abroad [A] walked back into [town] one [day], and hardly anybody knew the face. The old house was let to [helper], because [cause]; an unfinished [work] and a [thing] were all that was left of the family.",
        "Home from abroad, [A] found the family's house in [town] let to [helper], because [cause]: only a half-built [work] and a [thing] remained.",
    ),
    "bequest.0": (
        "[B], who had no children, made [A] the heir of the [work], with debts of [sum] and a [thing]. [helper] had to read the will aloud twice, because nobody believed it.",
        "[B], childless, left [A] the [work], debts of [sum] and a [thing], in a will read out by [helper].",
    ),
    "bequest.1": (
        "One [day], [spot], [B] unrolled the plans of the [work] and asked for a promise that it would be built. [A] gave the promise, although [cause], and was handed a [thing] to remember it by.",
        "[B] asked [spot] for a promise to build the [work], which [A] gave, although [cause], and got a [thing] as a pledge.",
    ),
    "bequest.2": (
        "[B] had hidden the deed to the land of the [work] inside a [thing], because [cause], and nobody knew of it but [A] and [helper]. For years it had stood [spot].",
        "[B]'s deed for the [work] was hidden inside a [thing], because [cause]: only [A] and [helper] knew that it stood [spot].",
    ),
    "opposition.0": (
        "[A] wanted the land of the [work], and from one [day] on paid [helper] [sum] to spy on [B] [spot].",
        "Greedy for the land, [A] hired [helper] for [sum] to watch [B] [spot].",
    ),
    "opposition.1": (
        "It took one nod from [A] to have the licence for the [work] refused to [B]: the council, led by [helper], wrote that [cause], and asked for [sum].",
        "[A] had [B] refused a licence: councillors under [helper] wrote that [cause] and asked for [sum].",
    ),
    "opposition.2": (
        "[A] took [B] to court over a [thing] that had been found [spot], before a judge who was the brother of [helper]. The case opened on a [day].",
        "[A] sued [B] over a [thing] found [spot], before [helper]'s brother.",
    ),
    "friendship.0": (
        "It was [B] who sat down beside [A] [spot] one [day], unasked, and mended a [thing], although [cause]. From that hour they were friends.",
        "[B] befriended [A] [spot] by mending a [thing], although [cause].",
    ),
    "friendship.1": (
        "[A] pulled [B] out of the water [spot], though [cause], and [B] stayed on as a partner with savings of [sum] and a [thing].",
        "[A] pulled [B] out of deep water [spot], though [cause], and gained a partner with [sum] and a [thing].",
    ),
    "friendship.2": (
        "[A] and [B] quarrelled over a [thing] until [helper] locked them up together [spot]. By the end of that [day] they were inseparable.",
        "[A] quarrelled with [B] over a [thing] until [helper] locked up both [spot], where they grew inseparable.",
    ),
    "failure.0": (
        "The first wall of the [work] fell one [day] before half the town, because [helper], in the pay of [B], had spoiled the mortar. [A] lost [sum] and had to sell a [thing].",
        "One wall of the [work] fell, as [helper], paid by [B], had spoiled its mortar: [A] lost [sum] and a [thing].",
    ),
    "failure.1": (
        "The workmen laid down their tools [spot]: [B] had promised them [sum] through [helper], and told them that [cause]. [A] went on digging alone.",
        "Workmen struck [spot], since [B] promised [sum] through [helper] and told them that [cause]; [A] went on digging alone.",
    ),
    "failure.2": (
        "Fire ate the stores [spot] on a [day]. [A] found a [thing] of [B]'s in the ashes and could prove nothing, for [cause].",
        "Fire ate all stores [spot]; [A] found [B]'s [thing] among ashes but could prove nothing, for [cause].",
    ),
    "courtship.0": (
        "One [day], [spot], [A] forgot the whole speech and just held out a [thing]. [B] asked for time, because [cause].",
        "[A] proposed [spot] by holding out a [thing], but [B] asked for time, because [cause].",
    ),
    "courtship.1": (
        "[A] hid a declaration of love inside a [thing] [spot], where [helper] found it and read it aloud. It was a [day], and [B] blushed.",
        "[A] hid a declaration of love inside a [thing] [spot], where [helper] read it aloud, making [B] blush.",
    ),
    "courtship.2": (
        "For months [A] courted [B] by repairing a [thing] [spot], and was refused in the end: there were debts of [sum], and [cause].",
        "[A] courted [B] for months, repairing a [thing] [spot], but was refused over debts of [sum], and because [cause].",
    ),
    "treason.0": (
        "[A], whom [B] had trusted, hid the plans of the [work] in a [thing], carried them to [C] [spot], and was given [sum].",
        "[A], trusted by [B], carried stolen plans in a [thing] to [C] [spot] for [sum].",
    ),
    "treason.1": (
        "[C] knew that [A] owed [sum] to [helper]. So, one [day], [A] swore in court, against [B], that [cause].",
        "[C] blackmailed [A], who owed [sum] to [helper], into swearing in court against [B] that [cause].",
    ),
    "treason.2": (
        "[A], jealous of [helper], let the men of [C] in [spot] on a [day], and they smashed a [thing] of [B]'s.",
        "[A], jealous of [helper], let [C]'s men in [spot], where they smashed a [thing] of [B]'s.",
    ),
    "loss.0": (
        "[A] died [spot] one [day], in the middle of a story about a [thing]. [B] and [helper] told the rest of it at the grave.",
        "[A] died [spot] while telling a story about a [thing], which [B] and [helper] finished at the grave.",
    ),
    "loss.1": (
        "A fever caught [spot] took the memory of [A], who from then on mistook [B] for [helper], and believed that [cause].",
        "A fever caught [spot] robbed [A] of all memory, so that [B] was taken for [helper], and it seemed that [cause].",
    ),
    "loss.2": (
        "[helper] put [A] out of the house over [sum], on a [day], and [B] could save only a [thing].",
        "[helper] evicted [A] over [sum], and [B] could save only a [thing].",
    ),
    "discovery.0": (
        "It was [A] who noticed, [spot], with the help of [helper], that the contract was younger than its seal. [B] laughed aloud: [sum] were saved.",
        "[A] noticed [spot], with the help of [helper], that a contract was forged, which saved [B] [sum].",
    ),
    "discovery.1": (
        "[A] found the missing ledger [spot], in a [thing]: [sum] had been stolen every month, and [helper] had helped. [B] read until the candle drowned.",
        "[A] found the ledger [spot], in a [thing], for [B]: [sum] stolen every month, with [helper] helping.",
    ),
    "discovery.2": (
        "On the deathbed [spot], one [day], [helper] confessed everything to [A], and it came out that [cause]. [B] locked the confession in a [thing].",
        "On the deathbed [spot], [helper] confessed to [A] how [cause], and [B] locked that confession in a [thing].",
    ),
    "theft.0": (
        "On a [day], [A] had a [thing] of [B]'s stolen [spot]; [helper] did it for [sum].",
        "[A] had a [thing] of [B]'s stolen [spot] by [helper] for [sum].",
    ),
    "theft.1": (
        "[A] emptied the strongbox of [B] and hid the [sum] in a [thing]. [helper] was blamed, because [cause].",
        "[A] emptied [B]'s strongbox, hid [sum] in a [thing] and let [helper] be blamed, because [cause].",
    ),
    "theft.2": (
        "[A] sold the timber of [B] to [helper] [spot], as if it were nobody's. When it came out, on a [day], [A] merely said that [cause].",
        "[A] sold [B]'s timber to [helper] [spot], and merely said, when found out, that [cause].",
    ),
    "journey.0": (
        "[A] and [B] travelled for weeks to borrow [sum] from [helper], slept [spot], and came back with a [thing] instead, for [cause].",
        "[A] and [B] travelled to borrow [sum] from [helper], slept [spot], and brought back a [thing] instead, for [cause].",
    ),
    "journey.1": (
        "On a [day], [A] and [B] were robbed of [sum] and a [thing] [spot], and [helper] took them home on a cart.",
        "[A] and [B] were robbed of [sum] and a [thing] [spot]; [helper] carted both home.",
    ),
    "journey.2": (
        "[A] took [B] along to fetch a [thing] from abroad. They were stuck [spot], because [cause], and lived on the charity of [helper].",
        "[A] took [B] abroad to fetch a [thing], but stuck [spot], because [cause], living on the charity of [helper].",
    ),
    "illness.0": (
        "[A] fell ill [spot] one [day], and [B] sold a [thing] to [helper] so that a doctor could come.",
        "[A] fell ill [spot], so that [B] sold a [thing] to [helper] for doctors' fees.",
    ),
    "illness.1": (
        "[A] was struck on the head by a falling [thing], and for a month repeated only that [cause]. [B] and [helper] did the nursing, and it took [sum].",
        "[A], struck by a falling [thing], repeated for a month that [cause]; nursing by [B] and [helper] took [sum].",
    ),
    "illness.2": (
        "[A] lay in quarantine [spot], since [cause], and [B] talked through the wall every day until, one [day], [helper] opened the door.",
        "[A] lay in quarantine [spot], since [cause]; [B] talked through a wall until [helper] opened.",
    ),
    "wager.0": (
        "[A] bet [B] [sum] that the roof would be on before the month was out. [A] won, though [cause], and [helper] had to eat a hat.",
        "[A] bet [B] [sum] on a finished roof and won, though [cause], so that [helper] ate a hat.",
    ),
    "wager.1": (
        "[A] staked a [thing] on a race against [B] [spot], one [day], and lost it to [helper] who had joined in, because [cause].",
        "[A] staked a [thing] on racing [B] [spot] and lost it to [helper], because [cause].",
    ),
    "wager.2": (
        "[A] and [B] tried who could collect more for the [work] by nightfall: both had [sum], the one from [helper], the other for a [thing].",
        "[A] and [B], collecting for the [work], both had [sum] by nightfall, from [helper] and for a [thing].",
    ),
    "prison.0": (
        "They came for [A] on a [day], on a charge that [B] had made up about a [thing]. The cell was [spot], and [helper] kept the key.",
        "[A] was jailed on [B]'s made-up charge about a [thing]: the cell was [spot], and [helper] kept its key.",
    ),
    "prison.1": (
        "[A] had to flee from the men of [B], led by [helper], and hid [spot] for weeks, with a [thing] for a table.",
        "[A] had to flee from [B]'s men, led by [helper], and hid [spot] for weeks, a [thing] serving for a table.",
    ),
    "prison.2": (
        "The council, with [B] in the chair, banished [A] on a [day] because [cause]. [helper] shut the gate and wept.",
        "Councillors under [B] banished [A] because [cause]; [helper] shut the gate, weeping.",
    ),
    "rescue.0": (
        "[A] and [C] showed the proof, a [thing], from door to door. A crowd gathered [spot] behind [helper], and [B] was free.",
        "[A] and [C] showed a [thing] as proof from door to door, till crowds [spot] behind [helper] set [B] free.",
    ),
    "rescue.1": (
        "[A] rode to the governor and paid [sum] in tolls, while [C] held the road [spot]. The pardon for [B] came on a [day], carried by [helper].",
        "[A] paid [sum] in tolls to reach the governor, while [C] held out [spot]: a pardon for [B] came, carried by [helper].",
    ),
    "rescue.2": (
        "[A] raised [sum] on a [thing], and [C] deceived [helper] with the story that [cause]. On the third day [B] came back.",
        "[A] raised [sum] on a [thing], [C] deceived [helper], saying that [cause], and [B] came back.",
    ),
    "reckoning.0": (
        "In court one [day], [A] put one question to [B]: whose was the [thing] [spot]? [helper] gasped, and the case was over.",
        "[A] put one question to [B] in court, whose was a [thing] [spot]: [helper] gasped, which ended everything.",
    ),
    "reckoning.1": (
        "[B] had armed men waiting [spot], and [A] walked through them alone, holding up a [thing]. [helper] laid down the first gun, and after that [B] owned no more than [sum].",
        "[B]'s armed men waited [spot], but [A] walked through alone, holding up a [thing]: [helper] gave in first, leaving [B] only [sum].",
    ),
    "reckoning.2": (
        "When the river rose on a [day], [A] went out in a trough with [helper] and found [B] [spot], clinging to a [thing]. They came back as if there had been no quarrel.",
        "When floods rose, [A] went out with [helper], found [B] [spot] clinging to a [thing], and their quarrel ended.",
    ),
    "repentance.0": (
        "[A] knelt [spot] for a day and a night with a [thing] in both arms. [B] sent [helper] out with soup, and in the end came too, and forgave everything.",
        "[A] knelt [spot] holding a [thing] until [B], having sent [helper] with soup, came too and forgave everything.",
    ),
    "repentance.1": (
        "On a [day], [A] confessed the betrayal before the congregation and [helper]: it was done because [cause]. [B] made room on the bench.",
        "[A] confessed betrayal before [helper] in church, done because [cause]; [B] made room.",
    ),
    "repentance.2": (
        "[A] left the town for ever, and left behind for [B] a [thing] with [sum] in it, and one line, which said that [cause].",
        "[A] left for ever, leaving [B] a [thing] with [sum] in it and one line: that [cause].",
    ),
    "ending.0": (
        "[A] and [B] were married in the [work] on a [day], by [helper], with a [thing] for an altar. The work was declared complete.",
        "[A] and [B] were married inside their completed [work] by [helper], a [thing] serving as altar.",
    ),
    "ending.1": (
        "[A] said yes [spot], when the last debt of [sum] was cleared. [B] had to sit down on a [thing], and [helper] opened the [work].",
        "[A] said yes [spot], free of debts of [sum]; [B] sat down on a [thing], and [helper] opened the [work].",
    ),
    "ending.2": (
        "[A] let [B] go abroad alone one [day], with a [thing] and [sum], and stayed with [helper] to look after the finished [work]. On most days it was enough.",
        "[A] let [B] go abroad with a [thing] and [sum], content to look after the finished [work] with [helper].",
    ),
}  # fmt: skip
