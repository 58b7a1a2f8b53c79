'use strict';
// Plays a recording step by step.

const space_name = (r, k) => {
  const [name, shared] = r.spaces[k];
  return shared         ? 'shared' :
      own               ? name :
      name === 'first'  ? 'output' :
      name === 'second' ? 'second output' :
                          name;
};

// Elements of a space, in shared memory by the name that the source gives them.
function named(r, space, elements, of = '') {
  const v = r.spaces[space]?.[1] && r.declared?.findLast(([, at]) => at <= elements[0]);
  return v ? `${v[0]}[${of}${range(elements.map(e => e - v[1]))}]` :
             `${space_name(r, space)}[${of}${range(elements)}]`;
}

const plural = (n, word, words = word + 's') => `${n} ${n === 1 ? word : words}`;

const flaw_words = {
  race: 'race',
  barrier_not_reached: 'barrier not reached',
  absent_lane: 'absent lane',
  uninitialised: 'uninitialised',
  out_of_bounds: 'out of bounds',
  dirty_ticket: 'dirty ticket',
  wrong_result: 'wrong result',
  no_progress: 'no progress',
  misaligned: 'misaligned',
  bad_mask: 'wrong mask',
  split_warp: 'split warp',
  mixed_barrier: 'mixed barrier',
};

// A flaw at a step that is not where it was first seen.
function flaw_again(f) {
  return f.kind === 'race' ?
      `race: nothing orders this and line ${f.other ? f.other[0] : f.line} of another thread` :
      `${flaw_words[f.kind]}, line ${f.line}`;
}

// A flaw in a sentence, as it was first seen.
function flaw_text(r, f) {
  const shared = f.space === 'shared' ? r.spaces.findIndex(s => s[1]) : -1;
  const where = shared >= 0 ? named(r, shared, [f.element]) :
      f.space               ? `${f.space === 'first' ? 'output' : f.space}[${f.element}]` :
                              '';
  const t = f.threads;
  switch (f.kind) {
    case 'race': {
      const other = f.other ?? [0, 0];
      const who = other[1] !== f.block ? `thread ${t[1]} of block ${other[1]}` : `thread ${t[1]}`;
      return `race: thread ${t[0]} of block ${f.block} (line ${f.line}) and ${who} (line ${
                 other[0]}) ` +
          `meet at ${where}, and nothing says who comes first`;
    }
    case 'out_of_bounds':
      return `out of bounds: thread ${t[0]} of block ${f.block} reaches for ${where} (line ${
          f.line})`;
    case 'barrier_not_reached':
      return `barrier at line ${f.line}: ${plural(t.length, 'thread')} of block ${
          f.block} never come`;
    case 'absent_lane':
      return `absent lanes: the step at line ${f.line} names ${
          plural(t.length, 'lane')} that do not take part`;
    case 'bad_mask':
    case 'split_warp':
    case 'mixed_barrier':
      return `${flaw_words[f.kind]}: the step at line ${f.line}, ${plural(t.length, 'thread')} ` +
          `of block ${f.block}`;
    default:
      return `${flaw_words[f.kind]}: ${where} at line ${f.line}`;
  }
}

function access_text(r, m) {
  const what = {load: 'load', store: 'store', atomic: 'add to', outside: 'miss'}[m.act];
  const cost = m.cost[3];
  const unit = r.spaces[m.space][1] ? 'wavefront' : 'sector';
  const price = m.act === 'atomic' || m.act === 'outside' ? '' : ` in ${plural(cost, unit)}`;
  const of = m.width > 1 ? `${m.width} each from ` : '';
  return `${what} ${named(r, m.space, m.elements, of)}${price}`;
}

