'use strict';
// A block at one step: its threads, and the memory that they touch.

const cell = 22, left = 2;

function heat(v, most) {
  if (v === unwritten) return 'h0';
  if (v <= 0) return 'h1';
  return 'h' + Math.min(8, 1 + Math.round(7 * Math.log2(v + 1) / Math.log2(Math.max(2, most) + 1)));
}

// Cells of an array that are drawn.
const most_cells = 1024;

function shown(v) {
  if (v === unwritten) return '·';
  if (v === null || Math.abs(v) > 9999) return '?';
  return Number.isInteger(v) ? String(v) : String(Number(v.toPrecision(2)));
}

class Diagram {
  constructor(box, replay) {
    this.box = box;
    this.replay = replay;
  }

  // Where things stand: rows of `columns` cells; 32 banks are one row, or two of 16.
  lay_out(columns) {
    const r = this.replay.recording;
    this.columns = columns;
    this.tops = new Map();
    let y = 0;
    this.labels = [];
    const add = (key, label, size, banks = false) => {
      const count = Math.min(size, most_cells);
      this.labels.push([label, y + 12]);
      y += banks ? 30 : 18;
      // Room for arrows between rows, where there are few.
      const rows = Math.ceil(count / columns), pitch = cell + (rows > 8 ? 3 : 9);
      this.tops.set(key, [y, pitch]);
      y += rows * pitch + 8;
    };
    const spaces = r.spaces.map((s, k) => [s, k]);
    const part = size => size > most_cells ? `the first ${most_cells} of ${size} elements` :
                                             `${size} elements`;
    for (const [[name, shared, size], k] of spaces) {
      if (own && !shared) add('s' + k, `global memory: ${name}, ${part(size)}`, size);
      if (own) continue;
      if (name === 'input') add('s' + k, `global memory: input, ${size} elements`, size);
    }
    add('threads', 'threads', r.block);
    for (const [[name, shared, size], k] of spaces) {
      if (shared) add('s' + k, `shared memory, ${part(size)} in 32 banks`, size, true);
    }
    for (const [[name, shared, size], k] of spaces) {
      if (!own && !shared && name !== 'input') {
        const what = name === 'ticket' ? 'ticket' : name === 'first' ? 'output' : 'second output';
        add('s' + k, `global memory: ${what}`, size);
      }
    }
    this.height = y;
    this.width = left * 2 + columns * cell;
  }

  place(key, index) {
    const [top, pitch] = this.tops.get(key);
    return [left + index % this.columns * cell, top + Math.floor(index / this.columns) * pitch];
  }
  centre(key, index) {
    const [x, y] = this.place(key, index);
    return [x + cell / 2 - 1, y + cell / 2 - 1];
  }

  draw(k, columns) {
    if (columns !== this.columns) this.lay_out(columns);
    const replay = this.replay, r = replay.recording, step = replay.steps[k];
    replay.go(k);
    const moments = this.moments = replay.of(k);
    const use = new Map();  // 's0:5' -> what happens to the cell
    const lanes = new Map();
    for (const m of moments) {
      if (m.act === 'branch') {
        m.lanes.forEach(l => {
          const t = m.warp * 32 + l;
          if ((m.taken >>> l & 1) !== (own ? 1 : 0))
            lanes.set(t, 'works');
          else if (!lanes.has(t))
            lanes.set(t, 'skips');
        });
      } else if (m.act === 'barrier') {
        m.elements.forEach(t => lanes.set(t, 'waits'));
      } else if (m.lanes.length) {
        m.lanes.forEach(l => lanes.set(m.warp * 32 + l, 'works'));
      }
      if (!['load', 'store', 'atomic'].includes(m.act)) continue;
      m.elements.forEach(e => {
        for (let q = 0; q < m.width; ++q) {
          const key = 's' + m.space + ':' + (e + q);
          const now = use.get(key) ?? {};
          now[m.act === 'load' ? 'reads' : 'writes'] = true;
          if (m.flaws.length) now.flawed = true;
          use.set(key, now);
        }
      });
    }
    const out = [];
    for (const [label, y] of this.labels)
      out.push(`<text class="label" x="${left}" y="${y}">${label}</text>`);
    const [under, over] = this.arrows(moments);
    out.push(...under);
    this.threads(out, r, lanes, moments);
    r.spaces.forEach((s, n) => this.space(out, s, n, step, use));
    out.push(...over);
    const says = describe(replay, k);
    this.box.innerHTML =
        `<svg viewBox="0 0 ${this.width} ${this.height}" role="img" ` +
        `aria-label="${
            escape_text(says)}"><defs><marker id="tip" viewBox="0 0 6 6" refX="5" refY="3" ` +
        `markerWidth="5" markerHeight="5" orient="auto"><path d="M0 0L6 3L0 6Z"/></marker></defs>` +
        out.join('') + '</svg>';
    return says;
  }

