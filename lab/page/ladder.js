'use strict';
// All rungs against the limit, on a log scale.

const rung_of = name => data.rungs.find(r => r.name === name) ?? null;
// In the order of learning: each changes one thing of the one before it.
// Pages of few rungs have none.
const path = (data.path ?? []).map(rung_of).filter(r => r);
if (path.length < 8) path.length = 0;
const groups = [
  ['', 'The path of ten'], ['000', 'Unrolling notes'],
  ['001', 'Divergence and unrolling, Tesla M2070'],
  ['002', 'Optimising for the hardware, GTX 280'], ['003', 'Notes on reduce'],
  ['004', 'Two passes'], ['', 'Beyond the texts']
];

const group_of = rung => {
  if (path.includes(rung)) return 0;
  const k = groups.findIndex(([source]) => source && rung.source.startsWith(source));
  return k < 0 ? groups.length - 1 : k;
};

// The order everywhere: the path, then the others by their texts.
const order = [...data.rungs].sort((a, b) => group_of(a) - group_of(b));

const digits = x => x >= 100 ? Math.round(x).toLocaleString('en') : x.toPrecision(2);

// GB/s of a published figure: stated, or 2^24 ints in a stated time.
function published_gbps(rung) {
  for (const [value, unit, chip] of rung.published) {
    if (unit === 'GB/s') return {gbps: value, chip, stated: `${value} GB/s`};
    if (unit === 'ms') {
      return {gbps: (1 << 26) / value / 1e6, chip, stated: `${value} ms for 2^24 ints`};
    }
  }
  return null;
}

function measured_of(rung, twin = false) {
  const m = data.measured;
  return m ? (twin ? m.twins : m.rungs)[rung.name] ?? null : null;
}

function svg(tag, attributes, ...children) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

