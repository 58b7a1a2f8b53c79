// Tests the page of a package, ONEFOLD_LAB's lab.html: node --test test.mjs. Its module runs the page's own kernels in Node.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import test from "node:test";

const page = readFileSync(`${process.env.ONEFOLD_LAB}/lab.html`, "utf8");
const part = (id) => page.match(new RegExp(`<script type="[^"]*" id="${id}">(.*?)</script>`, "s"))[1];
const module = { exports: {} };
new Function("module", "exports", "require", "__dirname", "__filename", part("module"))(
  module, module.exports, createRequire(import.meta.url), ".", "lab.js");
const lab = await module.exports();
const call = (what, ...words) => JSON.parse(
  lab.ccall(what, "string", words.map((w) => (typeof w === "number" ? "number" : "string")), words));
const { kernels, texts } = JSON.parse(part("examples"));

function report(kernel, n) {
  const block = "256" in kernel.blocks ? "256" : Object.keys(kernel.blocks)[0];
  const options = call("onefold_lab_launches", kernel.facts, n, Number(block));
  return call("onefold_lab_run", JSON.stringify({ file: `${kernel.name}.ptx`, text: texts[kernel.blocks[block]], options }));
}

test("every kernel of the ladder adds up, without a flaw", () => {
  const ladder = kernels.filter((k) => k.group === "The ladder");
  assert(ladder.length > 20);
  for (const k of ladder) assert.equal(report(k, Math.min(1000, k.most ?? 1000)).verdict, "clean", k.name);
});

test("a race is found in a kernel as it was published", () => {
  const flawed = kernels.find((k) => k.name === "last_warp_unrolled_as_published");
  const { verdict, flaws } = report(flawed, 1000);
  assert.equal(verdict, "flaw");
  assert.match(JSON.stringify(flaws), /race/);
});

test("text that is not PTX is an error with a message", () => {
  assert.match(call("onefold_lab_run", JSON.stringify({ file: "a.ptx", text: "x", options: { launch: "f<<<1, 1>>>()" } })).error, /a\.ptx/);
});
