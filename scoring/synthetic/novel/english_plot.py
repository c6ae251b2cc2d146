"""The main plot in English: each beat as it is told, and as a summary puts it.

``A``, ``B`` and ``C`` are the people of the beat. Nothing here is asked about but by En.Sum.
"""

BEATS: dict[str, tuple[str, str]] = {
    "arrival.0": (
        "[A] stepped down from the night coach in [town] with one bag and a letter from a lawyer. Nobody was waiting, and the inn had been closed since the flood.",
        "[A] arrives in [town] by the night coach, a stranger with one bag and a letter from a lawyer.",
    ),
    "arrival.1": (
        "The storm put [A] ashore in [town], the only passenger of a wreck who had kept both shoes. By daylight the whole town had looked in at the window.",
        "[A] is shipwrecked near [town], survives alone, and is taken in by the townspeople.",
    ),
    "arrival.2": (
        "After eleven years abroad [A] walked back into [town] over the causeway, and the first three people on the road did not know who it was.",
        "After eleven years abroad, [A] returns to [town], where hardly anybody remembers the old family.",
    ),
    "bequest.0": (
        "[B], who had no children, made [A] the heir of the old theatre: the key, the debts and the leaking dome together. The notary read the paper twice, because nobody believed it.",
        "[B], who is old and childless, leaves [A] the ruined theatre of the town together with all its debts.",
    ),
    "bequest.1": (
        "[B] showed [A] the plans for a canal that would save the town, and asked for a promise that it would be dug. [A] gave the promise without knowing what it would cost.",
        "[B] makes [A] promise to dig the canal that is meant to save the town.",
    ),
    "bequest.2": (
        "On the last page of the parish chronicle [B] had hidden the deed to the common land, and told nobody of it but [A].",
        "[B] entrusts to [A] the hidden deed which proves that the common land belongs to the people of the town.",
    ),
    "opposition.0": (
        "[B] learned in church what was going on. [A], who owned half the houses of the town already, decided on the way home that it should not succeed.",
        "[A], the richest landlord of the town, resolves to ruin the plan and begins to work against [B].",
    ),
    "opposition.1": (
        "[A] had been chairman of the council for so long that the chair had taken the shape of the man before. It took one nod from [A] to have every licence of [B] refused.",
        "[A], who rules the council, has every licence that [B] needs refused.",
    ),
    "opposition.2": (
        "[A] brought a lawsuit against [B] before a judge who dined at the same table every Sunday.",
        "[A] brings a lawsuit against [B] before a judge who is a friend of the house.",
    ),
    "friendship.0": (
        "It was [B] who sat down beside [A] on the worst evening, unasked, and began to do the sums. From that hour the two shared everything but their opinions.",
        "[B] offers help without being asked, and becomes the closest friend and partner of [A].",
    ),
    "friendship.1": (
        "[A] pulled [B] out of the mill race, and [B], who disliked being grateful, stayed on to work the debt off and never left again.",
        "[A] saves [B] from drowning, and [B] joins the enterprise and stays.",
    ),
    "friendship.2": (
        "[A] and [B] had quarrelled every day for a month before they noticed that each of them looked forward to it.",
        "After a month of quarrels, [A] and [B] discover that they have become friends.",
    ),
    "failure.0": (
        "The first attempt failed before the whole town. The scaffolding came down at noon, and [B] had taken care that everybody who mattered was there to see [A] stand in the dust.",
        "The first attempt of [A] fails in public, because [B] has had the scaffolding loosened.",
    ),
    "failure.1": (
        "The workmen laid down their tools on the same morning. [B] had promised each of them double wages for doing nothing, and [A] stood alone in the mud with a spade.",
        "[B] bribes the workmen to stop, and [A] is left alone with the half-finished work.",
    ),
    "failure.2": (
        "A fire ate the stores of a whole winter in two hours. [A] knew whose servant had been seen with the tar, and could not prove it against [B].",
        "A fire destroys the stores; [A] suspects [B] but can prove nothing.",
    ),
    "courtship.0": (
        "[A] had rehearsed the speech for a week and then forgot all of it, and merely said to [B]: \"I should like to be where you are.\" [B] asked for time, and was given it.",
        "[A] falls in love with [B] and proposes; [B] asks for time.",
    ),
    "courtship.1": (
        "[A] copied out four hundred pages of accounts in a fair hand, and on the last of them, among the farthings, stood a declaration of love. [B] found it only by the wrong total.",
        "[A] declares love to [B] on the last page of the accounts, and [B] does not answer at once.",
    ),
    "courtship.2": (
        "All winter [A] mended the roof over the head of [B] and spoke of nothing but slates. In the end it was [B] who had to bring up the subject, and then refused, out of fear of debts.",
        "[A] silently courts [B], who loves in return but refuses to marry while there are debts.",
    ),
    "treason.0": (
        "[A], who had eaten at their table for a year, copied the plans by night and carried them to [C]. [B] found the candle grease on the paper, and did not want to understand.",
        "[A], a trusted companion of [B], betrays the plans to [C].",
    ),
    "treason.1": (
        "[C] held the gambling debts of [A] in a drawer. It was enough to open the drawer a little, and [A] swore in court to things that [B] had never said.",
        "Blackmailed by [C] over gambling debts, [A] gives false evidence against [B].",
    ),
    "treason.2": (
        "[A] was tired of being the third in everything. One letter to [C], not even signed, was enough to undo what [B] had built in two years.",
        "Out of jealousy, [A] writes to [C] a letter that undoes the work of [B].",
    ),
    "loss.0": (
        "[A] died on a Tuesday, in the middle of a sentence about drains. [B] held the cold hand until morning and finished the sentence at the grave.",
        "[A] dies, and [B] vows at the grave to finish the work.",
    ),
    "loss.1": (
        "The fever took the memory of [A], who from then on called [B] by the name of a sister long dead, and was happy.",
        "[A] falls ill with a fever and no longer recognises [B].",
    ),
    "loss.2": (
        "[A] was driven out of the house of forty years by bailiffs, and would not look back. [B] carried the clock, which went on striking in the cart.",
        "[A] is evicted after forty years, and [B] is powerless to prevent it.",
    ),
    "discovery.0": (
        "It was [A] who noticed that the seal on the contract was younger than the date. [B] held it to the window, and for the first time in months laughed aloud.",
        "[A] discovers that the contract on which the enemy relies is a forgery, and shows it to [B].",
    ),
    "discovery.1": (
        "Behind the organ pipes [A] found the missing ledger, wrapped in a surplice. [B] read until the candle drowned: every stolen sum was there, with its day.",
        "[A] finds the missing ledger behind the organ, and with it [B] can prove the thefts.",
    ),
    "discovery.2": (
        "A dying servant asked for [A] and would speak to nobody else. What was said filled nine pages, and [B] locked them away without a word.",
        "A dying servant confesses everything to [A], who brings the written confession to [B].",
    ),
    "prison.0": (
        "They came for [A] before breakfast, on a charge that [B] had written out at leisure. The cell had a view of the work, which stood still.",
        "On a charge invented by [B], [A] is arrested and put in prison.",
    ),
    "prison.1": (
        "[A] had to flee through the drying sheds while the hired men of [B] broke down the door, and lived for five weeks in a charcoal burner's hut.",
        "Hunted by the hired men of [B], [A] flees and hides in the forest for five weeks.",
    ),
    "prison.2": (
        "The council, with [B] in the chair, banished [A] from the town for a year and a day. The gate was shut by a man who wept.",
        "The council, led by [B], banishes [A] from the town.",
    ),
    "rescue.0": (
        "[A] and [C] went from door to door with the proof in a bread basket. By evening the square was full, and those who held [B] down had to let go.",
        "[A] and [C] rouse the town with the proof, and [B] is free again.",
    ),
    "rescue.1": (
        "[A] rode two nights to the governor, and [C] kept the road open behind with nothing but a lantern and a loud voice. The pardon for [B] was still wet when it came.",
        "[A] rides to the governor, helped by [C], and obtains a pardon for [B].",
    ),
    "rescue.2": (
        "[A] stood surety with everything that was left, and [C] sold the horses. On the third day [B] came back by the front gate.",
        "[A] and [C] give up all they own to bring [B] back.",
    ),
    "reckoning.0": (
        "In the crowded court [A] put one question to [B], and then waited. The silence lasted so long that the clerk wrote it down.",
        "In court [A] exposes [B] with a single question, and the judgment is reversed.",
    ),
    "reckoning.1": (
        "[B] had the bridge barred, and [A] walked across it alone, and nobody who had been paid to shoot could do it. After that [B] owned nothing but the houses.",
        "[A] faces the armed men of [B] alone on the bridge; they give way, and the power of [B] is broken.",
    ),
    "reckoning.2": (
        "When the river rose, it was [A] who went out to the roof where [B] was clinging, and neither of them spoke on the way back.",
        "In the great flood [A] saves the life of [B], who gives up the struggle.",
    ),
    "repentance.0": (
        "[A] stood at the gate in the rain for a day and a night. On the second morning [B] sent out a bowl of soup, and later a chair, and in the end came too.",
        "[A] repents of the betrayal and is forgiven by [B].",
    ),
    "repentance.1": (
        "[A] confessed it all before the congregation, with a voice that carried badly. [B], in the last row, got up and made room on the bench.",
        "[A] confesses the betrayal in public, and [B] makes peace.",
    ),
    "repentance.2": (
        "[A] left the town by the early boat, and left behind for [B] a letter of one line and all the savings of a year.",
        "[A] goes away for ever in shame, leaving [B] a letter and a year's savings.",
    ),
    "ending.0": (
        "[A] and [B] were married in the half-finished building, under a canvas that the wind wanted. When the band began, the work was declared complete.",
        "[A] and [B] marry, and the work is completed at last.",
    ),
    "ending.1": (
        "[A] said yes on the day when the last debt was paid, as promised long ago, and [B], who had stopped counting, had to sit down.",
        "With the last debt paid, [A] accepts [B], and the town prospers.",
    ),
    "ending.2": (
        "[A] let [B] go abroad alone, and stayed. From the top window one could see the finished work, and the road, and on most days it was enough.",
        "[A] lets [B] go abroad alone and stays in the town, content with the finished work.",
    ),
}  # fmt: skip
