"""What there is in every world, in Chinese: for each key of ``things`` the words of the text."""

from typing import NamedTuple

from scoring.generators.novel import things


class Ware(NamedTuple):
    measure: str
    name: str
    qualities: tuple[str, ...]  # in the order of ``things.GOODS``, each to be put before the name


GOODS = {
    "lamp": Ware("盏", "油灯", ("紫铜", "黄铜", "防风", "玻璃", "白锡", "船用")),
    "horse": Ware("匹", "马", ("枣红", "青灰", "黑", "花斑", "栗色", "跛脚")),
    "knife": Ware("把", "刀", ("猎", "骨柄", "折叠", "厨房用的", "精钢", "切肉")),
    "blanket": Ware("条", "毯子", ("羊毛", "条纹", "绗缝", "厚", "灰布", "过冬的")),
    "book": Ware("本", "书", ("皮面", "旧", "薄薄的", "带插图的", "讲烹饪的", "念经用的")),
    "clock": Ware("座", "自鸣钟", ("挂墙的", "马车上用的", "胡桃木", "厨房用的", "黄铜", "旅行用的")),
    "chair": Ware("把", "椅子", ("橡木", "摇", "藤", "高背", "上了漆的", "三条腿的")),
    "goat": Ware("头", "山羊", ("白", "棕毛", "下奶的", "小", "花", "长胡子")),
    "rope": Ware("盘", "绳子", ("麻", "浸过桐油的", "长", "丝", "编花", "系船的")),
    "kettle": Ware("把", "水壶", ("生铁", "红铜", "瘪了一块的", "黑", "双耳", "行军")),
    "mirror": Ware("面", "镜子", ("椭圆", "描金", "手", "有裂纹的", "圆", "旅行用的")),
    "violin": Ware("把", "胡琴", ("旧", "上过漆的", "小孩拉的", "外路", "修补过的", "红木")),
    "saddle": Ware("副", "马鞍", ("牛皮", "偏座", "军用", "磨旧的", "双人", "轻便")),
    "barrel": Ware("只", "木桶", ("盛酒的", "橡木", "腌鱼的", "接雨水的", "小", "装盐的")),
    "map": Ware("张", "地图", ("海岸", "全县", "手绘", "撕破的", "着色", "河道")),
    "boat": Ware("条", "船", ("划桨的", "平底", "蓝漆", "漏水的", "打鱼的", "窄")),
    "carpet": Ware("块", "地毯", ("红", "手织", "打补丁的", "西域", "铺楼梯的", "花")),
    "basket": Ware("只", "篮子", ("柳条", "带盖的", "洗衣", "鱼", "圆", "踏青用的")),
    "spade": Ware("把", "铁锹", ("花园用的", "挖泥炭的", "宽口", "纯铁", "短柄", "白蜡杆")),
    "telescope": Ware("架", "望远镜", ("黄铜", "海军用的", "伸缩", "袖珍", "划花了的", "长筒")),
    "cheese": Ware("块", "茶饼", ("乡下", "陈年", "车轮样的", "烟熏", "青", "高山")),
    "umbrella": Ware("把", "伞", ("黑布", "绿布", "绸", "断了骨的", "大", "鹦鹉柄")),
    "trunk": Ware("口", "箱子", ("白铁", "航海用的", "牛皮", "包铁", "彩漆", "舱房用的")),
    "bell": Ware("只", "铃铛", ("手摇", "船上用的", "牛颈", "青铜", "裂了口的", "开饭用的")),
}  # fmt: skip
QUALITIES = {
    goods: dict(zip(things.GOODS[goods].qualities, ware.qualities, strict=True))
    for goods, ware in GOODS.items()
}

PLACES = {
    "lighthouse": "灯塔", "corn market": "米市", "ferry house": "渡口客栈", "upper mill": "水磨坊",
    "glassworks": "玻璃厂", "almshouse": "养济院", "custom house": "海关", "rope walk": "缆绳作坊",
    "town library": "藏书楼", "old chapel": "旧礼拜堂", "fish quay": "鱼码头", "brickyard": "砖窑",
    "toll gate": "厘金卡", "vineyard": "葡萄园", "observatory": "观象台", "post office": "邮政局",
    "boatyard": "船厂", "orchard house": "橘园", "quarry": "采石场", "salt works": "盐场",
    "winter garden": "暖房花圃", "printing house": "印书馆", "tannery": "皮革坊", "forge": "铁匠铺",
    "bath house": "澡堂", "north gate": "北城门", "weaving hall": "织布厂", "coffee house": "咖啡馆",
    "school house": "学堂", "assembly hall": "会馆", "dye house": "染坊", "signal tower": "信号台",
    "bakehouse": "糕饼铺", "cattle market": "牲口市", "paper mill": "造纸坊", "lock house": "船闸",
}  # fmt: skip

COLOURS = {
    "grey": "灰色", "scarlet": "猩红色", "dark green": "墨绿色", "brown": "棕色",
    "pale blue": "浅蓝色", "black": "黑色", "white": "白色", "mustard": "姜黄色",
    "plum": "梅紫色", "russet": "赭石色", "violet": "丁香色", "cream": "米色",
    "crimson": "枣红色", "sea-green": "水绿色", "navy": "藏青色", "copper-coloured": "古铜色",
}  # fmt: skip


class Garment(NamedTuple):
    worn: str  # the verb: one wraps a scarf, and puts on a hat
    measure: str
    name: str


