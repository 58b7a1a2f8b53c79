"""Files are never loaded as a whole, however long they are."""

import os
import subprocess
import sys

import numpy as np
import pytest

# Runs in a small process: a child's peak memory includes that of the process that forked it.
MEASURE = """
import os, sys
pid = os.posix_spawn(sys.executable, [sys.executable, "-B", *sys.argv[1:]], os.environ)
status, used = os.wait4(pid, 0)[1:]
print(status, used.ru_maxrss >> 10)
"""


@pytest.mark.parametrize("axis", [None, 0])
def test_20_gib_fold_in_less_than_200_mib(tmp_path, axis):
    path = tmp_path / "large.npy"
    with open(path, "wb") as f:  # writes a sparse file
        np.lib.format.write_array_header_1_0(
            f, {"descr": "<f4", "fortran_order": False, "shape": (5 << 20, 1024)})
        f.truncate(f.tell() + (20 << 30))
    fold = f"onefold.fold('mean,var,argmax', {str(path)!r}, axis={axis}).mean"
    done = subprocess.run(
        [sys.executable, "-S", "-c", MEASURE, "-c", f"import onefold; print({fold})"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}, text=True,
        capture_output=True)
    mean, *_, last = done.stdout.splitlines()
    status, mib = map(int, last.split())
    assert status == 0 and mib < 200, (mib, done.stderr)
    assert mean.startswith("0.0" if axis is None else "[0."), mean
