"""Sentences of the Chinese narrator that say what happened: about four ways for each event.

``A`` and ``B`` are the two people by their full names, ``P`` is the place, ``ware`` what is bought
(一盏紫铜油灯), ``sum`` what it costs (四十一块银元), ``wear`` how ``A`` is dressed
(披着一件猩红色斗篷), ``it`` a thing, ``secret``, ``plea``, ``night`` and ``woe`` a secret, the
subject of a petition, a night and a calamity. Each has a fixed position, so that rules can find it.
"""

from scoring.generators.grammar import Grammar
from scoring.generators.novel.chinese import things as zh
from scoring.generators.novel.chinese.numbers import counted
from scoring.generators.novel.events import (  # fmt: skip
    NOBODY,
    Denied,
    Event,
    Fact,
    Gave,
    Happened,
    Meant,
    Met,
    Paid,
    Signed,
    Stayed,
    Told,
    Went,
)
from scoring.generators.novel.world import Outfit

_TABLE = {
    "paid": """
        [mind]，[A]在[P]花[sum]从[B]手里买下了[ware]。
        [A]在[P]向[B]买了[ware]，[haggled]，付了[sum]。
        在[P]，[B]把[ware]卖给了[A]，[haggled]，价钱是[sum]。
        [mind]，[A]在[P]数出[sum]付给[B]，换回了[ware]。
        """,
    "went": """
        为了[purpose]，[A]去了一趟[P]。
        [mind]，[A]来到[P]，[there]。
        [A]惦记着[purpose]，便往[P]走了一趟。
        [A]到[P]去了一回，[there]。
        """,
    "met": """
        在[P]，[A]遇见了[B]，[that_day][A][wear]，[bearing]。
        [wear]的[A]在[P]迎面遇见了[B]，[greeting]。
        [mind_not]，[A]竟在[P]遇见了[B]；[that_day][A][wear]。
        那回[A][wear]，在[P]遇见了[B]，[greeting]。
        """,
    "gave": """
        [mind]，[A]把[it]交给了[B]。
        [B]从[A]手里接过了[it]，[kept]。
        [mind]，[A]将[it]送给了[B]，从此归[B]保管。
        [it]就这样从[A]手里转到了[B]手里，[since]。
        """,
    "passed": """
        [mind]，[A]把[C]给的那件东西转交给了[B]。
        [B]从[A]手里接过了[C]给[A]的那件东西，[kept]。
        [mind]，[A]将从[C]那里得来的东西送给了[B]。
        [C]给[A]的那件东西，就这样转到了[B]手里，[since]。
        """,
    "told": """
        [mind]，[A]悄悄告诉[B]：[secret]。
        [B]是听[A]亲口说的：[secret]。
        [mind]，[A]把一桩消息透露给了[B]：[secret]。
        [secret]，这件事是[A]告诉[B]的。
        """,
    "stayed": """
        [night]那一夜，[A]是在[P]过的，[dawn]。
        后来问起来，[night]那一夜[A]宿在[P]，[dawn]。
        [A]记得很清楚，[night]那一夜自己是在[P]度过的，[dawn]。
        原来[night]那一夜[A]一直待在[P]，[dawn]。
        """,
    "happened": """
        正是[night]那一夜，[woe]，[shock]。
        [woe]，就出在[night]那一夜，[shock]。
        [night]那一夜出了大事：[woe]，[shock]。
        [recall]：[night]那一夜，[woe]。
        """,
    "signed": """
        [mind]，[A]在请求[plea]的请愿书上签了名。
        请求[plea]的请愿书上，[A]也签下了自己的名字，[hand]。
        [A]提起笔来，[stroke]，在请求[plea]的请愿书上签了名。
        请求[plea]的请愿书摊开在桌上，[mind]，[A]签下了名字。
        """,
    "meantPaid": """
        [A]本想在[P]花[sum]从[B]手里买下[ware]，[hitch]，到底没有买成。
        [A]原打算在[P]向[B]买[ware]，连[sum]都备好了，[hitch]，终究没有买。
        """,
    "meantWent": """
        [A]本想去[P][purpose]，[hitch]，到底没有去成。
        [A]原打算往[P]走一趟，[hitch]，终究没有去。
        [A]本想顺路去[P]，在门前站了站，[hitch]，并没有进去。
        [A]原打算亲自去[P][purpose]，[hitch]，只托人跑了一趟。
        """,
    "meantGave": """
        [A]本想把[it]交给[B]，[hitch]，到底没有交出去。
        [A]原打算将[it]送给[B]，[hitch]，终究没有送出手。
        """,
    "meantPassed": """
        [A]本想把[C]给的那件东西转交给[B]，[hitch]，到底没有交出去。
        [A]原打算将从[C]那里得来的东西送给[B]，[hitch]，终究没有送出手。
        """,
    "meantSigned": """
        [A]本想在请求[plea]的请愿书上签名，[hitch]，到底没有签。
        [A]原打算也在请求[plea]的请愿书上签下名字，[hitch]，终究没有落笔。
        """,
    "deniedPaid": """
        有人说[A]在[P]花[sum]从[B]手里买了[ware]，其实并没有这回事。
        [gossip]传言[A]在[P]向[B]买了[ware]，付了[sum]，其实根本没有买过。
        """,
    "deniedWent": """
        有人说[A]去[P][purpose]，其实并没有去过。
        [gossip]传言[A]到[P]去了一回，其实根本没有这回事。
        有人说在[P]看见过[A]，其实那是[A]的一位表亲。
        有人说[A]为了[purpose]去了[P]，其实去的是一个重名的外乡人。
        """,
    "deniedTold": """
        有人说[A]把“[secret]”这件事告诉了[B]，其实[A]并没有说过。
        [gossip]传言是[A]告诉[B]：[secret]，其实根本没有这回事。
        """,
    "deniedStayed": """
        有人说[night]那一夜[A]是在[P]过的，其实[A]并不在那里。
        [gossip]传言[night]那一夜[A]宿在[P]，其实根本没有这回事。
        """,
    "mind": """
        想了{又想|半日|一夜}|犹豫{再三|了许久}|拿定{了主意|主意之后}|没有跟旁人商量|趁着身边没有旁人|{定了定神|咬了咬牙|横下心来}
        {话不多说|二话不说|也不多解释}|{盘算|思量|掂量}了{几日|一番|好一阵}|像是早就想好了似的|嘴上不说，心里已有了主意
        忙完了手头的活|等旁人都散了|{心里|心头}{一横|一热|一软}|{理了理|掸了掸|扯了扯}{衣襟|袖口}
        """,
    "mind_not": "也算是{巧合|缘分|天意}|谁也没有料到|说来也巧|事先并没有约好|{低着头|想着心事}走到拐角",
    "that_day": "那天|当时|那一回|其时",
    "haggled": """
        {讲了|磨了}{半天|许久|好一阵}价|一个字也没有还价|{看了又看|掂了又掂|摸了又摸}|里外验看了一遍
        几番讨价还价之后|翻来覆去{看|挑}了{半天|许久}|{两下里|彼此}都{觉得公道|不吃亏}
        """,
    "purpose": """
        {打听|追问}{一桩旧案|一个失散的亲戚|一张旧契|一笔旧账}|讨{一张方子|一个说法|一句准话|几粒花种}
        {还|归还}{一份人情|早年欠下的人情}|{看望|探望}一位{病着的|多年不见的|上了年纪的}{老友|长辈|同乡}
        替{邻居|街坊|亲戚|东家}{捎|送}{个口信|一包药|几双布鞋|一封家信}|{查|核对}一个{日子|数目|姓名}
        {寻|找}{一件丢了的东西|一个木工|一份差事|几个帮手}|{学|见识}一门手艺|{散散心|透透气|清静半日}
        """,
    "there": """
        {里里外外|前前后后|上上下下}{看|转}了一{遍|圈}|{坐|待|逗留}了{一顿饭的工夫|半个时辰|大半天|一炷香的工夫}
        {跟|同}{看门的|管事的|几个伙计|几个熟人}{聊|攀谈|寒暄}了{几句|半天}|{一句话也没说|只问了两句话}便{折了回来|告辞了}
        {在门口|在廊下|在院里}{等|站|坐}了{很久|半日|好一会儿}
        """,
    "bearing": """
        {神色|脸色}{有些疲倦|十分平静|不大自然|比平日好}|脚步{匆匆|比平日慢|有些乱|轻快得很}
        {走得|站得}{笔直|不紧不慢}|{头上|肩上}还{沾着草屑|落着灰|带着水汽}|远远{看去|望去}格外{显眼|精神|单薄}
        """,
    "greeting": """
        两人{站着|就地}说了{几句话|半天闲话}|彼此{点了点头|都愣了一下|拱了拱手|笑了一笑}
        {寒暄了几句|互相问了好}便各自{走开|散了}|一时{都没有开口|不知说什么好}|{像是|好像}{隔了很多年|昨天才分手}似的
        """,
    "kept": """
        {用手帕|用旧布|用油纸}{裹好|包了两层}|{贴身收着|小心地揣进怀里|锁进了柜子}|{什么也没问|半天没有说话|连声道谢}
        {看了又看|掂了掂|对着光照了照}|当着{旁人|几个邻居}的面{收下了|郑重地收好}
        """,
    "since": """
        {没有|再没有}{立下字据|惊动旁人|人再提起}|{前后|统共}不过{一盏茶|一袋烟|几句话}的工夫|{旁边|屋里|四下}{没有|并无}第三个人
        {天知地知|街坊四邻|旁边的人}{谁也没说破|都看在眼里}|{没有|也没}{半句|一句}{客套|多余的}话
        """,
    "dawn": """
        {直到|一直到}{天亮|鸡叫|天色发白}才{走|离开|出门}|一夜{没有合眼|睡得很沉|没有出门|听着风声}
        有{看门人|几个伙计|守夜的人}{作证|可以作证|在旁边}|和衣{躺|靠}到天明|{点着蜡烛|守着炉火}{坐|熬}到天明
        """,
    "shock": """
        {全镇|满街|四乡}的人都{惊动了|看呆了|吓坏了|没了主意}|{谁也|没有人}{料不到|想不到}会这样|{老人们|街坊们}{说起来|提起来}{还|仍}摇头
        {事后|后来}{县里|省里}还{派人来查过|贴了告示}|{第二天|没几天}便传遍了{四乡|全县|上下游}
        """,
    "recall": """
        {全镇|满街|四乡}的人{都忘不了|至今记得|都说得出}|{老人们|街坊们|船家们}{至今|常常|每每}{说起|提起}|{地方志|账房的流水簿|老皇历的空白处}上{写着|记着}
        """,
    "stroke": """
        {蘸足了墨|手有些抖|想了很久|看也没看|屏住了气}|{搓了搓手|挽起袖子|沉着脸|当着众人的面|朝四下里看了看}
        """,
    "hand": """
        {字写得|笔画}{很大|端端正正|有些潦草|又细又密}|{吹干了墨|搁下笔}{才|便}{走开|让出位子}|{末一笔|落款}{拖得很长|力透纸背|洇开了一点}
        """,
    "hitch": """
        {偏偏|不巧|谁知}{下起了大雨|家里来了客人|身子不舒服|临时有了急事|犯了腰疼|被琐事绊住}
        {想来想去|临到跟前|末了}却{改了主意|犹豫起来|没了兴致|下不了决心}|{一拖再拖|左等右等|耽搁了几天}
        """,
    "gossip": "{街上|镇上|巷子里|茶客们|邻居们}{一度|都|纷纷|一直}",
}
_SLOTS = "A B C P ware sum wear it secret plea night woe"

