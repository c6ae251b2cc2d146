"""What people say and write in the English narrator's books: opinions, which are never evidence."""

TALK = {
    "line_s": """
        "^[saying]," [said] [a] [tone].
        "^[remark]," [said] [b]. "^[saying]."
        "^[asking]?" [asked] [a], and {put aside|held up|pointed at} [it].
        [a] [said]: "^[remark]; but [remark]."
        "^[remark]," [said] [a], [spot]. "^[saying]."
        "^[remark], {and|but|and yet} [remark]," [said] [b] [adverb].
        "^[asking]?" – "^[reply]," [said] [b] [tone].
        [b] {shrugged|smiled|hesitated|coughed|nodded} [tone_brief]. "^[saying]."
        "{No|Yes|Well|Perhaps|Certainly|Nonsense|Listen|Ah}," [said] [a]; "[saying]."
        "^[remark]," [said] [b], who {smelled of|had brought a smell of} [smell] and [smell].
        "^[remark]?" {repeated|echoed} [b]. "^[remark]."
        "^[asking]?" – "^[reply]," [said] [b]. "^[saying]."
        "{My dear [b]|[b]|Believe me, [b]}," [said] [a], "[saying]."
        {at first|for a while} [b] {said nothing and studied|only turned round|silently moved} [it]. "^[remark]," [a] {went on|added} [adverb].
        "^[remark]," [said] [a]; and [b], {after a pause|[adverb]|with a shrug}: "^[remark]."
        {softly|without turning round|in the voice of a [worker]}, [b] [said]: "^[remark]."
        """,
    "said_s": """
        "^[saying]," [said] [a] [tone], to nobody in particular.
        "^[asking]?" [a] {asked|said to} the [worker]. "^[saying]."
        "^[remark]," [a] had {heard|read} {once|somewhere}; and: "^[remark]."
        "^[remark]," the [worker] [said], and [a] {nodded|disagreed|pretended not to hear}.
        [a] {shrugged|smiled|hesitated|coughed|nodded} [tone_brief]. "^[remark]," [he] {told|assured} the [worker].
        """,
    "tone_brief": "[adverb]|without looking up|with a sigh|twice|out of [motive]|in the direction of [it]",
    "saying": "[remark]|[remark]|[remark]|[order]",
    "order": """
        {keep|hide|burn|hold on to} that [motif]{| and forget the [worker]| until I come back}
        {ask|do not ask|wait for|stay away from} the [worker]{| and my [relative]| until it is over}
        {leave|forget|do not mention} [topic]{| to the [worker]|, and have some [dish_short]| while my [relative] is in the house}
        {give|sell|lend|return} the [worker] that [motif] {before winter|and be done with it|when nobody is looking}
        """,
    "reply": """
        I forget|ask the [worker]|who knows|that is a long story|why do you want to know|you had better ask my [relative]
        not that I remember|must we speak of that now|it depends on the weather|I have {sometimes|often} {wondered|asked myself}
        the [worker] {asked me that|put the same question} {last week|on market day|in church}|there is no answer to that
        {last year|once|in [town]} I should have known|you are the {first|second|third} to ask
        """,
    "asked": "asked|inquired|demanded",
    "remark": """
        [abstract] {never|always|seldom} {frightened|helped|ruined} my [relative]
        a [worker] {knows|needs|sees} more than a [worker]
        I would not {trade|give up|lend} {my|this|that} [adj] [thing] for [abstract]
        you {talk|walk|think|cook} like the [worker]
        my [relative] {died of|suffered from|got rich by|was famous for} {too much|too little} [virtue]
        {nobody|no [worker]|not even my [relative]} {can live on|gets rich by|grows old with} [virtue]
        there is {a [adj] [thing]|a [animal]} {in|behind|under} every {story|family|kitchen}
        [virtue] is {a [adj] [thing]|[abstract] in disguise|what is left of [virtue]}
        I {dreamed of|was thinking of|have heard about} [topic] {again|all night|this morning}
        {next year|tomorrow|one day} I {shall|will} {move to a house [far]|become a [worker]|mend that [motif]|give up [drink]}
        the [worker] {lies|snores|sings|drinks} {as well as|like|more than} my [relative]
        one {forgives|forgets|learns} {everything|nothing|much} {[far]|with time|among [worker_s]}
        {your|the|this} [thing] is {too {good|heavy|small|new} for a [worker]|{older|uglier|no better} than mine|worth keeping}
        it {smells|smelled} of [smell] {here|in this house|wherever you go}
        a [adj] [thing] and [dish] are {enough|all I ask|better than [virtue]}
        I {never could stand|am fond of|grew up with} [dish]
        people {here|of our sort|with money} {call [virtue] {a weakness|a luxury|a disease}|mistake [virtue] for [virtue]}
        the {roads|winters|people} are {better|worse|stranger} [far], {they say|says my [relative]|like [abstract]}
        {if|whenever} a [worker] {speaks|dreams} of [virtue], I {count my spoons|think of [abstract]|listen}
        it takes a [worker] to {understand|mend|break} a [adj] [thing]
        I have {had|seen|tasted} {better {inns|dinners|sermons|funerals|winters} [far]|worse than [abstract]|enough of [virtue]}
        they {serve|give you|invented} [dish_short] {and call it [virtue]|with every [thing]|[far]}
        the trouble with [virtue] is {that it {rusts|needs company|comes late}|the [feeling] that follows}
        {God|the devil} {made|invented} {the [animal]|the [worker]|[worker_s]} {on a Monday|in a hurry|as a warning|for our [virtue]}
        every [thing] {has|finds} its [worker] {in the end|sooner or later|one day}
        """,
    "asking": """
        what would your [relative] have {said|done|thought} about [topic]
        have you {ever seen|lost|still got} {a [adj] [thing]|that [motif]}
        is it [virtue] or {only|just} [feeling]
        who {taught you to {mend|paint|carry} a [adj] [thing]|told you that story about the [worker] and [topic]}
        do you {still|often|never} think of {the [worker]|your [relative]|those years} [far]
        why does {that|the|your} [beast] {look|smell} like a [worker]
        can {one|anybody|a [worker]} {live|be happy|grow old} without [virtue] {or|and} [virtue]
        where {has that [motif] gone|did you find that [motif]}
        """,
    "worker_s": "fishwives|shepherds|nuns|lawyers|sailors|relations|pedlars|creditors|poets|bakers",
    "letter_body": """
        "^[letter_s] ^[letter_s]"
        "^[letter_s] ^[letter_s] ^[letter_s]"
        "^[letter_s] ^[letter_s] ^[letter_s] ^[letter_s]"
        """,
    "letter_s": """
        I {write|am writing} [spot], by the light of a [adj] [thing], and {think|thought} of [abstract].
        My [relative] {sends|has sent} you a [adj] [thing] and {asks|begs} you to {forget|forgive} [abstract].
        You would {laugh|weep|not believe it}: the [worker] {has married|quarrels daily with|preaches to} a [worker].
        We have had nothing but [dish] and [sound] since the [worker] came.
        Of {my [feeling]|[virtue]|[abstract]} I will say {nothing|little}, for [remark].
        [remark_up]; that is all the news [far].
        Do not {worry about|mention|look for} the [thing]; it was [adj] {anyway|from the first}.
        I {remain|was never} your {patient|obstinate|grateful|faithful} {friend|cousin|pupil}, though [remark].
        """,
    "remark_up": "[remark]|[abstract] {is cheap|is dear|is forgotten}",
    "letter_lead": """
        the letter to [a] was {short|blotted|folded small|seven pages long} and {smelled|still smelled} of [smell]:
        [a] {unfolded|smoothed|opened} the letter, in which a [worker] {wrote|had written} [manner]:
        from [far_word] came a letter from [a]'s [relative], {wrapped round|in} a [adj] [thing]:
        [a] {read|spelled out|read aloud} what [his] [relative] had {scribbled|written} {on [material]|in pencil|in haste}, [spot]:
        """,
    "far_word": "the hills|the capital|the coast|abroad|the islands|the valley",
    "quarrel_s": """
        they {quarrelled|argued|fell out} about [topic], {then|and then} about [it]
        [a] {called|named} [b] {a coward|a miser|worse than a [worker]}, and {regretted it|meant it|laughed}
        [b] {struck|kicked|threw down|pushed away} [it] and {spoke|began to speak} of [topic]
        {anger|[feeling]|old [feeling]} {made|turned} [a]'s voice {thin|loud|almost gentle}, {like that of|as if [he] were} a [worker]
        it {began|had begun} with [it] and {ended|would end} with [topic], as the [worker] {said|knew}
        [b] {would not hear of|laughed at|made a speech about} [topic], {and|so that} [a] {turned away|grew pale|counted to ten}
        """,
    "together_s": """
        [a] and [b] {sat|stood|walked|waited} [spot] and {spoke of|said nothing of|laughed at} [topic]
        [b], {a [adj] [thing] in hand|[manner]}, {listened to|looked at|kept silent with} [a] for {a while|some time|as long as it took}
        between [a] and [b] {lay|stood} [it], {and|with} {much|a little} [feeling]
        [a] {liked|respected|teased|never understood} [b], {for|if only for} the [virtue] of a [worker]
        [b] {had come|came by|stayed} with [dish] and {news of|a story about} a [worker] [far]
        [b] {asked for|borrowed|returned} [it], and [a] {found|needed|invented} a reason {to refuse|to laugh|to go on talking}
        {for the sake of|out of|instead of} [virtue] [a] {let|made} [b] {win the argument|carry [it]|finish the [drink]}
        """,
}
