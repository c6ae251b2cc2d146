"""Sentences of the English narrator that no question is about.

``A`` and ``B`` are the two people of a scene by their full names, ``a`` and ``b`` by their given
names; ``s`` is ``a`` where it is the subject and may become a pronoun; ``he``, ``him``, ``his`` and
``self`` stand for the first of them. Constant throughout a passage are ``it``, the thing that matters
(``motif`` without its article), the ``beast`` that is present, and the ``topic`` of the talk.
"""

OUTSIDE = {
    "weather": """
        [wind] {drove|pushed|blew|chased} [sky] {over|across|past} the {roofs|chimneys|fields|hills|water|meadows}
        [sky] {hung|lay|rested|gathered} {low|thick|motionless|in strips} over the {hills|estuary|gardens|ridge|harbour mouth}
        {a fine|a cold|a slanting|an obstinate|a warm|a sudden} {rain|drizzle|shower} {fell|came down|set in|drummed} on the {slates|thatch|cobbles|leaves|barges}
        the {light|damp|dusk|dew|silence} {lay|settled|spread} {on|over} the [plant] {like|as softly as|as evenly as} {dust|milk|flour|a blanket|varnish|ash}
        the air {smelled|tasted|was full} of [smell] and [smell]
        {somewhere|behind the houses|down the lane|across the water} there was the {noise|sound} of [sound]
        {over|beyond|above} the {roofs|mill pond|poplars|ditches|marsh} {a single|a late|an early|a lazy|some} [bird] {called|circled|went by|was calling}
        [wind] {rattled|tugged at|played with|leaned on} the {shutters|[plant]|washing|gates|signboards|ropes} {all day|for an hour|and went away again|without conviction}
        the {puddles|gutters|troughs|furrows|ponds} {shone|steamed|had frozen|were brimming|glittered} {between|beside|behind} the [plant] and the [plant]
        it had {rained|snowed somewhere|thundered|blown hard} {in the hills|all night|since dawn}, and the {river|road|yard} {smelled of [smell]|was under water|had turned to mud}
        not a {leaf|rope|curtain} moved {among the [plant]|in the lanes|along the quay}, and one {could hear|heard} [sound]
        {clouds like {wool|slate|lead|torn paper|wet plaster}|a {pale|white|watery} sun|a sky the colour of {pewter|slate|ashes|milk|copper}} hung {above|behind} the {poplars|roofs|ridge|chimneys} {and gave no warmth|like a bad omen|until evening|over the [worker] and the [worker]}
        the {[plant]|ditches|slates|lanes} {dripped|steamed|creaked|smelled of [smell]} after {the shower|the storm|a night of rain|days of drought}, and {the [worker]|everybody} {sneezed|rejoiced|slept badly|was glad of it}
        {far away|beyond the bend|under the bridge} the water {rushed|murmured|slapped} {against|between|past} the [thing_plural] like [sound_like]
        """,
    "sound_like": "applause|a crowd leaving church|paper being torn|an old man's breath|many small feet|silk",
    "bird": "crow|lark|blackbird|buzzard|curlew|lapwing|thrush|seagull|owl|goose|finch|swift|dove|starling",
    "wind": """
        a wind from {the north|the sea|the hills|the east}|a {light|raw|gusty|dry|salt|restless} wind|a breeze full of [smell]
        the {morning|evening|sea|night|river|hill} {wind|breeze|air}
        """,
    "sky": """
        {grey|torn|yellowish|heavy|white|ragged} clouds|{thin|thick|brown|drifting} smoke|{a bank of|a veil of|shreds of} {fog|mist|cloud}
        """,
    "spot_water": "on the bottom|among the stones|in the mud|under the bridge|between the roots",
    "wet": "the boots|the floor|the temper|the dreams|the kitchen",
    "worker_w": "coats|shawls|blankets|hats",
    "place_s": """
        {the windows|the walls|the doors|the beams|the floors} of [P] were {hung|covered|stained|spotted|bright} with [plant_or]
        [P] was {crowded|half empty|loud|quiet|cold|overheated}, and {smelled|reeked} of [smell] and [smell]
        from [P] one could see {the river|the hills|the road|three chimneys|the sea|a row of poplars} and {a little|much|nothing} of {the town|the sky|the fields}
        in {one corner|the middle|the shade|a side room} of [P] {stood|lay|hung|leaned} a [adj] [thing] and a [adj] [thing]
        people {called|thought|considered} [P] the {finest|draughtiest|saddest|busiest|oldest|luckiest} {spot|corner} in [town], {above all|except} for a [adj] [thing] by the door
        the {steps|yard|roof|back door|long side} of [P] {needed|had needed for years} {paint|mending|a good sweeping|new tiles}, {as|or so} the [worker] {said|complained}
        there was a [adj] [thing] {over|beside|behind} the door of [P], which {brought|was said to bring} {luck|rain|visitors|bad luck}
        """,
    "plant_or": "dried [plant]|[material] and dust|damp|cobwebs|old {bills|notices|prints}|soot|bunches of [plant]",
    "crowd_s": """
        the [worker] {argued|joked|gossiped|whispered} with the [worker] about [abstract]
        a [worker] with a [adj] [thing] {asked after|looked for|shouted for|pushed past} the [worker]
        {two|three|four|some} children had {tied|fastened|hung} a [adj] [thing] to the tail of {the|a} [pet]
        the [worker], who {hated|feared|loved|despised} [abstract], {went by|stood still|kept apart|laughed aloud}
        nobody {noticed|heard|thanked|minded} the [worker], {though|although} the [thing] {in the barrow|on the handcart|under one arm} was [adj] and must have been dear
        {some|a few} {carters|sailors|farm hands|apprentices} {tried|had tried} to {balance|mend|auction|lift} a [adj] [thing] {for a bet|out of boredom|for the [worker]}
        the [worker] {swore|maintained|declared} that [abstract] was {worse|better|rarer|more useful} than [abstract]
        a [adj] [animal] [animal_did], {and|while} the [worker] {laughed|cursed|clapped|paid no attention}
        for a {penny|farthing|glass of [drink]} the [worker] {sang|danced|told fortunes} {[spot]|for the [worker]|until dusk}
        there was {talk|a rumour|much laughter} {among the [worker_s]|at the pump} about a [worker] who had mistaken a [thing] for a [thing]
        {over|behind} [it] {a|the} [worker] {yawned|knitted|counted coins|told beads} {and waited for better days|[manner_all]}
        it was the [worker] who {found|dropped|painted} [it] [spot], and the [worker] who {was blamed|got the credit|had to laugh}
        the [worker] {owed|had promised} the [worker] a [adj] [thing] {and kept out of sight|since last winter|over [abstract]}
        {as always|as on every day|as usual} a [worker] {cried|praised|sold} [dish_short] {from a barrow|from a tray|out of a basket|at the corner|from door to door}
        """,
    "manner_brief": "in church|at the pump|with a sigh|every morning|once more|without much hope|before breakfast",
    "manner_all": "in silence|without looking up|against all advice|to no purpose|out of [feeling]",
    "dish_short": "[soup]|[pudding]|[side]|[cooked] [meat]|[bread]",
    "road_s": """
        the road {climbed|fell|wound|ran|crept} {between|past|along} the [plant], {and then|and afterwards} {through|by|over} {a ford|a wood|two bridges|a churchyard|the common}
        {at|after} the {second|third|next|last} milestone a [worker] {offered|refused|lent} them a [adj] [thing]
        the cart {was loaded with|carried|had lost} {[thing_plural]|sacks of [smell_load]|a [adj] [thing]|an old bed|two calves} and {smelled of [smell]|creaked|stuck in the ruts}
        they {passed|overtook|greeted} a [worker] who was {leading|carrying|chasing} a [adj] [animal]
        {ahead|behind them|on the left|far off} {lay|rose|shone} the {roofs|ponds|fires|towers} of a {village|farm|convent|camp} [far]
        the horse {stumbled over|shied at|stopped for} a [adj] [thing] {by|on|near} the {roadside|bridge|bank|ford}
        """,
    "smell_load": "onions|wool|barley|seed corn|salt|charcoal|turnips",
}

