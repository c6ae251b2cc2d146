"""Words for the prose of the English narrator: what there is to see, hear, eat and think about."""

NOUNS = {
    "object": "[adj] [thing]",
    "thing": """
        ladle|thimble|bucket|birdcage|candlestick|broom|jug|ledger|spool|wheelbarrow|hourglass|pulley
        needle case|washboard|teapot|footstool|pincushion|lantern hook|bellows|wicker chair|rain gauge
        butter churn|inkstand|shoehorn|sieve|trivet|snow shovel|crab pot|milk can|bird whistle|hat box
        coal scuttle|fire iron|tablecloth|bread board|corkscrew|oar|anchor|weathercock|plum crate
        apple press|mousetrap|watering can|doorstop|flower pot|trowel|chisel|mallet|plane|anvil|vice
        spinning wheel|loom|bobbin|pattern book|cradle|rocking toy|kite|drum|mouth organ|hymn book
        almanac|prescription|bottle of ink|pot of glue|coil of wire|bag of nails|sack of flour
        tray of seedlings|string of onions|jar of pickles|bundle of letters|roll of canvas|stack of plates
        pair of spectacles|pair of scissors|tin of tacks|ball of twine|bunch of keys|handful of buttons
        slate|feather|pipe|walking stick|parasol|tambourine|spyhole|bootjack|warming pan|ship in a bottle
        barometer|sundial|signboard|door knocker|window box|chimney pot|stepladder|ink blotter|tea strainer
        toasting fork|cake tin|sledge|trestle|lobster basket|egg whisk|fishing net|collar stud|dog whistle|snuff jar
        sheet of music|map case|toy theatre|false beard|hatpin|clothes horse|pepper mill|curtain rod|pocket globe
        wax seal|beehive|grindstone|pair of bellows|scythe|lace pillow|jar of leeches|boot scraper|stuffed owl
        parchment|button hook|child's shoe|church key|bird trap|stone bottle|packet of seeds|bag of feathers
        cork float|length of ribbon|tile|pumpkin|glass eye|paper crown|peg leg|crutch|riding whip|keg|hammock
        """,
    "adj": """
        battered|small|crooked|polished|heavy|narrow|dusty|yellowed|painted|wooden|chipped|faded|rusty
        green|borrowed|neglected|spotless|sturdy|flimsy|speckled|ancient|new|tarnished|plain|blunt
        well-worn|lopsided|shallow|delicate|clumsy|home-made|iron|pale|sticky|damp|squat|tall|splintered
        carved|gleaming|scorched|mended|forgotten|curious|ordinary|handsome|ugly|rickety|smooth|knotted
        patched|oily|soot-black|foreign-looking|crumpled|sea-worn|upturned
        hollow|lacquered|rain-soaked|greasy|priceless|stolen-looking|musty|bleached|moth-eaten|brittle
        mossy|cheap|graceful|ice-cold|striped|triangular|unfinished|unlucky|much-admired|speckless|dog-eared|homely|solid
        """,
    "spot": """
        in the yard|beside the stove|on the back stairs|under the awning|by the pump|at the kitchen table
        in the doorway|behind the stables|on the garden wall|in the passage|near the hedge|on the low bench
        below the window|in the lane|by the woodpile|on the landing|at the foot of the stairs|under the lime tree
        beside the water butt|on the slipway|among the bean rows|in the cart shed|next to the oven|in the porch
        behind the counter|on the gravel|under the eaves|at the end of the row|by the empty hearth|near the steps
        along the fence|between two barrows|on an upturned crate|against the railing|at the corner|in the loft
        beneath the pear tree|on the ferry steps|beside the sundial|in the scullery|by the garden gate|on the roof
        between the sacks|at the far end of the table|in the hayloft|beside the trough|under the stairs|in the shade
        near the compost|on the cellar steps|by the ash heap|at the half-door|over the stable|on the milk stand
        """,
    "animal": """
        heron|jackdaw|tomcat|mongrel|carthorse|magpie|hedgehog|pigeon|gull|spaniel|donkey|swallow|rooster|bat
        robin|toad|gander|weasel|ferret|nanny goat|sheepdog|barn owl|wasp|moth|kingfisher|drake|hound|lamb
        stork|terrier|badger|nightingale|billy goat|cuckoo|greyhound|turkey|otter|parrot|pony|raven|mule|woodpecker
        """,
    "pet": """
        tomcat|mongrel|spaniel|donkey|sheepdog|terrier|pony|nanny goat|hound|greyhound|mule|carthorse|lamb|billy goat
        """,
    "animal_did": """
        scolded from the gutter|slept through all of it|picked at the crumbs|crossed the road in no hurry
        stared at nothing|shook itself and moved on|made off with a crust|watched from a safe distance
        settled on the sill|complained about the cold|circled twice and lay down|vanished under the boards
        kept returning to the same spot|drank from a puddle|would not be driven off|limped past the gate
        scratched among the cinders|answered another far away|blinked at the light|sulked in the straw
        turned its back on everybody|chewed something nobody had given it|slipped through the fence|kept one eye open
        refused to be impressed|stood on one leg|dug where it had dug before|followed a smell of [smell]
        """,
    "virtue": """
        patience|pride|courage|thrift|kindness|good sense|vanity|envy|mercy|obstinacy|honesty|curiosity
        ambition|modesty|boredom|gratitude|loneliness|jealousy|hope|caution|grief|tenderness|spite|duty
        frugality|loyalty|humour|greed|discretion|faith|laziness|tact|malice|piety|fairness|daring|stubbornness
        generosity|prudence|gallantry|scepticism|sincerity|cowardice|self-pity
        """,
    "feeling": """
        relief|shame|annoyance|pity|delight|doubt|unease|tiredness|longing|triumph|regret|alarm|contentment
        impatience|affection|disgust|wonder|suspicion|melancholy|embarrassment|calm|irritation|amusement|dread
        rage|serenity|homesickness|gladness|weariness|envy|hunger|nostalgia|despair|excitement|shyness|bitterness
        remorse|restlessness|awe|bewilderment|cheer|numbness
        """,
    "worker": """
        sexton|washerwoman|cobbler|ostler|milkmaid|beadle|ploughman|pedlar|fishwife|chimney sweep|cook
        scullery maid|drover|verger|gamekeeper|bell-ringer|knife-grinder|tinker|midwife|postboy|night porter
        rag collector|schoolboy|widow from the corner house|retired corporal|organ-grinder|travelling dentist
        deaf gardener|coachman|laundress|road mender|eel catcher|governess|curate|tax collector|puppeteer
        rat catcher|lace maker|umbrella mender|bailiff|nun|quack|census taker|charcoal burner|poacher|baroness
        stationmaster|piano tuner|fortune teller|grave digger|pawnbroker|muffin man|river pilot's wife|juggler
        sacked footman|young archdeacon|hatter|glass blower|bell founder|widowed major|goose girl|lay preacher
        """,
    "relative": """
        aunt|grandfather|cousin|godmother|elder brother|youngest sister|uncle|mother|father|great-aunt|niece
        nephew|grandmother|stepfather|first teacher|old nurse|former landlord|late neighbour
        foster mother|brother-in-law|elder sister|godfather|second cousin|first love|wet nurse|only uncle|mother-in-law
        """,
    "body": """
        hands|shoulders|knees|eyes|fingers|cheeks|lips|elbows|eyebrows|knuckles|ankles|temples
        """,
    "far": """
        beyond the river|in the hill country|on the far side of the marsh|down the coast|across the border
        in the capital|among the islands|up in the forest|at the other end of the valley|on the moor
        in a village without a name|two days' ride away|behind the seven farms|over the pass|in the lowlands
        upriver|at the edge of the heath|in the garrison towns|behind the salt pans|north of the canal|on the islands
        under the mountain|where the railway ends|in the wine country|by the great lake|in foreign parts|out on the fens
        """,
    "material": """
        linen|oak|brass|velvet|pewter|wicker|slate|wool|glass|leather|cotton|marble|tin|birch bark|canvas|clay
        pine|felt|copper wire|straw|lead|porcelain|horn|silk|flannel|plaster|cork|sandstone
        """,
    "smell": """
        tar|wet wool|fresh bread|onions|soap|hay|smoke|fish|lamp oil|vinegar|cut grass|resin|boiled cabbage
        beeswax|coffee|rain on dust|horses|peppermint|old paper|burnt sugar|seaweed|turpentine|cloves|cellar earth
        candle wax|mushrooms|sawdust|goats|pears|iron|gunpowder|lilac|yeast|wet dog|camphor|tobacco|mud|hot starch
        nutmeg|varnish|low tide|thyme|snow|ink
        """,
    "sound": """
        a hammer|a distant hymn|a barrow on the cobbles|somebody practising scales|a saw|a quarrel over eggs
        a loose shutter|the tide|an axe|children counting|a dog barking at its echo|a kettle about to boil
        two women laughing|a cartwheel in need of grease|the church clock|a flute, badly played|dripping water
        someone chopping wood|bees|a pump handle|an accordion|marching boots|the ferry bell|a woman calling hens
        rain in a barrel|an old song with new words|the mill wheel|a bucket going down a well|fiddles|a broken clock
        turning pages|pigeons|a cork being drawn|thunder, not yet serious|whispers|horses shifting in the straw
        somebody counting aloud|the last coach|a scythe being whetted
        """,
    "abstract": """
        a promise|an old debt|the price of flour|a sleepless night|the wrong word|a locked door|bad advice
        a good dinner|the north wind|a long memory|other people's money|a second chance|an honest enemy
        an early death|a clean shirt|the last word|a late spring|an unanswered letter|a borrowed horse
        a happy childhood|public opinion|a poor harvest|a small pension|the truth|a bad tooth|a false friend
        the wisdom of aunts|a leaking roof|a secret recipe|the smell of success|an empty purse|a full cellar
        the weather in March|half a victory|a long engagement|the shape of a nose|a loud conscience|a cold welcome
        an uninvited guest|a well-cut coat|the silence of neighbours|a reputation|the best of intentions|a narrow escape
        a lost umbrella|somebody's birthday|the fall of a great house|a debt of honour|the first snow|an unlucky number
        a slow clock|the art of waiting|an odd sock|the law of the land|a rival|the last ferry|plain bad luck
        """,
}

