// Numbers of f64 as the vectors write them, such as -0x1.8p+1.

/** The number of a text such as -0x1.8p+1. */
export function number(text) {
  const [, sign, whole, part, exponent] = /^(-?)0x([0-9a-f]+)\.?([0-9a-f]*)p([+-]\d+)$/.exec(text) ?? [];
  if (whole === undefined) return { inf: Infinity, "-inf": -Infinity }[text] ?? NaN;
  const e = Number(exponent) - 4 * part.length;
  const half = Math.trunc(e / 2);
  const magnitude = Number(BigInt("0x" + whole + part)) * 2 ** half * 2 ** (e - half);
  return sign ? -magnitude : magnitude;
}

/** As number() reads it. */
export function shown(x) {
  if (!Number.isFinite(x)) return String(x).replace("Infinity", "inf").toLowerCase();
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, x);
  const all = bits.getBigUint64(0);
  const [sign, field, low] = [all >> 63n ? "-" : "", Number((all >> 52n) & 0x7ffn), all & ((1n << 52n) - 1n)];
  const m = field === 0 ? low : low | (1n << 52n);
  return `${sign}0x${m.toString(16)}p${(field || 1) - 1075}`;
}
