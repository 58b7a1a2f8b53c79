"""The README's picture is the one that its script makes of bench/results."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]


def test_the_picture_is_current():
    done = subprocess.run([sys.executable, "-B", ROOT / "bench/picture.py", "--check"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (ROOT / "docs/picture.svg").stat().st_size < 20_000
