"""Wrong outputs, corrupt pickles, arrays that go away: errors, and nothing half-written."""

import gc
import pickle
import weakref

import numpy as np
import pytest

import onefold


@pytest.mark.parametrize("out, error", [
    (np.zeros(3, "i8"), onefold.DTypeError), (np.zeros(4), onefold.ShapeError),
    (np.zeros((3, 1)), onefold.ShapeError), (np.zeros(3, ">f8"), onefold.DTypeError),
    ([0.0] * 3, onefold.DTypeError), (memoryview(np.zeros(3)), onefold.DTypeError)])
def test_an_out_that_does_not_fit_is_refused_and_left_as_it_is(out, error):
    x = np.arange(6.0).reshape(2, 3)
    before = bytes(np.asarray(out))
    with pytest.raises(error):
        onefold.sum(x, axis=0, out=out)
    assert bytes(np.asarray(out)) == before


def test_an_out_that_cannot_be_written_is_refused():
    out = np.zeros(3)
    out.flags.writeable = False
    with pytest.raises(onefold.OptionError, match="read-only"):
        onefold.sum(np.ones((2, 3)), axis=0, out=out)


@pytest.mark.parametrize("out, error", [
    (np.zeros(3, "i8"), onefold.DTypeError), (np.zeros(4), onefold.ShapeError),
    ([0.0] * 3, onefold.DTypeError), (None, onefold.OptionError)])
def test_so_is_one_of_an_array_with_a_mask(out, error):
    x = np.ma.masked_less(np.arange(6.0).reshape(2, 3), 2)
    if out is None:
        out = np.zeros(3)
        out.flags.writeable = False
    before = bytes(np.asarray(out))
    with pytest.raises(error):
        onefold.sum(x, axis=0, out=out)
    assert bytes(np.asarray(out)) == before


def test_an_out_may_overlap_its_input():
    x = np.random.default_rng(1).normal(size=(50, 50))
    want = onefold.sum(x, axis=0)
    y = x.copy()
    assert onefold.sum(y, axis=0, out=y[7]) is not None and np.array_equal(y[7], want)
    y = x.copy()
    onefold.sum(y, axis=1, out=y[:, 3])
    assert np.array_equal(y[:, 3], onefold.sum(x, axis=1))
    y = x.copy()
    onefold.max(y, axis=0, out=y.ravel()[25:75], where=y > -9, initial=-9)
    assert np.array_equal(y.ravel()[25:75], onefold.max(x, axis=0))


@pytest.mark.parametrize("shape, strides", [((3,), (0,)), ((3,), (4,)), ((2, 3), (16, 8))])
def test_elements_of_an_out_must_be_apart(shape, strides):
    memory = np.zeros(8)
    out = np.lib.stride_tricks.as_strided(memory, shape, strides)
    with pytest.raises(onefold.OptionError, match="overlap each other"):
        onefold.sum(np.ones((2, *shape)), axis=0, out=out)
    assert not memory.any()


def test_views_of_any_steps_are_outs():
    memory = np.zeros((4, 6, 5))
    for out in [memory.T, memory[::2, ::-3], memory[:, :1, ::2], np.diagonal(memory), memory[:0],
                memory[1, 1, 1:2]]:
        out.flags.writeable = True
        x = np.random.default_rng(2).normal(size=(3, *out.shape))
        assert np.array_equal(onefold.sum(x, axis=0, out=out), onefold.sum(x, axis=0))


def test_a_failed_fold_writes_nothing():
    x = np.array([[1, 2**62], [1, 2**62]])
    out = np.full(2, -7)
    with pytest.raises(OverflowError, match=r"sum\[1\]"):
        onefold.sum(x, axis=0, out=out)
    assert out.tolist() == [-7, -7]
    with pytest.raises(onefold.EmptyError):
        onefold.argmin(np.array([[1.0, np.nan]]), axis=0, nan="omit", out=out)
    assert out.tolist() == [-7, -7]


def test_every_changed_byte_of_a_state_is_found():
    state = onefold.gather("mean,argmax", np.arange(5.0), first=3)
    good = bytes(state)
    for i in range(len(good)):
        bad = bytearray(good)
        bad[i] ^= 1 << i % 8
        with pytest.raises(onefold.StateError):
            onefold.State.load(bytes(bad))
    for n in range(len(good)):
        with pytest.raises(onefold.StateError):
            onefold.State.load(good[:n])
    for wrong in [b"", good + b"\0", b"\0" * 4096]:
        with pytest.raises(onefold.StateError):
            onefold.State.load(wrong)


def test_corrupt_pickles_are_errors():
    text = pickle.dumps(onefold.gather("var", np.arange(9.0)))
    with pytest.raises(onefold.StateError):
        pickle.loads(text.replace(bytes(onefold.gather("var", np.arange(9.0)))[-9:], b"\0" * 9))
    for wrong in [None, 3, "text", [b"x"]]:
        with pytest.raises(TypeError):
            onefold.state.load_state(wrong)
    names = {arg for op, arg, _ in __import__("pickletools").genops(text)
             if op.name in ("SHORT_BINUNICODE", "BINUNICODE")}
    assert names == {"onefold.state", "load_state"}


class Producer:
    """A DLPack array whose memory is gone after its capsule."""

    def __init__(self):
        self.array = np.arange(4.0)

    def __dlpack__(self, **keywords):
        array, self.array = self.array, None
        self.gone = weakref.ref(array)
        return array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return 1, 0


def test_memory_lives_as_long_as_it_is_used_and_no_longer():
    producer = Producer()
    assert onefold.sum(producer) == 6
    gc.collect()
    assert producer.gone() is None
    x = np.arange(1 << 16)
    view = memoryview(x)
    assert onefold.sum(view) == onefold.sum(x)
    view.release()
    with pytest.raises(ValueError, match="released"):
        onefold.sum(view)
    assert onefold.sum(memoryview(np.array([1.5, 2.5], ">f8"))) == 4


@pytest.mark.parametrize("axis", [(), (0, 1), [1, 0], np.int64(1), -2])
def test_axes_of_every_kind(axis):
    x = np.arange(6.0).reshape(2, 3)
    as_tuple = tuple(axis) if isinstance(axis, list) else axis
    np.testing.assert_array_equal(onefold.sum(x, axis=axis), np.sum(x, axis=as_tuple))


@pytest.mark.parametrize("axis", [2, -3, (0, 0), (0, -2), 1.0, "0", (0, None), 2**70, (9,) * 40])
def test_axes_that_are_none(axis):
    with pytest.raises((onefold.AxisError, onefold.DTypeError, onefold.OptionError)):
        onefold.sum(np.ones((2, 3)), axis=axis)
