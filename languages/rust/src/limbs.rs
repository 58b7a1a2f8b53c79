//! Sums as words w[0], w[1], ... that stand for the integer sum of w[k] 2^(32 k).
//!
//! A word has 64 bits and gets digits of 32, so carries wait: for 2^30 deposits at most.
use crate::element::Element;

pub(crate) type Pending = u32;

/// Arrays of words.
pub trait Limbs: Copy + AsRef<[i64]> + AsMut<[i64]> {
    #[doc(hidden)]
    const ZERO: Self;
}
impl<const N: usize> Limbs for [i64; N] {
    const ZERO: Self = [0; N];
}

/// Passes carries on: all words but the last are in [0, 2^32) then.
pub(crate) fn carry(w: &mut [i64]) {
    for k in 1..w.len() {
        w[k] += w[k - 1] >> 32;
        w[k - 1] &= 0xffff_ffff;
    }
}

/// What is counted beside the sums. Of integers only n is.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Counts {
    pub(crate) n: i64,
    pub(crate) nan: i64,
    /// Products of an infinity and 0.
    pub(crate) invalid: i64,
    pub(crate) positive: i64,
    pub(crate) negative: i64,
    /// Whether some number (product) is not -0.
    pub(crate) flag: bool,
}

impl Counts {
    pub(crate) fn infinities(&self) -> i64 {
        self.positive + self.negative
    }
    /// Counts numbers, of which some is not -0.
    pub(crate) fn add_numbers(&mut self, n: usize, flag: bool) {
        self.n += n as i64;
        self.flag |= flag;
    }
    /// Counts x. Returns whether it is finite.
    #[inline]
    pub(crate) fn add<T: Element>(&mut self, x: T) -> bool {
        self.n += 1;
        !T::FLOAT || self.add_float(x.widened())
    }
    #[inline]
    fn add_float(&mut self, x: f64) -> bool {
        if x.is_finite() {
            self.flag |= x.to_bits() != 1 << 63;
            return true;
        }
        self.flag |= !x.is_nan();
        self.nan += i64::from(x.is_nan());
        self.positive += i64::from(x == f64::INFINITY);
        self.negative += i64::from(x == f64::NEG_INFINITY);
        false
    }
    /// Counts the product of a pair. Returns whether both are finite.
    #[inline]
    pub(crate) fn add_pair<T: Element>(&mut self, x: T, y: T) -> bool {
        self.n += 1;
        if !T::FLOAT {
            return true;
        }
        let (x, y) = (x.widened(), y.widened());
        let negative = x.is_sign_negative() != y.is_sign_negative();
        if x.is_finite() && y.is_finite() {
            self.flag |= !negative || (x != 0.0 && y != 0.0);
            return true;
        }
        if x.is_nan() || y.is_nan() {
            self.nan += 1;
            return false;
        }
        self.flag = true;
        if x == 0.0 || y == 0.0 {
            self.invalid += 1;
        } else {
            self.positive += i64::from(!negative);
            self.negative += i64::from(negative);
        }
        false
    }
}

/// A finite number as m 2^(field - 1075).
struct Parts {
    m: u64,
    field: i32,
    negative: bool,
}
#[inline]
fn parts_of(x: f64) -> Parts {
    let bits = x.to_bits();
    let field = (bits >> 52 & 0x7ff) as i32;
    let hidden = u64::from(field != 0) << 52;
    Parts { m: bits & ((1 << 52) - 1) | hidden, field: field.max(1), negative: bits >> 63 != 0 }
}

/// Adds m 2^position, with a sign, to words of which there are three from there on.
#[inline]
fn deposit(w: &mut [i64], m: u64, negative: bool, position: usize) {
    let sign = -i64::from(negative);
    let shift = position % 32;
    let low = (m & 0xffff_ffff) << shift;
    let high = ((m >> 32) << shift) + (low >> 32);
    let k = position / 32;
    let to = &mut w[k..k + 3];
    to[0] += ((low & 0xffff_ffff) as i64 ^ sign) - sign;
    to[1] += ((high & 0xffff_ffff) as i64 ^ sign) - sign;
    to[2] += ((high >> 32) as i64 ^ sign) - sign;
}

/// Adds m 2^position, with a sign.
#[inline]
pub(crate) fn deposit_wide(to: &mut impl Limbs, m: u128, negative: bool, position: usize) {
    let shift = position % 32;
    let mut digits = (m & 0xffff_ffff) << shift;
    let mut rest = (m >> 32) << shift;
    let mut k = position / 32;
    while digits != 0 || rest != 0 {
        let digit = (digits & 0xffff_ffff) as i64;
        to.as_mut()[k] += if negative { -digit } else { digit };
        digits = (digits >> 32) + (rest & 0xffff_ffff);
        rest >>= 32;
        k += 1;
    }
}

