"""onefold.array_api: NumPy's namespace with exact reductions."""

import warnings

import numpy as np
import pytest

import onefold
import onefold.array_api as xp
import onefold.numpy


@pytest.mark.parametrize("x, dtype, right", [
    (np.array([-1, 3]), "u8", 2), (np.array([2**63 + 5], "u8"), "i8", None), (np.array([-1]), "u8", None),
    (np.array([100, 27], "i1"), "i1", 127), (np.array([100, 28], "i1"), "i1", None), (np.array([True] * 3), "u1", 3),
    (np.array([1.5, -2.5]), "i4", -1), (np.array([np.nan]), "i8", None), (np.array([2.0**63]), "i8", None),
    (np.array([2.0**63]), "u8", 2**63), (np.array([-1.0]), "u1", None), (np.array([300.0]), "u1", None),
    (np.array([2**53 + 1, 1]), "f8", 2**53 + 2), (np.array([1, 2**-24, 2**-60]), "f4", 1 + 2**-23)])
def test_a_sum_is_of_the_dtype_or_an_overflow(x, dtype, right):
    if right is None:
        with pytest.raises(OverflowError):
            xp.sum(x, dtype=np.dtype(dtype))
    else:
        answer = xp.sum(x, dtype=np.dtype(dtype))
        assert answer == right and answer.dtype == dtype


def test_vecdot_refuses_integers_beside_floats():
    for x, y in (([2**53 + 1], np.ones(1, "f4")), ([2**53 + 1], np.ones(1)), (np.ones(1, "u8"), np.ones(1, "i8"))):
        with pytest.raises(onefold.DTypeError, match="no common type that holds both exactly"):
            xp.vecdot(np.asarray(x), y)
    assert xp.vecdot(np.ones(3, "f4"), np.ones(3)) == 3 and xp.vecdot(np.ones(3, "i2"), np.ones(3, "i4")).dtype == "i4"


def test_complex_arrays_are_exact():
    z = np.array([1 + 2j, 3 - 1j, 1e300, -1e300 + 1e-300j])
    assert xp.sum(z) == 4 + 1j and xp.mean(z[:2]) == 2 + 0.5j and xp.var(z[:2]) == 3.25 and xp.std(z[:2]) == 3.25**0.5
    assert xp.vecdot(z[:2], z[:2]) == 15 and xp.linalg.vector_norm(z[:2]) == 15**0.5 and xp.linalg.vector_norm(z, ord=0) == 4
    assert xp.cumulative_sum(z)[-1] == 4 + 1j and xp.sum(z[:2].astype("c8"), dtype=xp.complex128).dtype == "c16"


def test_what_is_numpys_is_said():
    z = np.array([1 + 2j, 3 - 1j])
    for call, text in ((lambda: xp.linalg.vector_norm(z, ord=1), "vector_norm"),
                       (lambda: xp.linalg.vector_norm(np.ones(3), ord=3), "vector_norm")):
        with pytest.warns(onefold.InexactWarning, match=text) as seen:
            call()
        assert seen[0].filename == __file__
    assert xp.count_nonzero(z) == 2 and xp.any(z)


def test_a_correction_of_many_digits_is_numpys_and_it_is_said():
    x = np.array([1.0, 2.0, 4.0])
    for function in (xp.var, lambda x, correction: onefold.numpy.var(x, ddof=correction)):
        with pytest.warns(onefold.InexactWarning, match="var: NumPy, not Onefold, reduces this"):
            assert function(x, correction=0.2394781814460743) == np.var(x, ddof=0.2394781814460743)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert function(x, correction=0.125) == onefold.var(x, ddof=0.125)
            assert function(x, correction=2**-29) == onefold.var(x, ddof=2**-29)


def test_a_cumulative_sum_may_begin_with_nothing():
    x = np.array([[1, 2, 3], [4, 5, 6]], "i4")
    assert xp.cumulative_sum(x, axis=1, include_initial=True).tolist() == [[0, 1, 3, 6], [0, 4, 9, 15]]
    assert xp.cumulative_sum(x, axis=0).dtype == "i8"
    assert xp.cumulative_sum(np.array([0.1] * 10, "f4"))[-1] == np.float32(1)
    assert xp.cumulative_sum(np.array([1j, 2])).tolist() == [1j, 2 + 1j]


def test_a_namespace_takes_its_own_types():
    strict = pytest.importorskip("array_api_strict")
    pytest.importorskip("array_api_compat")
    x = strict.asarray([1.0, 2.0])
    answer = xp.namespace(x).sum(x, dtype=strict.float32)
    assert answer.dtype == strict.float32 and float(answer) == 3
    z = strict.asarray([3 + 4j, 5 + 12j])
    assert complex(xp.namespace(z).sum(z)) == 8 + 16j and onefold.sum(z).dtype == strict.complex128
    assert onefold.norm2(z, where=strict.asarray([True, False])).dtype == strict.float64 and float(onefold.norm2(z[:1])) == 5
    assert complex(onefold.fold("dot,count", z, z).dot) == complex(onefold.dot(np.from_dlpack(z), np.from_dlpack(z)))
    assert onefold.mean(strict.reshape(z, (1, 2)), axis=0).shape == (2,)
    with pytest.raises(onefold.UnsupportedError, match="array_api_strict has no float16"):
        onefold.sum(x, dtype="float16")


def test_arrays_of_other_libraries_are_refused():
    with pytest.raises(onefold.Error, match=r"for x's own library call onefold.array_api.namespace\(x\)"):
        xp.sum([1, 2])
    with pytest.raises(onefold.Error, match="builtins.list is not a NumPy array"):
        xp.vecdot(np.ones(2), [1, 2])


def test_answers_can_be_folded_again():
    z = np.array([3 + 1j, 3j])
    assert xp.sum(xp.sum(z)) == 3 + 4j and xp.mean(z[0]) == z[0] and xp.any(z[0]) and xp.linalg.vector_norm(xp.sum(z)) == 5
    assert xp.var(z[0]) == 0 and xp.count_nonzero(z[0]) == 1


def test_a_norm_of_a_list_is_refused():
    with pytest.raises(onefold.DTypeError, match="linalg.vector_norm: this is NumPy's namespace"):
        xp.linalg.vector_norm([1.0, 2])


def test_cumulative_sums_of_bools_are_exact():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = xp.cumulative_sum(np.array([True, True, False]))
        assert found.tolist() == [1, 2, 2] and found.dtype == np.cumulative_sum(np.array([True])).dtype
        assert xp.cumulative_sum(np.array([True, True]), dtype=np.int8, include_initial=True).dtype == "i1"
