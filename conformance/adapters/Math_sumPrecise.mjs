// Answers lines of stdin, lists of f64 as 16 hexadecimal digits, with their sums.
import { createInterface } from "node:readline";
import process from "node:process";

if (Math.sumPrecise) {
  const { bun, deno, node } = process.versions;
  console.log(bun ? `of bun ${bun}` : deno ? `of deno ${deno}` : `of node ${node}`);
  const view = new DataView(new ArrayBuffer(8));
  for await (const line of createInterface({ input: process.stdin })) {
    const x = JSON.parse(line).map((digits) => {
      view.setBigUint64(0, BigInt("0x" + digits));
      return view.getFloat64(0);
    });
    view.setFloat64(0, Math.sumPrecise(x));
    console.log(view.getBigUint64(0).toString(16).padStart(16, "0"));
  }
}
