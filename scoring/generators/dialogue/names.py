"""Names of people and plays. No name is part of another, or a word that the plays use."""

from scoring.generators.grammar import Grammar

NAMES = (
    "ADELA", "ALDOUS", "AMBROSE", "ANATOL", "ANSELM", "ARABEL", "ARCHER", "ASTRID", "AURELIA",
    "BALTASAR", "BARNABY", "BASTIEN", "BEATRIX", "BENEDIKT", "BERTRAM", "BLANDINA", "BORISLAV",
    "BRIGIDA", "CAMILLO", "CASIMIR", "CASPAR", "CECILY", "CLEMENT", "CONSTANCE", "CORDELIA",
    "CORNELIUS", "CRISPIN", "CYPRIAN", "DAGNY", "DAMARIS", "DEMETER", "DESMOND", "DIETLIND",
    "DOMENICA", "DOROTHEA", "EDMUND", "EFFIE", "EGBERT", "ELEONORA", "ELSPETH", "EMERIC",
    "ESTHER", "EUGENIE", "EUSTACE", "EVARISTE", "FABIAN", "FELICITY", "FERDINAND", "FLORIAN",
    "FRIDOLIN", "GERHARDT", "GILBERT", "GISELA", "GODFREY", "GREGOR", "GRISELDA", "GUSTAV",
    "GWENDOLEN", "HADRIAN", "HARRIET", "HEDWIG", "HELMUT", "HENRIETTA", "HERMIA", "HILARION",
    "HORATIO", "HUBERT", "HYACINTH", "IGNATIUS", "IMOGEN", "INGRID", "ISIDORE", "ISOLDE", "JAKOB",
    "JASPER", "JEMIMA", "JOACHIM", "JOCELYN", "JULIANA", "JUSTUS", "KATARINA", "KILIAN",
    "KLEMENS", "LAVINIA", "LEANDER", "LEOPOLD", "LETITIA", "LORENZ", "LUCASTA", "LUDOVIC",
    "LYSANDER", "MAGNUS", "MARCELLA", "MATTHIAS", "MAXIMIN", "MELCHIOR", "MERCUTIO", "MILENA",
    "MINERVA", "MORTIMER", "NAPOLEON", "NATHANIEL", "NEHEMIAH", "NICODEMUS", "NORBERT", "OCTAVIA",
    "ODILE", "OLYMPIA", "OPHELIA", "ORLANDO", "ORSINO", "OSWALD", "OTTOKAR", "PANDORA",
    "PATIENCE", "PERCIVAL", "PERDITA", "PETRONELLA", "PHILIPPA", "PHINEAS", "PLACIDO", "QUENTIN",
    "RADOMIR", "RAMONA", "RAPHAEL", "REGINALD", "ROSAMUND", "ROWENA", "RUDOLF", "RUPERT",
    "SABINA", "SALOMON", "SEBALD", "SERAPHINA", "SEVERIN", "SIBYLLA", "SIGRID", "SILVESTER",
    "SOLVEIG", "STANISLAV", "SUSANNAH", "SVEN", "TABITHA", "TANCRED", "THADDEUS", "THEODORA",
    "THORSTEN", "TIBOR", "TIMOTHEA", "TOBIAS", "TRISTRAM", "ULRICA", "URSULA", "VALENTIN",
    "VERONICA", "VIKTOR", "VINCENT", "VLADIMIR", "WALBURGA", "WENDELIN", "WENZEL", "WILHELMINA",
    "WINIFRED", "WOLFRAM", "XAVERIA", "YOLANDA", "YSOLT", "ZACHARY", "ZDENKA", "ZENOBIA",
)  # fmt: skip

TITLES = Grammar(
    {
        "title": (
            "The [first] [second]", "The [first] [second]", "The [second] for [whom]",
            "[someone] and the [second]",
            "[someone] and the [first] [second]", "The [second] of [place]",
            "[number] [first] [second]s",
            "The [first] [second] of [place]", "No [second] in [place]",
        ),
        "first": (
            "Salt", "Velvet", "Last", "Winter", "Paper", "Blind", "Scarlet", "Second", "Hollow",
            "Wooden", "Unwilling", "Silent", "Drowned", "Golden", "Absent", "Travelling", "Iron",
            "Midnight", "Merry", "Broken", "Summer", "Foreign", "Gentle", "Perfect", "Stolen",
        ),
        "second": (
            "Ledger", "Orchestra", "Daughter", "Regiment", "Candle", "Bridegroom", "Parliament",
            "Garden", "Messenger", "Harbour", "Comet", "Carnival", "Mirror", "Physician", "Window",
            "Inheritance", "Staircase", "Nightingale", "Governor", "Shadow", "Voyage", "Portrait",
            "Widow", "Telescope", "Verdict", "Stranger", "Cathedral", "Masquerade", "Umbrella",
        ),
        "whom": ("the Dead", "Three Sisters", "Nobody", "an Emperor", "the Deaf", "Fools", "Two"),
        "someone": ("The Miser", "Our Aunt", "Death", "The Ambassador", "Two Liars", "The Actress"),
        "place": (
            "Saint Odo", "the Marshes", "Lower Street", "the North", "Pont Rouge", "the Hill",
            "Candlemas", "the Islands", "Old Town", "the Border", "Santa Rosa", "the Lagoon",
        ),
        "number": ("Two", "Three", "Four", "Seven", "Nine", "A Hundred"),
    }
)  # fmt: skip
