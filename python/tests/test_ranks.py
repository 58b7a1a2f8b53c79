"""States of several processes: the bytes of one process, over any transport."""

import os
import sys
import threading
import time

import numpy as np
import onefold
import pytest
from onefold import _ranks


def ranks(n, work):
    """Runs `work(rank, gather, add)` on n threads that talk; their results, or their errors."""
    barrier, board, results = threading.Barrier(n), [None] * n, [None] * n

    def one(rank):
        def gather(thing):
            board[rank] = thing
            barrier.wait(20)
            things = list(board)
            barrier.wait(20)
            return things

        gather.abort = barrier.abort

        def add(words):
            with np.errstate(over="raise"):
                return sum(np.frombuffer(w, np.int64) for w in gather(words)).tobytes()

        try:
            results[rank] = work(rank, gather, add)
        except Exception as e:
            results[rank] = e

    threads = [threading.Thread(target=one, args=(r,)) for r in range(n)]
    [t.start() for t in threads]
    [t.join(60) for t in threads]
    return results


@pytest.mark.parametrize("n", [1, 2, 3, 8])
@pytest.mark.parametrize("ops", ["mean,var", "sum,min,max", "mean,argmin"])
def test_all_ranks_have_the_bytes_of_one_process(n, ops):
    x = np.random.default_rng(n).standard_cauchy(1001)
    cuts = np.linspace(0, 1.0, n + 1) ** 2 * len(x)
    parts = [slice(int(a), int(b)) for a, b in zip(cuts, cuts[1:])]
    whole = bytes(onefold.gather(ops, x))

    def work(rank, gather, add):
        part = parts[rank]
        mine = onefold.gather(ops, x[part], first=part.start)
        return bytes(_ranks.merge(mine, gather, add))

    assert ranks(n, work) == [whole] * n


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("ops", ["mean,var", "sum,min,max", "mean,argmin"])
def test_slices_of_all_ranks_have_the_bytes_of_one_process(n, ops):
    x = np.random.default_rng(n).standard_cauchy((40, 3, 5))
    cuts = [40 * k * k // (n * n) for k in range(n + 1)]
    whole = bytes(onefold.gather(ops, x, axis=0))

    def work(rank, gather, add):
        part = slice(cuts[rank], cuts[rank + 1])
        mine = onefold.gather(ops, x[part] * 1.0, axis=0, first=part.start)
        return bytes(_ranks.merge(mine, gather, add))

    assert ranks(n, work) == [whole] * n


def test_a_small_state_takes_one_collective():
    x = np.random.default_rng(2).standard_normal(1000)

    def calls_of(make, size):
        calls = []

        def work(rank, gather, add):
            def counted(data):
                calls.append((rank, len(data)))
                return gather(data)

            def added(words):
                calls.append((rank, "added"))
                return add(words)

            return _ranks.merge(make(x[500 * rank:][:500]), counted, added, size)

        a, b = ranks(2, work)
        assert a == b == make(x)
        return [what for rank, what in calls if rank == 0]

    for ops in ("sum", "mean,var", "mean,var,min,max"):
        assert calls_of(lambda part, ops=ops: onefold.gather(ops, part), 2) == [4096]
        assert calls_of(lambda part, ops=ops: onefold.gather(ops, part), 1000)[-1] == "added"
    assert calls_of(lambda part: onefold.gather("sum", part.reshape(-1, 10), axis=0), 2) == [4096, 4096, "added"]


def test_a_long_message_comes_whole():
    def fails():
        raise ValueError("x" * 10_000)

    got = ranks(3, lambda r, g, a: _ranks.merge(fails if r == 2 else onefold.gather("sum", [1.0]), g, a, 3))
    assert all(isinstance(e, onefold.PeerError) and "x" * 10_000 in str(e) for e in got), got


def test_nobody_waits_for_a_rank_that_brings_no_state():
    class Mute(Exception):
        def __str__(self):
            raise ValueError

    def fail(error):
        raise error

    for bad, code in ((lambda: None, onefold.OptionError), (lambda: np.ones(3), onefold.OptionError),
                      (lambda: fail(Mute()), onefold.PeerError),
                      (lambda: fail(SystemExit(3)), onefold.PeerError)):
        def work(rank, gather, add):
            try:
                return _ranks.merge(bad if rank == 1 else onefold.gather("sum", [1.0]), gather, add)
            except SystemExit:
                return "ends"

        got = ranks(3, work)
        assert all(isinstance(e, code) and "rank 1: " in str(e) for e in (got[0], got[2])), got
        assert got[1] == "ends" or isinstance(got[1], code)


def test_slices_of_nothing_and_of_other_kinds():
    x = np.arange(6.0).reshape(2, 3)
    slices = onefold.gather("sum", x, axis=0)

    def work(rank, gather, add):
        return _ranks.merge(slices if rank == 1 else onefold.State(), gather, add).answer("sum")

    assert [s.tolist() for s in ranks(3, work)] == [[3.0, 5.0, 7.0]] * 3
    for other in (onefold.gather("sum", x), onefold.gather("sum", x, axis=1)):
        results = ranks(2, lambda r, g, a: _ranks.merge(other if r else slices, g, a))
        assert all(isinstance(e, onefold.Error) for e in results), results
        assert all(str(e).startswith("ranks 0 and 1: ") for e in results)


def test_a_rank_may_bring_nothing():
    def work(rank, gather, add):
        mine = onefold.gather("mean", [1.0, 2.0]) if rank == 1 else onefold.State()
        return _ranks.merge(mine, gather, add).answer("mean")

    assert ranks(3, work) == [1.5] * 3
    assert [s.count for s in ranks(2, lambda r, g, a: _ranks.merge(onefold.State(), g, a))] == [0, 0]


def test_a_rank_that_fails_fails_all():
    def fails(rank):
        if rank == 1:
            onefold.fold("sum", "nowhere.npy")
        return onefold.gather("sum", [1.0])

    results = ranks(3, lambda r, g, a: _ranks.merge(lambda: fails(r), g, a))
    assert {type(e) for e in results} == {onefold.FileError}
    assert {e.code for e in results} == {"cannot_open"}
    assert all(str(e).startswith("rank 1: ") for e in results)

    def stumbles():
        raise KeyError("station")

    results = ranks(2, lambda r, g, a: _ranks.merge(stumbles, g, a))
    assert {type(e) for e in results} == {onefold.PeerError}


def test_different_kinds_fail_on_all_ranks():
    results = ranks(2, lambda r, g, a: _ranks.merge(
        onefold.gather("sum", np.ones(2, "f4" if r else "f8")), g, a))
    assert {type(e) for e in results} == {onefold.StateError}
    assert "ranks 0 and 1: " in str(results[0]) and "f32" in str(results[0])


def test_elements_counted_twice_fail_on_all_ranks():
    results = ranks(2, lambda r, g, a: _ranks.merge(onefold.gather("argmin", [1.0, 2.0]), g, a))
    assert {getattr(e, "code", None) for e in results} == {"overlap"}


def cases():
    x = np.random.default_rng(3).standard_normal((40, 6))
    halves = [(x[:20], 0), (x[20:], 20)]
    yield "small", [onefold.gather("mean,var", part) for part, _ in halves], onefold.gather("mean,var", x)
    yield "indexed", [onefold.gather("argmin", part, first=6 * first) for part, first in halves], \
        onefold.gather("argmin", x)
    yield "slices", [onefold.gather("mean,min", part, axis=0) for part, _ in halves], \
        onefold.gather("mean,min", x, axis=0)
    yield "nothing", [onefold.State(), onefold.gather("mean", x, axis=0)], onefold.gather("mean", x, axis=0)


class Fault:
    """Does something before the k-th call that _ranks.py makes, in its own or in C functions, on this thread."""

    def __init__(self, k, does):
        self.left, self.does = k, does

    def __call__(self, frame, event, _):
        if event not in ("call", "c_call") or frame.f_code.co_filename != _ranks.__file__:
            return
        self.left -= 1
        if self.left < 0 and not self.reached():
            self.does()

    def reached(self):
        return self.left < -1


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("case", range(4))
@pytest.mark.parametrize("kind", ["starved", "throws", "interrupted", "late"])
def test_nobody_waits_for_a_rank_with_a_fault_at_any_step(kind, case, rank):
    _, states, whole = list(cases())[case]
    whole, aborts = bytes(whole), []

    def fail():
        sys.setprofile(None)
        raise {"starved": MemoryError, "throws": ValueError, "interrupted": KeyboardInterrupt}[kind]()

    def work(me, gather, add):
        def abort():
            aborts.append(me)
            gather.abort()

        if me == rank:
            sys.setprofile(fault)
        try:
            return bytes(_ranks.merge(states[me], gather, add, 2, abort))
        except KeyboardInterrupt:
            return "interrupted"
        finally:
            sys.setprofile(None)

    steps, agreed = 1, 0  # step 0 is the call of merge itself
    while True:
        fault = Fault(steps, (lambda: time.sleep(0.002)) if kind == "late" else fail)
        aborts.clear()
        results = ranks(2, work)
        if fault.left >= 0:
            break
        steps += 1
        other, own = results[1 - rank], results[rank]
        if kind == "late":
            assert results == [whole] * 2
        elif aborts:  # the other one did not wait for its own time limit
            assert aborts[0] == rank and not isinstance(own, bytes), (steps, results)
        elif isinstance(other, bytes):  # the fault came after the last collective, or did not matter
            assert other == whole and own in (whole, "interrupted") or isinstance(own, Exception), (steps, results)
        else:
            assert isinstance(other, onefold.Error) and f"rank {rank}: " in str(other), (steps, results)
            agreed += 1
    assert results == [whole] * 2 and steps > 10
    assert agreed > 0 or kind == "late"


def test_messages_are_as_large_as_the_document_says():
    ml = pytest.importorskip("ml_dtypes")
    path = os.path.join(os.path.dirname(__file__), "../../docs/scale.md")
    with open(path) as f:
        rows = [line.strip().strip("|").split("|") for line in f if line.startswith("| `")]
    types = [("i1", "i4", "i8"), (ml.bfloat16, "f4"), ("f8",)]
    checked = 0
    for ops, *cells in rows:
        if "+" not in cells[0]:
            continue
        for cell, kinds in zip(cells, types):
            states = [onefold.gather(ops.strip(" `"), np.ones(3, t)) for t in kinds]
            sizes = [[len(s._added(b"")), len(s._message()[2]), len(bytes(s))] for s in states]
            most = [max(column) for column in zip(*sizes)]
            assert cell.strip() == "{} + {} ({})".format(*most), (ops, kinds)
            checked += 1
    assert checked == 12
