// ONEFOLD_NPM=FOLDER node --test languages/npm/test/test.mjs, the folder that build.sh made.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import test from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { number } from "./number.mjs";

const folder = path.resolve(process.env.ONEFOLD_NPM);
const { ExactSum, sumPrecise } = await import(pathToFileURL(path.join(folder, "index.mjs")));
const vectors = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../../conformance/vectors");

/** Vectors of f64 whose elements are lists; judge.py asks for the others, too. */
function* lists() {
  for (const name of ["cancellation", "nist", "rounding", "special", "spread", "test262", "zero"]) {
    for (const line of readFileSync(path.join(vectors, `${name}.jsonl`), "utf8").trim().split("\n")) {
      const vector = JSON.parse(line);
      if (vector.type === "f64" && Array.isArray(vector.x)) yield vector;
    }
  }
}

test("sums and means are those of the vectors", { skip: !existsSync(vectors) && "conformance/vectors of Onefold is not here" }, (t) => {
  let asked = 0;
  for (const { name, x, answers } of lists()) {
    const elements = x.map(number);
    for (const op of ["sum", "mean"].filter((op) => answers[op])) {
      const sum = new ExactSum(elements);
      const value = op === "sum" ? sum.value() : sum.mean();
      const right = [answers[op].f64].flat().map(number);
      assert.ok(right.some((one) => Object.is(one, value)), `${name}: ${op} is ${value}, wanted ${right}`);
      asked += 1;
    }
    if (elements.length > 0) assert.ok(Object.is(sumPrecise(elements), new ExactSum(elements).value()), name);
    if (Math.sumPrecise) assert.ok(Object.is(sumPrecise(elements), Math.sumPrecise(elements)), name);
  }
  assert.ok(asked > 250, `only ${asked}`);
  if (!Math.sumPrecise) t.diagnostic(`node ${process.versions.node} has no Math.sumPrecise to compare with`);
});

test("sumPrecise is that of test262", () => {
  assert.ok(Object.is(sumPrecise([]), -0) && Object.is(sumPrecise([-0, -0]), -0) && Object.is(sumPrecise([-0, 0]), 0));
  assert.equal(sumPrecise(new Set([1.5e308, 1e308, -1.2e308])), 1.3e308);
  for (const bad of [undefined, null, 1, {}, { length: 1, 0: 1 }]) assert.throws(() => sumPrecise(bad), TypeError);
  for (const bad of ["1", 1n, {}, undefined, { valueOf: () => 1 }]) assert.throws(() => sumPrecise([1, bad]), TypeError);
  let closed = 0;
  const iterator = { next: () => ({ value: "1", done: false }), return: () => ((closed += 1), {}) };
  assert.throws(() => sumPrecise({ [Symbol.iterator]: () => iterator }), /"1" is not a number/);
  assert.equal(closed, 1);
});

test("parts in any order give the same bytes", () => {
  let seed = 1n;
  const bits = new DataView(new ArrayBuffer(8));
  const next = () => {
    seed = BigInt.asUintN(64, seed * 6364136223846793005n + 1442695040888963407n);
    bits.setBigUint64(0, seed);
    return Number.isFinite(bits.getFloat64(0)) ? bits.getFloat64(0) : 1;
  };
  for (let round = 0; round < 40; round += 1) {
    const x = Float64Array.from({ length: 137 * round }, next);
    const all = new ExactSum(x);
    const parts = new ExactSum();
    for (let i = 0; i < x.length; i += 97) parts.merge(new ExactSum([...x.subarray(i, i + 97)].reverse()));
    assert.deepEqual(parts.save(), all.save());
    assert.equal(ExactSum.load(all.save()).value(), all.value());
    parts.remove(new ExactSum(x.subarray(round)));
    assert.deepEqual(parts.save(), new ExactSum(x.subarray(0, round)).save());
    assert.equal(all.count, x.length);
  }
});

test("arrays of other types, and many sums at once", () => {
  assert.equal(new ExactSum(new Float32Array([0.1, 0.2])).value(), Math.fround(0.1) + Math.fround(0.2));
  assert.equal(new ExactSum(new Int8Array([-3, 2])).mean(), -0.5);
  const sums = Array.from({ length: 1000 }, (_, k) => new ExactSum([k, 1e300]));
  sums.forEach((sum, k) => assert.equal(sum.addArray([-1e300, 0.5]).value(), k + 0.5));
  const nested = { *[Symbol.iterator]() { yield sumPrecise([1, 2]); yield sumPrecise([3, 4]); } };
  assert.equal(sumPrecise(nested), 10);
});

test("what is wrong is said", () => {
  const sum = new ExactSum([-0]);
  assert.throws(() => sum.remove(new ExactSum([1])), /^RangeError: remove: these numbers were not all added/);
  assert.throws(() => sum.add("1"), /^TypeError: add: "1" is not a number/);
  assert.throws(() => new ExactSum(new BigInt64Array(1)), TypeError);
  assert.throws(() => sum.merge({}), /merge: give an ExactSum/);
  const saved = sum.save();
  for (let k = 0; k < saved.length; k += 1) {
    const damaged = saved.slice();
    damaged[k] ^= 4;
    assert.throws(() => ExactSum.load(damaged), /^RangeError: load: these bytes are not a sum of f64/);
    assert.throws(() => ExactSum.load(saved.subarray(0, k)), RangeError);
  }
});

test("the WebAssembly has no imports and is below 40 KiB", () => {
  const bytes = readFileSync(path.join(folder, "exact_sum.wasm"));
  assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(bytes)), []);
  assert.ok(bytes.length < 40 * 1024, `${bytes.length}`);
});
