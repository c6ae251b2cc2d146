"""The life of a boxed scorer: learn the job, load what it needs, lock the door, do it, end.

Nothing untrusted is read before the door is locked; and after that no module can be loaded and no
file opened, so each stage has all it needs at the top of its module.
"""

import errno
import json
import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict
from importlib import import_module

from scoring.labels import LabelError
from scoring.predictions.canonical import CanonicalError
from scoring.sandbox.lockdown import LockdownError, lock
from scoring.sandbox.worker.job import Exit, Job, Streams

_STAGES = {
    "read": "scoring.sandbox.worker.reading",
    "score": "scoring.sandbox.worker.judging",
    "probe": "scoring.sandbox.worker.probing",
}
_FULL = {errno.ENOSPC: Exit.DISK, errno.EDQUOT: Exit.DISK, errno.EFBIG: Exit.OUTPUT_LARGE}


def main() -> Exit:
    with open(0, "rb") as stdin:  # and close it
        job = Job.from_json(stdin.read())
    run = import_module(_STAGES[job.stage]).run
    inputs = {name: os.fdopen(fd, "rb") for name, fd in job.inputs.items()}
    outputs = {name: os.fdopen(fd, "wb", 1 << 18) for name, fd in job.outputs.items()}
    try:
        limits = job.limits
        locked = lock(
            job.walls,
            job.required,
            memory=limits.memory,
            cpu=limits.cpu,
            output=limits.output,
            parent=job.parent,
        )
        print(json.dumps(asdict(locked)), flush=True)
    except LockdownError as error:
        print(error, flush=True)
        return Exit.NOT_LOCKED
    return _run(run, Streams(inputs, outputs, job.options))


def _run(run: Callable[[Streams], None], streams: Streams) -> Exit:
    try:
        run(streams)
        streams.close()
    except MemoryError:
        return Exit.MEMORY
    except CanonicalError as error:
        print(error, flush=True)
        return Exit.INPUT_INVALID
    except LabelError as error:
        print(error, flush=True)
        return Exit.LABELS_INVALID
    except OSError as error:
        traceback.print_exc()
        return _FULL.get(error.errno or 0, Exit.CRASHED)
    except BaseException:
        traceback.print_exc()
        return Exit.CRASHED
    return Exit.DONE


if __name__ == "__main__":
    CODE = main()
    sys.stdout.flush()
    os._exit(CODE)  # nothing is left to tidy, and the interpreter would take its time
