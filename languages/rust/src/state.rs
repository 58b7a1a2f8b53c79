//! The words of an accumulator: merging, removing, and what no data can have.
use core::marker::PhantomData;

use crate::bytes::{Error, Kind};
use crate::element::Element;
use crate::limbs::{carry, Counts, Limbs, Pending};
use crate::round::Wide;

/// Sums of elements (products) in `first`, of squares in `second`, which may have no words.
#[derive(Clone, Copy)]
pub(crate) struct State<T, A, B> {
    pub(crate) first: A,
    pub(crate) second: B,
    pub(crate) counts: Counts,
    /// How many digits a word may hold.
    pending: Pending,
    element: PhantomData<T>,
}

impl<T: Element, A: Limbs, B: Limbs> PartialEq for State<T, A, B> {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (self.canonical(), other.canonical());
        a.counts == b.counts
            && a.first.as_ref() == b.first.as_ref()
            && a.second.as_ref() == b.second.as_ref()
    }
}

impl<T: Element, A: Limbs, B: Limbs> State<T, A, B> {
    pub(crate) fn new() -> Self {
        let (first, second, counts) = (A::ZERO, B::ZERO, Counts::default());
        State { first, second, counts, pending: 1, element: PhantomData }
    }
    pub(crate) fn is_of_products(&self) -> bool {
        self.first.as_ref().len() != T::Sum::ZERO.as_ref().len()
    }
    pub(crate) fn canonical(&self) -> Self {
        let mut s = *self;
        s.carry_all();
        s
    }
    fn carry_all(&mut self) {
        carry(self.first.as_mut());
        carry(self.second.as_mut());
        self.pending = 1;
    }
    /// Notes that words got so many digits each.
    #[inline]
    pub(crate) fn deposited(&mut self, digits: Pending) {
        self.pending += digits;
        if self.pending >= 1 << 30 {
            self.carry_all();
        }
    }
    fn combine(&mut self, other: &Self, sign: i64) {
        let add = |to: &mut [i64], from: &[i64]| {
            to.iter_mut().zip(from).for_each(|(a, b)| *a += sign * b);
        };
        add(self.first.as_mut(), other.first.as_ref());
        add(self.second.as_mut(), other.second.as_ref());
        let (c, o) = (&mut self.counts, &other.counts);
        c.n += sign * o.n;
        c.nan += sign * o.nan;
        c.invalid += sign * o.invalid;
        c.positive += sign * o.positive;
        c.negative += sign * o.negative;
        self.carry_all();
    }
    pub(crate) fn merge(&mut self, other: &Self) {
        let n = self.counts.n.checked_add(other.counts.n);
        assert!(n.is_some(), "merge: an accumulator holds at most 2^63 - 1 elements");
        self.combine(other, 1);
        self.counts.flag |= other.counts.flag;
    }
    pub(crate) fn without(&self, other: &Self, kind: Kind) -> Result<Self, Error> {
        let mut rest = *self;
        rest.combine(other, -1);
        if other.counts.flag {
            let numbers = rest.counts.n != rest.counts.nan;
            let known = rest.infinite() || !rest.sums_are_zero();
            if !self.counts.flag {
                return Err(Error::NeverAdded);
            }
            if numbers && !known {
                return Err(Error::ZeroOfUnknownSign);
            }
            rest.counts.flag = known;
        }
        rest.is_possible(kind).then_some(rest).ok_or(Error::NeverAdded)
    }
    fn infinite(&self) -> bool {
        self.counts.infinities() + self.counts.invalid != 0
    }
    fn sums_are_zero(&self) -> bool {
        self.first.as_ref().iter().chain(self.second.as_ref()).all(|&w| w == 0)
    }
    /// n Q - S^2 of the sums.
    pub(crate) fn spread(&self) -> Wide {
        let s = self.canonical();
        let sum = Wide::of(s.first.as_ref());
        Wide::of(s.second.as_ref()).times_less_square(s.counts.n as u64, &sum)
    }
    /// Whether some data can give these canonical words, by necessary conditions.
    pub(crate) fn is_possible(&self, kind: Kind) -> bool {
        let c = &self.counts;
        let specials = [c.nan, c.invalid, c.positive, c.negative];
        let mut finite = c.n;
        for special in specials {
            if special < 0 || special > finite {
                return false;
            }
            finite -= special;
        }
        if finite < 0 || (!T::FLOAT && (c.flag || finite != c.n)) {
            return false;
        }
        if T::FLOAT && ((c.flag && c.nan == c.n) || (!c.flag && self.infinite())) {
            return false;
        }
        if (finite == 0 || (T::FLOAT && !c.flag)) && !self.sums_are_zero() {
            return false;
        }
        // A sum has room for 64 bits above one element.
        let room = 64 - (finite as u64).leading_zeros();
        let fits = |w: &[i64]| {
            let wide = Wide::of(w);
            wide.is_zero() || wide.bits() <= 32 * (w.len() as u32 - 2) + room
        };
        if !fits(self.first.as_ref()) {
            return false;
        }
        if kind != Kind::Var {
            return true;
        }
        let squares = Wide::of(self.second.as_ref());
        let sum = Wide::of(self.first.as_ref());
        fits(self.second.as_ref())
            && !squares.negative
            && !squares.times_less_square(finite as u64, &sum).negative
    }
}
