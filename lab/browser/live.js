'use strict';
const $ = id => document.getElementById(id);
const {kernels, texts, sources} = JSON.parse($('examples').textContent);
// Without the module this is the page of `onefold lab serve`, which compiles CUDA.
const served = !$('module').textContent.trim();
document.body.classList.toggle('served', served);
const own = {
  group: 'Yours',
  name: 'yours',
  title: served ? 'CUDA C++ that you type' : 'PTX that you paste',
  idea: '',
  blocks: {}
};

// The worker: one request at a time; a run is stopped by ending it, or the request to the server.
let worker = null, waiting = new Map(), last = 0, request_sent = null;

function start() {
  const text = new Blob([$('module').textContent], {type: 'text/javascript'});
  worker = new Worker(URL.createObjectURL(text));
  worker.onmessage = ({data}) => {
    const answer = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.broken) stop();
    answer?.(data);
  };
}

async function ask_server(id, what, words) {
  const begun = performance.now();
  request_sent = new AbortController();
  let answer;
  try {
    const r = await fetch(
        what, {method: 'POST', body: JSON.stringify(words), signal: request_sent.signal});
    answer = await r.text();
    if (!r.ok) answer = JSON.stringify({error: answer});
  } catch (e) {
    const error = 'no answer: the run took too long, or onefold lab serve has ended';
    answer = JSON.stringify({error});
  }
  waiting.get(id)?.({answer, ms: performance.now() - begun});
  waiting.delete(id);
}

function ask(what, ...words) {
  if (served) {
    const id = ++last;
    ask_server(id, what, words);
    return new Promise(answer => waiting.set(id, answer));
  }
  if (!worker) start();
  const id = ++last;
  worker.postMessage({id, what, words});
  return new Promise(answer => waiting.set(id, answer));
}

function stop() {
  worker?.terminate();
  worker = null;
  request_sent?.abort();
  for (const answer of waiting.values()) answer(null);
  waiting.clear();
}

// What was typed over a kernel's text, by its name.
const typed = new Map();
const chosen = () => kernels.find(k => k.name === $('kernel').value) ?? own;

// The chosen kernel's text and launches, for the n and the block that are chosen; false if nothing
// would be launched.
async function show() {
  const k = chosen();
  if (k === own) return true;
  const n = Math.min(Math.max(Math.trunc($('n').value) || 1, 1), $('n').max);
  const block = Number($('block').value);
  $('n').value = n;
  $('ptx').value = typed.get(k.name) ?? texts[k.blocks[block]];
  $('again').hidden = !typed.has(k.name);
  $('launch').value = $('args').value = '';
  const a = await during('Running', () => ask('onefold_lab_launches', k.facts, n, block));
  if (a === null) return false;
  const options = JSON.parse(a.answer);
  $('launch').value = options.launch;
  $('args').value = options.args;
  $('expect').value = options.expect ?? '';
  $('cooperative').checked = 'cooperative' in options;
  return true;
}

// From which x each y of a puzzle follows, through threads, or blocks if a thread has several.
function draw({inputs, x, y, block, threads, reads}) {
  const width = 30 * Math.max(x, y, threads), top = 40 * inputs.length, blocks = threads / block;
  const at = (k, count) => (k + .5) * width / count;
  const middle = j => x > threads ? at(Math.floor(j * blocks / x), blocks) : at(j, threads);
  const line = (name, ...to) => `<path class="${name}" d="M${to.join(' ')}"/>`;
  const cell = (name, k, count, from) => `<rect x="${at(k, count) - 14}" y="${from}" width="28"
      height="24" rx="3"/><text x="${at(k, count)}" y="${from + 17}">${name}${k}</text>`;
  const all = (count, shape) => Array.from({length: count}, (_, k) => shape(k)).join('');
  $('picture').setAttribute('viewBox', `-1 -1 ${width + 2} ${top + 162}`);
  $('picture').style.maxWidth = `${1.2 * width}px`;
  $('picture').setAttribute('aria-label', reads.map((from, k) =>
      `y${k} from ${inputs.flatMap(name => from.map(j => name + j)).join(' ')}`).join('; '));
  $('picture').innerHTML =
      all(blocks, b => `<rect x="${b * width / blocks + 2}" y="${top + 24}" rx="6" height="48"
          width="${width / blocks - 4}"/>`) +
      inputs.map((name, row) => all(x, j =>
          line('', at(j, x), 40 * row + 24, middle(j), top + (x > threads ? 24 : 51)))).join('') +
      all(y, k => reads[k].map(j =>
          line('write', middle(j), top + (x > threads ? 72 : 65), at(k, y), top + 132)).join('')) +
      all(blocks, b => `<text x="${at(b, blocks)}" y="${top + 40}">block ${b}</text>`) +
      all(threads, t => `<circle cx="${at(t, threads)}" cy="${top + 58}" r="7"/>`) +
      inputs.map((name, row) => all(x, j => cell(name, j, x, 40 * row))).join('') +
      all(y, k => cell('y', k, y, top + 132));
}

