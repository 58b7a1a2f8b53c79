"""The GIL, threads, fork, signals and memory."""

import array
import mmap
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import onefold


def test_others_run_python_during_a_long_fold():
    x = np.ones(1 << 24)
    steps, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            steps[0] += 1
            time.sleep(1e-5)

    interval = sys.getswitchinterval()
    counter = threading.Thread(target=count)
    try:
        sys.setswitchinterval(1000)  # from here on other threads run only if a call releases the
                                     # GIL
        counter.start()
        before = steps[0]
        for _ in range(5):
            onefold.var(x)
        assert steps[0] > before
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        counter.join()


def test_32_threads_fold_shared_arrays_to_the_same_bits():
    x = np.random.default_rng(5).normal(size=(200, 500))
    want = onefold.fold("mean,var,argmax", x, axis=0)
    wrong = []

    def work(k):
        for _ in range(20):
            got = onefold.fold("mean,var,argmax", x, axis=0, threads=1 + k % 3)
            if not all(np.array_equal(a, b) for a, b in zip(got, want)):
                wrong.append(k)
            if onefold.sum(x[k]) != onefold.sum(x[k].copy()):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(32)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def run(program, **keywords):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    return subprocess.run([sys.executable, "-B", "-c", program], env=env, timeout=300,
                          capture_output=True, text=True, **keywords)


