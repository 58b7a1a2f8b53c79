//! Long numbers, quotients and roots, and their rounding.

/// Digits of 32 bits: n Q of f64 has 136, a quotient needs 8 below.
const DIGITS: usize = 152;
const EXTENSION: usize = 8;

/// A long number with a sign, an integer times a unit.
pub(crate) struct Wide {
    digit: [u32; DIGITS],
    size: usize,
    pub(crate) negative: bool,
}

impl Wide {
    /// The number of canonical words.
    pub(crate) fn of(w: &[i64]) -> Self {
        let negative = w[w.len() - 1] < 0;
        let mut wide = Wide { digit: [0; DIGITS], size: w.len() + 1, negative };
        let mut carry = 0;
        for (to, &word) in wide.digit.iter_mut().zip(w) {
            carry += if negative { -word } else { word };
            *to = carry as u32;
            carry >>= 32;
        }
        wide.trimmed()
    }
    fn trimmed(mut self) -> Self {
        while self.size > 0 && self.digit[self.size - 1] == 0 {
            self.size -= 1;
        }
        self
    }
    pub(crate) fn is_zero(&self) -> bool {
        self.size == 0
    }
    pub(crate) fn bits(&self) -> u32 {
        let top = self.size.checked_sub(1).map_or(0, |k| 32 - self.digit[k].leading_zeros());
        32 * (self.size as u32).saturating_sub(1) + top
    }
    /// n times this, less the square of s.
    pub(crate) fn times_less_square(&self, n: u64, s: &Wide) -> Wide {
        let mut out = Wide { digit: [0; DIGITS], size: DIGITS - EXTENSION, negative: false };
        let mut carry = 0i128;
        for k in 0..out.size {
            // Products of column k: fewer than 2^7 of them, each below 2^64.
            carry += self.at(k) * i128::from(n as u32);
            carry += if k > 0 { self.at(k - 1) * i128::from(n >> 32) } else { 0 };
            for i in (k + 1).saturating_sub(s.size)..s.size.min(k + 1) {
                carry -= s.at(i) * s.at(k - i);
            }
            out.digit[k] = carry as u32;
            carry >>= 32;
        }
        out.negative = carry < 0;
        out.trimmed()
    }
    fn at(&self, k: usize) -> i128 {
        i128::from(self.digit[k])
    }
    /// Gives it digits below, as a quotient needs. Returns the unit 2^u that it has then.
    pub(crate) fn extend(&mut self, unit: i32) -> i32 {
        self.digit.copy_within(0..self.size, EXTENSION);
        self.digit[..EXTENSION].fill(0);
        self.size += EXTENSION;
        unit - 32 * EXTENSION as i32
    }
    /// Divides by n > 0. Returns whether there is a remainder.
    pub(crate) fn divide(&mut self, n: u64) -> bool {
        let mut rest = 0u128;
        for k in (0..self.size).rev() {
            rest = rest << 32 | u128::from(self.digit[k]);
            self.digit[k] = (rest / u128::from(n)) as u32;
            rest %= u128::from(n);
        }
        while self.size > 0 && self.digit[self.size - 1] == 0 {
            self.size -= 1;
        }
        rest != 0
    }
    /// The number in units of 2^unit, and a little more if `more`.
    pub(crate) fn answer(&self, unit: i32, more: bool) -> Answer {
        let mut high = 0u128;
        let mut sticky = more;
        for k in 0..self.size {
            let below = self.size - 1 - k;
            if below < 4 {
                high |= u128::from(self.digit[k]) << (32 * (3 - below));
            } else {
                sticky |= self.digit[k] != 0;
            }
        }
        let exponent = unit + 32 * (self.size as i32 - 4);
        Answer::number(self.negative, high, exponent, sticky)
    }
}

/// An exact answer as far as rounding reads it: high 2^exponent, and less than 1 more if `sticky`.
#[derive(Clone, Copy)]
pub struct Answer {
    is: Is,
    negative: bool,
    high: u128,
    exponent: i32,
    sticky: bool,
}
#[derive(Clone, Copy, PartialEq)]
enum Is {
    Number,
    Infinity,
    Nan,
}

impl Answer {
    pub(crate) const NAN: Answer =
        Answer { is: Is::Nan, negative: false, high: 0, exponent: 0, sticky: false };
    pub(crate) fn infinity(negative: bool) -> Self {
        Answer { is: Is::Infinity, negative, ..Self::NAN }
    }
    pub(crate) fn zero(negative: bool) -> Self {
        Answer { is: Is::Number, negative, ..Self::NAN }
    }
    /// Whether it is a number other than 0.
    pub(crate) fn is_number(&self) -> bool {
        self.is == Is::Number && self.high != 0
    }
    /// The highest bit of a `high` that is not 0 becomes bit 127.
    fn number(negative: bool, high: u128, exponent: i32, sticky: bool) -> Self {
        let up = high.leading_zeros() & 127;
        let negative = negative && high != 0;
        Answer {
            is: Is::Number,
            negative,
            high: high << up,
            exponent: exponent - up as i32,
            sticky,
        }
    }
    /// The integer, of sums of integers, if 127 bits hold it.
    pub(crate) fn integer(&self) -> Option<i128> {
        if self.high == 0 {
            return Some(0);
        }
        let down = u32::try_from(-self.exponent).ok().filter(|d| (1..128).contains(d))?;
        let m = (self.high >> down) as i128;
        Some(if self.negative { -m } else { m })
    }
    /// Becomes its root, with 64 bits and what is left.
    pub(crate) fn take_root(&mut self) {
        if !self.is_number() {
            return;
        }
        if self.exponent % 2 != 0 {
            self.sticky |= self.high & 1 != 0;
            self.high >>= 1;
            self.exponent += 1;
        }
        let mut root = 0u128;
        for bit in (0..64).rev() {
            let next = root | 1 << bit;
            if next * next <= self.high {
                root = next;
            }
        }
        let sticky = self.sticky || root * root != self.high;
        *self = Self::number(false, root, self.exponent / 2, sticky);
    }
    /// Rounds to p bits, in units of 2^unit at least; infinity from the field `top` on. Returns
    /// bits without a sign.
    fn round(&self, p: u32, unit: i32, top: u64) -> u64 {
        match self.is {
            Is::Infinity => return top << (p - 1),
            Is::Nan => return top << (p - 1) | 1 << (p - 2),
            Is::Number => {}
        }
        if self.high == 0 {
            return 0;
        }
        let wanted = 128 - p as i32;
        let drop = wanted.max(unit - self.exponent);
        if drop > 128 {
            return 0;
        }
        let (mut q, rest) = if drop == 128 {
            (0, self.high)
        } else {
            ((self.high >> drop) as u64, self.high << (128 - drop))
        };
        const HALF: u128 = 1 << 127; // of what is dropped
        q += u64::from(rest > HALF || (rest == HALF && (self.sticky || q & 1 != 0)));
        // A q of p bits carries into the field, which so becomes 1 more.
        let field = ((self.exponent + drop - unit) as u64).min(top);
        let bits = (field << (p - 1)) + q;
        bits.min(top << (p - 1))
    }
}

pub(crate) trait Float {
    fn rounded(a: Answer) -> Self;
}
impl Float for f64 {
    fn rounded(a: Answer) -> f64 {
        f64::from_bits(a.round(53, -1074, 0x7ff) | u64::from(a.negative) << 63)
    }
}
impl Float for f32 {
    fn rounded(a: Answer) -> f32 {
        f32::from_bits(a.round(24, -149, 0xff) as u32 | u32::from(a.negative) << 31)
    }
}
