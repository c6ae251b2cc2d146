"""How many tokens the Chinese narrator's prose takes, planned without a vocabulary.

Counted with cl100k_base (tiktoken 0.14), which spends two tokens on most Chinese characters, one on
frequent ones and three on rare ones, and has few tokens for more than one character.
"""

from scoring.text.tokens import FREQUENT

_SIGNS = "“”、。《》！，：；？"  # of one token, as the frequent ideographs are
_THREE = (
    "傅傍儿咂咐咕咖咬咱咳咸嗓嗡嗽嘀嘉嘱嘴噼嚷嚼垂垛妇妈妒妙妥妨威娃娘娟娥娴婆婉婚婴婷媒媳嫉嫌峭峰崇崔悄悔悟患悯慈慕慢慰懂懊懒搁搓搔搪搬搭擦梁梅梆梦梯梳椅椒椭榆榕榴榻槌槐槛樊樟横樽橘橡橹檀檐潘潦潮澜澡濒炉炊"
    "炒炖炳炷炸烂烘烛烟烦烧烫热烹煎煮熄熊熏熟熬犬犯犹狄狗狠独狱猎猛猩猪猫猴瑁瑙瑚瑞瑟瑾璃瓜瓢瓦瓶瓷疏疑疚疤疯疲疼病痕痛痣瘦瘪瞅瞒瞧矩短矮矿砂砖砚破磨簪簸簿糊糕糖糙糟糠糯翁翅翠翰翻翼脂脆脊脑脖脚脱脸脾腊腋腐"
    "腕腰腻腿膀膊膛膝莉莫莲葛葡董葫葱蒋蒙蒲蒸蓄蓝蓬蓼蔡蔫蔷蕉蕙蕴薄薇薛薯藓藕藤蘸蚊蚕蛋蛐蛙蛮蛳蜂蜓蜡蜻蝉螃螺蟀蟋蟹褚褥褪襟踏踢踩踪踮踱蹭蹲躲躺酒酬酱酸酿醉醒鞍韦韩韭韵饨饪饭饰饱饼骂骆骏骑骗骚骨鬓魁魏鱼鲁鲈"
    "鲍鲜鸟鸠鸡鸣鸦鸭鸽鸿鹃鹅鹉鹊鹌鹑鹤鹦鹭鹰麟麦麻鼓鼻齐"
)
# Two or more characters of one token; each counted here saves one.
_TOGETHER = (
    "。\n",
    "？\n",
    "\n\n",
    "。”",
    "？”",
    "”，",
    "”\n\n",
    "：“",
    "，“",
    "。“",
    "没有",
    "一个",
)

_NOT_ONE = dict.fromkeys(map(ord, FREQUENT + _SIGNS + "\n "))
_NOT_THREE = dict.fromkeys(map(ord, _THREE))


def tokens_of(text: str) -> float:
    """About as many as cl100k_base: within 1 %."""
    dear = len(text.translate(_NOT_ONE)) + len(text) - len(text.translate(_NOT_THREE))
    return len(text) + dear - sum(map(text.count, _TOGETHER))
