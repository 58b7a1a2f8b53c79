"""Several answers at once, files, describe and states."""

import copy
import pathlib
import pickle

import numpy as np
import pytest

import onefold

X = np.random.default_rng(3).normal(size=(50, 4))


def test_files_fold_as_arrays_do(tmp_path):
    np.save(tmp_path / "x.npy", X)
    X.astype("f4").tofile(tmp_path / "x.raw")
    (tmp_path / "x.txt").write_text("1e16 1 -1e16\n")
    path = tmp_path / "x.npy"
    assert onefold.sum(str(path)) == onefold.sum(path) == onefold.sum(X)
    assert onefold.nansum(path) == onefold.sum(X)
    np.testing.assert_array_equal(onefold.mean(path, axis=0), onefold.mean(X, axis=0))
    answers = onefold.fold("mean,argmax", path, axis=0)
    np.testing.assert_array_equal(answers.argmax, X.argmax(0))
    assert onefold.fold("sum", tmp_path / "x.txt").sum == 1
    raw = onefold.fold("sum", tmp_path / "x.raw", dtype="f4", shape=(50, 4), offset=0, axis=1)
    np.testing.assert_array_equal(raw.sum, onefold.sum(X.astype("f4"), 1))
    assert onefold.fold("sum", [path, path]).sum == onefold.sum(np.concatenate([X, X]))
    assert onefold.dot(path, path) == onefold.sumsq(X)
    assert onefold.describe(path) == onefold.describe(X)


def test_what_is_wrong_with_a_file_is_an_oserror(tmp_path):
    with pytest.raises(OSError) as caught:
        onefold.sum(tmp_path / "none.npy")
    assert caught.value.code == "cannot_open"
    (tmp_path / "x.txt").write_text("1 2 three\n")
    with pytest.raises(onefold.FileError, match="three"):
        onefold.sum(tmp_path / "x.txt")
    with pytest.raises(onefold.OptionError):
        onefold.fold("sum", X, dtype="f4")
    with pytest.raises(onefold.OptionError):
        onefold.fold("average", tmp_path / "x.txt", weights=[1.0])


def test_unknown_ops_name_the_nearest():
    with pytest.raises(onefold.OptionError, match="mean") as caught:
        onefold.fold("maen", X)
    assert caught.value.code == "unknown_op"
    for wrong in ["", "sum,", "sum,sum"]:
        with pytest.raises(onefold.Error):
            onefold.fold(wrong, X)


def test_describe_prints_as_the_program_and_says_why_there_is_no_value():
    d = onefold.describe(X)
    assert d.mean == onefold.mean(X) and d.count == 200 and d.argmax == X.argmax()
    assert str(d).splitlines()[0].split() == ["count", "200"] and len(str(d).splitlines()) == 14
    nothing = onefold.describe([])
    assert nothing.min is None and "min     empty_input" in str(nothing)
    assert onefold.describe(X, axis=0).std.shape == (4,)
    assert onefold.describe(np.float32([0.1])).mean == np.float64(np.float32(0.1))


@pytest.mark.parametrize("again", [
    copy.copy, copy.deepcopy, lambda d: pickle.loads(pickle.dumps(d)), lambda d: pickle.loads(pickle.dumps(d, 0))])
def test_a_description_is_copied_and_pickled_with_its_type_and_its_reasons(again):
    for d in (onefold.describe(X), onefold.describe([]), onefold.describe(np.array(["2020", "2021"], "M8[D]"))):
        assert type(again(d)) is type(d) and str(again(d)) == str(d)
    assert again(onefold.describe(X)) == onefold.describe(X)
    assert "min     empty_input" in str(again(onefold.describe([])))
    assert str(again(onefold.describe(X, axis=0))) == str(onefold.describe(X, axis=0))


def test_states_merge_in_any_order_to_the_same_bytes():
    parts = [onefold.gather("mean,var,argmax", X[i:i + 10], first=4 * i) for i in range(0, 50, 10)]
    whole = onefold.gather("mean,var,argmax", X)
    forward, backward = onefold.State(), onefold.State()
    for part in parts:
        forward |= part
    for part in reversed(parts):
        backward.merge(part)
    assert bytes(forward) == bytes(backward) == bytes(whole) and forward == whole
    assert forward.mean == float(onefold.mean(X)) and forward.argmax == X.argmax()
    assert forward.answer("var", ddof=1) == float(onefold.var(X, ddof=1))
    assert (parts[0] | parts[1]).count == 80 == len(parts[0] | parts[1])


def test_states_travel():
    state = onefold.gather("mean", X)
    for other in [pickle.loads(pickle.dumps(state)), onefold.State.load(bytes(state)),
                  copy.copy(state), copy.deepcopy(state)]:
        assert other == state and other.mean == state.mean
    assert state != onefold.gather("mean", X[:3]) and state != 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(state)
    data = bytearray(bytes(state))
    for k in range(len(data)):  # every byte that is damaged is found
        data[k] ^= 1
        with pytest.raises(onefold.StateError):
            onefold.State.load(bytes(data))
        data[k] ^= 1


def test_states_refuse_what_does_not_fit():
    state = onefold.gather("argmax", X)
    with pytest.raises(onefold.StateError) as caught:
        state.merge(onefold.gather("argmax", X))
    assert caught.value.code == "overlap"
    with pytest.raises(onefold.StateError):
        state |= onefold.gather("sum", X)
    with pytest.raises(onefold.OptionError):
        state.answer("sum")
    with pytest.raises(AttributeError):
        state.nothing
    with pytest.raises(TypeError):
        state |= 3


def test_paths_may_be_of_any_kind(tmp_path):
    np.save(tmp_path / "ä b.npy", X)
    for path in [tmp_path / "ä b.npy", str(tmp_path / "ä b.npy")]:
        assert onefold.sum(path) == onefold.sum(X)
    assert isinstance(tmp_path, pathlib.Path)


def test_explain_says_what_would_be_read(tmp_path):
    np.save(tmp_path / "x.npy", X.astype("f4"))
    facts = onefold.explain("sum,argmax", tmp_path / "x.npy")
    assert facts["format"] == "npy" and facts["dtype"] == "f32" and facts["shape"] == (50, 4)
    assert facts["answer_types"] == ["f32", "i64"] and facts["bytes"] == 800
    facts = onefold.explain("mean", X.astype("i2"))
    assert facts["dtype"] == "i16" and facts["answer_types"] == ["f64"]
    assert onefold.explain("mean", [1.0, 2])["dtype"] == "f64"
    with pytest.raises(onefold.OptionError):
        onefold.explain("maen", X)
    with pytest.raises(onefold.FileError):
        onefold.explain("sum", tmp_path / "none.npy")


@pytest.mark.parametrize("keywords", [
    {"axis": 7}, {"axis": (0, 0)}, {"axis": "x"}, {"nan": "skip"}, {"result": "zzz"}, {"result": "i4"}, {"dtype": "zzz"}, {"columns": ["a"]},
    {"by": "a"}, {"memory": "1G"}])
def test_explain_refuses_what_fold_refuses(keywords):
    x = np.ones((2, 2))
    with pytest.raises(onefold.Error) as by_fold:
        onefold.fold("sum", x, **keywords)
    with pytest.raises(type(by_fold.value)) as explained:
        onefold.explain("sum", x, **keywords)
    assert explained.value.code == by_fold.value.code
    assert onefold.explain("min,sum", x, result="f4")["answer_types"] == ["f32", "f32"]
