//! Answers questions of `conformance/judge.py` (conformance/README.md), one JSON object a line, and
//! these about saved states, whose bytes are hexadecimal digits; `kind` is sum, var or dot.
//!
//!   state                   the bytes of `x` (a tree of parts, merged), and `y`
//!   merge, remove           the bytes of `bytes` with or without those of `part`
//!   sum, mean, var, std, dot  as for elements, with `bytes` instead
use onefold_exact::{Element, Error, ExactDot, ExactSum, ExactVar};

#[derive(Debug, PartialEq)]
pub enum Json {
    Text(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

impl Json {
    pub fn get(&self, key: &str) -> Option<&Json> {
        let Json::Map(fields) = self else { return None };
        fields.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
    pub fn text(&self) -> &str {
        if let Json::Text(t) = self {
            t
        } else {
            ""
        }
    }
    pub fn list(&self) -> &[Json] {
        if let Json::List(l) = self {
            l
        } else {
            &[]
        }
    }
}

/// Parses JSON whose strings have no quotes within; numbers and words become texts.
pub fn parse(s: &str) -> Json {
    value(&mut s.trim())
}
fn value(s: &mut &str) -> Json {
    match s.as_bytes()[0] {
        b'[' => Json::List(items(s, ']', value)),
        b'{' => Json::Map(items(s, '}', |s| {
            let key = value(s).text().to_string();
            *s = s.trim_start()[1..].trim_start();
            (key, value(s))
        })),
        b'"' => {
            let end = s[1..].find('"').unwrap() + 1;
            let text = s[1..end].to_string();
            *s = &s[end + 1..];
            Json::Text(text)
        }
        _ => {
            let end = s.find([',', ']', '}']).unwrap_or(s.len());
            let text = s[..end].trim().to_string();
            *s = &s[end..];
            Json::Text(text)
        }
    }
}
fn items<V>(s: &mut &str, end: char, item: impl Fn(&mut &str) -> V) -> Vec<V> {
    let mut found = vec![];
    *s = s[1..].trim_start();
    while !s.starts_with(end) {
        found.push(item(s));
        *s = s.trim_start().trim_start_matches(',').trim_start();
    }
    *s = &s[1..];
    found
}

/// The number of a text such as 0x1.8p+1.
pub fn number(text: &str) -> f64 {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |t| (true, t));
    let magnitude = match digits.strip_prefix("0x") {
        None => digits.parse().unwrap(), // inf, nan
        Some(digits) => {
            let (m, exponent) = digits.split_once('p').unwrap();
            let (whole, part) = m.split_once('.').unwrap_or((m, ""));
            let m = u64::from_str_radix(&format!("{whole}{part}"), 16).unwrap() as f64;
            let e: i32 = exponent.parse::<i32>().unwrap() - 4 * part.len() as i32;
            let power = |e: i32| f64::from_bits(((1023 + e) as u64) << 52);
            m * power(e / 2) * power(e - e / 2)
        }
    };
    if negative {
        -magnitude
    } else {
        magnitude
    }
}
fn shown(x: f64) -> String {
    let sign = if x.is_sign_negative() { "-" } else { "" };
    let (bits, field) = (x.to_bits() & ((1 << 52) - 1), x.to_bits() >> 52 & 0x7ff);
    match field {
        0x7ff if bits != 0 => format!("{sign}nan"),
        0x7ff => format!("{sign}inf"),
        0 => format!("{sign}0x{bits:x}p-1074"),
        _ => format!("{sign}0x{:x}p{}", bits | 1 << 52, field as i32 - 1075),
    }
}

pub trait Shown {
    fn shown(self) -> String;
}
impl Shown for f64 {
    fn shown(self) -> String {
        format!("f64 {}", shown(self))
    }
}
impl Shown for f32 {
    fn shown(self) -> String {
        format!("f32 {}", shown(self.into()))
    }
}
impl<I: std::fmt::Display> Shown for Option<I> {
    fn shown(self) -> String {
        self.map_or("refused 64 bits do not hold the sum".into(), |v| format!("int {v}"))
    }
}

fn leaves<T>(x: &Json, read: fn(&str) -> T) -> Vec<T> {
    x.list().iter().map(|t| read(t.text())).collect()
}
/// A list of elements, or a list of lists, which are merged from left to right.
fn tree<S>(x: &Json, of_part: &impl Fn(&Json) -> S, merge: &impl Fn(&mut S, &S)) -> S {
    match x.list() {
        [Json::List(_), ..] => {
            let mut parts = x.list().iter().map(|part| tree(part, of_part, merge));
            let mut all = parts.next().unwrap();
            parts.for_each(|part| merge(&mut all, &part));
            all
        }
        _ => of_part(x),
    }
}
fn unhex(digits: &str) -> Vec<u8> {
    let byte = |k| u8::from_str_radix(&digits[k..k + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// Answers about one kind of accumulator: those of `answers`, or bytes.
macro_rules! of_kind {
    ($q:expr, $kind:ty, $gather:expr, $answers:expr) => {{
        let (q, op) = ($q, $q.get("op").unwrap().text());
        let loaded = |key| q.get(key).map(|b| <$kind>::load(&unhex(b.text())));
        let merge = |a: &mut $kind, b: &$kind| a.merge(b);
        let state = match loaded("bytes") {
            Some(state) => state,
            None => Ok(tree(q.get("x").unwrap(), &$gather, &merge)),
        };
        let state = state.and_then(|mut s| {
            match op {
                "merge" => s.merge(&loaded("part").unwrap()?),
                "remove" => s.remove(&loaded("part").unwrap()?)?,
                _ => {}
            }
            Ok(s)
        });
        let bytes = |s: &$kind| s.save().iter().map(|b| format!("{b:02x}")).collect::<String>();
        let answer: Result<String, Error> = state.map(|s| match op {
            "state" | "merge" | "remove" => format!("bytes {}", bytes(&s)),
            _ => $answers(s, op),
        });
        answer.unwrap_or_else(|error| format!("refused {error}"))
    }};
}

fn answer_as<T: Element>(q: &Json, read: fn(&str) -> T) -> String
where
    T::Total: Shown,
    T::Fraction: Shown,
{
    let op = q.get("op").unwrap().text();
    let kind = q.get("kind").map_or(op, Json::text);
    match kind {
        "var" | "std" => of_kind!(
            q,
            ExactVar<T>,
            |x: &Json| {
                let mut s = ExactVar::new();
                s.add_slice(&leaves(x, read));
                s
            },
            |s: ExactVar<T>, op| match op {
                "sum" => s.sum().shown(),
                "mean" => s.mean().shown(),
                "var" => s.var(0).shown(),
                _ => s.std(1).shown(),
            }
        ),
        "dot" => of_kind!(
            q,
            ExactDot<T>,
            |x: &Json| {
                let mut s = ExactDot::new();
                s.add_slices(&leaves(x, read), &leaves(q.get("y").unwrap(), read));
                s
            },
            |s: ExactDot<T>, _| s.value().shown()
        ),
        "sum" | "mean" | "merged" | "chunks" => of_kind!(
            q,
            ExactSum<T>,
            |x: &Json| {
                let x = leaves(x, read);
                let mut s: ExactSum<T> = x[..x.len() / 3].iter().copied().collect();
                s.add_slice(&x[x.len() / 3..]);
                s
            },
            |s: ExactSum<T>, op| if op == "mean" { s.mean().shown() } else { s.value().shown() }
        ),
        _ => "-".into(),
    }
}

/// The answer to a line.
pub fn answer(line: &str) -> String {
    let q = parse(line);
    match q.get("type").unwrap().text() {
        "f64" => answer_as::<f64>(&q, number),
        "f32" => answer_as::<f32>(&q, |t| number(t) as f32),
        "i8" => answer_as::<i8>(&q, |t| t.parse().unwrap()),
        "i32" => answer_as::<i32>(&q, |t| t.parse().unwrap()),
        "i64" => answer_as::<i64>(&q, |t| t.parse().unwrap()),
        "u16" => answer_as::<u16>(&q, |t| t.parse().unwrap()),
        "u64" => answer_as::<u64>(&q, |t| t.parse().unwrap()),
        _ => "-".into(),
    }
}
