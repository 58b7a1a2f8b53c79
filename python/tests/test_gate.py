"""bench/gate.py reads what the programs of bench/ print, and compares two builds."""

import json
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import gate  # noqa: E402

PRINTED = {
    "whole": """NVIDIA H100 80GB HBM3: plain read 3000 GB/s
sum:f32            normal        0.3600 ms   2983 GB/s  0.994
describe:f64       outliers     12.3456 ms     87 GB/s  0.029
plain read again 3010 GB/s
""",
    "axes": """rows     sum    f32   (4194304,64)         (1)          371.2 us  0.981    2893 GB/s
pairs    mse,mae,max_abs_diff,distance f32   (2097152,64)         (1)         1371.2 us  0.281     783 GB/s
pairs    mse    f32   (2097152,64)         (1)          401.0 us  0.901    2600 GB/s where
pairs    mse    f32   (2097152,64)         (1)          391.0 us  0.931    2700 GB/s
plain read 2950 GB/s
""",
    "sizes": """onefold sum            f32   2^10       3.02 us       1 GB/s
onefold mean,var       bf16  2^28     180.00 us    2982 GB/s
""",
    "shapes": """sum f32 (16777216, 4) axis 1               share 0.350, goal 0.35  (8.9 GB/s, plain 59.3)
max f64 (524288, 64) axis 0                share 0.506  (33.5 GB/s, plain 66.2)
""",
    "small": """onefold::sum f64            8      21.2 ns  (at most 40)
std::accumulate f64         8       4.3 ns
onefold::var f64        10000    3461.9 ns
""",
}
FIGURES = {
    "whole sum:f32 normal": ("ms", 0.36, 0.994),
    "whole describe:f64 outliers": ("ms", 12.3456, 0.029),
    "axes rows sum f32 (4194304,64) (1)": ("us", 371.2, 0.981),
    "axes pairs mse,mae,max_abs_diff,distance f32 (2097152,64) (1)": ("us", 1371.2, 0.281),
    "axes pairs mse f32 (2097152,64) (1) where": ("us", 401.0, 0.901),
    "axes pairs mse f32 (2097152,64) (1)": ("us", 391.0, 0.931),
    "sizes sum f32 2^10": ("us", 3.02, 0.0003),
    "sizes mean,var bf16 2^28": ("us", 180.0, 0.9907),
    "shapes sum f32 (16777216, 4) axis 1": ("share", 0.35, 0.35),
    "shapes max f64 (524288, 64) axis 0": ("share", 0.506, 0.506),
    "small onefold::sum f64 8": ("ns", 21.2, None),
    "small onefold::var f64 10000": ("ns", 3461.9, None),
}


def test_every_figure_that_a_program_prints_is_read():
    found, plain = {}, 0
    for what, text in PRINTED.items():
        figures, odd, plain = gate.figures_of(what, text, plain)
        found |= figures
        assert odd == []
    assert found == FIGURES and plain == 3010


def test_other_lines_are_failures():
    wrong = PRINTED["axes"].replace("783 GB/s", "783 GB/s  DIFFERS at answer 3") + "rows sum f32 (3,4): no memory\n"
    figures, odd, _ = gate.figures_of("axes", wrong)
    assert len(figures) == 3
    assert [line.split()[-1] for line in odd] == ["3", "memory"]


@pytest.mark.parametrize("unit, new, ratio", [("us", [25.0, 5.0, 100.0], 0.4), ("share", [0.8, 0.7, 0.9], 0.08)])
def test_a_ratio_is_the_new_median_speed_over_the_old_one(unit, new, ratio):
    rounds = [({"a": (unit, 10.0, None), "b": (unit, 1.0, None)}, {"a": (unit, figure, 0.5), "c": (unit, 1.0, None)})
              for figure in new]
    made = gate.rows_of(rounds)
    assert [(row["case"], row["old"], row["ratio"], row["share"]) for row in made["rows"]] == [("a", 10.0, ratio, 0.5)]
    assert made["only_old"] == ["b"] and made["only_new"] == ["c"]


def build_of(folder, us, extra=""):
    (folder / "bench").mkdir(parents=True)
    lines = "".join(f"echo 'onefold {ops} f32 2^{k} {time} us 100 GB/s'\n" for ops, k, time in us)
    (folder / "bench/gpu_sizes").write_text(f"#!/bin/sh\n{lines}{extra}")
    (folder / "bench/gpu_sizes").chmod(0o755)
    return folder


def gate_of(*words):
    return subprocess.run([sys.executable, "-B", ROOT / "bench/gate.py", *words], capture_output=True, text=True)


def test_two_builds_are_compared_and_read_again(tmp_path):
    old = build_of(tmp_path / "old", [("sum", 10, 10.0), ("max", 10, 10.0), ("var", 10, 10.0)])
    new = build_of(tmp_path / "new", [("sum", 10, 10.5), ("max", 10, 8.0), ("var", 10, 10.2)])
    into = tmp_path / "gate.json"
    words = ["--only", "sizes", "--rounds", "2", "--commits", "aaa,bbb", "--into", into]
    done = gate_of(old, new, *words)
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert "old aaa, new bbb; 2 rounds" in lines[0]
    assert lines[1] == "slower by more than 3%: 1" and lines[2].split()[:4] == ["0.952", "sizes", "sum", "f32"]
    assert lines[3] == "quicker by more than 3%: 1" and lines[4].split()[:4] == ["1.250", "sizes", "max", "f32"]
    assert lines[5].startswith("3 cases: 1 slower, 1 quicker, 1 within 3%; new speed over old, geometric mean 1.05")
    result = json.loads(into.read_text())
    assert result["commits"] == {"old": "aaa", "new": "bbb"} and len(result["rows"]) == 3 and result["command"]
    assert set(result) >= {"card", "machine", "date"}
    again = gate_of("--read", into)
    assert (again.stdout, again.returncode) == (done.stdout, 1)
    assert gate_of(new, old, *words).returncode == 1  # max got slower


def test_equal_builds_pass_and_broken_ones_do_not(tmp_path):
    us = [("sum", 10, 10.0), ("max", 10, 10.0)]
    same, broken = build_of(tmp_path / "same", us), build_of(tmp_path / "broken", us, "echo no device >&2; exit 3\n")
    words = ["--only", "sizes", "--rounds", "1", "--into", tmp_path / "gate.json"]
    assert gate_of(same, same, *words).returncode == 0
    done = gate_of(same, broken, *words)
    assert done.returncode == 1 and "failed: new gpu_sizes: exit status 3: no device\n" in done.stdout
    assert gate_of(broken, broken, *words).returncode == 0  # not the new build's fault
    (tmp_path / "empty").mkdir()
    done = gate_of(tmp_path / "empty", tmp_path / "empty", *words)
    assert done.returncode == 1 and done.stdout.endswith("no case of sizes was measured\n")
    fewer = build_of(tmp_path / "fewer", us[:1])
    done = gate_of(same, fewer, *words)
    assert done.returncode == 1 and "only in the old build: sizes max f32 2^10\n" in done.stdout


def test_rounds_are_left_out_before_the_time_ends(tmp_path):
    slow = build_of(tmp_path / "slow", [("sum", 10, 10.0)], "sleep 0.3\n")
    words = ["--only", "sizes", "--rounds", "50", "--time", "2", "--into", tmp_path / "gate.json"]
    assert gate_of(slow, slow, *words).returncode == 0
    assert 1 <= json.loads((tmp_path / "gate.json").read_text())["rounds"] < 5
