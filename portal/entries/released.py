"""What the authors of ∞Bench have released: label versions and prediction files, by the folders of
``INFINITEBENCH_DATA``."""

from typing import NamedTuple

from portal.entries.historical import Historical


class ReleaseTexts(NamedTuple):
    title: str
    description: str


LABELS, RESULTS = "gold", "results"  # folders
LABEL_VERSIONS = {  # the last one is the newest, whose data boards show
    "paper": ReleaseTexts(
        "Paper labels",
        "Labels of the result files released with the paper, with older ids in En.QA, En.MC and "
        "En.Sum.",
    ),
    "hf": ReleaseTexts("Hub labels", "Labels as on the Hub since March 2024, with ids from 0."),
}
# The official scorer lets GPT-4's answers of Math.Calc repeat the first operand.
RELEASED_FILES = {
    "gpt4": Historical(
        "GPT-4 (1106-preview)",
        "OpenAI",
        drop_first=True,
        # As the paper calls the prompt of Code.Debug, which has GPT-4 repeat what it read.
        strategy="as released, with context recalling",
    ),
    "claude2": Historical("Claude 2", "Anthropic"),
    "kimi": Historical("Kimi-Chat", "Moonshot AI"),
}
