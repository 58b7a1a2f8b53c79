'use strict';
// The text of a kernel: the lines that differ from another, and the line where a step stands.

// The same lines without the indentation that all of them have.
function dedent(lines) {
  const shortest = Math.min(...lines.filter(l => l.text.trim()).map(l => l.text.search(/\S/)));
  return lines.map(l => ({...l, text: l.text.slice(Math.min(shortest, l.text.search(/\S|$/)))}));
}

// Lines of a rung's file from the first behind `about` to the twin, or of the twin.
function kernel_lines(rung, twin) {
  const lines = (data.texts[rung.file] ?? '').split('\n');
  if (own) return lines.map((text, k) => ({number: k + 1, text}));
  const split = lines.findIndex(l => /^ {2}struct as_published\b/.test(l));
  let from = twin ? split : lines.findIndex(l => /\bRung about\{/.test(l));
  if (from < 0) return [];
  if (!twin) {
    while (!lines[from].trimEnd().endsWith('};')) ++from;
    ++from;
  }
  let to = twin || split < 0 ? lines.findIndex(l => /^};/.test(l)) : split;
  while (from < to && lines[from].trim() === '') ++from;
  while (to > from && lines[to - 1].trim() === '') --to;
  const region = lines.slice(from, to).map((text, k) => ({number: from + k + 1, text}));
  // What a twin says of itself stands beside the code already.
  if (!twin) return dedent(region);
  const about = region.findIndex(l => /\bTwin about\{/.test(l.text));
  if (about < 0) return dedent(region);
  let end = about;
  while (!region[end].text.trimEnd().endsWith('};')) ++end;
  region.splice(about, end - about + 1);
  const inner = region.slice(1, -1);  // without `struct as_published {` and `};`
  while (inner.length && inner[0].text.trim() === '') inner.shift();
  return dedent(inner);
}

// Functions of another file in which `numbers` stand.
function helper_lines(file, numbers) {
  const lines = (data.texts[file] ?? '').split('\n');
  const shown = new Set();
  for (const n of numbers) {
    let from = n - 1;
    while (from > 0 && lines[from - 1].trim() !== '' || /^\s{4}/.test(lines[from])) --from;
    let to = n - 1;
    const closed = /^( {0,2})}/;
    while (to < lines.length - 1 && !closed.test(lines[to])) ++to;
    for (let k = from; k <= to; ++k) shown.add(k);
  }
  return [...shown].sort((a, b) => a - b).map(k => ({number: k + 1, text: lines[k]}));
}

// Marks lines of `now` that are not in `before`, and puts those of `before` that went between.
function differences(before, now) {
  const a = before.map(l => l.text.trim()), b = now.map(l => l.text.trim());
  const longest = Array.from({length: a.length + 1}, () => new Int32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; --i) {
    for (let j = b.length - 1; j >= 0; --j) {
      longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 :
                                      Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const out = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({...now[j], change: ''}), ++i, ++j;
    } else if (i < a.length && (j === b.length || longest[i + 1][j] >= longest[i][j + 1])) {
      if (a[i] !== '') out.push({number: 0, text: before[i].text, change: '-'});
      ++i;
    } else {
      out.push({...now[j], change: b[j] === '' ? '' : '+'}), ++j;
    }
  }
  return out;
}

function make(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) {
    if (v !== null && v !== undefined && v !== false) e.setAttribute(k, v === true ? '' : v);
  }
  e.append(...children.filter(c => c !== null));
  return e;
}

function code_table(file, lines, caption) {
  const body = make('tbody');
  for (const l of lines) {
    const word = {'+': 'new', '-': 'gone'}[l.change] ?? '';
    body.append(make(
        'tr', {class: word, 'data-line': l.change === '-' ? null : l.number, 'data-file': file},
        make('td', {class: 'number'}, l.number ? String(l.number) : ''),
        make(
            'td', {class: 'mark'},
            l.change === '+'     ? '+' :
                l.change === '-' ? '−' :
                                   '',
            word ? make('span', {class: 'hidden'}, word) : ''),
        make('td', {class: 'text'}, l.text)));
  }
  return make('table', {}, make('caption', {}, caption), body);
}

function show_source(rung, twin, recording) {
  const box = document.getElementById('code');
  const own = kernel_lines(rung, false);
  const after = rung_of(rung.after);
  const before = twin ? own : after ? kernel_lines(after, false) : null;
  const now = twin ? kernel_lines(rung, true) : own;
  const lines = before ? differences(before, now) : now.map(l => ({...l, change: ''}));
  const against = twin ? 'the corrected kernel' : after ? after.title : '';
  box.replaceChildren(code_table(
      rung.file, lines,
      own         ? rung.file :
          against ? `${twin ? 'As published' : 'Corrected'}; + and − against ${against}` :
                'Corrected'));
  const shown = new Set(lines.filter(l => l.change !== '-').map(l => l.number));
  for (const [k, file] of (recording?.files ?? []).entries()) {
    const numbers = recording.sites.filter(s => s[0] === k)
                        .map(s => s[1])
                        .filter(n => file !== rung.file || !shown.has(n));
    if (numbers.length === 0 || !data.texts[file]) continue;
    const helpers = (own ? data.texts[file].split('\n').map((text, j) => ({number: j + 1, text})) :
                           dedent(helper_lines(file, numbers))).map(l => ({...l, change: ''}));
    box.append(code_table(file, helpers, 'from ' + file));
  }
  if (rung.cuda) {
    const printed = rung.cuda.code.split('\n').map(
        (text, k) => ({number: rung.cuda.line + k, text, change: ''}));
    box.append(code_table(
        rung.cuda.text, printed, `CUDA, as text ${rung.cuda.text} prints it: ${rung.cuda.kernel}`));
  }
}

// The line of the step, in view.
function mark_line(file, line) {
  const box = document.getElementById('code');
  for (const row of box.querySelectorAll('tr.here')) {
    row.classList.remove('here');
    row.removeAttribute('aria-current');
  }
  const row =
      [...box.querySelectorAll('tr[data-line="' + line + '"]')].find(r => r.dataset.file === file);
  if (!row) return;
  row.classList.add('here');
  row.setAttribute('aria-current', 'step');
  const top = row.getBoundingClientRect().top - box.getBoundingClientRect().top;
  if (top < 0 || top + row.offsetHeight > box.clientHeight) {
    box.scrollTop += top - box.clientHeight / 3;
  }
}