  threads(out, r, lanes, moments) {
    const values = new Map();
    for (const m of moments) {
      if (m.act.startsWith('shuffle') || m.act === 'fold' || m.act === 'vote') {
        m.lanes.forEach((l, j) => values.set(m.warp * 32 + l, m.values ? m.values[j] : 0));
      }
    }
    for (let t = 0; t < r.block; ++t) {
      const [x, y] = this.place('threads', t);
      const state = lanes.get(t) ?? 'idle';
      const text = values.has(t) ? shown(values.get(t)) : state === 'idle' ? '' : t;
      out.push(
          `<g class="lane ${state}"><rect x="${x}" y="${y}" width="${cell - 2}" ` +
          `height="${cell - 2}" rx="${state === 'works' ? 10 : 3}"/>` +
          `<text x="${x + cell / 2 - 1}" y="${y + 14}">${text}</text></g>`);
    }
  }

  space(out, [name, shared, size, base, grain], n, step, use) {
    const array = this.replay.array(n, step.block);
    const most = own ? 9999 : this.replay.recording.n;
    const sector = 32 / grain;
    const drawn = Math.min(size, most_cells);
    for (let e = 0; e < drawn; ++e) {
      const [x, y] = this.place('s' + n, e);
      const u = use.get('s' + n + ':' + e);
      const state = !u ?
          '' :
          (u.reads ? ' reads' : '') + (u.writes ? ' writes' : '') + (u.flawed ? ' flawed' : '');
      out.push(
          `<g class="cell ${heat(array[e], most)}${state}"><rect x="${x}" y="${y}" ` +
          `width="${cell - 2}" height="${cell - 2}" rx="2"/>` +
          `<text x="${x + cell / 2 - 1}" y="${y + 14}">${shown(array[e])}</text></g>`);
      if (u?.flawed) out.push(`<text class="flag" x="${x + cell - 5}" y="${y + 4}">!</text>`);
    }
    // Touched sectors are underlined; banks that serve several words are numbered.
    if (!shared) {
      for (let e = 0; e < drawn; e += sector) {
        let touched = false;
        for (let q = e; q < Math.min(size, e + sector); ++q) touched ||= use.has('s' + n + ':' + q);
        if (!touched) continue;
        const [x, y] = this.place('s' + n, e);
        const width = Math.min(sector, size - e) * cell - 2;
        out.push(`<rect class="sector" x="${x}" y="${y + cell - 1}" width="${width}" height="3"/>`);
      }
    } else {
      const [, top] = this.place('s' + n, 0);
      for (let c = 0; c < Math.min(size, this.columns); ++c) {
        const words = Math.max(1, ...this.conflicts(n, c));
        out.push(
            `<text class="bank${words > 1 ? ' conflict' : ''}" x="${
                left + c * cell + cell / 2 - 1}" ` +
            `y="${top - 4}">${words > 1 ? words + '×' : c}</text>`);
      }
    }
  }

