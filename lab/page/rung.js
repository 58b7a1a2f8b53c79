'use strict';
// A rung: its facts, and its counters under each chip's rules.

function show_facts(rung) {
  document.getElementById('rung-title').textContent = rung.title;
  document.getElementById('rung-idea').textContent =
      (own ? rung.idea : rung.idea[0].toUpperCase() + rung.idea.slice(1)) + '.';
  const after = rung_of(rung.after), on_path = path.indexOf(rung);
  const next = on_path < 0 ? null : path[on_path + 1] ?? null;
  const followers = data.rungs.filter(r => r.after === rung.name && r !== next);
  if (next) followers.unshift(next);
  const t = measured_of(rung), before = after ? measured_of(after) : null;
  const link = r => make('a', {href: '#' + r.name}, r.title);
  const facts = [['Source', [rung.source]]];
  if (after) {
    const gain = t?.ms && before?.ms && after.flow !== 'host' && rung.flow !== 'host' ?
        `; ${(before.ms / t.ms).toFixed(2)} times as fast` :
        '';
    facts.push(['Comes after', [link(after), gain]]);
  }
  if (t?.ms) {
    facts.push([
      'Measured',
      [`${t.ms < 0.1 ? (t.ms * 1000).toFixed(1) + ' µs' : t.ms.toFixed(3) + ' ms'}, ` +
       `${digits(t.gbps)} GB/s` +
       (rung.flow === 'host' ? ' on the host' : ` on ${data.measured.chip}`)]
    ]);
  }
  if (rung.published.length) {
    facts.push([
      'Published',
      [rung.published.map(([v, u, c]) => `${v} ${u}`).join('; ') + `, ${rung.published[0][2]}`]
    ]);
  }
  if (rung.limit_text) facts.push(['What limits it', [rung.limit_text]]);
  if (rung.time) facts.push(['What takes the time', time_parts(rung, t)]);
  if (rung.compiler) facts.push(['Compiled by', [rung.compiler]]);
  if (rung.printed) facts.push(['What it printed', [make('pre', {}, rung.printed)]]);
  if (!own) facts.push([
    'What comes next',
    followers.length === 0 ? ['Nothing in this ladder improves on it.'] :
                             followers.flatMap((f, k) => [k ? '; ' : '', link(f), ': ' + f.idea])
  ]);
  document.getElementById('rung-facts')
      .replaceChildren(...facts.map(
          ([name, parts]) => make(
              'div', {class: /^What/.test(name) ? 'wide' : null}, make('dt', {}, name),
              make('dd', {}, ...parts))));
}

// Where the time goes as the counters have it: a bar of its parts, and their names.
function time_parts(rung, t) {
  if (!rung.time) return [];
  const {n, us, parts} = rung.time;
  let at = 0;
  const bars = parts.map(([name, part]) => {
    const bar = svg(
        'rect', {class: 'part ' + name, x: at + '%', width: 100 * part / us + '%', height: 14},
        svg('title', {}, `${name} ${part} µs`));
    at += 100 * part / us;
    return bar;
  });
  const key = parts.flatMap(([name, part], k) => [
    k ? ', ' : '',
    svg('svg', {class: 'swatch', width: 10, height: 10, 'aria-hidden': 'true'},
        svg('rect', {class: 'part ' + name, width: 10, height: 10})),
    ` ${name} ${part} µs`
  ]);
  const said = parts.map(([name, part]) => `${name} ${part} µs`).join(', ');
  const measured = t?.ms && data.measured?.n === n
      ? `; measured: ${(1000 * t.ms).toFixed(1)} µs` : '';
  return [
    svg('svg', {class: 'parts', width: '100%', height: 14, role: 'img', 'aria-label': said},
        ...bars),
    `fitted to the measured times of these rungs: ${us} µs for 2^${Math.log2(n)} on an H200${
        measured}: `,
    ...key
  ];
}

// name, of counters, the least there can be
const metrics = [
  ['warp instructions per warp', c => c.warp_instructions / c.warps, 1],
  ['active lanes of 32', c => c.active_lanes, 1],
  [
    'divergent branches, of all', c => c.branches ? 100 * c.divergent_branches / c.branches : 0, 0,
    '\u00a0%'
  ],
  ['global loads: transactions per request', c => each(c.global_load, 1, 0), 2],
  ['global loads: bytes used of those moved', c => each(c.global_load, 3, 4, 100), 0, '\u00a0%'],
  ['global loads: transactions', c => c.global_load[1], 0],
  ['global stores: bytes used of those moved', c => each(c.global_store, 3, 4, 100), 0, '\u00a0%'],
  [
    'shared memory: wavefronts per request',
    c => {
      const requests = c.shared_load[0] + c.shared_store[0];
      return requests ? (c.shared_load[1] + c.shared_store[1]) / requests : null;
    },
    2
  ],
  ['shared memory: wavefronts', c => c.shared_load[1] + c.shared_store[1], 0],
  ['warps that wait at a barrier', c => c.waiting, 1],
  ['barriers per warp', c => c.barriers / c.warps, 1],
  ['atomics', c => c.atomics, 0],
];

