"""onefold.numpy has NumPy's names, signatures and warnings."""

import inspect

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
    with pytest.warns(RuntimeWarning, match=text):
        assert np.isnan(call())


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
