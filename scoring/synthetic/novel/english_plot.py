"""The main plot in English: each beat as it is told, and as a summary puts it.

``A``, ``B`` and ``C`` are the people of the beat; the other words are those of its ``Detail``. What
a summary says stands in the telling too. Nothing here is asked about but by En.Sum.
"""

BEATS: dict[str, tuple[str, str]] = {
    "arrival.0": (
        "One [day], [A] stepped down from the coach in [town] with [things], [sum] and a letter that spoke of a [work]. Only a [helper] was waiting.",
        "One [day], [A], carrying [things] and [sum], comes to [town], where only a [helper] waits, to see about its [work].",
    ),
    "arrival.1": (
        "The storm put [A] ashore in [town], where a [helper] found the castaway [spot], holding on to [things]. There was talk of a [work] that very evening, although [cause].",
        "Shipwrecked, [A] is found [spot] by a [helper] of [town] with nothing but [things]; people talk of a [work], although [cause].",
    ),
    "arrival.2": (
        "After eleven years abroad [A] walked back into [town], and hardly anybody knew the face. It was a [day], and the old house was let to a [helper] because [cause]. What was left of the family was half a [work] and [things].",
        "[town] hardly remembers [A], home from abroad on a [day]: a [helper] lives in the house, [cause], and half a [work] plus [things] are all that is left.",
    ),
    "bequest.0": (
        "[B], who had no children, made [A] the heir of the unfinished [work], with debts of [sum] and [things]. A [helper] read the paper twice, because nobody believed it.",
        "Being childless, [B] makes [A] heir to the [work], [things] and debts of [sum], as read out by a [helper].",
    ),
    "bequest.1": (
        "[B] unrolled the plans of the [work] [spot] one [day], and asked for a promise that it would be built before [sum] were used up. [A] gave the promise, although [cause].",
        "One [day], [spot], [A] promises [B] that [sum] shall build the [work], although [cause].",
    ),
    "bequest.2": (
        "Inside [things] [B] had hidden the deed to the land of the [work], and nobody knew of it but [A] and a [helper]. It had lain [spot] for years, since [cause].",
        "The deed for the [work], long hidden [spot] inside [things] since [cause], passes from [B] to [A]; a [helper] knows.",
    ),
    "opposition.0": (
        "[A] wanted the ground of the [work] and sent a [helper] to spy on [B] [spot]. It cost [sum], and it began on a [day].",
        "Wanting that ground, [A] has [B] spied upon [spot] by a [helper] for [sum], beginning one [day].",
    ),
    "opposition.1": (
        "It took one nod from [A] to have the licence for the [work] refused to [B]: the council, led by a [helper], wrote that [cause], and asked for [sum].",
        "[B] loses a licence: the council of [A] and some [helper] writes that [cause] and demands [sum].",
    ),
    "opposition.2": (
        "[A] brought a lawsuit against [B] over [things] found [spot], before a judge who was the brother of a [helper]. It opened on a [day].",
        "A lawsuit over [things] found [spot] is brought by [A] against [B] one [day]; the judge's brother is a [helper].",
    ),
    "friendship.0": (
        "It was [B] who sat down beside [A] [spot] one [day], unasked, and mended [things], when [cause]. From that hour they were friends.",
        "When [cause], [B] mends [things] for [A] [spot] on a [day], which makes friends of both.",
    ),
    "friendship.1": (
        "[A] pulled [B] out of the water [spot], though [cause], and [B] stayed on as a partner with [sum] of savings and [things].",
        "Pulled from the water [spot] by [A], [B] becomes partner with [sum] and [things], though [cause].",
    ),
    "friendship.2": (
        "[A] and [B] quarrelled over [things] until a [helper] locked them up together [spot]. By the end of that [day] they were inseparable.",
        "A [helper] locks up [A] with [B] [spot] for quarrelling over [things]: inseparable friends leave that [day].",
    ),
    "failure.0": (
        "The first wall of the [work] fell one [day] before a [helper] and the whole town, because [B] had hidden [things] in it. [A] lost [sum].",
        "[sum] are lost by [A] one [day] as a wall collapses before a [helper], thanks to [things] hidden by [B].",
    ),
    "failure.1": (
        "The workmen laid down their tools [spot]: [B] had promised them [sum] through a [helper], and said that [cause]. [A] went on alone with a spade.",
        "Bribed with [sum] through a [helper], and hearing from [B] that [cause], workmen strike [spot]; [A] digs alone.",
    ),
    "failure.2": (
        "Fire ate the stores [spot] on a [day]. [A] found [things] of [B] in the ashes and could prove nothing, for [cause].",
        "Stores burn [spot] on a [day]; although [things] of [B]'s lie among ashes, [A] proves nothing, for [cause].",
    ),
    "courtship.0": (
        "One [day], [A] forgot the whole speech and just held out [things] [spot]. [B] asked for time, because [cause].",
        "Proposing [spot] one [day] by means of [things], [A] learns that [B] wants time, because [cause].",
    ),
    "courtship.1": (
        "[A] hid a declaration of love inside [things] [spot], where a [helper] read it aloud by mistake. [B] blushed, and it was a [day].",
        "A [helper], by mistake, reads aloud [spot] what love [A] hid for [B] inside [things], that [day].",
    ),
    "courtship.2": (
        "[A] courted [B] for months [spot] by repairing [things], and was refused in the end: there were debts of [sum], and [cause].",
        "Months of repairing [things] [spot] win [A] nothing from [B]: debts reach [sum], and [cause].",
    ),
    "treason.0": (
        "[A], whom [B] had trusted, carried the plans of the [work] to [C] in [things], [spot], for [sum].",
        "Though trusted, [A] sells [B]'s plans to [C] for [sum], delivered [spot] in [things].",
    ),
    "treason.1": (
        "[C] knew that [A] owed [sum] to a [helper]. So one [day], [A] swore in court, against [B], that [cause].",
        "Owing [sum] to a [helper], blackmailed by [C], [A] swears one [day] against [B] that [cause].",
    ),
    "treason.2": (
        "[A], jealous of a [helper], let the men of [C] in [spot] on a [day], and they broke [things] of [B]'s.",
        "From jealousy over a [helper], [A] admits [C]'s men [spot] one [day]: broken are [things] of [B]'s.",
    ),
    "loss.0": (
        "[A] died [spot] one [day], in the middle of a sentence about [things]. [B] and a [helper] finished it at the grave.",
        "[A] dies [spot] one [day], speaking of [things]; at the grave, [B] finishes the sentence with a [helper].",
    ),
    "loss.1": (
        "The fever took the memory of [A], who from then on mistook [B] for a [helper], and believed that [cause]. It had begun [spot].",
        "Fever, caught [spot], leaves [A] mistaking [B] for a [helper] and believing [cause].",
    ),
    "loss.2": (
        "A [helper] evicted [A] over [sum], on a [day]. [B] could save only [things] from the house.",
        "Evicted on a [day] by a [helper] over [sum], [A] keeps only [things], saved by [B].",
    ),
    "discovery.0": (
        "It was [A] who noticed that the contract was younger than its seal, [spot], with the help of [things]. [B] laughed aloud: [sum] were saved.",
        "Using [things] [spot], [A] proves some contract forged, which saves [B] [sum].",
    ),
    "discovery.1": (
        "[A] found the missing ledger [spot], under [things]: [sum] had been stolen every month, and a [helper] had helped. [B] read until the candle drowned.",
        "Beneath [things] [spot], [A] finds for [B] that ledger of thefts: [sum] monthly, with help from a [helper].",
    ),
    "discovery.2": (
        "A dying [helper] confessed everything to [A] [spot] on a [day], and it came out that [cause]. [B] locked the nine pages away.",
        "Dying [spot] on a [day], a [helper] confesses to [A] how [cause]; [B] locks nine pages away.",
    ),
    "theft.0": (
        "On a [day], [A] had [things] of [B]'s stolen [spot]; a [helper] did it for [sum].",
        "For [sum], a [helper] hired by [A] steals [things] of [B]'s [spot] one [day].",
    ),
    "theft.1": (
        "[A] emptied the chest of [B], [sum] in all, and left [things] in it, while [cause]. A [helper] was blamed.",
        "While [cause], [A] swaps [sum] in [B]'s chest for [things]; a [helper] gets blamed.",
    ),
    "theft.2": (
        "[A] sold the timber of [B] to a [helper] [spot], as if it were nobody's. When it came out, on a [day], [A] merely said that [cause].",
        "Timber of [B] is sold [spot] to a [helper] by [A], whose excuse, one [day], runs: [cause].",
    ),
    "journey.0": (
        "[A] and [B] travelled for weeks to ask a [helper] for [sum], slept [spot], and came back with [things] instead, for [cause].",
        "Travelling to borrow [sum] from a [helper], [A] plus [B] sleep [spot] and return with [things], for [cause].",
    ),
    "journey.1": (
        "On a [day], [A] and [B] were robbed of [sum] [spot], and a [helper] took them home on a cart.",
        "Robbers [spot] take [sum] from [A] and [B] on a [day]; a [helper] carts them home.",
    ),
    "journey.2": (
        "[A] took [B] along to fetch [things] from abroad. They were stuck [spot] because [cause], and lived on the charity of a [helper].",
        "Fetching [things] abroad, [A], with [B], sticks [spot] because [cause]; a [helper] feeds them.",
    ),
    "illness.0": (
        "[A] fell ill [spot] one [day], and [B] sold [things] to a [helper] so that a doctor could come.",
        "Illness strikes [A] [spot] that [day]; [B] pawns [things] with a [helper] for doctor's fees.",
    ),
    "illness.1": (
        "[A] was struck on the head by [things] and for a month repeated only that [cause]. [B] and a [helper] did the nursing, and it took [sum].",
        "Struck by [things], [A] repeats for a month that [cause]; nursing by [B] and a [helper] costs [sum].",
    ),
    "illness.2": (
        "[A] lay in quarantine [spot], since [cause], and [B] came every day with [things] until a [helper] opened the door.",
        "Since [cause], [A] lies quarantined [spot]; [B] brings [things] daily till a [helper] opens.",
    ),
    "wager.0": (
        "[A] bet [B] [sum] that the roof would be on before a certain [day]. [A] won, though [cause], and a [helper] had to eat the hat.",
        "[sum] say no roof stands before some [day]: [A] beats [B], though [cause]; a [helper] eats the hat.",
    ),
    "wager.1": (
        "[A] staked [things] against [B] on a race [spot], lost them to a [helper] who joined in, and laughed: [cause].",
        "Racing [B] [spot], [A] loses [things] staked to a [helper], since [cause].",
    ),
    "wager.2": (
        "[A] and [B] tried who could collect more for the [work] by one [day]: both had [sum], the one from a [helper], the other for [things].",
        "Collecting until one [day], [A] draws level with [B] at [sum], thanks to a [helper] and [things].",
    ),
    "prison.0": (
        "They came for [A] on a [day], on a charge that [B] had made up about [things]. The cell was [spot].",
        "Accused by [B] over [things], [A] is jailed one [day] [spot].",
    ),
    "prison.1": (
        "[A] had to flee from the men of [B], led by a [helper], and hid [spot] for weeks, with [things] for a pillow.",
        "Chased by [B]'s gang under a [helper], [A] hides for weeks [spot], [things] for pillow.",
    ),
    "prison.2": (
        "The council, with [B] in the chair, banished [A] on a [day] because [cause]. A [helper] shut the gate and wept.",
        "Because [cause], [B]'s council banishes [A] one [day]; a [helper] weeps at shutting gates.",
    ),
    "rescue.0": (
        "[A] and [C] showed the proof, [things], from door to door. A crowd gathered [spot] behind a [helper], and [B] was free.",
        "Shown [things] by [A] and [C], crowds led by a [helper] gather [spot] until [B] walks free.",
    ),
    "rescue.1": (
        "[A] rode to the governor through [sum] worth of tolls, and [C] held the road [spot]. The pardon for [B] came on a [day], carried by a [helper].",
        "Governor's pardon for [B], begged by [A] at [sum] in tolls while [C] holds out [spot], comes one [day] with a [helper].",
    ),
    "rescue.2": (
        "[A] raised [sum] on [things], and [C] deceived a [helper], for [cause]. On the third day [B] came back.",
        "[B] returns after [A] raises [sum] on [things] and [C] deceives a [helper], for [cause].",
    ),
    "reckoning.0": (
        "In court one [day], [A] put one question to [B]: whose were the [things] [spot]? A [helper] gasped, and the case was over.",
        "One question from [A] in court that [day], whose [things] lay [spot], makes a [helper] gasp and finishes [B].",
    ),
    "reckoning.1": (
        "[B] had armed men waiting [spot], and [A] walked through them alone, holding up [things]. A [helper] laid down the first gun, and after that [B] owned no more than [sum].",
        "Holding [things], [A] walks alone past guns [spot]; a [helper] disarms first, leaving [B] with [sum].",
    ),
    "reckoning.2": (
        "When the river rose on a [day], [A] went out in a trough with a [helper] and found [B] clinging [spot] to [things]. They came back as if there had been no quarrel.",
        "Flood: in a trough, [A] and a [helper] rescue [B], clinging [spot] to [things] that [day]; their quarrel ends.",
    ),
    "repentance.0": (
        "[A] knelt [spot] for a day and a night with [things] in both arms. [B] sent a [helper] out with soup, and in the end came too, and forgave everything.",
        "Kneeling [spot] holding [things], [A] gets soup from a [helper], then pardon from [B].",
    ),
    "repentance.1": (
        "On a [day], [A] confessed the betrayal before the congregation and a [helper]: it was done because [cause]. [B] made room on the bench.",
        "Betrayal, says [A] publicly on a [day] before a [helper], happened because [cause]; [B] makes room.",
    ),
    "repentance.2": (
        "[A] left the town for ever, and left behind for [B] [sum], [things] and one line: that [cause].",
        "Leaving forever, ashamed, [A] bequeaths [B] [sum], [things], one line: [cause].",
    ),
    "ending.0": (
        "[A] and [B] were married in the [work] on a [day], by a [helper], under a canvas, with [things] for an altar. The work was declared complete.",
        "Wedding bells one [day]: a [helper] marries [A] to [B] over [things] inside their completed [work].",
    ),
    "ending.1": (
        "[A] said yes when the last [sum] of debt were cleared, [spot]. [B] had to sit down on [things], and the [work] was opened by a [helper].",
        "Debts cleared by a last [sum], [A] says yes [spot]; [B] drops onto [things]; a [helper] opens the [work].",
    ),
    "ending.2": (
        "[A] let [B] go abroad alone one [day], with [things] and [sum], and stayed with a [helper] to look after the finished [work]. On most days it was enough.",
        "[B] departs alone one [day] with [things] and [sum], while [A], content, minds the finished [work] together with a [helper].",
    ),
}  # fmt: skip
