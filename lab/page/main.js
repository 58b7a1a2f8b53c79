'use strict';
// What is chosen, and keys.

let chosen = null;

function choose(name, mode = 0) {
  const rung =
      rung_of(name) ?? path[0] ?? order.find(r => r.recordings?.length) ?? order[0];
  chosen = rung;
  for (const a of document.querySelectorAll('#ladder-rows a, #path-rows a')) {
    if (a.dataset.rung === rung.name)
      a.setAttribute('aria-current', 'true');
    else
      a.removeAttribute('aria-current');
  }
  const k = order.indexOf(rung);
  document.getElementById('rung-back').disabled = k === 0;
  document.getElementById('rung-on').disabled = k === order.length - 1;
  document.title = `${rung.title} – onefold lab ${data.experiment}`;
  show_facts(rung);
  show_counters(rung);
  show_flaw(rung);
  player.open(rung, mode);
}

// #name or #name:mode
function from_address() {
  const [name, mode] = decodeURIComponent(location.hash.slice(1)).split(':');
  choose(name, Number(mode) || 0);
}

function turn(d) {
  const next = order[order.indexOf(chosen) + d];
  if (next) location.hash = next.name;
  return next;
}

function theme(dark) {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  const b = document.getElementById('theme');
  b.setAttribute('aria-pressed', String(dark));
}

document.getElementById('intro').textContent = own ?
    'A kernel on a simulated GPU. Step through it: what each warp reads and writes, what it ' +
        'costs, and where threads are in each other\u2019s way.' :
    `${
        data.rungs
            .length} kernels that add an array, from the texts that people learn from to what is ` +
    'faster than they knew. Choose one, and step through it.';
if (own) {
  document.getElementById('top').textContent = data.rungs[0][data.launches ? 'file' : 'title'];
  document.getElementById('writer').textContent = 'onefold lab run --page';
  for (const id of ['ladder', 'turn']) document.getElementById(id).hidden = true;
}
if (data.launches) draw_launches();
theme(matchMedia('(prefers-color-scheme: dark)').matches);
if (!own) {
  draw_path();
  draw_ladder(null);
}
show_legend();
from_address();

addEventListener('hashchange', () => {
  if (location.hash === '#rung') return;
  from_address();
});
const on = (id, event, f) => document.getElementById(id).addEventListener(event, f);
on('theme', 'click', () => theme(document.documentElement.dataset.theme !== 'dark'));
on('rung-back', 'click', () => turn(-1));
on('rung-on', 'click', () => turn(1));
on('to-start', 'click', () => player.move(-player.k));
on('step-back', 'click', () => player.move(-1));
on('step-on', 'click', () => player.move(1));
on('play', 'click', () => player.play());
on('to-barrier', 'click', () => player.find(k => player.replay.steps[k].kind === 'barrier'));
on('to-flaw', 'click', () => player.find(k => player.replay.flawed(k)));
on('step', 'input', e => {
  player.stop();
  player.go(Number(e.target.value));
});
on('speed', 'change', () => {
  if (player.timer) {
    player.stop();
    player.play();
  }
});
on('modes', 'change', e => {
  player.open(chosen, Number(e.target.value));
  document.querySelector(`#modes input[value="${e.target.value}"]`).focus();
});
// Every link to a rung, also those among its facts, leads to where it is shown.
const show_rung = () => document.getElementById('rung').scrollIntoView();
on('main', 'click', e => {
  const link = e.target.closest('a[href^="#"]');
  if (link && rung_of(link.getAttribute('href').slice(1))) show_rung();
});
if (!own && rung_of(location.hash.slice(1).split(':')[0])) show_rung();

addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const at = e.target instanceof Element ? e.target : document.body;
  const in_ladder = at.closest('#ladder-rows');
  if (at.matches('select, input[type=range]') || at.closest('.scroll, .code')) return;
  if (at.matches('input[type=radio]') && e.key.startsWith('Arrow')) return;
  const steps = player.replay;
  const in_player = at.closest('#player');
  const keys = {};
  if (steps) {
    keys.ArrowRight = () => player.move(1);
    keys.ArrowLeft = () => player.move(-1);
  }
  // The page's own scrolling keys mean steps only inside the player.
  if (steps && in_player) {
    keys.Home = () => player.move(-player.k);
    keys.End = () => player.move(player.replay.steps.length);
    if (!at.closest('button, a, input')) keys[' '] = () => player.play();
  }
  if (in_ladder) {
    // The address follows later; the focus goes with the key.
    const go = d => {
      const next = turn(d);
      document.querySelector(`#ladder-rows a[data-rung="${(next ?? chosen).name}"]`)?.focus();
    };
    keys.ArrowDown = () => go(1);
    keys.ArrowUp = () => go(-1);
  }
  if (!keys[e.key]) return;
  e.preventDefault();
  keys[e.key]();
});

let columns = player.columns();
addEventListener('resize', () => {
  if (player.columns() === columns || !player.replay) return;
  columns = player.columns();
  player.go(player.k);
});
