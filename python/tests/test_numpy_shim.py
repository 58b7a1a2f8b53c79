"""onefold.numpy has NumPy's names, signatures and warnings."""

import inspect
import warnings

import numpy as np
import pytest

import onefold.numpy as onp


def test_names_and_signatures_are_those_of_numpy():
    for name, function in onp.functions.items():
        theirs = inspect.signature(getattr(np, name)).parameters
        assert list(inspect.signature(function).parameters) == list(theirs), name


@pytest.mark.parametrize("call, text", [
    (lambda: onp.mean([]), "Mean of empty slice"), (lambda: onp.nanmean([np.nan]), "Mean of empty"),
    (lambda: onp.var([1.0], ddof=1), "Degrees of freedom"),
    (lambda: onp.nanmin([np.nan]), "All-NaN slice"), (lambda: onp.nanstd([np.nan]), "Degrees of")])
def test_it_warns_as_numpy_does(call, text):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert np.isnan(call())
    assert any(w.category is RuntimeWarning and text in str(w.message) for w in seen)


def test_what_is_not_ours_goes_to_numpy():
    assert onp.sum([1j, 2]) == 1j + 2
    assert onp.sum(np.array([1, "a"], object)[:1]) == 1
    assert onp.nanmax([1, 2], initial=5) == 5
    with pytest.raises(ValueError, match="initial"):
        onp.max([1, 2], where=[True, False])
    with pytest.raises(np.exceptions.AxisError):
        onp.sum(np.eye(2), axis=2)
    with pytest.raises(ValueError, match="All-NaN"):
        onp.nanargmax([np.nan])


def test_masks_and_first_elements_are_ours():
    x = np.array([[1e16, 1.0, -1e16, 5.0]] * 2)
    where = [[True, True, True, False]] * 2
    assert onp.sum(x, axis=1, where=where).tolist() == [1, 1]
    assert onp.mean(x, where=where) == 2 / 6 and onp.sum(x[0, :3], initial=2) == 3
    assert onp.max(x, axis=0, where=where, initial=2).tolist() == [1e16, 2, 2, 2]
    assert onp.max(np.array([1, 2]), initial=5) == 5
    with pytest.warns(RuntimeWarning, match="empty slice"):
        assert np.isnan(onp.mean(x, axis=0, where=where)[3])


def test_answers_are_exact():
    assert onp.sum([1e16, 1.0, -1e16]) == 1 and onp.var(np.full(9, 0.1)) == 0
    out = np.zeros(2)
    assert onp.mean(np.ones((3, 2)), 0, None, out) is out and out.tolist() == [1, 1]


def outcome(function, *args, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            answer = function(*args, **keywords)
        except (ValueError, TypeError) as error:
            return "error" if not isinstance(error, TypeError) else type(error)
    return np.shape(answer), np.asarray(answer).dtype, np.array2string(np.asarray(answer))


@pytest.mark.parametrize("name", sorted(onp.functions))
def test_of_nothing_it_gives_what_numpy_gives(name):
    for shape in [(0,), (0, 0), (0, 3), (3, 0), (2, 0, 3), (0, 2, 0), (1, 1), ()]:
        for axis in [None, 0, 1, -1, (0, 1), (), (0, 0), 3]:
            if isinstance(axis, tuple) and "arg" in name:
                continue  # which is no axis of NumPy's there
            for dtype in ("f4", "i2", "?"):
                for keepdims in (False, True):
                    x = np.zeros(shape, dtype)
                    ours = outcome(getattr(onp, name), x, axis, keepdims=keepdims)
                    theirs = outcome(getattr(np, name), x, axis, keepdims=keepdims)
                    assert ours == theirs, (shape, axis, dtype, keepdims)
