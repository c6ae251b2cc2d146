"""Logs of other tools, as their programs write them: Inspect's ``.eval``, HELM's state."""

import json
import struct
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import zstandard

_DEFLATE, _ZSTD = 8, 93


def sample(key: object, completion: str, **more: Any) -> dict[str, Any]:
    """As inspect-ai 0.3.285 writes it, without the fields that nothing here reads."""
    message = {"role": "assistant", "content": completion}
    return {
        "id": key, "epoch": 1, "input": f"A long text {key} \\\" {{[", "target": "t",
        "messages": [{"role": "user", "content": "{\"id\": 7}"}, message],
        "output": {"model": "m", "choices": [{"message": message}], "completion": completion},
        "events": [{"event": "model", "output": {"completion": "no"}, "id": "x"}],
        "attachments": {"a1": "x" * 200}, **more,
    }  # fmt: skip


def write_eval(
    path: Path, task: str, samples: Iterable[Mapping[str, Any]], *, zstd: bool = False
) -> Path:
    header = {"version": 2, "status": "success", "eval": {"task": task, "task_id": "x"}}
    members = {
        f"samples/{one['id']}_epoch_{one['epoch']}.json": json.dumps(one, indent=2).encode()
        for one in samples
    }
    members["header.json"] = json.dumps(header, indent=2).encode()
    return write_zip(path, members, method=_ZSTD if zstd else _DEFLATE)


def write_inspect_json(path: Path, task: str, samples: Iterable[Mapping[str, Any]]) -> Path:
    path.parent.mkdir()
    header = {"version": 2, "status": "success", "eval": {"task": task}, "plan": {"name": "x"}}
    path.write_text(json.dumps(header | {"samples": list(samples)}, indent=2))
    return path


def write_zip(path: Path, members: Mapping[str, bytes], method: int = _DEFLATE) -> Path:
    """Written by hand, since the standard library writes zstd only from Python 3.14 on."""
    body, directory = b"", b""
    for name, content in members.items():
        packed = _packed(content, method)
        sizes = (zlib.crc32(content), len(packed), len(content), len(name.encode()), 0)
        common = struct.pack("<3H2H3L2H", 63, 0, method, 0, 33, *sizes)
        directory += b"PK\1\2" + struct.pack("<H", 63) + common
        directory += struct.pack("<3H2L", 0, 0, 0, 0, len(body)) + name.encode()
        body += b"PK\3\4" + common + name.encode() + packed
    count = len(members)
    end = struct.pack("<4H2LH", 0, 0, count, count, len(directory), len(body), 0)
    path.write_bytes(body + directory + b"PK\5\6" + end)
    return path


def _packed(content: bytes, method: int) -> bytes:
    if method == _ZSTD:  # in two frames, as inspect-ai does with large members
        half = len(content) // 2
        return b"".join(map(zstandard.compress, (content[:half], content[half:])))
    deflate = zlib.compressobj(1, wbits=-15)
    return deflate.compress(content) + deflate.flush()


def request_state(key: object, text: str, **more: Any) -> dict[str, Any]:
    """As crfm-helm 0.5.16 writes it."""
    instance = {"input": {"text": "A novel"}, "references": [], "split": "test", "id": key}
    result = {"success": True, "embedding": [], "cached": True,
              "completions": [{"text": text, "logprob": 0, "tokens": [{"text": "t"}]}]}  # fmt: skip
    return {"instance": instance, "train_trial_index": 0, "request": {"prompt": "A novel"},
            "result": result, **more}  # fmt: skip


def write_state(folder: Path, states: Iterable[Mapping[str, Any]]) -> Path:
    folder.mkdir(parents=True)
    file = folder / "scenario_state.json"
    document = {"adapter_spec": {"method": "generation"}, "request_states": list(states)}
    file.write_text(json.dumps(document, indent=2))
    return file


def instance_line(key: str, text: str | None, metric: str = "m", **more: Any) -> dict[str, Any]:
    """As every-eval-ever 0.3.0 defines it."""
    return {
        "schema_version": "0.3.0", "evaluation_id": "a/b/1", "model_id": "a/b",
        "evaluation_name": "infinite_bench_passkey", "evaluation_result_id": metric,
        "sample_id": key, "interaction_type": "single_turn",
        "input": {"raw": "A long \" text", "reference": ["1"]},
        "output": {"raw": [] if text is None else [text]}, "answer_attribution": [],
        "evaluation": {"score": 0.0, "is_correct": False}, **more,
    }  # fmt: skip


SCORES = {
    "schema_version": "0.3.0", "evaluation_id": "a/b/1", "source_metadata": {},
    "evaluation_results": [{"evaluation_result_id": "m"}],
}  # fmt: skip