// Another kernel: its blocks, its idea.
function choose() {
  const k = chosen(), block = $('block').value || '256', all = Object.keys(k.blocks);
  $('block').replaceChildren(...all.map(b => new Option(b)));
  if (all.includes(block)) $('block').value = block;
  $('block').disabled = all.length === 0;
  $('n').disabled = k === own;
  $('idea').textContent = k.idea;
  $('judge').hidden = !k.puzzle;
  $('picture').toggleAttribute('hidden', !k.picture);
  if (k.picture) draw(k.picture);
  $('n').max = k.most ?? 4194304;
  $('player').hidden = true;
  if (k === own) {
    $('source').open = true;
    $('ptx').value = $('launch').value = $('args').value = '';
    $('ptx').focus();
  }
}

function request() {
  const options = {chip: $('chip').value, schedules: $('schedules').value};
  for (const name of ['launch', 'args', 'expect', 'print']) {
    if ($(name).value.trim()) options[name] = $(name).value;
  }
  if ($('cooperative').checked) options.cooperative = '';
  const text = $('ptx').value, ptx = !served || /^\s*\.version/m.test(text);
  return {file: `${chosen().name}.${ptx ? 'ptx' : 'cu'}`, text, options, sources};
}

function row(cells, head) {
  const tr = document.createElement('tr');
  for (const c of cells) {
    const cell = document.createElement(head ? 'th' : 'td');
    cell.textContent = c;
    tr.append(cell);
  }
  return tr;
}

const verdicts = {
  clean: 'No flaw',
  flaw: 'Flaws',
  expectation: 'An expectation does not hold',
  budget: 'Given up: too many steps',
  order: 'An expectation holds under one order of threads, but not under another',
};

function show_verdict(text, good) {
  $('verdict').textContent = text;
  $('verdict').className = good === undefined ? '' : good ? 'good' : 'bad';
}

const lines_of = text => text.split('\n').filter(line => line);

function list(texts) {
  $('flaws').replaceChildren(...texts.map(t => {
    const li = document.createElement('li');
    li.textContent = t;
    return li;
  }));
}

// Percent where the name says so; the rows of the report before stand below, to compare.
let launches_before = [];
function show_launches(launches) {
  const shown = v => Array.isArray(v) ? v.join('x').replace(/(x1)+$/, '') : v ?? '';
  const cells = l => Object.values(l).map(shown);
  const below = launches_before.map(l => row([...cells(l), 'before']));
  for (const tr of below) tr.className = 'before';
  const names = Object.keys(launches[0] ?? {}).map(n => n.replaceAll('_', ' '));
  $('launches').replaceChildren(
      row([...names, ''], true), ...launches.map(l => row([...cells(l), ''])), ...below);
  launches_before = launches;
}

