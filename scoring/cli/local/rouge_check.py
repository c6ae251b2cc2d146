"""Our ROUGE beside that of the rouge-score package, which only ``verify`` loads, if it is there."""

from importlib.metadata import version

from rouge_score import rouge_scorer

VERSION = version("rouge-score")


def rouge_lsum_of_package(prediction: str, references: list[str]) -> float:
    """Its F-measure."""
    package = rouge_scorer.RougeScorer(["rougeLsum"])
    score: float = package.score_multi(references, prediction)["rougeLsum"].fmeasure
    return score