function each(traffic, over, under, times = 1) {
  return traffic[under] ? times * traffic[over] / traffic[under] : null;
}

const number_text = (v, places, unit = '') => v === null || v === undefined || Number.isNaN(v) ?
    '–' :
    v.toLocaleString('en', {minimumFractionDigits: places, maximumFractionDigits: places}) + unit;

function table_row(tag, first, cells) {
  return make(
      'tr', {}, make('th', {scope: tag === 'th' ? 'col' : 'row'}, ...[first].flat()),
      ...cells.map(c => make(tag, tag === 'th' ? {scope: 'col'} : {}, ...[c].flat())));
}

function fill_table(id, caption, head, rows) {
  document.getElementById(id).replaceChildren(
      make('caption', {}, caption), make('thead', {}, head), make('tbody', {}, ...rows));
}

function show_counters(rung) {
  const note = document.getElementById('counters-note');
  const box = document.getElementById('counters').parentElement;
  box.hidden = !rung.counters;
  show_profile(rung);
  if (!rung.counters) {
    note.textContent = 'This rung runs on the host: no GPU counts anything.';
    return;
  }
  note.textContent =
      (own ? 'Counted by the simulated machine: ' :
             `Predicted by the simulated machine for n = ${
                 data.simulated_n.toLocaleString('en')}: `) +
      `${plural(rung.launches, 'launch', 'launches')}, ${plural(rung.simulated_grid, 'block')} ` +
      'at first. ' +
      (own ? 'Instructions are accesses, branches, barriers and steps of whole warps.' :
             'Instructions are those that the text says, not machine instructions.');
  const chips = data.chips.filter(c => rung.counters[c.name]);
  const head = chips.map(c => [`${c.name} `, make('small', {}, c.card)]);
  fill_table(
      'counters', 'The same kernel under the rules of ' + chips.map(c => c.name).join(', '),
      table_row('th', 'counter', head),
      metrics.map(
          ([name, value, places, unit]) => table_row(
              'td', name,
              chips.map(c => number_text(value(rung.counters[c.name]), places, unit)))));
}

// A name that may be broken behind its underlines.
const broken = name => name.split('_').flatMap((w, k) => k ? ['_', make('wbr'), w] : [w]);

// What a profiler counted on the GPU, beside what was predicted for the same run.
function show_profile(rung) {
  const list = measured_of(rung)?.profile ?? [];
  document.getElementById('profile-box').hidden = list.length === 0;
  if (list.length === 0) return;
  const text = v => v === undefined || v === null ? '–' :
      v >= 1e9                                    ? number_text(v / 1e9, 1, '\u00a0·10⁹') :
                 v.toLocaleString('en', {maximumFractionDigits: v < 100 ? 2 : 0});
  fill_table(
      'profile',
      `Predicted and measured on ${data.measured.chip}, ` +
          `n = ${data.measured.profile_n.toLocaleString('en')}`,
      table_row('th', 'counter', ['predicted', 'measured', 'why they differ']),
      list.filter(p => p.measured !== undefined).map(p => table_row('td', broken(p.nvprof), [
                                                       text(p.predicted), text(p.measured),
                                                       p.cause ?? ''
                                                     ])));
}

function show_flaw(rung) {
  const box = document.getElementById('flaw');
  const flaws = rung.flaws ?? [];
  box.hidden = !rung.twin && flaws.length === 0;
  if (own) {
    document.getElementById('flaw-title').textContent = 'Flaws';
    document.getElementById('flaw-text').textContent = '';
    document.getElementById('flaw-list').replaceChildren(...flaws.map(t => make('li', {}, t)));
  }
  if (!rung.twin) return;
  document.getElementById('flaw-text').textContent =
      `The kernel as published has a flaw: ${rung.twin.why}.`;
  const last = rung.recordings?.[rung.recordings.length - 1];
  const items = (last?.twin ? last.flaws : []).map(f => flaw_text(last, f));
  const list = items.length ? items : rung.twin.flaws.map(f => flaw_words[f]);
  document.getElementById('flaw-list')
      .replaceChildren(
          ...list.slice(0, 6).map(t => make('li', {}, t)),
          ...(list.length > 6 ? [make('li', {}, `and ${list.length - 6} more like these`)] : []));
}