// A step in words.
function describe(replay, k) {
  const r = replay.recording, step = replay.steps[k], moments = replay.of(k);
  const m = moments[0];
  const here = f => f.block === step.block &&
      moments.some(
          x => x.lanes.length === 0 ||
              x.elements.includes(f.element) && x.lanes.includes(f.threads[0] % 32));
  const flaws = [...new Set([
    ...new Set(moments.flatMap(x => x.flaws))
  ].map(n => r.flaws[n]).map(f => here(f) ? flaw_text(r, f) : flaw_again(f)))];
  const tail = flaws.length ? '. Flaw: ' + flaws.slice(0, 2).join('; ') +
          (flaws.length > 2 ? `; and ${flaws.length - 2} more` : '') :
                              '';
  const warp = `Block ${step.block}, warp ${step.warp}`;
  switch (step.kind) {
    case 'launch':
      return `The host launches ${plural(m.argument, 'block')} of ${r.block} threads.`;
    case 'block':
      return `Block ${m.block} begins; its shared memory holds nothing yet.`;
    case 'barrier':
      return `Block ${m.block}: ${m.argument} of ${r.block} threads meet at the barrier` +
          (tail || '.');
    case 'grid_barrier':
      return 'All blocks have come to the grid barrier.';
    case 'landed':
      return `A bulk copy lands: ${m.argument} elements, input[${m.elements[0]}..] to ` +
          `shared[${m.elements[1]}..].`;
    case 'sync_warp':
      return `${warp}: ${plural(m.lanes.length, 'lane')} meet at sync_warp${tail || '.'}`;
    case 'line':
      break;
    default: {
      const words = {
        shuffle_down: `take the value ${m.argument} lanes up`,
        shuffle_up: `take the value ${m.argument} lanes down`,
        shuffle_xor: `swap values ${m.argument} lanes apart`,
        shuffle: `read lane ${m.argument}`,
        vote: 'vote',
        fold: 'fold one register each in one instruction'
      }[step.kind];
      return `${warp}: ${plural(m.lanes.length, 'lane')} ${words}${tail || '.'}`;
    }
  }
  const branches = moments.filter(x => x.act === 'branch');
  const parts = branches.map(b => {
    const yes = lane_count(b.taken), all = b.lanes.length;
    // A jump of the compiler's says nothing of what the text tests.
    if (own) {
      return yes === 0 || yes === all ? `${plural(all, 'lane')} go the same way` :
                                        `${yes} of ${all} lanes jump, the others wait`;
    }
    return all === 1 ? (yes ? 'one lane passes the test' : 'one lane fails the test') :
        yes === all  ? `all ${all} lanes pass the test` :
         yes === 0 ? `none of ${all} lanes passes the test` :
                     `${yes} of ${all} lanes pass the test, the others wait`;
  });
  const rest = moments.filter(x => x.act !== 'branch' && x.act !== 'fence');
  const lanes = lane_count(step.mask);
  if (branches.length === 0) {
    parts.push(lanes === 1 ? `lane ${bits(step.mask)[0]} alone` : `${lanes} lanes`);
  }
  if (moments.some(x => x.act === 'fence')) parts.push('fence');
  return `${warp}, line ${step.line}: ${[...new Set(parts)].join('; ')}` +
      (rest.length ? ': ' + rest.map(x => access_text(r, x)).join(', ') : '') + (tail || '.');
}

