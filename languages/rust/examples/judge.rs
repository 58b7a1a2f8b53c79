//! A program for `conformance/judge.py --program`: a question a line on stdin, an answer a line.
use std::io::{BufRead, Write};

#[path = "../tests/judge/mod.rs"]
mod judge;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        writeln!(out, "{}", judge::answer(&line?))?;
        out.flush()?;
    }
    Ok(())
}