  // Of each access of the step to array n: how many words the banks of a column must serve.
  conflicts(n, column) {
    const [, , , base, grain] = this.replay.recording.spaces[n];
    return this.moments.filter(m => m.space === n && (m.act === 'load' || m.act === 'store'))
        .map(m => {
          const banks = new Map();
          for (const e of m.elements) {
            if (e % this.columns !== column) continue;
            const word = (base + e * grain) / 4;
            banks.set(word % 32, (banks.get(word % 32) ?? new Set()).add(word));
          }
          return Math.max(0, ...[...banks.values()].map(w => w.size));
        });
  }

  // Arrows between rows lie under the cells that they pass, those within a row bend over it.
  arrows(moments) {
    const stores = new Map(), under = [], over = [];
    for (const m of moments) {
      if (m.act !== 'store' && m.act !== 'atomic') continue;
      m.lanes.forEach((l, j) => stores.set(m.warp * 32 + l, ['s' + m.space, m.elements[j]]));
    }
    const half = cell / 2;
    const draw = (a, b, kind) => {
      if (a[1] >= most_cells || b[1] >= most_cells) return;
      const [x1, y1] = this.centre(...a), [x2, y2] = this.centre(...b);
      if (Math.abs(y1 - y2) < 2) {
        const bend = Math.min(46, 16 + Math.abs(x1 - x2) / 6);
        over.push(
            `<path class="arrow ${kind}" d="M${x1} ${y1 - half + 1}Q${(x1 + x2) / 2} ` +
            `${y1 - half - bend} ${x2 + Math.sign(x1 - x2) * 3} ${
                y2 - half}" marker-end="url(#tip)"/>`);
      } else {
        const way = Math.sign(y2 - y1);
        under.push(
            `<path class="arrow ${kind}" d="M${x1} ${y1}L${x2} ${y2 - way * half}" ` +
            'marker-end="url(#tip)"/>');
      }
    };
    const loaded = new Set();
    for (const m of moments) {
      if (m.act === 'load') {
        m.lanes.forEach((l, j) => {
          const t = m.warp * 32 + l;
          const to = stores.get(t) ?? ['threads', t];
          loaded.add(t);
          if (to[0] === 's' + m.space && to[1] === m.elements[j]) return;
          draw(['s' + m.space, m.elements[j]], to, 'reads');
        });
      } else if (m.act.startsWith('shuffle')) {
        m.lanes.forEach(l => {
          const from = {
            shuffle_down: l + m.argument,
            shuffle_up: l - m.argument,
            shuffle_xor: l ^ m.argument,
            shuffle: m.argument % 32
          }[m.act];
          if (from === l || from < 0 || from > 31) return;
          const w = m.warp * 32;
          if (w + from < this.replay.recording.block) {
            draw(
                ['threads', w + from], ['threads', w + l],
                m.mask >>> from & 1 ? 'reads' : 'flawed');
          }
        });
      }
    }
    for (const [t, to] of stores)
      if (!loaded.has(t)) draw(['threads', t], to, 'writes');
    return [under, over];
  }
}

const escape_text = s => s.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');

// What the marks mean, drawn as they are drawn.
function show_legend() {
  const swatch = (kind, label) => {
    const s = make('span', {class: 'swatch'});
    s.innerHTML = `<svg viewBox="0 0 22 22" aria-hidden="true"><g class="${kind}">` +
        `<rect x="2" y="2" width="18" height="18" rx="${
                      kind === 'lane works' ? 9 : 3}"/></g></svg>`;
    s.append(label);
    return s;
  };
  document.getElementById('legend').replaceChildren(
      swatch('lane works', 'thread works'), swatch('lane skips', 'its test is false'),
      swatch('lane waits', 'waits at the barrier'), swatch('lane idle', 'not its turn'),
      swatch('cell h4 reads', 'read'), swatch('cell h4 writes', 'written'),
      swatch('cell h4 flawed', 'flaw (!)'), 'bar below: a sector that is touched');
}
