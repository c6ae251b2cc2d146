"""Names of people and towns for the Chinese narrator.

Two characters are a given name and one or two a family name; no character of a name is a word that
often stands before one (和, 向, 曾, 常, …), so that a name is seen where it begins.
"""

_WOMEN = """
婉清 静姝 雪吟 素云 佩兰 若薇 月娥 秀珠 玉茹 惠芬 书仪 思敏 采薇 映雪 梦琪 淑贞
凤仪 丽华 碧君 雅琴 芷兰 念慈 巧云 翠英 锦瑟 诗韵 宛秋 蕴华 珮文 芸香 莲舟 绮霞
慧娴 令仪 疏影 晚晴 幼薇 兰芝 桂英 银霜 青黛 若筠 漱玉 琼枝 淑仪 菊仙 秀禾 雁秋
景兰 湘君 佳蕙 玲珑 紫鹃 含芳 彩萍 冬梅 忆南 倩如 嘉卉 韵竹 瑞雪 琬琰 妙仪 之桃
语棠 絮飞 婷芳 敏贞 曼殊 芳仪 云裳 舜华 岚烟 美娟 阿蛮 雨桐 荷衣 素馨 沁芳 琴心
"""

_MEN = """
望舒 明远 志恒 文谦 景行 子墨 伯年 仲衡 启元 鸿渐 世昌 德海 国栋 永康 振邦 维桢
宗翰 承志 绍棠 守仁 怀瑾 思齐 静轩 炳文 耀庭 立群 秉忠 延龄 克俭 敬之 少游 季平
长庚 大川 兆麟 云鹤 树森 其昌 镇海 焕章 茂才 福生 根宝 水根 阿福 广陵 泰来 知节
道安 若愚 慕白 逸飞 剑秋 寒松 晓峰 松涛 定邦 显扬 润之 伟业 庆余 宝山 金魁 汉卿
正清 学礼 君实 天佑 家骏 成业 祖荫 瑞麟 孝先 仕诚 修远 允中 怀远 觉民 崇义 彦博
"""

_FAMILIES = """
赵 孙 李 周 吴 郑 王 冯 陈 褚 卫 蒋 沈 韩 杨 朱 秦 许 吕 施
张 孔 曹 严 魏 陶 姜 戚 谢 邹 喻 柏 窦 章 苏 潘 葛 奚 范 彭
鲁 韦 苗 俞 任 袁 柳 鲍 唐 费 廉 岑 薛 雷 贺 倪 汤 滕 殷 罗
郝 邬 傅 卞 齐 康 伍 余 顾 孟 穆 萧 尹 姚 邵 汪 祁 狄 臧 戴
宋 庞 熊 纪 舒 屈 项 祝 董 梁 杜 阮 闵 季 贾 童 颜 郭 梅 盛
林 徐 邱 骆 夏 蔡 樊 胡 凌 霍 虞 柯 管 卢 莫 裘 缪 丁 邓 郁
杭 洪 崔 龚 程 邢 裴 陆 翁 荀 甄 储 靳 段 侯 尤 欧阳 上官 司徒 诸葛
"""

_TOWNS = """
青石浦 白鹭渡 临溪镇 乌桕镇 柳湾镇 归帆港 枕河镇 双塔镇 长亭镇 芦花荡 落雁滩 铜陵渡
云栖镇 桐月镇 石门湾 千灯浦 望潮镇 古榕镇 渔浦镇 梅岭镇 盐埠镇 沙头镇 杏花洲 鹤鸣镇
"""

WOMEN = tuple(_WOMEN.split())
MEN = tuple(_MEN.split())
FAMILIES = tuple(_FAMILIES.split())
TOWNS = tuple(_TOWNS.split())
