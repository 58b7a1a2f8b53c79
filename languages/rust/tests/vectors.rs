//! Answers and bytes, by the vectors of `conformance/vectors` where they are, and by laws.
use onefold_exact::{Error, ExactDot, ExactSum, ExactVar};

mod judge;
use judge::{answer, number, parse, Json};

/// The text of `x` as JSON.
fn written(x: &Json) -> String {
    let items: Vec<String> = x.list().iter().map(|t| format!("\"{}\"", t.text())).collect();
    format!("[{}]", items.join(", "))
}
/// Those whose elements are lists; judge.py asks for the others, too.
#[test]
fn answers_are_those_of_the_vectors() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/vectors");
    let Ok(files) = std::fs::read_dir(folder) else {
        eprintln!("skipped: {folder} is not here");
        return;
    };
    let mut asked = 0;
    for file in files {
        for line in std::fs::read_to_string(file.unwrap().path()).unwrap().lines() {
            asked += check(&parse(line));
        }
    }
    assert!(asked > 700, "only {asked} answers were compared");
}
fn check(vector: &Json) -> usize {
    let Some(Json::List(_)) = vector.get("x") else { return 0 };
    let Some(Json::Map(answers)) = vector.get("answers") else { panic!() };
    for (op, wanted) in answers {
        let y = vector.get("y").map_or(String::new(), |y| format!(", \"y\": {}", written(y)));
        let kind = vector.get("type").unwrap().text();
        let x = written(vector.get("x").unwrap());
        let said = answer(&format!("{{\"op\": \"{op}\", \"type\": \"{kind}\", \"x\": {x}{y}}}"));
        if said.starts_with("refused") && vector.get("may_refuse").is_some() {
            continue;
        }
        let (kind, value) = said.split_once(' ').unwrap();
        let right = |text: &str| {
            text == value || (kind != "int" && number(text).to_bits() == number(value).to_bits())
        };
        let right = match wanted.get(kind) {
            Some(Json::List(some)) => some.iter().any(|t| right(t.text())),
            Some(one) => right(one.text()),
            None => false,
        };
        assert!(right, "{:?}: {op}: {said}, wanted {wanted:?}", vector.get("name"));
    }
    answers.len()
}

/// Numbers whose exponents differ by up to `spread`.
fn some(n: usize, spread: u64, state: &mut u64) -> Vec<f64> {
    let mut next = || {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *state ^ *state >> 29
    };
    let mut one = || {
        let exponent = 1023 - spread / 2 + (next() >> 20) % (spread + 1);
        f64::from_bits(next() & 0x800f_ffff_ffff_ffff | exponent << 52)
    };
    (0..n).map(|_| one()).collect()
}

#[test]
fn bytes_are_the_same_for_any_parts_and_order() {
    let mut state = 1;
    for round in 0..200 {
        let x = some(1 + round * 7, round as u64 * 10, &mut state);
        let mut all = ExactVar::<f64>::new();
        all.add_slice(&x);
        let mut parts = ExactVar::new();
        for part in x.rchunks(1 + round % 300) {
            let mut of_part = ExactVar::new();
            part.iter().rev().for_each(|&v| of_part.add(v));
            parts += &of_part;
        }
        assert!(all.save()[..] == parts.save()[..], "round {round}");
        let loaded = ExactVar::<f64>::load(&all.save()).unwrap();
        assert!(loaded == all && loaded.std(1).to_bits() == all.std(1).to_bits());
        let first: ExactVar<f64> = x[..x.len() / 2].iter().copied().collect();
        parts.remove(&first).unwrap();
        assert!(parts == x[x.len() / 2..].iter().copied().collect());
    }
}

#[test]
fn what_is_wrong_is_said() {
    let mut a: ExactSum<f64> = [-0.0].into_iter().collect();
    let b: ExactSum<f64> = [1.0].into_iter().collect();
    assert_eq!(a.remove(&b), Err(Error::NeverAdded));
    a.add(1.0);
    assert_eq!(a.remove(&b), Err(Error::ZeroOfUnknownSign));
    assert_eq!(a.count(), 2);
    let saved = a.save();
    assert_eq!(ExactDot::<f64>::load(&saved), Err(Error::OtherState));
    assert_eq!(ExactSum::<f32>::load(&saved), Err(Error::OtherState));
    for k in 0..saved.len() {
        let mut damaged = saved.to_vec();
        damaged[k] ^= 4;
        assert_eq!(ExactSum::<f64>::load(&damaged), Err(Error::Damaged));
        assert_eq!(ExactSum::<f64>::load(&saved[..k]), Err(Error::Damaged));
    }
    let large: ExactSum<u64> = [u64::MAX, 1].into_iter().collect();
    assert_eq!((large.value(), large.mean()), (None, 2f64.powi(63)));
    let small: ExactSum<i8> = [i8::MIN; 300].into_iter().collect();
    assert_eq!(small.value(), Some(-38400));
}

#[test]
#[should_panic(expected = "add_slices: x has 1 elements and y 2")]
fn slices_of_products_have_one_length() {
    ExactDot::<f32>::new().add_slices(&[1.0], &[1.0, 2.0]);
}