FOOD = {
    "dish": """
        [cooked] [meat] with [side]|[soup] and [bread]|[side] and [cooked] [meat]|[pudding] with [sauce]
        a plate of [side]|[bread] with [spread]|[cooked] [meat] on [bread]|[soup], then [pudding]
        """,
    "cooked": "boiled|smoked|roast|cold|pickled|fried|stewed|salted|baked|minced|grilled|potted",
    "meat": """
        mutton|herring|ham|duck|eel|rabbit|tripe|trout|beef|chicken|venison|mackerel|pork|pigeon|cod|oysters
        """,
    "side": """
        turnips|beans|red cabbage|dumplings|buttered leeks|barley|peas|parsnips|mushrooms|mashed swede|cress
        new potatoes|lentils|beetroot|stewed plums|sour cucumbers|chestnuts|spinach|rice|carrots
        """,
    "soup": "pea soup|onion broth|fish stew|barley soup|oxtail soup|nettle soup|thin gruel|chowder",
    "bread": "rye bread|oatcakes|hot rolls|stale crusts|griddle cakes|black bread|a white loaf|biscuits",
    "spread": "dripping|honey|cheese|quince jam|anchovies|salted butter|plum jam|cream",
    "pudding": """
        treacle tart|baked apples|rice pudding|gooseberry pie|gingerbread|custard|pancakes|plum duff
        """,
    "sauce": "cream|brandy sauce|lemon|cinnamon|melted butter|raspberry vinegar|nutmeg",
    "drink": """
        cider|weak tea|black coffee|elderberry wine|small beer|hot milk|mulled ale|barley water|sour wine
        """,
}

