//! Exact sums, products and variances, each answer rounded once: the same bits in any order, any
//! parts, on any machine. Accumulators merge, and elements can be removed again.
//!
//! ```
//! use onefold_exact::ExactSum;
//!
//! let mut begin = ExactSum::<f64>::new();
//! begin.add_slice(&[1e16, 1.0]);
//! let mut end: ExactSum<f64> = [-1e16, 0.1].into_iter().collect();
//! end.merge(&begin);
//! assert_eq!(end.value(), 1.1); // a loop gives 0.1
//! end.remove(&begin).unwrap();
//! assert_eq!(end.value(), -1e16 + 0.1);
//! let copy = ExactSum::<f64>::load(&end.save()).unwrap();
//! assert!(copy == end);
//! ```
//!
//! Elements are `f32`, `f64` and integers of 8 to 64 bits. [`ExactSum::save`] writes the bytes of
//! Onefold's `docs/format.md`, which its library, program and Python package load.
//!
//!   NaN       a NaN, or infinities of both signs: NaN, positive, quiet, without payload
//!   zeros     a sum of -0 alone is -0; no element, and exact cancellation, give +0
//!   rounding  to nearest, ties to even; no intermediate value overflows
#![no_std]
#![forbid(unsafe_code)]

mod bytes;
mod element;
mod limbs;
mod round;
mod state;

pub use bytes::{Error, Saved};
pub use element::Element;

use bytes::Kind;
use limbs::Pending;
use round::{Answer, Wide};
use state::State;

/// The exact sum of elements of type T.
#[derive(Clone)]
pub struct ExactSum<T: Element> {
    state: State<T, T::Sum, [i64; 0]>,
}

/// The exact sum of products of two sequences.
#[derive(Clone)]
pub struct ExactDot<T: Element> {
    state: State<T, T::Products, [i64; 0]>,
}

/// The exact sum and sum of squares: mean, variance, standard deviation.
#[derive(Clone)]
pub struct ExactVar<T: Element> {
    state: State<T, T::Sum, T::Products>,
}

/// What the three have in common.
macro_rules! accumulator {
    ($name:ident, $kind:expr) => {
        impl<T: Element> $name<T> {
            const KIND: Kind = $kind;

            /// An accumulator of no elements.
            pub fn new() -> Self {
                Self { state: State::new() }
            }
            /// The number of elements (pairs), those with NaN and infinities included.
            pub fn count(&self) -> u64 {
                self.state.counts.n as u64
            }
            /// Adds the elements of `other`. Equal data give equal answers and equal bytes, in any
            /// parts and any order. Panics beyond 2^63 - 1 elements.
            pub fn merge(&mut self, other: &Self) {
                self.state.merge(&other.state);
            }
            /// Takes away the elements of `other`, which were added before. Refused, and nothing is
            /// changed, if no data can have what is left, or if the sum left is 0 and nobody knows
            /// whether all of its elements are -0. It may succeed for elements never added.
            pub fn remove(&mut self, other: &Self) -> Result<(), Error> {
                self.state = self.state.without(&other.state, Self::KIND)?;
                Ok(())
            }
            /// The bytes of Onefold's format, of the NaN policy `propagate`.
            pub fn save(&self) -> Saved {
                self.state.save(Self::KIND)
            }
            /// Reads bytes that `save` wrote, or that Onefold wrote for the same ops and type.
            pub fn load(bytes: &[u8]) -> Result<Self, Error> {
                Ok(Self { state: State::load(bytes, Self::KIND)? })
            }
        }
        impl<T: Element> Default for $name<T> {
            fn default() -> Self {
                Self::new()
            }
        }
        impl<T: Element> PartialEq for $name<T> {
            fn eq(&self, other: &Self) -> bool {
                self.state == other.state
            }
        }
        impl<T: Element> core::ops::AddAssign<&Self> for $name<T> {
            fn add_assign(&mut self, other: &Self) {
                self.merge(other);
            }
        }
        impl<T: Element> core::fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!(stringify!($name), "<{}> of {} elements"), T::NAME, self.count())
            }
        }
    };
}
accumulator!(ExactSum, Kind::Sum);
accumulator!(ExactDot, Kind::Dot);
accumulator!(ExactVar, Kind::Var);

macro_rules! of_elements {
    ($name:ident) => {
        impl<T: Element> Extend<T> for $name<T> {
            fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
                elements.into_iter().for_each(|x| self.add(x));
            }
        }
        impl<T: Element> FromIterator<T> for $name<T> {
            fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
                let mut all = Self::new();
                all.extend(elements);
                all
            }
        }
    };
}
of_elements!(ExactSum);
of_elements!(ExactVar);