/// Adds x, a multiple of 2^unit.
#[inline]
pub(crate) fn deposit_float(to: &mut impl Limbs, x: f64, unit: i32) {
    let p = parts_of(x);
    let position = p.field - 1075 - unit;
    if position >= 0 {
        deposit(to.as_mut(), p.m, p.negative, position as usize);
    } else {
        // Of an f32: below its unit all bits are 0, and position >= -52; of 0 it may be less.
        deposit(to.as_mut(), p.m >> (-position).min(63), p.negative, 0);
    }
}
/// Adds the product of two f32, which an f64 holds.
#[inline]
pub(crate) fn deposit_exact_product(to: &mut impl Limbs, x: f64, y: f64, unit: i32) {
    deposit_float(to, x * y, unit);
}
/// Adds the product of two f64.
#[inline]
pub(crate) fn deposit_long_product(to: &mut impl Limbs, x: f64, y: f64, _unit: i32) {
    let (a, b) = (parts_of(x), parts_of(y));
    let product = u128::from(a.m) * u128::from(b.m);
    let (position, negative) = ((a.field + b.field - 2) as usize, a.negative != b.negative);
    let w = to.as_mut();
    deposit(w, product as u64, negative, position);
    deposit(&mut w[2..], (product >> 64) as u64, negative, position);
}

/// Adds a block of at most 256 numbers, of which some may be NaN or infinite, and counts them.
///
///   exponents within 21, f32              as f64 in 8 lanes: no addition is rounded
///   within 36 (65, f32), of usual size    in two windows of f64: no addition is rounded
///   others                                one by one
pub(crate) fn add_floats<T: Element>(to: &mut impl Limbs, counts: &mut Counts, x: &[T], unit: i32) {
    let (mut low, mut high) = (u64::MAX, 0); // bits without signs; low is less 1, so 0 comes last
    for x in x {
        let magnitude = x.widened().to_bits() << 1;
        low = low.min(magnitude.wrapping_sub(1));
        high = high.max(magnitude);
    }
    let (least, greatest) = ((low.wrapping_add(1) >> 53) as i32, (high >> 53) as i32);
    if greatest == 0x7ff || high == 0 {
        for &x in x {
            if counts.add(x) && high != 0 {
                deposit_float(to, x.widened(), unit);
            }
        }
        return;
    }
    counts.add_numbers(x.len(), true);
    let (f32, span) = (T::UNIT == -149, greatest - least);
    // Without SSE2, x86 adds in more than 64 bits.
    let adds_f64 = !cfg!(all(target_arch = "x86", not(target_feature = "sse2")));
    if f32 && span <= 21 && adds_f64 {
        deposit_float(to, sum_in_lanes(x), unit);
    } else if span <= if f32 { 65 } else { 36 } && least >= 54 && greatest <= 2036 && adds_f64 {
        // No part is subnormal or infinite.
        let (above, below) = sum_in_windows(x, greatest);
        deposit_float(to, above, unit);
        deposit_float(to, below, unit);
    } else {
        x.iter().for_each(|x| deposit_float(to, x.widened(), unit));
    }
}
/// The sum, a multiple of the elements' least unit, below 2^53 of them.
fn sum_in_lanes<T: Element>(x: &[T]) -> f64 {
    let mut lanes = [0.0; 8];
    let mut parts = x.chunks_exact(8);
    for part in parts.by_ref() {
        for (lane, x) in lanes.iter_mut().zip(part) {
            *lane += x.widened();
        }
    }
    let rest = parts.remainder().iter().map(|x| x.widened());
    rest.chain(lanes).fold(0.0, |s, x| s + x)
}
/// Two numbers that are the sum. Adding 1.5 2^(52 + p) and taking it away again leaves the multiple
/// of 2^p next to x, p = G - 43 of the greatest exponent G: 256 of them are below 2^(53 + p). What
/// is left of an x is below 2^p, and so a sum of these is below 2^(L + 1), 2^53 units of the least
/// exponent L. Nothing else is rounded, in any rounding mode.
fn sum_in_windows<T: Element>(x: &[T], greatest: i32) -> (f64, f64) {
    let window = f64::from_bits((greatest as u64 + 9) << 52 | 1 << 51);
    let (mut above, mut below) = ([0.0; 8], [0.0; 8]);
    let mut add = |k: usize, x: f64| {
        let multiple = x + window - window;
        above[k] += multiple;
        below[k] += x - multiple;
    };
    let mut parts = x.chunks_exact(8);
    for part in parts.by_ref() {
        part.iter().enumerate().for_each(|(k, x)| add(k, x.widened()));
    }
    parts.remainder().iter().for_each(|x| add(0, x.widened()));
    (above.iter().sum(), below.iter().sum())
}
