/** Numbers as f64 holds them: those of 64-bit integers are not taken. */
export type Numbers =
  | Float64Array | Float32Array | Int8Array | Int16Array | Int32Array
  | Uint8Array | Uint8ClampedArray | Uint16Array | Uint32Array | Iterable<number>;

/** The sum of numbers, exact and rounded once, as ECMAScript's Math.sumPrecise: -0 of no numbers. */
export function sumPrecise(numbers: Iterable<number>): number;

/** An exact sum of f64 numbers: the same bits in any order, whatever the parts. */
export class ExactSum {
  constructor(numbers?: Numbers);
  /** Reads bytes that save() wrote, or that Onefold wrote. Throws a RangeError for others. */
  static load(bytes: Uint8Array): ExactSum;
  /** The number of numbers that were added. */
  readonly count: number;
  add(x: number): this;
  addArray(numbers: Numbers): this;
  /** Adds the numbers of `other`. */
  merge(other: ExactSum): this;
  /** Takes away numbers that were added before. Throws a RangeError if that cannot be. */
  remove(other: ExactSum): this;
  /** The sum, rounded once: +0 of no numbers. */
  value(): number;
  /** The sum divided by the count, rounded once. */
  mean(): number;
  /** The bytes of docs/format.md. */
  save(): Uint8Array;
}
