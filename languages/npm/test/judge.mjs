// A program for conformance/judge.py --program: node judge.mjs FOLDER, the folder that build.sh made. It answers questions about
// sums and means of f64, and these about saved states, whose bytes are hexadecimal digits:
//
//   state            the bytes of `x`, a tree of parts that are merged
//   merge, remove    the bytes of `bytes` with or without those of `part`
//   sum, mean        as for elements, with `bytes` instead
import path from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

import { number, shown } from "./number.mjs";

const { ExactSum } = await import(pathToFileURL(path.resolve(process.argv[2], "index.mjs")));

function gathered(x) {
  if (Array.isArray(x[0])) return x.map(gathered).reduce((all, part) => all.merge(part));
  const elements = Float64Array.from(x, number);
  const third = Math.floor(x.length / 3);
  const sum = new ExactSum(elements.subarray(third));
  if (x.length > 2000) return sum.addArray(elements.subarray(0, third));
  for (const one of elements.subarray(0, third)) sum.add(one);
  return sum;
}

function answer({ op, kind, type, x, bytes, part }) {
  if (type !== "f64" || !["sum", "mean", "chunks", "merged", "state", "merge", "remove"].includes(op)) return "-";
  if ((kind ?? "sum") !== "sum") return "-";
  const loaded = (digits) => ExactSum.load(new Uint8Array(Buffer.from(digits, "hex")));
  try {
    const sum = bytes === undefined ? gathered(x) : loaded(bytes);
    if (op === "merge") sum.merge(loaded(part));
    if (op === "remove") sum.remove(loaded(part));
    if (["state", "merge", "remove"].includes(op)) return `bytes ${Buffer.from(sum.save()).toString("hex")}`;
    return `f64 ${shown(op === "mean" ? sum.mean() : sum.value())}`;
  } catch (error) {
    if (error instanceof RangeError) return `refused ${error.message}`;
    throw error;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${answer(JSON.parse(line))}\n`);
}
