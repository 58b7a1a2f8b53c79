//! The bytes of docs/format.md.
use core::fmt;

use crate::element::Element;
use crate::limbs::Limbs;
use crate::state::State;

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Sum,
    Dot,
    Var,
}

/// Why bytes are not loaded, or elements not removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are no state, of a version that is not known, or damaged.
    Damaged,
    /// A state of other ops, another type, or another NaN policy.
    OtherState,
    /// No data have these counts and sums.
    Impossible,
    /// No data have what would be left.
    NeverAdded,
    /// What would be left sums to 0, which may be all -0.
    ZeroOfUnknownSign,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Error::Damaged => "load: these bytes are not a state of version 2, or they are damaged",
            Error::OtherState => "load: a state of other ops, another type or another NaN policy",
            Error::Impossible => "load: no data have these counts and sums",
            Error::NeverAdded => "remove: these elements were not all added before",
            Error::ZeroOfUnknownSign => "remove: the rest sums to 0, and may be only -0",
        })
    }
}
impl core::error::Error for Error {}

/// A saved state: a slice of bytes.
#[derive(Clone)]
pub struct Saved {
    bytes: [u8; 1800],
    len: usize,
}
impl core::ops::Deref for Saved {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}
impl Saved {
    fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }
    fn number(&mut self, v: u64) {
        self.put(&v.to_le_bytes());
    }
    fn text(&mut self, t: &str) {
        self.number(t.len() as u64);
        self.put(t.as_bytes());
    }
    fn words(&mut self, w: &[i64]) {
        w.iter().for_each(|&v| self.number(v as u64));
    }
}

/// Reads bytes from the front; what is not there is `None`.
struct Reader<'a>(&'a [u8]);
impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let taken = self.0.get(..n)?;
        self.0 = &self.0[n..];
        Some(taken)
    }
    fn number(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }
    fn expect(&mut self, v: u64) -> Option<()> {
        (self.number()? == v).then_some(())
    }
    fn expect_text(&mut self, t: &str) -> Option<()> {
        self.expect(t.len() as u64)?;
        (self.take(t.len())? == t.as_bytes()).then_some(())
    }
    fn words(&mut self, w: &mut [i64]) -> Option<()> {
        for word in w {
            *word = self.number()? as i64;
        }
        Some(())
    }
}

const MAGIC: &[u8] = b"1fold\r\n\x02";

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = !0u32;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ if crc & 1 != 0 { 0xedb8_8320 } else { 0 };
        }
    }
    !crc
}

impl<T: Element, A: Limbs, B: Limbs> State<T, A, B> {
    pub(crate) fn save(&self, kind: Kind) -> Saved {
        let s = self.canonical();
        let c = &s.counts;
        let mut out = Saved { bytes: [0; 1800], len: 0 };
        out.put(MAGIC);
        out.text(T::NAME);
        out.text("propagate");
        [c.n as u64, 0, 0].iter().for_each(|&v| out.number(v));
        out.text(if kind == Kind::Dot { "dot" } else { "sum" });
        out.words(s.first.as_ref());
        if kind == Kind::Var {
            out.text("sumsq");
            out.words(s.second.as_ref());
        }
        if kind == Kind::Dot {
            out.words(&[c.n, c.nan, c.invalid]);
        } else {
            out.text("tally");
            out.words(&[c.n, c.nan]);
        }
        out.words(&[c.positive, c.negative, i64::from(c.flag)]);
        out.number(0);
        let crc = crc32(&out);
        out.put(&crc.to_le_bytes());
        out
    }
    pub(crate) fn load(bytes: &[u8], kind: Kind) -> Result<Self, Error> {
        let split = bytes.len().checked_sub(4).ok_or(Error::Damaged)?;
        let (text, crc) = bytes.split_at(split);
        if !text.starts_with(MAGIC) || crc != crc32(text).to_le_bytes() {
            return Err(Error::Damaged);
        }
        let (s, flag) = Self::read(Reader(&text[8..]), kind).ok_or(Error::OtherState)?;
        let digits = |w: &[i64]| {
            w.split_last().map_or(true, |(top, w)| {
                i32::try_from(*top).is_ok() && w.iter().all(|d| d >> 32 == 0)
            })
        };
        let canonical = digits(s.first.as_ref()) && digits(s.second.as_ref());
        (canonical && (0..2).contains(&flag) && s.is_possible(kind))
            .then_some(s)
            .ok_or(Error::Impossible)
    }
    fn read(mut r: Reader<'_>, kind: Kind) -> Option<(Self, i64)> {
        let mut s = Self::new();
        r.expect_text(T::NAME)?;
        r.expect_text("propagate")?;
        let n = r.number()?;
        r.expect(0)?;
        r.expect(0)?;
        r.expect_text(if kind == Kind::Dot { "dot" } else { "sum" })?;
        r.words(s.first.as_mut())?;
        if kind == Kind::Var {
            r.expect_text("sumsq")?;
            r.words(s.second.as_mut())?;
        }
        if kind != Kind::Dot {
            r.expect_text("tally")?;
        }
        let mut c = [0; 6];
        let invalid = usize::from(kind == Kind::Dot);
        r.words(&mut c[..5 + invalid])?;
        r.expect(0)?;
        let flag = c[4 + invalid];
        s.counts.n = c[0];
        s.counts.nan = c[1];
        s.counts.invalid = if invalid != 0 { c[2] } else { 0 };
        s.counts.positive = c[2 + invalid];
        s.counts.negative = c[3 + invalid];
        s.counts.flag = flag != 0;
        (r.0.is_empty() && c[0] as u64 == n).then_some((s, flag))
    }
}
