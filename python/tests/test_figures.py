"""Figures in documents are those of bench/results, and each page there names their sources."""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
RESULTS = ROOT / "bench/results"


def summary(*words):
    return subprocess.run([sys.executable, "-B", ROOT / "bench/summary.py", *words], capture_output=True, text=True)


def test_figures_and_picture_are_current():
    done = summary("--check")
    assert done.returncode == 0, done.stderr
    for picture in (ROOT / "docs").glob("*.svg"):
        assert picture.stat().st_size < 20_000, picture
    assert (ROOT / "docs/ladder.png").stat().st_size < 200_000


def test_a_figure_that_is_changed_by_hand_is_found(tmp_path):
    for name in ("bench", "README.md", "docs", "onefold/core/op"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "README.md").unlink()
    text = (ROOT / "README.md").read_text()
    (tmp_path / "README.md").write_text(re.sub(r"(<!-- figures: ways -->)\d+", r"\g<1>1000", text))
    done = subprocess.run(
        [sys.executable, "-B", "-c", "import pathlib, sys; sys.path.insert(0, 'bench'); import summary; "
         "summary.ROOT = pathlib.Path('.'); summary.DOCUMENTS, summary.PICTURES = ['README.md'], {}; sys.exit(summary.main(True))"],
        cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith("README.md: other figures than bench/results")


def test_every_page_of_figures_says_where_they_come_from():
    runs = json.loads((RESULTS / "runs.json").read_text())
    for page in RESULTS.glob("*.md"):  # in its row, or at the top of the page
        top = "".join(page.read_text().splitlines(keepends=True)[:15])
        assert page.name in runs or re.search(r"`[^`]*\bbench/\w+|`onefold ", top), page.name
    for page, run in runs.items():
        assert (RESULTS / page).exists()
        assert set(run) == {"date", "machine", "commit", "commands"} and all(run.values()), page
        for command in run["commands"]:
            script = re.search(r"\bbench/(\w+\.py)", command)
            program = re.search(r"^build/bench/bench/(\w+)", command)
            there = (ROOT / "bench" / script[1] if script else
                     ROOT / "bench" / f"{program[1]}.cpp" if program else ROOT / "cli")
            assert there.exists(), command


def test_every_commit_of_a_figure_is_there_or_said_to_be_lost():
    git = ["git", "-c", f"safe.directory={ROOT}", "-C", ROOT]
    if subprocess.run([*git, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True).stdout != "false\n":
        return
    lost = re.search(r"^Commits (.+) were rebased", (ROOT / "docs/performance.md").read_text(), re.M)[1]
    for page, run in json.loads((RESULTS / "runs.json").read_text()).items():
        for commit in re.findall(r"\b[0-9a-f]{7,40}\b", run["commit"]):
            there = subprocess.run([*git, "merge-base", "--is-ancestor", commit, "HEAD"], capture_output=True).returncode == 0
            assert there != (f"`{commit}`" in lost), (page, commit)


def test_lines_of_benches_become_tables():
    lines = ["rows     sum    f32   (134217728,2)        (1)          594.5 us  0.855",
             "rows     sum    f64   (67108864,2)         (1)          550.9 us  0.922", "plain read 4640 GB/s",
             "where    sum    f32   (4194304,64)         (1)          460.9 us  0.929",
             "sum          float32   134217728x2        (1,)           594.7 us   0.87  torch  0.32    2.75",
             "sum          float32   134217728x2        1              594.9 us   0.86  torch  0.32    2.74",
             "sum f32 mean   1000 even       67109 segments     194.7 us  0.397 where",
             "mean f32 labels      1000 groups hot           203.5 us  0.607"]
    done = subprocess.run([sys.executable, "-B", ROOT / "bench/to_tables.py"], input="\n".join(lines),
                          capture_output=True, text=True, check=True)
    assert [row for row in done.stdout.splitlines() if row.startswith("| ")] == [
        "| fold | sum f32 | sum f64 |", "| rows (N, 2), axis 1 | 0.855 | 0.922 |", "| masked (N, 64), axis 1 | 0.929 |  |",
        "| shape, type, axis | sum |", "| (134217728, 2) float32, axis 1 | 0.87, 2.75 |",
        "| shape, type, axis | sum |", "| (134217728, 2) float32, axis 1 | 0.86, 2.74 |",
        "| lengths | mean 1,000 |", "| f32 even masked | 0.397 |", "| labels | 1,000 |", "| mean f32 hot | 0.607 |"]


def test_the_plan_simulates_what_every_rank_waits_for():
    import random
    sys.path.insert(0, str(ROOT / "bench"))
    import plan
    for ranks in [*range(2, 35), 100, 128, 1000]:
        extra = 2 if ranks & (ranks - 1) else 0
        clocks = plan.allreduce([0.0] * ranks, 1.0, 0, 0, random.Random(1))
        assert len(clocks) == ranks and max(clocks) == ranks.bit_length() - 1 + extra
        for slow in {0, 1, ranks // 2, ranks - 1}:
            clocks = [0.0] * ranks
            clocks[slow] = 50.0
            assert min(plan.allreduce(clocks, 1.0, 0, 0, random.Random(1))) > 50
    # Every hop is late, each by its own time.
    assert max(plan.allreduce([0.0] * 64, 1.0, 40, 1.0, random.Random(1))) > 6 * 2


def test_the_plan_holds_what_was_measured():
    sys.path.insert(0, str(ROOT / "bench"))
    import plan
    hop, byte, own = plan.fitted()
    for ranks, name, merge, _ in plan.measured():
        assert 0.7 < plan.merge_time(ranks, plan.SIZES[name], hop, byte, own) / merge < 1.45, (ranks, name)


def test_the_readme_is_short():
    text = re.sub(r"<!--.*?-->", "", (ROOT / "README.md").read_text())
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)
    assert len(pictures) == 4 and all((ROOT / picture).exists() for picture in pictures)
    text = re.sub(r"!\[[^\]]*\]\([^)]+\)", "", text)
    links = re.findall(r"\[[^\]]*\]\(([^)]+)\)", text)
    assert len(links) <= 15 and all((ROOT / link.partition("#")[0]).exists() for link in links)
    words = re.sub(r"\]\([^)]+\)", "]", text).split()
    assert len([word for word in words if re.search(r"\w", word)]) <= 700
    assert len(re.search(r"\*\*(.*?)\*\*", text)[1].split()) <= 12


def test_the_picture_of_money_counts_the_totals_that_were_measured():
    found = json.loads((RESULTS / "money.json").read_text())
    picture = (ROOT / "docs/money.svg").read_text()
    for name, row in found["tools"].items():
        assert len(set(row["errors (millionths)"])) == row["totals"], name
    assert picture.count("<circle") == sum(row["totals"] for row in found["tools"].values())
    assert found["tools"]["Onefold"]["errors (millionths)"] == [0] * 6


def test_the_figure_of_the_paper_is_that_of_the_measurements():
    subprocess.run([sys.executable, "-B", ROOT / "docs/paper/figures.py", "--check"], check=True)


def test_the_paper_has_the_figures_of_the_page_on_speed():
    paper, page = (" ".join((ROOT / name).read_text().split("\n")) for name in ("docs/paper/paper.md", "docs/performance.md"))
    count = re.compile(r"(\d+) of (?:the )?([\d,]+) comparisons of reductions")
    assert count.search(paper).groups() == count.search(page).groups()
    windows, products = re.search(r"in (\d+ of \d+) rows of windows to (\d+ of \d+) of products", page).groups()
    assert f"in {windows} rows (windows) to {products} (products)" in paper
    overview = (ROOT / "docs/performance.md").read_text().partition("<!-- figures: overview -->")[2].partition("<!-- end -->")[0]
    rows = re.findall(r"^\| (?:Zen|Emerald).*$", overview, re.M)
    columns = list(zip(*(row.split(" | ")[1:] for row in rows)))
    for column in (columns[0], columns[3], columns[4]):  # sums and extremes, lognormal data, random bits
        shares = re.findall(r"[\d.]+", " ".join(column))
        assert f"{min(shares)} to {max(shares)}" in paper
