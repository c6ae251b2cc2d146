"""Names of people and towns, and plurals, for the English narrator."""

_WOMEN = """
Orla Thessaly Brenna Isolde Marit Ottilie Sunniva Perdita Linnet Ysolt
Corisande Damaris Elspeth Fenella Grizel Hesper Ianthe Jessamy Keziah Lavinia
Melisande Nerys Odile Petra Quenby Rowena Sabra Tamsin Ursel Verity
Wilmot Xanthe Yvaine Zillah Althea Bettrys Clemence Drusilla Emmot Frideswide
Gwenda Hephzibah Idonea Jocosa Katrin Leocadia Mabyn Nonna Olwen Philippa
Radegund Sidony Tirzah Undine Venetia Winifred Amabel Bathsheba Columbine Dorothea
Ethelind Florimel Gisela Honora Ingrith Jacquetta Kerensa Lettice Merewen Nicola
Oriel Parnel Rosamund Seraphina Tryphena Ulrica Violante Wenna Aveline Beatrix
"""
_MEN = """
Tam Corwin Alaric Barnaby Caspian Denzil Edric Fergus Gideon Hamish
Ivo Jago Kester Leofric Malachi Ninian Osbert Piers Quillon Roderick
Silvan Tobias Ulf Valentine Warin Yestin Zebulon Ambrose Bertram Crispin
Dunstan Erasmus Fulk Gervase Hilary Ingram Jocelyn Kenelm Lambert Merrick
Nathaniel Odo Peregrine Rafe Septimus Theobald Urban Vivian Walter Aldous
Benedict Cuthbert Dorian Eustace Florian Godfrey Humphrey Isembard Jasper Killian
Lorcan Magnus Norbert Orlando Percival Randolph Swithin Tancred Ulric Virgil
Wystan Anselm Blaise Conrad Dominic Everard Fabian Gawain Horatio Lucian
"""
_FAMILIES = """
Venn Reddick Marrow Ashcombe Brackenridge Coldwater Dunmore Eastgate Fairweather Garrick
Hollis Inchbald Jessop Kettleby Larkspur Mossman Netherby Oakhurst Pemberley Quarrell
Ravenscar Saltmarsh Thornquist Underhill Varley Wetherell Yarrow Zeller Abernathy Blackwood
Carrow Drayton Ellery Farthing Goldsworthy Harkness Ives Jorrock Kilbride Lovelock
Merriweather Nightingale Orchard Pettigrew Quested Rookwood Sedgewick Tolliver Upjohn Vickery
Wainwright Yeoman Applegarth Birdwhistle Cawthorne Dashwood Entwistle Finch Greaves Hathersage
Ironside Jermyn Kestrel Lockridge Mallory Nettlefold Ormerod Penhaligon Quince Ridley
Silverton Trelawney Umfreville Vosper Whitlock Yelland Arkwright Bellweather Culpepper Dovecot
Edgerton Fothergill Gaunt Huckaby Ingersoll Jarndell Kirkbride Loveday Mandeville Northcote
Oldacre Plimsoll Quayle Rushworth Stillwell Thackray Uppingham Venables Wychwood Youlgrave
Ainsley Buckmaster Crabtree Dimmock Eddowes Fennimore Gathercole Heathcote Islip Judson
Knapp Lillywhite Mowbray Nutley Outhwaite Peverell Quiller Ramsbottom Swinburn Twelvetrees
Umber Vellacott Winterbourne Yaxley Amory Bramwell Cobbold Dauntsey Elphick Foljambe
Gilpin Hebblethwaite Illingworth Jagger Kersey Langtry Moorcroft Nankivell Osgood Pargeter
"""
_TOWN_NAMES = """
Harrowmouth Saltby Aldwater Brightling Cressingham Dunwick Ellerport Fallowbridge Gannethaven Hexley
Innismere Kelderby Lambsford Merehaven Norwold Osterby Pellingham Quaystone Rillsdon Sandersea
Tarrowby Ulverwick Wexcombe Yarnmouth
"""

WOMEN = tuple(_WOMEN.split())
MEN = tuple(_MEN.split())
FAMILIES = tuple(_FAMILIES.split())
TOWN_NAMES = tuple(_TOWN_NAMES.split())

# Goods: one and several, where they are not called by their keys. A question asks about “the book”.
SINGULARS = {"book": "volume"}
PLURALS = {"knife": "knives", "book": "volumes"}
