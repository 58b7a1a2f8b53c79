// Answers each line of stdin, lists of f64 as 16 hexadecimal digits, with the sum of all elements.
import { createInterface } from "node:readline";
import process from "node:process";

const view = new DataView(new ArrayBuffer(8));

function* elements(parts) {
  for (const part of parts) {
    for (const digits of part) {
      view.setBigUint64(0, BigInt("0x" + digits));
      yield view.getFloat64(0);
    }
  }
}

if (Math.sumPrecise) {
  const { bun, deno, node } = process.versions;
  console.log(bun ? `of bun ${bun}` : deno ? `of deno ${deno}` : `of node ${node}`);
  for await (const line of createInterface({ input: process.stdin })) {
    view.setFloat64(0, Math.sumPrecise(elements(JSON.parse(line))));
    console.log(view.getBigUint64(0).toString(16).padStart(16, "0"));
  }
}
