//! cargo bench: ns an element of slices, beside a plain loop.
use std::hint::black_box;
use std::time::Instant;

use onefold_exact::{ExactDot, ExactSum, ExactVar};

/// The least of 25 runs, in ns an element.
fn time<R>(n: usize, mut f: impl FnMut() -> R) -> f64 {
    let mut runs: Vec<f64> = (0..25)
        .map(|_| {
            let begin = Instant::now();
            black_box(f());
            begin.elapsed().as_nanos() as f64 / n as f64
        })
        .collect();
    runs.sort_by(f64::total_cmp);
    runs[0]
}

fn main() {
    let n = 1 << 16;
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state ^ state >> 32
    };
    let mut unit = || (next() >> 11) as f64 / (1u64 << 53) as f64;
    // Sums of 12 uniform numbers stand for N(0, 1).
    let normal: Vec<f64> = (0..n).map(|_| (0..12).map(|_| unit()).sum::<f64>() - 6.0).collect();
    let bits: Vec<f64> = (0..n)
        .map(|_| f64::from_bits((unit() * 2f64.powi(63)) as u64))
        .map(|x| if x.is_finite() { x } else { 1.0 })
        .collect();
    println!("{:24} {:>8} {:>8} {:>6}", "ns an element", "exact", "loop", "ratio");
    let row = |name: &str, exact: f64, plain: f64| {
        println!("{name:24} {exact:8.2} {plain:8.2} {:6.2}", exact / plain);
    };
    macro_rules! rows {
        ($t:ty, $x:expr, $name:expr) => {
            let x: Vec<$t> = $x.iter().map(|&v| v as $t).collect();
            let plain = time(n, || black_box(&x).iter().fold(0.0, |s: $t, v| s + v));
            let slice = |x: &[$t]| {
                let mut s = ExactSum::<$t>::new();
                s.add_slice(x);
                s.value()
            };
            row(concat!("sum, add_slice, ", $name), time(n, || slice(black_box(&x))), plain);
            row(
                concat!("sum, add, ", $name),
                time(n, || black_box(&x).iter().copied().collect::<ExactSum<_>>()),
                plain,
            );
            row(
                concat!("var, add_slice, ", $name),
                time(n, || {
                    let mut s = ExactVar::<$t>::new();
                    s.add_slice(black_box(&x));
                    s.var(1)
                }),
                plain,
            );
            let plain = time(n, || {
                black_box(&x).iter().zip(black_box(&x)).fold(0.0, |s: $t, (a, b)| s + a * b)
            });
            row(
                concat!("dot, add_slices, ", $name),
                time(n, || {
                    let mut s = ExactDot::<$t>::new();
                    s.add_slices(black_box(&x), black_box(&x));
                    s.value()
                }),
                plain,
            );
        };
    }
    rows!(f64, normal, "f64");
    rows!(f64, bits, "f64 bits");
    rows!(f32, normal, "f32");
    let x: Vec<i64> = normal.iter().map(|v| v.to_bits() as i64).collect();
    let plain = time(n, || black_box(&x).iter().fold(0i64, |s, &v| s.wrapping_add(v)));
    let mut s = ExactSum::<i64>::new();
    row("sum, add_slice, i64", time(n, || s.add_slice(black_box(&x))), plain);
}
