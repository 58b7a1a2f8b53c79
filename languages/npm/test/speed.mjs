// node speed.mjs FOLDER: ns a number, the least of 25 runs.
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

const { ExactSum, sumPrecise } = await import(pathToFileURL(path.resolve(process.argv[2], "index.mjs")));
const uniform = () => Array.from({ length: 12 }, Math.random).reduce((sum, v) => sum + v, -6);
const doubles = Float64Array.from({ length: 1 << 16 }, uniform);
const [floats, list] = [Float32Array.from(doubles), [...doubles]];
let sink = 0;

function time(name, f) {
  let least = Infinity;
  for (let k = 0; k < 25; k += 1) {
    const begin = performance.now();
    sink += f();
    least = Math.min(least, performance.now() - begin);
  }
  console.log(name.padEnd(34), ((least * 1e6) / doubles.length).toFixed(2));
}

function loop(x) {
  let sum = 0;
  for (let i = 0; i < x.length; i += 1) sum += x[i];
  return sum;
}
time("loop over a Float64Array", () => loop(doubles));
time("ExactSum of a Float64Array", () => new ExactSum(doubles).value());
time("ExactSum of a Float32Array", () => new ExactSum(floats).value());
time("sumPrecise of an array", () => sumPrecise(list));
time("ExactSum.add", () => list.reduce((sum, v) => sum.add(v), new ExactSum()).value());
if (Math.sumPrecise) time("Math.sumPrecise of an array", () => Math.sumPrecise(list));
