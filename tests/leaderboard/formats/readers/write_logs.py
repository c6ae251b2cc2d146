"""Logs as the packages write them: Inspect's in both forms, the harness's samples, and the lines
that Every Eval Ever makes of those."""

import json
import sys
from pathlib import Path

from every_eval_ever.converters.lm_eval.instance_level_adapter import LMEvalInstanceLevelAdapter
from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
from inspect_ai.model import ChatMessageUser, ModelOutput
from lm_eval.loggers.evaluation_tracker import EvaluationTracker

folder = Path(sys.argv[1])
answers = json.loads((folder / "answers.json").read_text("utf-8"))
prompt = "A long book. " * 300_000


def inspect_log() -> EvalLog:
    outputs = {key: ModelOutput.from_content("x/y", text) for key, text in answers.items()}
    samples = [
        EvalSample(
            id=int(key), epoch=1, input=prompt, target="t", output=output,
            messages=[ChatMessageUser(content=prompt), output.message],
        )
        for key, output in outputs.items()
    ]  # fmt: skip
    spec = EvalSpec(
        created="2026-11-28T00:00:00+00:00", task="inspect_evals/infinite_bench_passkey",
        model="x/y", dataset=EvalDataset(samples=len(samples)), config=EvalConfig(),
    )  # fmt: skip
    return EvalLog(status="success", eval=spec, samples=samples)


for form in ("eval", "json"):
    (folder / form).mkdir()
    write_eval_log(inspect_log(), str(folder / form / f"log.{form}"))

harness = folder / "lm-eval"
tracker = EvaluationTracker(output_path=str(harness))
tracker.general_config_tracker.model_name_sanitized = "x__y"
samples = [
    {
        "doc_id": int(key), "doc": {"id": int(key), "context": prompt, "answer": ["t"]},
        "target": "t", "arguments": [[prompt, {"until": []}]], "resps": [[text]],
        "filtered_resps": [text], "filter": "none", "metrics": ["score"], "score": 0.0,
        "doc_hash": "0", "prompt_hash": "0", "target_hash": "0",
    }
    for key, text in answers.items()
]  # fmt: skip
tracker.date_id = "2026-11-28T00-00-00.000000"
tracker.save_results_samples("infinitebench_passkey", samples)
[written] = harness.rglob("*.jsonl")

(folder / "every").mkdir()
rows = LMEvalInstanceLevelAdapter().transform_samples(
    str(written), "x", "x/y", "infinitebench_passkey"
)
with (folder / "every" / "x_samples.jsonl").open("w", encoding="utf-8") as lines:
    lines.writelines(row.model_dump_json(exclude_none=True) + "\n" for row in rows)
print("{}")