# What there is of a season only.
SEASONS = (
    {
        "season": """
            the {lambs|buds|ditches|catkins|primroses|swallows} {were|had been} {late|early|plentiful|the talk of the [worker]} that spring, {as|or so} the [worker] said [manner_brief]
            {snowmelt|mud|the first warmth|a green haze|the smell of [smell]} {filled|covered|softened} the {paths|orchards|banks|ruts} and [wet] of the [worker]
            {the [worker]|everybody|half the town|a [worker]} {aired|painted|mended|beat} {the mattresses|the shutters|the [thing_plural]|a [adj] [thing]} and {spoke|complained} of [abstract]
            {after|because of|in spite of} the long winter the [animal] {looked|seemed} {thin|younger|bewildered}, and so did the [worker]
            with the first {warm|dry|mild} wind the {[worker]|children|[animal]} {came out of doors|lost all [virtue]|stopped coughing}
            """,
        "plant": """
            nettles|young barley|ivy|wild garlic|elder|cow parsley|moss|rushes|wallflowers|hawthorn|dandelions|primroses
            cowslips|violets|catkins|yew|cuckoo flowers|willows|bluebells|plum trees|rhubarb|sorrel
            """,
    },
    {
        "season": """
            {the hay|the dust|the heat|the long light} {made|kept} {the horses|the children|everybody|the [worker]} {slow|quarrelsome|drowsy|thirsty}, even the [animal]
            the {bees|swifts|gnats|moths} {hummed|danced|hung|were everywhere} {over|among|about} the [plant] {and|or} the [plant]
            {nobody|only the [worker]|even the [animal]} {moved|worked|kept cool} in {the heat|the glare|such weather} without [drink]
            the {river|brook|mill pond|ditch} {had shrunk so far|had sunk so low|was so low} that {one could see|it showed|children found} {a [adj] [thing]|old [thing_plural]|a drowned [thing]} [spot_water]
            """,
        "plant": """
            nettles|hollyhocks|brambles|ivy|foxgloves|elder|sweet peas|thistles|marigolds|clover|lavender|bindweed|honeysuckle
            willow herb|runner beans|poppies|chicory|wild mint|vines|roses|larkspur|ox-eye daisies|meadowsweet|hops
            """,
    },
    {
        "season": """
            {leaves|apples|chestnuts|acorns|walnuts|plums} {lay|rotted|were heaped} {along|under|beside} the {walls|hedges|carts|[thing_plural]}, smelling of {rain|cellars|vinegar|mould|cider|wet earth} and [smell]
            the {harvest|threshing|cider pressing|ploughing} had {left|given} {the [worker]|everybody|half the town} {a cough|a thirst for [drink]|[feeling]|a taste for [abstract]}
            {smoke|mist|a smell of [smell]} from the {bonfires|fields|kilns} {reached|covered|confused} the [animal] and the [worker]
            bunches of {thyme|onions|lavender|maize|rosemary|hops|tansy} {were drying|hung} [spot] {beside|over|behind} a [adj] [thing]
            """,
        "plant": """
            brambles|ivy|thistles|rushes|crab apples|rosemary|bracken|yew|vines|cabbages|heather|asters|rose hips|sloes|rowans
            dahlias|sunflowers|hazels|old man's beard|pumpkins|toadstools|elderberries|teasels
            """,
    },
    {
        "season": """
            {ice|snow|rime|frost} {edged|covered|whitened|stiffened} the {ropes|pumps|thatch|twigs|[plant]} and a [adj] [thing] that the [worker] had left outside
            the {days|candles|tempers|firewood stacks} had grown {short|shorter|very short}, and the [worker] spoke of [abstract]
            {in such cold|for warmth|every evening} the [worker] {wore|slept under|sat on} {sacks of {straw|wool|feathers}|two [worker_w]|a heap of [worker_w]} and {drank|dreamed of|prayed for} [drink]
            the [pet] {had been brought indoors|slept by the stove|left its tracks in the yard}, and the [worker] {pitied|envied|followed} it
            """,
        "plant": """
            ivy|moss|holly|yew|mistletoe|bare hedges|dead bracken|frozen rushes|cabbages|leeks|bare willows|laurels|rosemary
            fir trees|naked elms|dry thistles|winter kale|brown heather|juniper|box hedges
            """,
    },
)

