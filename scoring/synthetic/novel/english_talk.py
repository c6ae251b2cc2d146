"""What people say and write in the English narrator's books: opinions, which are never evidence."""

TALK = {
    "line_s": """
        "^[remark]," [said] [a] [manner].
        "^[remark]," [said] [b]. "^[remark]."
        "^[asking]?" [asked] [a], and {put aside|held up|pointed at} the [adj] [thing].
        [a] [said]: "^[remark]; [remark]."
        "^[remark]," [said] [a], [spot]. "^[remark]."
        "^[remark] {because|now that|although} [remark]," [said] [b] [adverb].
        "^[asking]?" – "^[remark]," [said] [b] [manner].
        [b] {shrugged|smiled|hesitated|coughed|nodded} [manner]. "^[remark]."
        "{No|Yes|Well|Perhaps|Certainly|Nonsense|Listen|Ah}," [said] [a]; "[remark]."
        "^[remark]," [said] [b], who {smelled of|had brought a smell of} [smell] and [smell].
        "^[remark]?" {repeated|echoed} [b]. "^[remark]."
        "^[asking]?" – "{Never|Always|Only on Sundays|Ask the [worker]|I forget}," [said] [b]. "^[remark]."
        "{My dear [b]|[b]|Believe me, [b]}," [said] [a], "[remark]."
        {at first|for a while} [b] {said nothing and studied|only turned round|silently moved} the [adj] [thing]. "^[remark]," [a] {went on|added} [adverb].
        "^[remark]," [said] [a]; and [b], {after a pause|[adverb]|with a shrug}: "^[remark]."
        {softly|without turning round|in the voice of a [worker]}, [b] [said]: "^[remark]."
        """,
    "said_s": """
        "^[remark]," [said] [a] [manner], to nobody in particular.
        "^[asking]?" [a] {asked|said to} the [worker]. "^[remark]."
        "^[remark]," [a] had {heard|read} {once|somewhere}; and: "^[remark]."
        "^[remark]," the [worker] [said], and [a] {nodded|disagreed|pretended not to hear}.
        [a] {shrugged|smiled|hesitated|coughed|nodded} [manner]. "^[remark]," [he] {told|assured} the [worker].
        """,
    "asked": "asked|inquired|demanded",
    "remark": """
        [abstract] {never|always|seldom} {frightened|helped|ruined} my [kin]
        a [worker] {knows|needs|sees} more than a [worker]
        I would not {trade|give up|lend} {my|this|that} [adj] [thing] for [abstract]
        you {talk|walk|think|cook} like the [worker]
        my [kin] {died of|suffered from|got rich by|was famous for} {too much|too little} [virtue]
        {nobody|no [worker]|not even my [kin]} {can live on|gets rich by|grows old with} [virtue]
        there is {a [adj] [thing]|a [animal]} {in|behind|under} every {story|family|kitchen}
        [virtue] is {a [adj] [thing]|[abstract] in disguise|what is left of [virtue]}
        I {dreamed|was thinking|have often spoken} of [abstract] again
        {next year|tomorrow|one day} I {shall|will} {move to a house [far]|become a [worker]|mend that [adj] [thing]|give up [drink]}
        the [worker] {lies|snores|sings|drinks} {as well as|like|more than} my [kin]
        one {forgives|forgets|learns} {everything|nothing|more} {[far]|from [abstract]|among [worker_s]}
        {your|the|this} [thing] is {too {good|heavy|small|new} for a [worker]|{older|uglier|no better} than mine|worth keeping}
        it {smells|smelled} of [smell] {here|in this house|wherever you go}
        {keep|hide|burn|hold on to} the [adj] [thing]{| and forget the [worker]| until I come back}
        a [adj] [thing] and [dish] are {enough|all I ask|better than [virtue]}
        I {never could stand|am fond of|grew up with} [dish]
        people {here|of our sort|with money} {call [virtue] {a weakness|a luxury|a disease}|mistake [virtue] for [virtue]}
        the {roads|winters|people} are {better|worse|stranger} [far], {they say|says my [kin]|like [abstract]}
        {if|whenever} a [worker] {speaks|dreams} of [virtue], I {count my spoons|think of [abstract]|listen}
        it takes a [worker] to {understand|mend|break} a [adj] [thing]
        I have {had|seen|tasted} {better [bread]|worse than [abstract]|enough of [virtue]}
        they {serve|give you|invented} [dish_short] {and call it [virtue]|with every [thing]|[far]}
        the trouble with [virtue] is {that it {rusts|needs company|comes late}|the [feeling] that follows}
        {God|the law|my [kin]} {made|meant} {the [animal]|the [worker]|[abstract]} {on a Monday|in a hurry|as a warning}
        every [thing] {has|finds} its [worker] {in the end|sooner or later|one day}
        """,
    "asking": """
        what would your [kin] have {said|done|thought} about [abstract]
        have you {ever seen|lost|still got} {a|that} [adj] [thing]
        is it [virtue] or {only|just} [feeling]
        who {taught you to {mend|paint|carry} a [adj] [thing]|told you that story about the [worker] and [abstract]}
        do you {still|often|never} think of {the [worker]|that [adj] [thing]|your [kin]} [far]
        why does {that|the|your} [animal] {look|smell} like a [worker]
        can {one|anybody|a [worker]} {live|be happy|grow old} without [virtue] {or|and} [virtue]
        where {has the [adj] [thing] gone|did you find that [adj] [thing]}
        """,
    "worker_s": "fishwives|shepherds|nuns|lawyers|sailors|relations|pedlars|creditors|poets|bakers",
    "letter_body": """
        "^[letter_s] ^[letter_s]"
        "^[letter_s] ^[letter_s] ^[letter_s]"
        "^[letter_s] ^[letter_s] ^[letter_s] ^[letter_s]"
        """,
    "letter_s": """
        I {write|am writing} [spot], by the light of a [adj] [thing], and {think|thought} of [abstract].
        My [kin] {sends|has sent} you a [adj] [thing] and {asks|begs} you to {forget|forgive} [abstract].
        You would {laugh|weep|not believe it}: the [worker] {has married|quarrels daily with|preaches to} a [worker].
        We have had nothing but [dish] and [sound] since the [worker] came.
        Of {my [feeling]|[virtue]|[abstract]} I will say {nothing|little}, for [remark].
        [remark_up]; that is all the news [far].
        Do not {worry about|mention} the [thing]; it was [adj] {anyway|from the first}, and [remark].
        I {remain|was never} your {patient|obstinate|grateful|faithful} {friend|cousin|pupil}, though [remark].
        """,
    "remark_up": "[remark]|[abstract] {is cheap|is dear|is forgotten}",
    "letter_lead": """
        the letter was {short|blotted|folded small|seven pages long} and {smelled|still smelled} of [smell]:
        [a] {unfolded|smoothed|opened} the letter, in which a [worker] {wrote|had written} [manner]:
        from [far_word] came a letter from [his] [kin], {wrapped round|in} a [adj] [thing]:
        [a] {read|spelled out|read aloud} what [his] [kin] had {scribbled|written} {on [material]|in pencil|in haste}, [spot]:
        """,
    "far_word": "the hills|the capital|the coast|abroad|the islands|the valley",
    "quarrel_s": """
        they {quarrelled|argued|fell out} about [abstract], {then|and then} about a [adj] [thing]
        [a] {called|named} [b] {a coward|a miser|worse than a [worker]}, and {regretted it|meant it|laughed}
        [b] {struck|kicked|slammed|pushed away} the [adj] [thing] and {spoke|began to speak} of [abstract]
        {anger|[feeling]|old [feeling]} {made|turned} [his] voice {thin|loud|almost gentle}, {like that of|as if [he] were} a [worker]
        it {began|had begun} with [abstract] and {ended|would end} with [abstract], as the [worker] {said|knew}
        [b] {would not hear of|laughed at|made a speech about} [abstract], {and|so that} [a] {turned away|grew pale|counted to ten}
        """,
    "together_s": """
        [a] and [b] {sat|stood|walked|waited} [spot] and {spoke of|said nothing of|laughed at} [abstract]
        [b], {a [adj] [thing] in hand|[manner]}, {listened to|looked at|kept silent with} [a] for {a while|some time|as long as it took}
        {between|without} them {lay|there was} a [adj] [thing] and {much|a little} [feeling]
        [a] {liked|respected|teased|never understood} [b], {for|if only for} the [virtue] of a [worker]
        [b] {had come|came by|stayed} with [dish] and {news of|a story about} a [worker] [far]
        [b] {asked for|borrowed|returned} the [adj] [thing], and [a] {found|told|invented} a reason {to refuse|to laugh|to go on talking}
        {for the sake of|out of|instead of} [virtue] [a] {let|made} [b] {win the argument|carry the [adj] [thing]|finish the [drink]}
        """,
}