function draw_ladder(chosen) {
  const box = document.getElementById('ladder-rows');
  const m = data.measured;
  const limit = m?.limit_gbps ?? null, cub = m?.cub_gbps ?? m?.cub?.gbps ?? null;
  const all = data.rungs.flatMap(r => [measured_of(r)?.gbps, published_gbps(r)?.gbps])
                  .concat(limit, cub)
                  .filter(v => v > 0);
  const low = Math.pow(10, Math.floor(Math.log10(Math.min(1, ...all))));
  const high = Math.max(10, ...all) * 1.25;
  const at = v => 100 * Math.log(v / low) / Math.log(high / low);

  const axis = svg('svg', {class: 'axis', 'aria-hidden': 'true', width: '100%', height: '100%'});
  for (let v = low; v <= high; v *= 10) {
    axis.append(
        svg('line', {x1: at(v) + '%', x2: at(v) + '%', y1: 18, y2: '100%'}),
        svg('text', {x: at(v) + '%', y: 12, 'text-anchor': v === low ? 'start' : 'middle'},
            v >= 1000 ? v / 1000 + ' TB/s' : v + ' GB/s'));
  }
  if (limit)
    axis.append(
        svg('line', {class: 'limit', x1: at(limit) + '%', x2: at(limit) + '%', y1: 4, y2: '100%'}));
  if (cub)
    axis.append(
        svg('line', {class: 'cub', x1: at(cub) + '%', x2: at(cub) + '%', y1: 18, y2: '100%'}));

  const list = make('div', {class: 'rows'});
  let group = -1, ol = null;
  for (const rung of order) {
    if (group_of(rung) !== group) {
      group = group_of(rung);
      const [source, title] = groups[group];
      list.append(
          make('h3', {}, source ? make('span', {class: 'source'}, source + ' ') : null, title));
      ol = make('ol', {'aria-label': title});
      list.append(ol);
    }
    const t = measured_of(rung), p = published_gbps(rung);
    const share =
        t?.gbps && limit ? `${(100 * t.gbps / limit).toFixed(t.gbps < limit / 100 ? 1 : 0)} %` : '';
    const mark = svg('svg', {class: 'marks', 'aria-hidden': 'true', width: '100%', height: '16'});
    // On paper the axis cannot lie behind rows that go over several pages: each row has its part.
    const part = (kind, v) => mark.append(
        svg('line', {class: 'paper ' + kind, x1: at(v) + '%', x2: at(v) + '%', y1: -6, y2: 22}));
    for (let v = low; v <= high; v *= 10) part('', v);
    if (limit) part('limit', limit);
    if (cub) part('cub', cub);
    if (t?.gbps) {
      mark.append(
          svg('line', {class: 'bar', x1: 0, x2: at(t.gbps) + '%', y1: 8, y2: 8}),
          svg('circle', {cx: at(t.gbps) + '%', cy: 8, r: 5}));
    }
    if (p) {
      const d =
          svg('svg', {x: at(p.gbps) + '%', y: 8, overflow: 'visible'},
              svg('path', {class: 'published', d: 'M0-5L5 0L0 5L-5 0Z'}));
      d.append(svg('title', {}, `published: ${p.stated}, ${p.chip}`));
      mark.append(d);
    }
    const speed = t?.gbps ? `${digits(t.gbps)} GB/s` : 'no time';
    ol.append(make(
        'li', {},
        make(
            'a', {
              href: '#' + rung.name,
              'data-rung': rung.name,
              'aria-current': rung.name === chosen ? 'true' : null
            },
            make('span', {class: 'title'}, rung.title), make('span', {class: 'plot'}, mark),
            make('span', {class: 'speed'}, speed, share ? make('small', {}, ' ' + share) : null),
            p ? make('span', {class: 'hidden'}, `; published ${p.stated} on ${p.chip}`) : null)));
  }
  box.replaceChildren(make('div', {class: 'axis-box'}, axis), list);

  const note = document.getElementById('ladder-note');
  const from = !m ?
      'No GPU has run these kernels for this page: only published figures are marked. ' :
      `Times from an ${m.chip.replace(/^NVIDIA /, '')}, ${m.n.toLocaleString('en')} ${m.type}` +
          (data.machine === 'gpu' ? ', this run. ' :
               m.date             ? `, ${m.date}, commit ${m.commit}. ` :
                                    ', an earlier run. ');
  note.replaceChildren(
      from, 'The share is of the memory limit; the scale is logarithmic. ',
      make('span', {class: 'key dot'}, '● measured'), ' ',
      make('span', {class: 'key diamond'}, '◇ published, on the chip of its time'), ' ',
      limit ? make('span', {class: 'key line'}, `▏the memory limit, ${digits(limit)} GB/s`) : '',
      ' ', cub ? make('span', {class: 'key dash'}, `┆ CUB, ${digits(cub)} GB/s`) : '');
}

// A main()'s launches: a row each, as its report has them. The first ones are recorded.
function draw_launches() {
  const [head, ...rows] = data.launches;
  document.getElementById('path').hidden = false;
  document.getElementById('path-title').textContent = 'Launches';
  const cell = (name, rung) =>
      rung ? make('a', {href: '#' + rung.name, 'data-rung': rung.name}, name) : name;
  fill_table(
      'path-rows', 'Each launch; equal ones have one row', table_row('th', head[0], head.slice(1)),
      rows.map((r, k) => table_row('td', cell(r[0], rung_of(`launch-${k + 1}`)), r.slice(1))));
  document.querySelector('#path .note').textContent = data.rungs.length < rows.length ?
      `Choose one of the first ${data.rungs.length}, which are recorded, and step through it.` :
      'Choose one, and step through it.';
}

function draw_path() {
  document.getElementById('path').hidden = path.length === 0;
  if (path.length === 0) return;
  const first = measured_of(path[0]);
  let last = null;
  const rows = path.map((rung, k) => {
    const t = measured_of(rung), times = (from, places) => number_text(from?.ms / t?.ms, places);
    const before = k ? times(last, 2) : '–';
    const cells = [rung.idea, number_text(t?.ms * 1000, 1), before, times(first, 1)];
    last = t ?? last;
    const link = make('a', {href: '#' + rung.name, 'data-rung': rung.name}, rung.title);
    return table_row('td', [`${k + 1}. `, link], cells);
  });
  const head = table_row('th', 'kernel', ['what changed', 'µs', '× before', '× first']);
  fill_table('path-rows', 'Each beside the one before it, and beside the first', head, rows);
}
