//! The types of elements, and how one becomes a whole number of units.
use crate::limbs::{self, Counts, Limbs};
use crate::round::{Answer, Float};

mod sealed {
    pub trait Sealed {}
}

/// An element: `f32`, `f64`, or an integer of 8 to 64 bits. Its items are internal.
pub trait Element: Copy + sealed::Sealed {
    /// What a sum is: the type of floats, `Option<i64>`, `Option<u64>`.
    type Total;
    /// What a mean is: the type of floats, else `f64`.
    type Fraction;
    #[doc(hidden)]
    type Sum: Limbs;
    #[doc(hidden)]
    type Products: Limbs;
    #[doc(hidden)]
    const NAME: &'static str;
    /// Elements are integers times 2^UNIT.
    #[doc(hidden)]
    const UNIT: i32;
    #[doc(hidden)]
    const FLOAT: bool;
    #[doc(hidden)]
    const BLOCK: usize;
    #[doc(hidden)]
    fn widened(self) -> f64;
    #[doc(hidden)]
    fn is_finite(&self) -> bool {
        !Self::FLOAT || self.widened().is_finite()
    }
    #[doc(hidden)]
    fn deposit(to: &mut Self::Sum, x: Self);
    #[doc(hidden)]
    fn deposit_product(to: &mut Self::Products, x: Self, y: Self);
    /// Adds a block of at most BLOCK elements, and counts it.
    #[doc(hidden)]
    fn add_block(to: &mut Self::Sum, counts: &mut Counts, x: &[Self]);
    #[doc(hidden)]
    fn total(a: Answer) -> Self::Total;
    #[doc(hidden)]
    fn fraction(a: Answer) -> Self::Fraction;
}

macro_rules! float {
    ($t:ty, $name:literal, $unit:literal, $limbs:literal, $products:literal, $product:path) => {
        impl sealed::Sealed for $t {}
        impl Element for $t {
            type Total = $t;
            type Fraction = $t;
            type Sum = [i64; $limbs];
            type Products = [i64; $products];
            const NAME: &'static str = $name;
            const UNIT: i32 = $unit;
            const FLOAT: bool = true;
            const BLOCK: usize = 256;
            #[inline]
            fn widened(self) -> f64 {
                self.into()
            }
            #[inline]
            fn deposit(to: &mut Self::Sum, x: Self) {
                limbs::deposit_float(to, x.into(), $unit);
            }
            #[inline]
            fn deposit_product(to: &mut Self::Products, x: Self, y: Self) {
                $product(to, x.into(), y.into(), 2 * $unit);
            }
            fn add_block(to: &mut Self::Sum, counts: &mut Counts, x: &[Self]) {
                limbs::add_floats(to, counts, x, $unit);
            }
            fn total(a: Answer) -> $t {
                <$t>::rounded(a)
            }
            fn fraction(a: Answer) -> $t {
                <$t>::rounded(a)
            }
        }
    };
}
float!(f32, "f32", -149, 11, 20, limbs::deposit_exact_product);
float!(f64, "f64", -1074, 68, 134, limbs::deposit_long_product);

macro_rules! integer {
    ($($t:ty, $name:literal, $total:ty;)*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            type Total = Option<$total>;
            type Fraction = f64;
            type Sum = [i64; 4];
            type Products = [i64; 6];
            const NAME: &'static str = $name;
            const UNIT: i32 = 0;
            const FLOAT: bool = false;
            const BLOCK: usize = 1 << 16;
            #[inline]
            fn widened(self) -> f64 {
                0.0
            }
            #[inline]
            #[allow(unused_comparisons)]
            fn deposit(to: &mut Self::Sum, x: Self) {
                limbs::deposit_wide(to, (x as i128).unsigned_abs(), x < 0, 0);
            }
            #[inline]
            #[allow(unused_comparisons)]
            fn deposit_product(to: &mut Self::Products, x: Self, y: Self) {
                let product = (x as i128).unsigned_abs() * (y as i128).unsigned_abs();
                limbs::deposit_wide(to, product, (x < 0) != (y < 0), 0);
            }
            fn add_block(to: &mut Self::Sum, counts: &mut Counts, x: &[Self]) {
                let sum: i128 = x.iter().map(|&x| x as i128).sum();
                limbs::deposit_wide(to, sum.unsigned_abs(), sum < 0, 0);
                counts.add_numbers(x.len(), false);
            }
            fn total(a: Answer) -> Self::Total {
                <$total>::try_from(a.integer()?).ok()
            }
            fn fraction(a: Answer) -> f64 {
                f64::rounded(a)
            }
        }
    )*};
}
integer! {
    i8, "i8", i64; i16, "i16", i64; i32, "i32", i64; i64, "i64", i64;
    u8, "u8", u64; u16, "u16", u64; u32, "u32", u64; u64, "u64", u64;
}
