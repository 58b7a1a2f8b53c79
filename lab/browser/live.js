'use strict';
const $ = id => document.getElementById(id);
const {kernels, texts, sources} = JSON.parse($('examples').textContent);
const own = {
  group: 'Yours',
  name: 'yours',
  title: 'PTX that you paste',
  idea: '',
  blocks: {}
};

// The worker: one request at a time; a run is stopped by ending it.
let worker = null, waiting = new Map(), last = 0;

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

function ask(what, ...words) {
  if (!worker) start();
  const id = ++last;
  worker.postMessage({id, what, words});
  return new Promise(answer => waiting.set(id, answer));
}

function stop() {
  worker?.terminate();
  worker = null;
  for (const answer of waiting.values()) answer(null);
  waiting.clear();
}

const chosen = () => kernels.find(k => k.name === $('kernel').value) ?? own;

// The chosen kernel's text and launches, for the n and the block that are chosen; false if nothing
// would be launched.
async function show() {
  const k = chosen();
  if (k === own) return true;
  const n = Math.min(Math.max(Math.trunc($('n').value) || 1, 1), $('n').max);
  const block = Number($('block').value);
  $('n').value = n;
  $('ptx').value = texts[k.blocks[block]];
  $('launch').value = $('args').value = '';
  const a = await during('Running', () => ask('onefold_lab_launches', k.facts, n, block));
  if (a === null) return false;
  const options = JSON.parse(a.answer);
  $('launch').value = options.launch;
  $('args').value = options.args;
  $('cooperative').checked = 'cooperative' in options;
  return true;
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
  if (k === own) {
    $('source').open = true;
    $('ptx').value = '';
    $('ptx').focus();
  }
}

function request() {
  const options = {chip: $('chip').value, schedules: $('schedules').value};
  for (const name of ['launch', 'args', 'expect', 'print']) {
    if ($(name).value.trim()) options[name] = $(name).value;
  }
  if ($('cooperative').checked) options.cooperative = '';
  return {file: `${chosen().name}.ptx`, text: $('ptx').value, options, sources};
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
  expectation: 'Something expected does not hold',
  budget: 'Given up: too many steps',
  order: 'Something expected holds under one order of threads, not under another',
};

function show_verdict(text, good) {
  $('verdict').textContent = text;
  $('verdict').className = good === undefined ? '' : good ? 'good' : 'bad';
}

function list(texts) {
  $('flaws').replaceChildren(...texts.map(t => {
    const li = document.createElement('li');
    li.textContent = t;
    return li;
  }));
}

function clear() {
  list([]);
  for (const id of ['arrays', 'counters', 'lines']) $(id).replaceChildren();
  $('took').textContent = $('json').textContent = '';
  $('printed').hidden = true;
}

function show_report(r, ms) {
  const c = r.counters;
  show_verdict(verdicts[r.verdict] ?? r.verdict, r.verdict === 'clean');
  $('took').textContent =
      `${c.thread_instructions.toLocaleString('en')} thread instructions, ${r.schedules} orders, ` +
      `${ms.toFixed(0)} ms`;
  list([
    ...r.flaws.map(f => f.text),
    ...r.expected.filter(e => !e.holds).map(e => `${e.text} does not hold: it is ${e.found}`),
    ...r.unsteady.map(n => `${n} holds other values under another order of threads`)
  ]);
  $('arrays').replaceChildren(
      row(['array', 'type', 'n', 'sum', 'never written', 'values'], true),
      ...r.arguments.filter(a => a.type).map(a => row([
                                               a.name, a.type, a.n, a.sum ?? '', a.unwritten ?? 0,
                                               (a.values ?? []).slice(0, 32).join(' ') +
                                                   (a.values?.length > 32 ? ' ...' : '')
                                             ])));
  const traffic = Object.entries(c).filter(([, v]) => v?.requests !== undefined);
  const names = [...new Set(traffic.flatMap(([, v]) => Object.keys(v)))];
  $('counters')
      .replaceChildren(
          row(['counter', 'count', ...names], true),
          ...traffic.map(
              ([name, v]) => row([name.replaceAll('_', ' '), '', ...names.map(n => v[n] ?? '')])),
          ...Object.entries(c)
              .filter(([, v]) => typeof v === 'number')
              .map(
                  ([name, v]) =>
                      row([name.replaceAll('_', ' '), +v.toFixed(2), ...names.map(() => '')])));
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

async function judge() {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const a = await during(
      'Judging', () => ask('onefold_lab_puzzle', chosen().puzzle, $('ptx').value, seed));
  if (a === null) return;
  const v = JSON.parse(a.answer);
  $('json').textContent = a.answer;
  show_verdict(v.solved ? 'Solved' : 'Not solved', v.solved);
  list(v.tries.filter(t => t.wrong).map(t => `n = ${t.n}: ${t.wrong}`));
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
choose();
run(true);