MANNERS = {
    "manner": """
        without hurry|in deep thought|with great care|with a shrug|as if nothing were the matter|reluctantly
        with a crooked smile|rather too quickly|with both hands|under everybody's eyes|half asleep
        as solemnly as a judge|in a bad temper|with visible relief|for once without complaint|humming a hymn
        in the old-fashioned way|with more zeal than skill|to the surprise of the [worker]|out of habit
        with one eye on the [beast]|like somebody who has time|after a moment of [feeling]|[adverb]
        with the patience of a [worker]|as [he] had once seen a [worker] do it|against all advice|to no purpose
        more out of [motive] than out of [motive]|without looking up|between two yawns|with a great show of [virtue]
        like a [worker] at a funeral|and thought no more of it|for the second time that week|in spite of the weather
        with a sigh for [abstract]|in the manner of the [worker]
        """,
    "adverb": """
        slowly|gravely|cheerfully|carelessly|stiffly|politely|absently|eagerly|wearily|quietly|bravely|awkwardly
        gently|firmly|hastily|patiently|proudly|sadly|warily|briskly|dreamily|grimly|kindly|sulkily
        """,
    "said": "said|replied|muttered|observed|remarked|declared|ventured|put in|admitted|insisted|murmured|cried",
    "excuse": """
        the rain was too heavy|the [worker] kept [him] talking|a [adj] [thing] fell on [his] foot
        [his] [relative] came to stay|the cart lost a wheel|[his] {knees|teeth|ears|feet} ached|the road was under water
        a headache came on|the [pet] had to be caught first|[he] had lost a [adj] [thing]
        the [worker] advised against it|[he] was suddenly ashamed|it had grown too late
        the fog was too thick|[he] could not find [his] boots|a visitor stayed until dark
        """,
    "errand": """
        to ask after a [adj] [thing]|to look for the [worker]|to return a [adj] [thing]|to escape {the rain|the wind|the crowd} and the [worker]
        to please [his] [relative]|to hear what the [worker] had to say|to leave a [adj] [thing] for the [worker]
        to see the {new|famous|old|much-praised} [thing]|with a [adj] [thing] for the [worker]|to be alone with [feeling]
        to quarrel with a [worker] about a [thing]|to fetch a [adj] [thing]|to settle a bet with the [worker]
        because of the {sound of [sound]|smell of [smell]}|to measure a [adj] [thing]|to count the [thing_plural] for the [worker]
        in search of [his] [relative]'s [thing]|with a message from the [worker]|to try out a [adj] [thing]
        because the [worker] had {begged|told|dared} [him] to|to watch the [worker] at work|out of [feeling], or perhaps [feeling]
        """,
    "motive": """
        curiosity|pity|boredom|duty|pride|kindness|spite|loyalty|thrift|vanity|gratitude|habit|hunger|jealousy
        prudence|laziness|ambition|caution|hope|shame|obstinacy|despair|fear|piety
        """,
    "tone": """
        without hurry|in deep thought|with a shrug|with a crooked smile|rather too quickly|half asleep|in a low voice
        as solemnly as a judge|in a bad temper|with visible relief|to the surprise of the [worker]|[adverb]|[adverb]
        after a moment of [feeling]|without looking up|between two yawns|with a sigh|like a [worker] at a funeral
        with one eye on the [beast]|not without [feeling]|through closed teeth|with a mouth full of [bread]|at last
        """,
    "thing_plural": "barrels|ladders|windows|crates|sacks|wheels|benches|stones|beams|bottles|planks",
}
