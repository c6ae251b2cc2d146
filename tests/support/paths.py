"""Where the project is, and the real data beside it."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = (ROOT / os.environ.get("INFINITEBENCH_DATA", "../shared/infinitebench")).resolve()
