// Exact sums of numbers, rounded once: onefold_exact.hpp as WebAssembly. index.d.ts says what each does.
import text from "./wasm.mjs";

const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const wasm = (await WebAssembly.instantiate(bytes)).instance.exports;
const memory = wasm.memory;
const [stateBytes, savedBytes, block] = [wasm.state_bytes(), wasm.saved_bytes(), 1024];

// States stand in the memory of the one instance; those of objects that are gone are used again.
const free = [];
const registry = new FinalizationRegistry((at) => free.push(at));
let end = memory.buffer.byteLength;

function newState() {
  if (free.length === 0) {
    memory.grow(1);
    for (; end + stateBytes <= memory.buffer.byteLength; end += stateBytes) free.push(end);
  }
  const at = free.pop();
  wasm.clear(at);
  return at;
}

// Views of the buffer; when the memory grows, old ones have no length.
let view = new Float64Array(0);
function elements() {
  if (view.length === 0) view = new Float64Array(memory.buffer, wasm.buffer_at(), block);
  return view;
}
const saved = () => new Uint8Array(memory.buffer, wasm.buffer_at(), savedBytes);

function wrong(where, x) {
  const shown = typeof x === "string" ? JSON.stringify(x) : typeof x === "bigint" ? `${x}n` : typeof x;
  return new TypeError(`${where}: ${shown} is not a number; convert it with Number()`);
}

function addNumbers(state, numbers, where) {
  if (ArrayBuffer.isView(numbers) && !/^(Data|Big)/.test(numbers[Symbol.toStringTag])) {
    for (let i = 0; i < numbers.length; i += block) {
      const some = numbers.subarray(i, i + block);
      elements().set(some);
      wasm.add_f64(state, some.length);
    }
    return;
  }
  if (numbers === null || numbers === undefined || typeof numbers[Symbol.iterator] !== "function") {
    throw new TypeError(`${where}: give an array, a typed array or another iterable of numbers`);
  }
  // They wait here, and not in the buffer, since an iterator may add to other sums.
  const waiting = new Float64Array(block);
  const add = (n) => {
    elements().set(waiting);
    wasm.add_f64(state, n);
  };
  let n = 0;
  for (const x of numbers) {
    if (typeof x !== "number") throw wrong(where, x);
    waiting[n++] = x;
    if (n === block) {
      add(n);
      n = 0;
    }
  }
  add(n);
}

export class ExactSum {
  #at = newState();

  constructor(numbers) {
    registry.register(this, this.#at);
    if (numbers !== undefined) addNumbers(this.#at, numbers, "ExactSum");
  }
  static load(bytes) {
    if (!(bytes instanceof Uint8Array)) throw new TypeError("load: give a Uint8Array");
    const sum = new ExactSum();
    if (bytes.length === savedBytes) saved().set(bytes);
    if (bytes.length !== savedBytes || !wasm.load(sum.#at, savedBytes)) {
      throw new RangeError("load: these bytes are not a sum of f64 that Onefold saved, or they are damaged");
    }
    return sum;
  }
  get count() {
    return wasm.count(this.#at);
  }
  add(x) {
    if (typeof x !== "number") throw wrong("add", x);
    wasm.add(this.#at, x);
    return this;
  }
  addArray(numbers) {
    addNumbers(this.#at, numbers, "addArray");
    return this;
  }
  merge(other) {
    if (!(other instanceof ExactSum)) throw new TypeError("merge: give an ExactSum");
    wasm.merge(this.#at, other.#at);
    return this;
  }
  remove(other) {
    if (!(other instanceof ExactSum)) throw new TypeError("remove: give an ExactSum");
    if (!wasm.remove(this.#at, other.#at)) {
      throw new RangeError("remove: these numbers were not all added before, or the rest may be only -0");
    }
    return this;
  }
  value() {
    return wasm.value(this.#at);
  }
  mean() {
    return wasm.mean(this.#at);
  }
  save() {
    wasm.save(this.#at);
    return saved().slice();
  }
}

export function sumPrecise(numbers) {
  const at = newState();
  try {
    addNumbers(at, numbers, "sumPrecise");
    return wasm.count(at) === 0 ? -0 : wasm.value(at);
  } finally {
    free.push(at);
  }
}