FACTS = Grammar(_TABLE, words=frozenset(_SLOTS.split()))


def symbol_of(event: Fact | Meant | Denied) -> str:
    """The name of its sentences in ``FACTS``."""
    match event:
        case Meant(fact):
            return f"meant{_name(fact)}"
        case Denied(fact):
            return f"denied{_name(fact)}"
    return _name(event).lower()


def _name(fact: Fact) -> str:
    """Of the kind of fact."""
    passed = isinstance(fact, Gave) and fact.had_from != NOBODY
    return "Passed" if passed else type(fact).__name__


def words_of(event: Event) -> dict[str, str]:
    """All that the sentences about an event say, but for its people."""
    fact = event.fact if isinstance(event, Meant | Denied) else event
    words: dict[str, str] = {}
    if isinstance(fact, Paid | Went | Met | Stayed):
        words["P"] = zh.PLACES[fact.place]
    if isinstance(fact, Stayed | Happened):
        words["night"] = zh.NIGHTS[fact.night]
    match fact:
        case Paid():
            words |= {"ware": _ware(fact), "sum": money(fact.crowns)}
        case Met():
            words["wear"] = worn(fact.wearing)
        case Gave():
            words["it"] = zh.THINGS[fact.thing]
        case Told():
            words["secret"] = zh.SECRETS[fact.secret]
        case Signed():
            words["plea"] = zh.PETITIONS[fact.petition]
        case Happened():
            words["woe"] = zh.CALAMITIES[fact.calamity]
    return words


def _ware(paid: Paid) -> str:
    ware = zh.GOODS[paid.goods]
    quality = zh.QUALITIES[paid.goods][paid.quality]
    return f"一{ware.measure}{quality}{ware.name}"


def money(crowns: int) -> str:
    """An amount in words: 四十一块银元."""
    return f"{counted(crowns)}块银元"


def worn(outfit: Outfit) -> str:
    """How a person is dressed: 披着一件猩红色斗篷."""
    verb, measure, _ = zh.GARMENTS[outfit.garment]
    return f"{verb}一{measure}{dress(outfit)}"


def dress(outfit: Outfit) -> str:
    """What a person wears: 猩红色斗篷."""
    return zh.COLOURS[outfit.colour] + zh.GARMENTS[outfit.garment].name
