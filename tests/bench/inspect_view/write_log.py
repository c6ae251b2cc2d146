"""A log of Inspect with one sample, whose input is a text; run by the Python of its environment.

``python write_log.py TEXT LOG``
"""

import sys
from pathlib import Path

from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput
from inspect_ai.scorer import Score


def write(text: Path, log: str) -> None:
    asked = f"{text.read_text(encoding='utf-8')}\n\nWho kept the light?"
    sample = EvalSample(
        id="long",
        epoch=1,
        input=asked,
        target="Ada",
        messages=[ChatMessageUser(content=asked), ChatMessageAssistant(content="Nobody.")],
        output=ModelOutput.from_content("model", "Nobody."),
        scores={"match": Score(value="I", answer="Nobody.")},
    )
    spec = EvalSpec(
        created="2026-01-01T00:00:00+00:00",
        task="long",
        dataset=EvalDataset(name="long", samples=1, sample_ids=["long"]),
        model="mockllm/model",
        config=EvalConfig(),
    )
    write_eval_log(EvalLog(status="success", eval=spec, samples=[sample]), log)


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2])