def test_a_forked_child_folds_after_its_parent_did():
    done = run("""
import os, sys, warnings, numpy as np, onefold
warnings.simplefilter("ignore")
x = np.random.default_rng(1).normal(size=1 << 20)
want = onefold.var(x)
child = os.fork()
if child == 0:
    os._exit(0 if onefold.var(x) == want else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
    assert done.returncode == 0, done.stderr


def test_a_child_forked_by_a_thread_folds():
    done = run("""
import os, sys, threading, warnings, numpy as np, onefold
warnings.simplefilter("ignore")
x = np.random.default_rng(1).normal(size=1 << 20)
want, codes = onefold.var(x), []
def fork():
    onefold.var(x)
    child = os.fork()
    if child == 0:
        os._exit(0 if onefold.var(x) == want else 1)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
threads = [threading.Thread(target=fork) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
sys.exit(codes != [0] * 4)
""")
    assert done.returncode == 0, done.stderr


def test_children_of_multiprocessing_fork_fold_while_threads_of_the_parent_do():
    done = run("""
import multiprocessing, sys, threading, warnings, numpy as np, onefold
warnings.simplefilter("ignore")
x = np.random.default_rng(1).normal(size=(512, 512))
def answers(_=0):
    return onefold.var(x), onefold.max(x, axis=1)[7], onefold.sum(x.astype("f4"), axis=0)[3]
stop = threading.Event()
def fold():
    while not stop.is_set(): answers()
threads = [threading.Thread(target=fold) for _ in range(4)]
for t in threads: t.start()
fork, got = multiprocessing.get_context("fork"), []
for _ in range(10):
    with fork.Pool(4) as pool:
        got += pool.map_async(answers, range(8), chunksize=1).get(timeout=60)
stop.set()
for t in threads: t.join()
sys.exit(got != [answers()] * 80)
""")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("how", ["fork", "forkserver", "spawn"])
def test_processes_of_every_kind_fold_to_the_same_bits(how):
    x = np.random.default_rng(2).normal(size=1 << 18)
    want = onefold.std(x)  # starts threads of this process
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of forking while there are threads
        with multiprocessing.get_context(how).Pool(2) as pool:
            assert pool.map(onefold.std, [x, x, x], chunksize=1) == [want] * 3


def test_control_c_stops_a_fold_of_a_file(tmp_path):
    path = tmp_path / "large.raw"
    with open(path, "wb") as f:
        f.truncate(1 << 40)  # 1 TiB of holes takes minutes to read
    program = f"""
import onefold, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
print("ready", flush=True)
try:
    onefold.fold("sum", {str(path)!r}, dtype="f8")
except KeyboardInterrupt:
    sys.exit(42)
"""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    child = subprocess.Popen([sys.executable, "-B", "-c", program], env=env,
                             stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"ready\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=60) == 42
    child.stdout.close()


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("call", [
    lambda x: onefold.sum(x, axis=7), lambda x: onefold.sum(x, axis="0"),
    lambda x: onefold.fold("nonsense", x), lambda x: onefold.sum(x, out=x),
    lambda x: onefold.min(x[:0]), lambda x: onefold.State.load(b"nothing"),
    lambda x: onefold.sum(object()), lambda x: onefold.sum(x, nan=3),
    lambda x: onefold.States.load(bytes(400)), lambda x: onefold.sum(x, where=x)])
def test_10_000_failing_calls_leak_nothing(call):  # of each kind; test_long_misuse.py has a million
    x = np.ones(16)

    def fail(times):
        for _ in range(times):
            try:
                call(x)
            except onefold.Error:
                continue
            raise AssertionError("a wrong call succeeded")

    fail(500)
    references, before = sys.getrefcount(x), resident()
    fail(10_000)
    assert sys.getrefcount(x) == references
    assert resident() - before < 1 << 20


def test_failing_folds_of_files_leak_nothing(tmp_path):
    (tmp_path / "short.npy").write_bytes(b"\x93NUMPY")

    def fail(times):
        for _ in range(times):
            for name in "none.npy", "short.npy":
                with pytest.raises(onefold.Error):
                    onefold.sum(str(tmp_path / name))

    fail(50)
    before, files = resident(), len(os.listdir("/proc/self/fd"))
    fail(300)
    assert len(os.listdir("/proc/self/fd")) == files
    assert resident() - before < 1 << 20


def test_calls_leak_nothing():
    x = np.ones((16, 16))

    def fold(times):
        for _ in range(times):
            onefold.sum(x), onefold.mean(x, 0), onefold.fold("min,max", x), onefold.sum([1.0, 2.0])
            onefold.sum(memoryview(x)), bytes(onefold.gather("sum", x)), onefold.sum(x, where=x > 0)

    fold(500)
    references, before = sys.getrefcount(x), resident()
    fold(3000)
    assert sys.getrefcount(x) == references
    assert resident() - before < 1 << 20


def test_an_array_cannot_be_resized_while_it_is_folded():
    data = bytearray(8 << 20)
    errors = []

    def resize():
        for _ in range(200):
            try:
                data.append(0)
                data.pop()
            except BufferError as e:
                errors.append(e)

    thread = threading.Thread(target=resize)
    thread.start()
    sums = {onefold.sum(data) for _ in range(20)}
    thread.join()
    assert sums == {0}


@pytest.mark.parametrize("make, change", [
    (bytearray, lambda x: x.append(0)), (lambda b: array.array("d", b), lambda x: x.pop()),
    (lambda b: np.frombuffer(b).copy(), lambda x: x.resize(5))])
def test_a_fold_holds_its_memory(make, change):
    """With and without a GIL: the memory's owner refuses each change that is tried meanwhile."""
    random = np.random.default_rng(3)  # of all exponents, so that it takes a while
    numbers = np.ldexp(random.normal(size=1 << 22), random.integers(-1000, 1000, 1 << 22))
    x, refused = make(numbers.tobytes()), []

    def try_change(done, total):
        if done < total:
            with pytest.raises((BufferError, ValueError)):
                change(x)
            refused.append(done)

    before = onefold.fold("kurtosis", x)
    while not refused:  # progress= is called every 50 ms
        assert onefold.fold("kurtosis", x, threads=2, progress=try_change) == before


def test_lists_change_while_they_are_folded():
    numbers, rows = [1.0] * 1000, [[1.0] * 10] * 100
    stop = threading.Event()

    def disturb():
        while not stop.is_set():
            numbers.append(1.0), rows.append([1.0] * 10)
            del numbers[1000:], rows[100:]

    threads = [threading.Thread(target=disturb) for _ in range(3)]
    for thread in threads:
        thread.start()
    means = {onefold.mean(x) for _ in range(100) for x in (numbers, rows)}
    stop.set()
    for thread in threads:
        thread.join()
    assert means == {1}


# Before 3.14, and for ndarrays in each version, looking whether there is a user and resizing are two
# steps, between which a fold or any other reader may begin.
@pytest.mark.skipif(not getattr(sys, "_is_gil_enabled", lambda: True)(),
                    reason="without a GIL mmap, array and ndarray do not lock what they resize")
def test_memory_stays_while_it_is_folded(tmp_path):
    """While it is folded, its owners release it, close it or make it shorter."""
    (tmp_path / "file").write_bytes(bytes(8 << 20))
    file = open(tmp_path / "file", "r+b")
    numbers = array.array("d", bytes(8 << 20))
    arrays, refused, sums = [], [0], []
    started, stop = threading.Event(), threading.Event()

    def disturb():
        started.wait()
        while not stop.is_set():
            arrays.clear()
            for change in [mapped.close, numbers.pop, lambda: owner.resize(5)]:
                try:
                    change()
                except (BufferError, ValueError, IndexError):
                    refused[0] += 1

    thread = threading.Thread(target=disturb)
    thread.start()
    for _ in range(10):
        fresh, owner = mmap.mmap(file.fileno(), 0), np.zeros(1 << 20)
        view = memoryview(fresh)
        mapped = fresh
        arrays.append(np.zeros(1 << 20))
        x = arrays[-1]
        started.set()
        sums += [onefold.sum(view), onefold.sum(numbers), onefold.sum(owner), onefold.sum(x),
                 onefold.sum(np.zeros(1 << 20))]
        del x
        view.release()
    stop.set()
    thread.join()
    file.close()
    assert set(sums) == {0} and refused[0] > 0


def test_threads_change_no_bit_and_wrong_ones_are_refused():
    x = np.random.default_rng(6).normal(size=1 << 18)
    assert len({onefold.var(x, threads=t) for t in (None, 0, 1, 2, 7)}) == 1
    for wrong in [-1, "two", 1.5, 10**9]:
        with pytest.raises(onefold.OptionError):
            onefold.sum(x, threads=wrong)
    onefold.set_threads(1)
    try:
        assert onefold.info()["default_threads"] == 1
    finally:
        onefold.set_threads(0)
