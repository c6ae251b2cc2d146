"""The rows of our board in a Gradio leaderboard, as such pages usually are.

It has search, choice of columns, and a filter; every other option has its default.

Runs in the environment of Gradio: ``python gradio_app.py ROWS PORT``, where ROWS is a JSON file of
objects: column → value.
"""

import json
import sys
from pathlib import Path

import gradio as gr  # type: ignore[import-not-found]
import pandas as pd  # type: ignore[import-untyped]
from gradio_leaderboard import (  # type: ignore[import-not-found]
    Leaderboard,
    SearchColumns,
    SelectColumns,
)

_TEXTS = ("Model", "Organisation", "Weights")


def main(rows: str, port: str) -> None:
    frame = pd.DataFrame(json.loads(Path(rows).read_text(encoding="utf-8")))
    with gr.Blocks(title="∞Bench") as page:
        gr.Markdown("# ∞Bench")
        Leaderboard(
            value=frame,
            datatype=["str" if name in _TEXTS else "number" for name in frame.columns],
            search_columns=SearchColumns("Model", ["Organisation"]),
            select_columns=SelectColumns(
                default_selection=[name for name in frame.columns if name != "Weights"],
                cant_deselect=["Rank", "Model"],
            ),
            filter_columns=["Weights"],
            hide_columns=["Weights"],
        )
    page.launch(server_name="127.0.0.1", server_port=int(port), quiet=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
