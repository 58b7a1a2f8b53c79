'use strict';
// A recording, unpacked: its steps, and memory as they leave it. lab/record_text.cpp packs it.
const data = JSON.parse(document.getElementById('data').textContent);

// A kernel of the user's rather than the ladder.
const own = data.experiment === 'run';

// What memory holds before anybody writes it.
const unwritten = 0x5a5a5a5a;

const acts = [
  'load', 'store', 'atomic', 'branch', 'fence', 'outside', 'sync_warp', 'shuffle_down',
  'shuffle_up', 'shuffle_xor', 'shuffle', 'vote', 'fold', 'barrier', 'grid_barrier', 'launch',
  'block', 'landed'
];
const of_line = new Set(['load', 'store', 'atomic', 'branch', 'fence', 'outside']);

function bits(mask) {
  const lanes = [];
  for (let l = 0; l < 32; ++l)
    if (mask >>> l & 1) lanes.push(l);
  return lanes;
}

// `count` numbers from one, from first and stride, or from all of them.
function series(v, count) {
  if (!Array.isArray(v)) return Array(count).fill(v ?? 0);
  if (v.length === 1) return v;
  return v.length === 2 ? Array.from({length: count}, (_, k) => v[0] + k * v[1]) : v;
}

function unpack(packed, r) {
  const [act, site, block, warp, lanes, space, elements, cost, values, width, flaws] = packed;
  const m = {
    act: acts[act],
    block: block ?? 0,
    warp: warp ?? 0,
    width: width || 1,
    flaws: flaws || [],
    space: space ?? 0,
    argument: space ?? 0
  };
  const at = site ? r.sites[site - 1] : null;
  m.file = at ? r.files[at[0]] : '';
  m.line = at ? at[1] : 0;
  m.place = (at ? site : 0) + acts[act];
  const pair = Array.isArray(lanes) ? lanes : [lanes ?? 0, 0];
  m.mask = r.lanes[pair[0]] ?? 0;
  m.taken = m.act === 'branch' ? r.lanes[pair[1]] ?? 0 : 0;
  m.lanes = bits(m.mask);
  const count = m.act === 'barrier' ? m.argument : m.act === 'landed' ? 2 : m.lanes.length;
  m.elements = series(elements, count);
  m.cost = r.costs[cost ?? 0] ?? [0, 0, 0, 0];
  m.values = values ? series(values, m.lanes.length) : null;
  if (m.act === 'landed') m.argument = width;
  return m;
}

class Replay {
  constructor(recording) {
    this.recording = recording;
    this.moments = recording.steps.map(s => unpack(s, recording));
    this.steps = [];
    for (let k = 0; k < this.moments.length; ++k) this.group(k);
    this.reset();
  }

  // A step is what a warp does on one line of the text, each place once, or something of a block.
  group(k) {
    const m = this.moments[k];
    const last = this.steps[this.steps.length - 1];
    const joins = last && of_line.has(m.act) && last.kind === 'line' && last.line === m.line &&
        last.file === m.file && last.block === m.block && last.warp === m.warp &&
        (last.mask & m.mask) !== 0 && !((last.places.get(m.place) ?? 0) & m.mask);
    if (joins) {
      last.to = k + 1;
      last.mask |= m.mask;
      last.places.set(m.place, (last.places.get(m.place) ?? 0) | m.mask);
    } else {
      this.steps.push({
        from: k,
        to: k + 1,
        kind: of_line.has(m.act) ? 'line' : m.act,
        line: m.line,
        file: m.file,
        block: m.block,
        warp: m.warp,
        mask: m.mask,
        places: new Map([[m.place, m.mask]])
      });
    }
  }

  reset() {
    this.memory = new Map();
    this.done = 0;
  }

  array(space, block) {
    const [name, shared, size] = this.recording.spaces[space];
    const key = shared ? space + ':' + block : String(space);
    if (!this.memory.has(key)) {
      const first = own ? unwritten : name === 'input' ? 1 : name === 'ticket' ? 0 : unwritten;
      const array = own ? Array(size).fill(first) : new Int32Array(size).fill(first);
      (shared ? [] : this.recording.contents?.[name] ?? []).forEach((v, k) => array[k] = v);
      this.memory.set(key, array);
    }
    return this.memory.get(key);
  }

  apply(m) {
    if (m.act === 'block') {
      for (const key of this.memory.keys())
        if (key.endsWith(':' + m.block)) this.memory.delete(key);
    }
    if (m.act === 'landed') {
      const from = this.array(m.values[0], m.block);
      const to = this.array(m.space, m.block);
      for (let k = 0; k < m.argument; ++k) to[m.elements[1] + k] = from[m.elements[0] + k];
    }
    if (m.act !== 'store' && m.act !== 'atomic') return;
    m.elements.forEach((e, j) => this.array(m.space, m.block)[e] = m.values[j]);
  }

  // Memory as it is after step k.
  go(k) {
    const to = this.steps[k].to;
    if (to < this.done) this.reset();
    while (this.done < to) this.apply(this.moments[this.done++]);
  }

  of(k) { return this.moments.slice(this.steps[k].from, this.steps[k].to); }
  flawed(k) { return this.of(k).some(m => m.flaws.length > 0); }
}

// "0..31", "0, 2 .. 62", "5"
function range(elements) {
  const n = elements.length;
  if (n === 0) return '';
  if (n === 1) return String(elements[0]);
  const stride = elements[1] - elements[0];
  if (elements.some((e, k) => e !== elements[0] + k * stride)) return elements.join(', ');
  if (stride === 0) return String(elements[0]);
  if (stride === 1) return elements[0] + '..' + elements[n - 1];
  if (n === 2) return elements.join(', ');
  return elements[0] + ', ' + elements[1] + ' .. ' + elements[n - 1];
}

function lane_count(m) { return bits(m).length; }
