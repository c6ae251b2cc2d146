"""The sample predictions of the demo."""

import orjson

from portal.demo.samples import sample_predictions

WORDS = ("amber", "basin", "cellar", "drover", "ember", "ferry", "gorge", "kiln")
CHINESE = "磨坊主把那封信藏在了塔楼的第三级台阶下面"
GOLD = [f"The {word} was hidden by the miller under the third step of the tower" for word in WORDS]


def test_samples_paste_no_long_gold_answers() -> None:
    """Reviewers would get a warning in every demo."""
    golds = [*GOLD, CHINESE]
    release = b"\n".join(
        orjson.dumps({"id": index, "answer": [gold], "options": []})
        for index, gold in enumerate(golds)
    )
    said = [str(row["prediction"]) for row in sample_predictions("longbook_sum_eng", release)]
    assert len(said) == len(golds)
    assert not [text for text in said for gold in golds if gold in text]
    partly = [set(text.split()) < set(gold.split()) for text, gold in zip(said, golds, strict=True)]
    assert sum(partly) >= 4