PEOPLE = {
    "act_s": """
        [s] {turned|wiped|lifted|examined|carried off|put down|hid|cleaned} [it] [manner]
        [spot] [s] {was mending|was painting|was oiling|was wrapping|had found|was sorting} a [adj] [thing], [manner]
        [s] {leaned|sat down|stood|waited|knelt} [spot] and {counted the [thing_plural]|studied the {[thing_plural]|[plant]}|watched the [beast]|thought about {[abstract]|the [worker]}|listened to [sound]}
        with a [adj] [thing] {in one hand|on the table|between the knees}, [a] {waited|hummed|dozed|worked on} until {the bell rang|the light failed|the [beast] stirred|somebody coughed}
        {twice|more than once|for the third time|again} [a] {looked|glanced} {up at the clouds|at [it]|towards the door|over at the [worker]} and {said nothing|sighed|smiled|shook [his] head}
        [s] {took off|buttoned|turned up|loosened} [his] collar and {set to work|sat down|began again} [manner], [spot]
        [s] {gave the [beast] {a crust|some water|a pat}|called the [beast]|chased the [beast] away}, and {then|afterwards} {swept|scrubbed|mended} the {floor|steps|cupboard} [manner]
        [s] {laid out|lined up|rearranged} {some [thing_plural]|the [thing_plural]|three [thing_plural]} [spot] {in order of size|and then put them back|[manner]}
        [s] {warmed|washed|rubbed|stretched} [his] {hands|fingers|knees} {by the stove|at the pump|with [smell_oil]} and {looked for|missed|found} [it]
        [s] {hung|nailed|tied} [it] {to the door|to a beam|over the hearth} {and stepped back|[manner]|though the [worker] laughed}
        {slowly|at last|now and then|without a word} [s] {walked|paced|strolled} {once round the yard|from the door to the window|to the fence and back} and {hummed|frowned|counted under [his] breath|smelled [smell]}
        [s] {poured out|drank|spilled|refused} [drink] and {watched|kept an eye on|forgot about} the [beast] {[spot]|for some time}
        [s] {wrote|scratched|drew} {a word|a number|a small [animal]} {on the table|in the dust|on a scrap of paper|on a slate} and {wiped it out|blew on it|smiled} [adverb]
        """,
    "smell_oil": "goose fat|camphor|snow|warm water|a rag|vinegar|lamp oil",
    "look_s": """
        [s] had {a way|the habit|a talent} of {touching|tapping|moving|losing} {whatever lay nearest|the nearest [thing]|other people's hats|the cutlery} [manner]
        [s] had {grey|brown|green|quick|tired|wide-set} eyes, {a broken nose|a narrow chin|large ears|a freckled forehead|a high forehead} and the {hands|walk|voice|smile} of a [worker]
        {that year|in those days|of late} [a] {walked|spoke|laughed|dressed} like a [worker], with {ink|flour|mud|paint|chalk} on [his] [body]
        one {remembered|noticed|trusted} [a] for [his] [body], which were {never still|always cold|strong|fine|red with work}
        [s] was a [trade_a] by trade, and {it showed|one saw it} in {the walk|the [body]|every gesture|the care for a [adj] [thing]}
        {age|work|[virtue]|[feeling]} had {drawn lines about|softened the look of|sharpened the look of} [his] {mouth|eyes|face}, {over the years|of late|too soon|a little}
        the [worker] {thought|found|called} [a] {handsome|odd|sly|gentle|proud|dull}, {chiefly|perhaps|mostly} because of {the [body]|the voice|a [adj] [thing] [he] carried}
        """,
    "think_s": """
        it was not the first time that [a] had {mistaken|taken} [feeling] for [virtue], {and it would not be the last|or [virtue] for [feeling]|as the [worker] could have told [him]}
        [s] {counted up|went over} what {the day|the week|the year} had brought: [feeling], [drink] and a [adj] [thing]
        of all the people in [town], only the [worker] {might have understood|would have laughed|knew what to say} {about [topic]|in such a case|without being asked}
        [s] would have given {a [adj] [thing]|a year of [his] life|much} {for a word from [his] [relative]|to be rid of [topic]|to know what the [worker] thought}
        {why|how long} [he] had {kept silent about|waited for|put up with} [topic], [a] could not have said {in [town]|even to [his] [relative]|for all the [thing_plural] in the world}
        [s] {promised [self]|made up [his] mind|resolved} to {write to [his] [relative]|speak to the [worker]|say no more about [topic]} {before the week was out|tomorrow|after supper|once the [beast] was fed}
        there were {things|debts|words}, [a] {thought|told [self]}, that {no [worker] can mend|outlive those who made them|are better left with a [adj] [thing]}
        the {face|voice|laugh} of [his] [relative] {came back to [him]|would not leave [him]|had grown faint}, and with it {the smell of [smell]|the sound of [sound]}
        [s] thought of {[it]|[topic]|[his] [relative]|the [worker]} and felt [feeling], {then|and then} [feeling]
        it {occurred|seemed} to [a] that [topic] {was worth more|weighed more|lasted longer} than [abstract]
        [s] {wondered|asked [self]} whether [his] [relative] had {ever felt|known} such [feeling] {before|[far]}
        [virtue], [a] {thought|reflected|had read}, was {only|often|seldom more than} [virtue] {with|in} {better manners|its Sunday coat|a good light}
        {for a moment|for the length of a breath|all at once} [a] {wanted|longed|wished} to be {[far]|alone|a [worker]|a child again}, {with|without} {a [adj] [thing]|a care|money|so many relations}
        [s] was {not afraid of|used to|tired of|cured of} [abstract], {but|and yet} [feeling] {came|stayed} {all the same|like a guest}
        what [a] {felt|showed} was [feeling], what [a] {hid|swallowed} was [feeling], and neither {helped|lasted}
        there was [feeling] in {it|this|the silence}, and {some|a good deal of|a grain of} [virtue] {too|besides|as well}
        {if|even if} [abstract] was {the price|the reason|to blame}, [a] {could live with it|would not complain|saw no harm in it}
        [s] {tried|wanted} to be {angry|glad|sensible|brave}, and was only {tired|hungry|curious|full of [feeling]}{| because of [topic]}
        {nobody|not even the [worker]|only [his] [relative]} {knew|would have guessed} how much [feeling] {there was in [a]|it cost [him] to be silent}
        between [virtue] and [virtue], [a] {had always chosen|would choose|could not choose} {the shorter road|the cheaper|either}
        {what|all that} remained {of the day|of it} was [feeling], as {thin|clear|warm|bitter} as [drink]
        one {ought to|could|should} {begin again|burn everything|go away}, [a] {decided|thought}, {and do it properly|[far]|but not before supper}
        """,
    "memory_s": """
        [a]'s [relative] had once {lost|hidden|broken|won} a [adj] [thing] [far]
        years before, [far], [a] had {worked for|lived with|run from|sung with} a [worker] who {feared|collected|preached} [abstract]
        as a child [a] had {believed|been told|hoped} that every [thing] {had|contained|hid} {a voice|a spirit|its own saint}
        [s] {remembered|saw again|could not forget} the {winter|summer|day|week} when the [worker] {fell ill|sang|brought a [adj] [thing]} [far]
        {long ago|in another life|at nineteen|before the war}, [a] had {slept|eaten|waited|prayed} [spot] with nothing but a [adj] [thing] and [virtue]
        the smell of [smell] {always brought back|brought [him] back to|meant} {a house|a school|a kitchen|a garret} [far], and [his] [relative]
        there had been a [adj] [thing] in the house of [a]'s {mother|father|grandmother}, and {nobody was allowed to touch it|it smelled of [smell]|it was said to bring luck}
        [a]'s [relative] used to say that [abstract] {begins|ends|is found} {with|in} [abstract]
        once, [far], [a] and [his] [relative] had {shared|stolen|sold all they had for} [dish]
        """,
    "work_s": """
        [s] {sharpened|oiled|laid aside|counted} the tools {[manner]|one by one|twice} and {looked at|was ashamed of|was pleased with} the [material]
        {a customer|the [worker]|a stranger} {came in|knocked|looked over [a]'s shoulder} and {asked the price of|found fault with|admired} {a [adj] [thing]|[it]}
        there was {[material]|the smell of [smell]|dust} {in everything|on [his] sleeves|under [his] nails} by {noon|evening}, and [a] {hardly noticed|was proud of it|sneezed}
        the {work|task|job} of a [trade_a] {asks for|needs|teaches} {patience|courage|thrift|good sense|honesty|modesty|caution|loyalty|humour|discretion|tact|prudence|faith|a steady hand|good eyes|strong knees}, and [a] {had it|had little of it|was learning it}
        [s] {cut|measured|weighed|sanded|tied} the [material] {twice|three times|by eye} and {laid|stacked|hung} it [spot]
        first came the [material], then the [material], and {last of all|in the end} a [adj] [thing], which {gave trouble|would not fit|shone}
        {an apprentice|the [worker]|a cousin} {held|steadied|dropped} [it] while [a] {hammered|cursed|explained|worked on} [tone]
        by {noon|dusk|the evening bell} [a] had {finished|spoilt|repaired} {one [thing]|a [adj] [thing]|the last [thing]} and {began|started} on {another|the next}
        """,
    "meal_s": """
        they had [dish], and [drink] to {go with it|wash it down|keep out the cold}
        [b] {had cooked|had brought|had spoiled|praised} [dish]; [a] {wanted only|would have preferred|asked for more} [drink]
        [a] and [b] {ate|shared|finished} [dish] [manner], {and|while} the [worker] {ate nothing|told a story|fell asleep}
        [s] {divided|peppered|sniffed at} [dish] and {pushed|passed} the [drink] across the table [manner]
        {at|on} {the next table|the windowsill|the bench} a [worker] {was eating|was waiting for} [dish] {with the fingers|from the pan|in tears}
        nothing, [a] {held|said|believed}, {cures|softens|outlasts} [feeling] like [dish]
        """,
    "music_s": """
        {somebody|the [worker]|a girl} {played|began|sang} a {slow|quick|mournful|foolish} {air|jig|ballad|march} about [abstract]
        the {tune|song|chorus} {rose|wandered|broke off} like {smoke|steam|a startled bird|a kite in the wind}, and [a] {felt|was filled with} [feeling]
        [b] {kept time|clapped|hummed along} with a {ladle|walking stick|spoon|foot|pencil|poker}, {a beat|half a beat} {late|early}
        it was {a song|an old air} of [far_from], in which a [worker] {marries|betrays|buries} a [worker] for [abstract]
        """,
    "far_from": "sailors|the hill farms|the island people|soldiers|the lowlands|harvest time|the old war",
    "dream_s": """
        a [animal] {spoke|sang|read aloud} to [him] in the voice of [his] [relative]
        [a] {climbed|counted|painted} [thing_plural] made of [material], [far]
        {then|next|after that} a [thing] {opened|melted|began to ring}, and the [worker] {stepped out|wept|handed round [dish]}
        the {house|room|street} had {no floor|no door|a second moon|a river in it}, and everything was made of [material] and smelled of [smell]
        """,
    "dreamed_s": """
        [a] {dreamed|slept and dreamed} of [far_from_dream], [far]
        {in a dream|asleep at last}, [a] {was back in|could not leave|walked through} [far_from_dream]
        that night [a] had an old dream again, in which [his] [relative] {was lost|kept an inn|wore a crown} [far]
        """,
    "far_from_dream": "a house|a market|a school|a church|a theatre|a garden|a harbour|a long corridor",
    "woke_s": """
        [a] {woke|started up} with {wet|cold|stiff} [body], and {the smell of [smell]|the sound of [sound]} was real
        [a] {woke|lay awake} and {could not tell what the [animal] had meant|wrote it down [spot]|told it to nobody but the [worker]}
        """,
    "set_out_s": """
        [a] and [b] {set out|left [town]|were on the road} {on foot|by cart|on two borrowed mules|with the carrier}, {though|although} the [worker] had warned them
        {after an hour|half way|long before noon|too late}, [a] and [b] {rested|stopped|lost their way} {by the [plant]|under a bridge|at a farm [far]}
        """,
    "night_s": """
        {the candle|the fire|the lantern} {burned low|smoked|went out}, and [a] {listened|lay listening} to [sound]
        [s] lay {awake|on one side|without moving} and {counted|went over|cursed} {the hours|the debts of a year|the words of the [worker]|the beams}
        {outside|downstairs|in the next room} the [worker] {coughed|talked in an uneasy sleep|walked up and down}, {and [sound] could be heard|as on every night|until the [animal] woke}
        sleep {came late|came at last|would not come}, {after|in spite of} so much {[feeling]|[drink]|talk of [topic]}
        the {stars|shadows|beams} {stood|moved|crossed} over the [plant] and the {roofs|wall|pump}
        """,
    "close_s": """
        then [s] {took|picked up|remembered} [it] and {went away|went home|climbed the stairs} [manner]
        [s] {was left|went to bed|walked home} with {more|less} [feeling] than [he] had {expected|brought}
        after that there was only the sound of [sound] and {the smell|a breath|a memory} of [smell] {from the {yard|kitchen|lane}|and [smell]|for [a] to think about}
        so the {hour|day|evening} {ended|went by|passed} {with [drink]|with the sound of [sound]|in [feeling]|with a quarrel about [abstract]}, like so many {before it|in [town]|others}
        {when it was over|at last|in the end}, [a] {wiped|put away|covered} [it] and {thought|spoke} no more of [topic]
        [s] {locked up|looked round once more|turned back twice}, {and the smell of [smell] stayed behind|and heard [sound]|then walked on [manner]}
        """,
    "end_s": """
        [close_s]
        [close_s]
        {neither of them|nobody|not even the [worker]} {mentioned|explained|forgot} [abstract_again] {that day|before they parted|for a week}
        [b] {blew out the candle|shut the door|took the last chair} and {thought of|laughed about} [topic]
        """,
    "abstract_again": "the matter of [topic]|[it]|what had been said about [topic]",
}
