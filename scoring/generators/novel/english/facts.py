"""The sentences of the English narrator that state facts, each in one of a few constructions.

``A`` and ``B`` are full names, so that each sentence can be understood by itself. The content of
``[ware]``, ``[price]``, ``[P]``, ``[outfit]``, ``[treasure]``, ``[secret]``, ``[night]``,
``[calamity]`` and ``[petition]`` comes from the event.
"""

FACTS = {
    "Paid": """
        at [P] [A] paid [B] [price] for [ware][aside]
        [A] bought [ware] from [B] for [price] at [P][aside]
        at [P] [B] sold [A] [ware] for [price][aside]
        for [price] [A] bought [ware] from [B] at [P][aside]
        """,
    "Went": """
        [A] went to [P] [errand].
        [A] paid a visit to [P] [errand].
        [errand_first], [A] went to [P].
        [A] came to [P] [errand].
        """,
    "Met": """
        at [P] [A], wearing [outfit], met [B][aside]
        [A] wore [outfit] when [he] met [B] at [P][aside]
        [B] met [A], who was wearing [outfit], at [P][aside]
        [A] and [B] met at [P]; [A] was wearing [outfit].
        """,
    "Gave": """
        [A] gave the [treasure] to [B][aside]
        [A] handed [B] the [treasure][aside]
        the [treasure] passed from [A] to [B][aside]
        [B] received the [treasure] from [A][aside]
        """,
    "Passed": """
        [A] passed on to [B] what [C] had given [him][aside]
        [A] gave [B] what [he] had got from [C][aside]
        what [A] had got from [C] went to [B][aside]
        [B] received from [A] what [C] had given [A][aside]
        """,
    "Told": """
        [aside_first] [A] told [B] that [secret].
        [A] let [B] know that [secret].
        [B] learned from [A] that [secret].
        it was from [A] that [B] heard that [secret].
        """,
    "Stayed": """
        [A] had spent the night of the [night] at [P][aside]
        on the night of the [night] [A] had slept at [P][aside]
        the night of the [night] had found [A] at [P][aside]
        """,
    "Happened": """
        on the night of the [night] the [calamity].
        the [calamity] on the night of the [night].
        it was on the night of the [night] that the [calamity].
        """,
    "Signed": """
        [A] signed the petition for the [petition][aside]
        [aside_first] [A] put [his] name to the petition for the [petition].
        the petition for the [petition] was signed by [A][aside]
        """,
    "aside": """
        , to the [feeling] of the [worker]|, which the [worker] saw|, and said no more about it
        , not without [feeling]|, and the [worker] was witness to it|, to the sound of [sound]
        , while the [worker] looked on|, though the [worker] had advised against it
        , after much talk of [abstract]|, more out of [motive] than out of [motive]|.|.
        """,
    "aside_first": "[adverb],|after some talk of [abstract],|to the [feeling] of the [worker],|not without [feeling],",
    "errand_first": "wishing {to [wish]}|hoping {to [wish]}|in order {to [wish]}",
    "wish": """
        see a [adj] [thing]|hear the [worker] sing|return a [adj] [thing]|be alone with [feeling]
        ask the [worker] about [abstract]|draw the [worker]'s [pet]|look at a [adj] [thing]|get rid of a [adj] [thing]
        """,
}

UNREAL = {
    "MeantPaid": """
        [A] meant to buy [ware] from [B] for [price] at [P], but [excuse].
        [A] would have bought [ware] from [B] for [price], but [excuse].
        at [P] [B] offered [A] [ware] for [price], but [A] would not have it[aside]
        """,
    "MeantWent": """
        [A] meant to go to [P] [errand], but [excuse].
        [A] set out for [P] [errand], but turned back because [excuse].
        [A] would have gone to [P], but [excuse].
        [A] was seen near [P], but did not go in[aside]
        [A] spoke of [P] all evening, but stayed away from it[aside]
        [A] sent the [worker] to [P] [errand], and stayed at home.
        """,
    "MeantGave": """
        [A] meant to give the [treasure] to [B], but kept it after all.
        [A] offered the [treasure] to [B], who would not take it[aside]
        [A] would have given the [treasure] to [B], but [excuse], and so kept it.
        """,
    "MeantPassed": """
        [A] meant to pass on to [B] what [C] had given [him], but kept it after all.
        [A] offered [B] what [he] had got from [C], but [B] would not take it[aside]
        [A] would have given [B] what [he] had got from [C], but [excuse], and so kept it.
        """,
    "MeantSigned": """
        [A] meant to sign the petition for the [petition], but [excuse].
        [A] would have signed the petition for the [petition], but [excuse].
        [A] refused to sign the petition for the [petition][aside]
        """,
    "DeniedPaid": "[rumour] [A] had bought [ware] from [B] for [price], but [denial].",
    "DeniedWent": """
        [rumour] [A] had gone to [P] [errand], but [denial].
        a cousin of [A], and not [A], had gone to [P] [errand].
        it was a namesake of [A] who had gone to [P] [errand], as it turned out.
        """,
    "DeniedTold": "[rumour] [A] had told [B] that [secret], but [denial].",
    "DeniedStayed": """
        [rumour] [A] had spent the night of the [night] at [P], but [denial].
        [rumour] on the night of the [night] [A] had slept at [P], but [denial].
        [rumour] the night of the [night] had found [A] at [P], but [denial].
        """,
    "rumour": """
        it was said that|a rumour had it that|the [worker] told everybody that|people said [spot] that
        for a day or two it was believed that|a [worker] swore that|there was talk that
        """,
    "denial": """
        there was not a word of truth in it|this turned out to be false|the [worker] soon proved it false
        it had never happened|[A] could prove the contrary|the story was made up from end to end
        the [worker] had invented it out of [feeling]|this was denied the same evening, and rightly
        """,
}