const player = {
  replay: null,
  diagram: null,
  k: 0,
  timer: null,
  rung: null,
  mode: 0,

  columns: () => document.getElementById('diagram').clientWidth < 560 ? 16 : 32,

  // `mode` is the number of a recording of the rung.
  open(rung, mode) {
    this.stop();
    this.rung = rung;
    const list = rung.recordings ?? [];
    document.getElementById('player').classList.toggle('no-steps', list.length === 0);
    document.getElementById('player-title').textContent = list.length ? 'Step by step' : 'Source';
    this.mode = Math.min(mode, Math.max(0, list.length - 1));
    const recording = list[this.mode] ?? null;
    show_source(rung, recording?.twin ?? false, recording);
    this.replay = null;
    if (!recording) return;
    this.replay = new Replay(recording);
    this.diagram = new Diagram(document.getElementById('diagram'), this.replay);
    const modes = document.getElementById('modes');
    modes.replaceChildren(
        modes.firstElementChild,
        ...list.map(
            (r, n) => make(
                'label', {},
                make('input', {type: 'radio', name: 'mode', value: n, checked: n === this.mode}),
                make('span', {}, this.mode_text(r)))));
    this.note(rung, recording);
    const slider = document.getElementById('step');
    slider.max = this.replay.steps.length - 1;
    document.getElementById('to-flaw').hidden =
        !this.replay.steps.some((_, k) => this.replay.flawed(k));
    const first = this.replay.steps.findIndex(s => s.kind === 'line');
    this.go(Math.max(0, first));
  },

  note(rung, recording) {
    const state = recording.correct ? 'right' : 'wrong', sign = recording.correct ? '✓ ' : '✗ ';
    const box = document.getElementById('player-note');
    const size = `${plural(recording.grid, 'block')} of ${recording.block} threads`;
    if (own) {
      const cut = recording.cut ? ' These are the first steps; the run has more.' : '';
      const found = recording.flaws.length;
      box.replaceChildren(
          `${rung.arguments}.${cut} `,
          make('strong', {class: state},
              sign + (rung.failure || (found ? plural(found, 'flaw') + '.' : 'No flaw.'))));
      return;
    }
    const end = recording.correct ?
        `The sum is right: ${recording.result}.` :
        `The sum is wrong: ${Math.abs(recording.result) > 1e6 ? 'garbage' : recording.result} ` +
            `instead of ${recording.n}.`;
    box.replaceChildren(
        `n = ${recording.n}, ${size}; every element is 1, so a number is how many elements are ` +
            'in it. ',
        make('strong', {class: state}, sign + end));
  },

  mode_text(r) {
    if (own) return r.schedule === 0 ? 'Lanes in lock-step' : 'Lane after lane';
    if (!r.twin) return 'Corrected';
    if (r.schedule === 0) return r.correct ? 'As published, lanes in lock-step' : 'As published';
    return r.schedule === 1 ? 'As published, lane after lane' :
                              `As published, another order (schedule ${r.schedule})`;
  },

  go(k) {
    const steps = this.replay.steps;
    this.k = Math.max(0, Math.min(steps.length - 1, k));
    const says = this.diagram.draw(this.k, this.columns());
    document.getElementById('says').textContent = says;
    const slider = document.getElementById('step');
    slider.value = this.k;
    slider.setAttribute('aria-valuetext', `${this.k + 1} of ${steps.length}`);
    document.getElementById('step-number').textContent = `${this.k + 1} of ${steps.length}`;
    mark_line(steps[this.k].file, steps[this.k].line);
    this.costs();
    if (this.k === steps.length - 1) this.stop();
  },

  // What the step costs under each chip's rules.
  costs() {
    const r = this.replay.recording;
    const rows = this.replay.of(this.k)
                     .filter(m => m.act === 'load' || m.act === 'store')
                     .map(
                         m => make(
                             'tr', {},
                             make(
                                 'th', {scope: 'row'}, `${m.act} ${named(r, m.space, m.elements)}`),
                             make('td', {}, String(m.lanes.length)),
                             ...m.cost.map(c => make('td', {}, String(c))),
                             make(
                                 'td', {},
                                 r.spaces[m.space][1] ? 'wavefronts' : 'sectors or transactions')));
    if (rows.length === 0) {
      rows.push(make('tr', {}, make('td', {colspan: 7}, 'no access to memory in this step')));
    }
    document.getElementById('costs').replaceChildren(
        make('caption', {}, 'This step under the rules of each chip'),
        make(
            'thead', {},
            make(
                'tr', {}, make('th', {scope: 'col'}, 'access'), make('th', {scope: 'col'}, 'lanes'),
                ...data.chips.map(
                    c => make('th', {scope: 'col'}, `${c.name} `, make('small', {}, c.card))),
                make('th', {scope: 'col'}, 'counted in'))),
        make('tbody', {}, ...rows));
  },

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    const b = document.getElementById('play');
    b.textContent = '▶ Play';
    b.setAttribute('aria-label', 'Play');
  },
  play() {
    if (this.timer) return this.stop();
    if (this.k >= this.replay.steps.length - 1) this.go(0);
    const b = document.getElementById('play');
    b.textContent = '⏸ Stop';
    b.setAttribute('aria-label', 'Stop');
    const pause = Number(document.getElementById('speed').value);
    this.timer = setInterval(() => this.go(this.k + 1), pause);
  },
  move(d) {
    this.stop();
    this.go(this.k + d);
  },
  // On to the next step for which f holds; from the end, from the start.
  find(f) {
    this.stop();
    const n = this.replay.steps.length;
    for (let d = 1; d <= n; ++d)
      if (f((this.k + d) % n)) return this.go((this.k + d) % n);
  },
};
