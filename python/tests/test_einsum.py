"""einsum(): NumPy's answers for integers, exact sums of products for floats."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import onefold

EXTENTS = dict(zip("abijkl", (2, 3, 4, 5, 3, 2)))
TWO = ["ij,jk->ik", "bij,bjk->bik", "ij,jk", "i,i->", "i,j->ij", "ij,ij->", "ij,ij->i", "ij,ji->ij", "abij,abjk->abik", "ij,kl->ik",
       "ijk,jk->i", "ii,i->i", "ij,jj->i", "ij,j->ji", ",i->i", "ij,kj->ki", "bij,kj->bik", "iij,j->i", "kl,k->kl"]
ONE = ["ij->ji", "ij->i", "ij->", "ii->", "ii->i", "iji->j", "ij", "ji", "ijk->kj", "i->", "ii"]
rng = np.random.default_rng(4)


def made(term, dtype):
    shape = [EXTENTS[c] for c in term]
    if dtype == "i8":
        return rng.integers(-99, 99, shape)
    return (rng.standard_normal(shape) * 10.0 ** rng.integers(-20, 20, shape)).astype(dtype)


@pytest.mark.parametrize("subscripts", TWO + ONE)
def test_integers_are_numpys(subscripts):
    arrays = [made(term, "i8") for term in subscripts.partition("->")[0].split(",")]
    got, want = onefold.einsum(subscripts, *arrays), np.einsum(subscripts, *arrays)
    np.testing.assert_array_equal(got, want)
    assert np.shape(got) == np.shape(want)


@pytest.mark.parametrize("subscripts", TWO + ONE)
def test_tensors_are_taken(subscripts):
    torch = pytest.importorskip("torch")
    arrays = [made(term, "i8") for term in subscripts.partition("->")[0].split(",")]
    got = onefold.einsum(subscripts, *(torch.from_numpy(np.asarray(a)) for a in arrays))
    np.testing.assert_array_equal(got, np.einsum(subscripts, *arrays))


@pytest.mark.parametrize("subscripts", TWO)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_floats_are_exact(subscripts, dtype):
    left, arrow, kept = subscripts.partition("->")
    terms = left.split(",")
    if not arrow:
        kept = "ik"
    a, b = (made(term, dtype) for term in terms)
    got = onefold.einsum(subscripts, a, b)
    assert got.dtype == dtype
    inner = sorted(set(left) - set(kept) - {","})
    for place in itertools.product(*(range(EXTENTS[c]) for c in kept)):
        total = Fraction(0)
        for folded in itertools.product(*(range(EXTENTS[c]) for c in inner)):
            at = dict(zip([*kept, *inner], [*place, *folded]))
            total += Fraction(float(a[tuple(at[c] for c in terms[0])])) * Fraction(float(b[tuple(at[c] for c in terms[1])]))
        if dtype == "f8":
            assert got[place] == float(total), (place, total)
        else:
            assert abs(Fraction(float(got[place])) - total) <= max(abs(total) / 2**24, Fraction(2) ** -150), (place, total)


def test_dots_broadcast():
    a, b = rng.integers(-9, 9, (2, 1, 4, 3)), rng.integers(-9, 9, (5, 3, 2))
    for subscripts in ("...ij,...jk->...ik", "...ij,...jk", "...ij,...jk->ik...", "a...ij,...jk->...aik"):
        np.testing.assert_array_equal(onefold.einsum(subscripts, a, b), np.einsum(subscripts, a, b))
    np.testing.assert_array_equal(onefold.einsum("...i->...", a), np.einsum("...i->...", a))
    np.testing.assert_array_equal(onefold.einsum("ij,jk", a[:, 0, 0, :1], b[0]), np.einsum("ij,jk", a[:, 0, 0, :1], b[0]))


def test_options_and_empty_axes():
    a = np.float32([[1.0, 2.0**-30], [3.0, -1.0]])
    assert onefold.einsum("ij->", a, dtype="f8") == 3 + 2.0**-30
    assert onefold.einsum("ij,ij->i", a, a, dtype="f8")[0] == 1 + 2.0**-60 + 0.0
    assert onefold.einsum("ij,jk->ik", np.zeros((2, 0)), np.zeros((0, 3))).tolist() == [[0.0] * 3] * 2
    assert onefold.einsum("ij,jk->ik", np.zeros((0, 2)), np.zeros((2, 3))).shape == (0, 3)
    assert onefold.einsum("i,i->", [1, 2, 3], [4, 5, 6]) == 32


@pytest.mark.parametrize("subscripts,arrays,words", [
    ("ij,jk->ik", (np.ones((2, 3)), np.ones((2, 3))), "axis 'j' has extents 3 and 2"),
    ("ij->ik", (np.ones((2, 3)),), "'k' stands 1 times in the output and 0 times in the inputs"),
    ("ij->ii", (np.ones((2, 3)),), "'i' stands 2 times in the output"),
    ("i1->i", (np.ones((2, 3)),), "subscripts are letters"),
    ("ij,jk->ik", (np.ones((2, 3)),), "names 2 arrays, but 1 was given"),
    ("ij", (np.ones(3),), "names 2 axes, but the array has 1"),
    ("i->i", (np.ones((3, 3)),), "names 1 axes, but the array has 2"),
    ("...i->i", (np.ones((3, 3)),), "write '...' after '->'"),
    ("ii->", (np.ones((3, 2)),), "axis 'i' has extents 3 and 2"),
])
def test_what_makes_no_sense_is_refused(subscripts, arrays, words):
    with pytest.raises(onefold.Error, match=words.replace("...", r"\.\.\.")):
        onefold.einsum(subscripts, *arrays)
    with pytest.raises(onefold.Error, match="subscripts come first"):
        onefold.einsum(np.ones(3), np.ones(3))


def test_complex_arrays_have_sums_of_products():
    z = np.array([[1 + 2j, 3], [4, 5j]])
    assert np.array_equal(onefold.einsum("ij,jk", z, z), z @ z)
    assert np.array_equal(onefold.einsum("ij,jk->ki", z, np.eye(2)), z.T)
    assert np.array_equal(onefold.einsum("ij->j", z), z.sum(0)) and onefold.einsum("ii", z) == z.trace()
    assert onefold.einsum("ij,ij->", z.astype("c8"), z.astype("c8")).dtype == np.complex64


def test_lists_of_integers_go_with_floats_that_hold_them():
    assert onefold.einsum("i,i->", [1, 2], [1.5, 2]) == 5.5 == onefold.tensordot([1, 2], [1.5, 2], 1)
    with pytest.raises(onefold.Error, match="no common type"):
        onefold.einsum("i,i->", [1, 2**53 + 1], [1.5, 2])