impl<T: Element> ExactSum<T> {
    /// Adds one element.
    pub fn add(&mut self, x: T) {
        if self.state.counts.add(x) {
            T::deposit(&mut self.state.first, x);
        }
        self.state.deposited(1);
    }
    /// Adds a slice: the quickest way for more than some hundred elements.
    pub fn add_slice(&mut self, x: &[T]) {
        add_sum(&mut self.state, x);
    }
    /// The sum, rounded once: of floats a T, of integers `Option<i64>` or `Option<u64>`, which is
    /// `None` where 64 bits cannot hold it.
    pub fn value(&self) -> T::Total {
        T::total(answer_of_sum(&self.state))
    }
    /// The sum divided by the number of elements, rounded once; NaN of no elements.
    pub fn mean(&self) -> T::Fraction {
        T::fraction(mean_of(&self.state))
    }
}

impl<T: Element> ExactDot<T> {
    /// Adds the product x y.
    pub fn add(&mut self, x: T, y: T) {
        if self.state.counts.add_pair(x, y) {
            T::deposit_product(&mut self.state.first, x, y);
        }
        self.state.deposited(2);
    }
    /// Adds the products of two slices. Panics if their lengths differ.
    pub fn add_slices(&mut self, x: &[T], y: &[T]) {
        assert!(x.len() == y.len(), "add_slices: x has {} elements and y {}", x.len(), y.len());
        x.iter().zip(y).for_each(|(&a, &b)| self.add(a, b));
    }
    /// The sum of products, rounded once, of the type of [`ExactSum::value`]. Infinity times 0 is
    /// NaN.
    pub fn value(&self) -> T::Total {
        T::total(answer_of_sum(&self.state))
    }
}

impl<T: Element> ExactVar<T> {
    /// Adds one element.
    pub fn add(&mut self, x: T) {
        if self.state.counts.add(x) {
            T::deposit(&mut self.state.first, x);
            T::deposit_product(&mut self.state.second, x, x);
        }
        self.state.deposited(2);
    }
    /// Adds a slice.
    pub fn add_slice(&mut self, x: &[T]) {
        let before = self.state.counts;
        add_sum(&mut self.state, x);
        let c = &self.state.counts;
        let finite = c.nan == before.nan && c.infinities() == before.infinities();
        for some in x.chunks(1 << 20) {
            for &x in some.iter().filter(|x| finite || x.is_finite()) {
                T::deposit_product(&mut self.state.second, x, x);
            }
            self.state.deposited(2 * some.len() as Pending);
        }
    }
    /// The sum, as [`ExactSum::value`].
    pub fn sum(&self) -> T::Total {
        T::total(answer_of_sum(&self.state))
    }
    /// The mean, as [`ExactSum::mean`].
    pub fn mean(&self) -> T::Fraction {
        T::fraction(mean_of(&self.state))
    }
    /// (n Q - S^2) / (n (n - ddof)) of the sum S and the sum of squares Q, rounded once; NaN for
    /// n <= ddof, with a NaN or an infinity.
    pub fn var(&self, ddof: i64) -> T::Fraction {
        T::fraction(variance_of(&self.state, ddof))
    }
    /// The root of the variance, rounded once.
    pub fn std(&self, ddof: i64) -> T::Fraction {
        let mut answer = variance_of(&self.state, ddof);
        answer.take_root();
        T::fraction(answer)
    }
}

fn add_sum<T: Element, B: limbs::Limbs>(state: &mut State<T, T::Sum, B>, x: &[T]) {
    for block in x.chunks(T::BLOCK) {
        T::add_block(&mut state.first, &mut state.counts, block);
        state.deposited(block.len().min(256) as Pending + 1);
    }
}

fn answer_of_sum<T: Element, A: limbs::Limbs, B: limbs::Limbs>(s: &State<T, A, B>) -> Answer {
    let c = &s.counts;
    if c.nan != 0 || c.invalid != 0 || (c.positive != 0 && c.negative != 0) {
        return Answer::NAN;
    }
    if c.infinities() != 0 {
        return Answer::infinity(c.negative != 0);
    }
    if T::FLOAT && c.n > 0 && !c.flag {
        return Answer::zero(true);
    }
    let unit = if s.is_of_products() { 2 * T::UNIT } else { T::UNIT };
    Wide::of(s.canonical().first.as_ref()).answer(unit, false)
}

fn mean_of<T: Element, B: limbs::Limbs>(s: &State<T, T::Sum, B>) -> Answer {
    let n = s.counts.n as u64;
    if n == 0 {
        return Answer::NAN;
    }
    let sum = answer_of_sum(s);
    if !sum.is_number() {
        return sum;
    }
    let mut wide = Wide::of(s.canonical().first.as_ref());
    let unit = wide.extend(T::UNIT);
    let rest = wide.divide(n);
    wide.answer(unit, rest)
}

fn variance_of<T: Element>(s: &State<T, T::Sum, T::Products>, ddof: i64) -> Answer {
    let c = &s.counts;
    let freedom = c.n as i128 - i128::from(ddof);
    if c.n == 0 || freedom <= 0 || c.nan != 0 || c.infinities() != 0 {
        return Answer::NAN;
    }
    let mut spread = s.spread();
    let unit = spread.extend(2 * T::UNIT);
    let rest = spread.divide(c.n as u64) | spread.divide(freedom as u64);
    spread.answer(unit, rest)
}