GARMENTS = {
    "cloak": Garment("披着", "件", "斗篷"), "coat": Garment("穿着", "件", "外套"),
    "scarf": Garment("围着", "条", "围巾"), "hat": Garment("戴着", "顶", "草帽"),
    "cape": Garment("披着", "条", "披肩"), "jacket": Garment("穿着", "件", "短袄"),
    "hood": Garment("戴着", "顶", "风帽"), "waistcoat": Garment("穿着", "件", "坎肩"),
    "sash": Garment("系着", "条", "腰带"), "mantle": Garment("披着", "件", "大氅"),
    "riding coat": Garment("穿着", "身", "骑装"), "travelling cloak": Garment("穿着", "件", "罩衫"),
    "beret": Garment("戴着", "顶", "毡帽"), "overcoat": Garment("穿着", "件", "大衣"),
    "collar": Garment("围着", "条", "毛领"), "tunic": Garment("穿着", "件", "夹袍"),
}  # fmt: skip

THINGS = {
    "silver compass": "银罗盘", "ivory whistle": "象牙哨子", "jade seal": "白玉印章",
    "amber necklace": "琥珀项链", "pearl brooch": "珍珠别针", "gold watch": "金怀表",
    "coral comb": "珊瑚梳", "ebony flute": "乌木笛", "crystal inkwell": "水晶墨盒",
    "opal ring": "猫眼戒指", "enamel snuffbox": "珐琅鼻烟壶", "pewter goblet": "锡酒樽",
    "tortoiseshell fan": "玳瑁扇", "bronze astrolabe": "青铜星盘", "garnet earring": "石榴石耳坠",
    "sandalwood box": "檀香木盒", "porcelain owl": "白瓷猫头鹰", "sapphire pin": "蓝宝石簪",
    "marble chessman": "大理石棋子", "onyx paperweight": "玛瑙镇纸",
}  # fmt: skip

SECRETS = {
    "the upper bridge was rotten": "上游的木桥已经朽坏",
    "the mayor had sold the common": "镇长私下卖掉了公田",
    "the school would be closed": "公学到年底就要停办",
    "the old well was poisoned": "老井里的水被人下过毒",
    "the bank had lost its gold": "钱庄的金条早已亏空",
    "the harbour dues would be doubled": "码头的厘税要加一倍",
    "the doctor had never taken a degree": "坐堂的大夫从没拿过文凭",
    "the railway would pass through the marsh": "铁路要从芦苇滩上穿过",
    "the bishop was coming in disguise": "督军要微服到镇上来",
    "the regiment would be sent away": "驻防的军队就要调走",
    "the last will had been forged": "老东家的遗嘱是伪造的",
    "the island was for sale": "江心的小岛正在找买主",
    "the theatre owed a year's rent": "戏园子欠了整整一年的租",
    "the tax rolls had been burned": "县里的税册已经被烧毁",
    "the lottery had no winner": "那一期彩票根本没有人中奖",
    "the captain was a deserter": "船长当年是个逃兵",
    "the spring water held iron": "后山的泉水里含着铁",
    "the judge meant to resign": "审判官打算辞官",
}  # fmt: skip

# The subject of each petition.
PETITIONS = {
    "new bridge": "修建新桥", "street lamps": "安装路灯", "night ferry": "开设夜间渡船",
    "free school": "开办义学", "town clock": "竖立镇钟", "lower bread tax": "减免面粉捐",
    "marsh drain": "疏浚湿地", "night watch": "恢复巡夜", "public garden": "辟建公园",
    "paved market": "铺平集市路面", "sea wall": "加固海塘", "hospital": "开设医院",
}  # fmt: skip

NIGHTS = {
    "first frost": "头场霜", "comet": "扫帚星", "great gale": "大台风", "lantern feast": "灯会",
    "broken ice": "河冰开裂", "red moon": "红月亮", "falling stars": "流星雨",
    "harvest dance": "酬神社戏", "black fog": "黑雾", "spring tide": "大潮",
    "northern lights": "北天红光", "long eclipse": "月食",
}  # fmt: skip

CALAMITIES = {
    "granary burned down": "粮仓失火烧光", "weir broke": "拦河坝决口",
    "bell tower fell": "钟楼倒塌", "town safe was robbed": "商会银库被盗",
    "packet boat sank": "邮船沉没", "prisoners escaped": "牢里的犯人越狱",
    "library roof caved in": "藏经阁的屋顶塌落", "toll bridge collapsed": "石拱桥断塌",
    "menagerie broke loose": "马戏班的猛兽逃脱", "powder store blew up": "火药库爆炸",
    "portrait of the founder was stolen": "开埠先贤的画像失窃",
    "great elm was struck by lightning": "大榆树遭了雷劈",
}  # fmt: skip

TRADES = {
    "apothecary": "药铺掌柜", "baker": "糕饼师傅", "bargeman": "驳船工", "beekeeper": "养蜂人",
    "bookbinder": "装订匠", "brewer": "酿酒师傅", "carpenter": "木匠", "carter": "车把式",
    "clerk": "文书", "clockmaker": "钟表匠", "cooper": "箍桶匠", "draper": "绸布商",
    "engraver": "刻字匠", "ferryman": "摆渡人", "fiddler": "琴师", "gardener": "花匠",
    "glazier": "玻璃匠", "harness-maker": "鞍具匠", "innkeeper": "客栈老板",
    "lamplighter": "点灯人", "mason": "泥瓦匠", "miller": "磨坊主", "notary": "公证人",
    "pilot": "领港人", "potter": "陶匠", "printer": "印书匠", "saddler": "皮匠",
    "schoolteacher": "教书先生", "shepherd": "牧羊人", "surveyor": "丈量员", "tailor": "裁缝",
    "weaver": "织工",
}  # fmt: skip