// Of each kernel the occupancy, and flops a byte under the chip's roof, in powers of 2.
function show_roofs(launches, {gbps, gflops}) {
  const x = per_byte => 8 + 18 * Math.min(Math.max(Math.log2(per_byte) + 6, 0), 16);
  const rate = per_byte => Math.min(per_byte * gbps, gflops), ridge = gflops / gbps;
  const y = per_byte => 24 + 5 * Math.log2(gflops / rate(per_byte));
  const of_kernel = l => {
    const at = Math.max(l.flop_per_byte ?? 0, 2 ** -6), figure = document.createElement('figure');
    figure.innerHTML = `<svg viewBox="0 0 304 112" aria-hidden="true">
      <rect class="all" x="8" y="1" width="288" height="10"/>
      <rect class="held" x="8" y="1" width="${2.88 * l.occupancy}" height="10"/>
      <path d="M8 ${y(2 ** -6)}L${x(ridge)} 24H296"/>
      <circle cx="${x(at)}" cy="${y(at)}" r="5"/>
      <text x="8" y="108">1/64 flop/byte</text>
      <text x="${x(ridge)}" y="40">${ridge.toFixed(0)}</text>
      <text x="296" y="108" text-anchor="end">1024</text></svg><figcaption></figcaption>`;
    figure.lastChild.textContent = `${l.kernel}: occupancy ${l.occupancy} %, limited by ` +
        `${l.occupancy_limit}; ${l.flop_per_byte ?? 0} flop/byte; ${l.uncached_us} us ` +
        (l.bound === 'memory' ? `if no cache had its bytes (${gbps} GB/s); caches may take less`
                              : `by its flops (${gflops} GFLOP/s)`);
    return figure;
  };
  $('roofs').replaceChildren(...launches.slice(0, 6).map(of_kernel));
}

function clear() {
  list([]);
  for (const id of ['arrays', 'launches', 'roofs', 'counters', 'lines']) $(id).replaceChildren();
  $('took').textContent = $('json').textContent = '';
  $('printed').hidden = true;
}

function show_report(r, ms) {
  const c = r.counters;
  const clean = r.verdict === 'clean', asked_for = clean && chosen().puzzle;
  if (asked_for) show_verdict('No flaw; not judged yet');
  else show_verdict(verdicts[r.verdict] ?? r.verdict, clean);
  $('took').textContent =
      `${c.thread_instructions.toLocaleString('en')} thread instructions, ${r.schedules} orders, ` +
      `${ms.toFixed(0)} ms`;
  list([
    ...(asked_for ? ['Press “Is the puzzle solved?” to check the answer'] : []),
    ...r.flaws.map(f => f.fix ? `${f.text}. Fix: ${f.fix}` : f.text),
    ...r.expected.map(
        e => e.holds ? `\u2713 ${e.text}`
                     : `${e.text} does not hold: it is ${e.found}` +
                (e.inputs ? `: ${e.inputs}` : '') +
                (e.order ? ` under another order of threads (${e.order}) than the table below` : '')),
    ...r.unsteady.map(n => `${n} holds other values under another order of threads`),
    ...(clean ? [] : lines_of(r.warnings))
  ]);
  $('arrays').replaceChildren(
      row(['array', 'type', 'n', 'sum', 'never written', 'values'], true),
      ...r.arguments.filter(a => a.type).map(a => row([
                                               a.name, a.type, a.n, a.sum ?? '', a.unwritten ?? 0,
                                               (a.values ?? []).slice(0, 32).join(' ') +
                                                   (a.values?.length > 32 ? ' ...' : '')
                                             ])));
  show_launches(r.launches);
  show_roofs(r.launches, r.peak);
  const traffic = Object.entries(c).filter(([, v]) => v?.requests !== undefined);
  const plain = name => name.replaceAll('_', ' ');
  $('counters')
      .replaceChildren(
          row(['counter', 'count', 'moves', 'how many', 'at least', 'efficiency', 'bytes'], true),
          ...traffic.map(([name, v]) => {
            const unit = v.sectors === undefined ? 'wavefronts' : 'sectors';
            const moved = v[unit], least = v[`${unit}_ideal`];
            const percent = moved ? `${Math.round(100 * least / moved)} %` : '';
            return row([plain(name), v.requests, unit, moved, least, percent, v.bytes]);
          }),
          ...Object.entries(c)
              .filter(([, v]) => typeof v === 'number')
              .map(([name, v]) => row([plain(name), +v.toFixed(2), '', '', '', '', ''])));
  const by = Object.keys(c.by_line[0] ?? {});
  $('lines').replaceChildren(
      row(by.map(n => n.replaceAll('_', ' ')), true),
      ...c.by_line.map(l => row(by.map(n => typeof l[n] === 'number' ? +l[n].toFixed(2) : l[n]))));
  $('printed').hidden = !r.printed;
  $('printed').textContent = r.printed;
}

