"""Where the project is, and the real data beside it."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
_NAMED = os.environ.get("INFINITEBENCH_DATA", "../shared/infinitebench")
# Empty means none, also where such a folder lies beside this clone.
DATA = (ROOT / _NAMED).resolve() if _NAMED else Path(os.devnull, "no data")