let asked = 0;
// Runs one request, which the next one ends.
async function during(name, work) {
  const mine = ++asked;
  if (waiting.size) stop();
  clear();
  show_verdict(name);
  $('stop').disabled = false;
  const answer = await work();
  if (mine !== asked) return null;
  $('stop').disabled = true;
  if (answer === null) {
    show_verdict('Stopped');
    return null;
  }
  if (answer.answer.startsWith('{"error":')) {
    show_verdict(JSON.parse(answer.answer).error, false);
    return null;
  }
  return answer;
}

// `fresh`: by the launches that follow from n and the block, not by what stands there.
async function run(fresh) {
  if (fresh && !await show()) return;
  const a = await during('Running', () => ask('onefold_lab_run', JSON.stringify(request())));
  if (a === null) return;
  $('json').textContent = a.answer;
  show_report(JSON.parse(a.answer), a.ms);
}

async function film() {
  const a = await during('Recording', () => ask('onefold_lab_page', JSON.stringify(request())));
  if (a === null) return;
  show_verdict('Recorded');
  $('player').hidden = false;
  $('player').srcdoc = a.answer;
  $('player').onload = () => {
    $('player').contentWindow.theme(document.documentElement.dataset.theme === 'dark');
    $('player').focus();
  };
}

// A link holds all that is to be run; who opens it has to press Run.
const in_link = ['ptx', 'launch', 'args', 'expect', 'print'];
function make_link() {
  const held = Object.fromEntries(in_link.map(id => [id, $(id).value]));
  location.hash = encodeURIComponent(JSON.stringify(held));
  navigator.clipboard?.writeText(location.href).catch(() => {});
  $('took').textContent = 'The address of this page now contains it.';
}
function open_link() {
  try {
    const held = JSON.parse(decodeURIComponent(location.hash.slice(1)));
    for (const id of in_link) $(id).value = String(held[id] ?? '');
  } catch (e) {
    return show_verdict(`The link holds no kernel: ${e.message}`, false);
  }
  show_verdict('From a link: read it, then press Run');
}

async function judge() {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const a = await during(
      'Judging', () => ask('onefold_lab_puzzle', chosen().puzzle, $('ptx').value, seed));
  if (a === null) return;
  const v = JSON.parse(a.answer);
  $('json').textContent = a.answer;
  show_verdict(v.solved ? 'Solved' : 'Not solved', v.solved);
  const wrong = v.tries.filter(t => t.wrong);
  list([...wrong.map(t => `n = ${t.n}: ${t.wrong}`), ...lines_of(wrong[0]?.warnings ?? '')]);
}

function theme(dark) {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  $('theme').setAttribute('aria-pressed', String(dark));
}

const groups = [...new Set(kernels.map(k => k.group))];
$('kernel').append(
    ...groups.map(g => {
      const group = document.createElement('optgroup');
      group.label = g;
      group.append(...kernels.filter(k => k.group === g)
                       .map(k => new Option(`${k.name.replaceAll('_', ' ')}: ${k.title}`, k.name)));
      return group;
    }),
    new Option(own.title, own.name));

theme(matchMedia('(prefers-color-scheme: dark)').matches);
$('theme').addEventListener(
    'click', () => theme(document.documentElement.dataset.theme !== 'dark'));
$('kernel').addEventListener('change', () => {
  choose();
  if (chosen() !== own) run(true);
});
for (const id of ['n', 'block', 'schedules', 'chip']) {
  $(id).addEventListener('change', () => {
    if (chosen() !== own || $('ptx').value.trim()) run(id === 'n' || id === 'block');
  });
}
$('form').addEventListener('submit', e => {
  e.preventDefault();
  run(false);
});
$('stop').addEventListener('click', stop);
$('film').addEventListener('click', film);
$('judge').addEventListener('click', judge);
$('link').addEventListener('click', make_link);
$('ptx').addEventListener('input', () => {
  if (chosen() === own) return;
  typed.set(chosen().name, $('ptx').value);
  $('again').hidden = false;
});
$('again').addEventListener('click', () => {
  typed.delete(chosen().name);
  run(true);
});
$('ptx').addEventListener('keydown', e => {
  if (e.key === 'Enter' && e.ctrlKey) run(false);
});
if (location.hash.length > 1) $('kernel').value = own.name;
choose();
if (served) $('source').open = true;
if (location.hash.length > 1) open_link();
else run(true);
