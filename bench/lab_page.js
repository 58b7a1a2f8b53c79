'use strict';
// How long does the lab's page take, in Node (the engine of Chromium)? From nothing to the first
// report; then each of its kernels with n elements, in two orders of threads.
//
//   node bench/lab_page.js [build/release/lab/browser [65536]]
const fs = require('fs');
const {performance} = require('perf_hooks');
const folder = process.argv[2] ?? 'build/release/lab/browser', n = Number(process.argv[3] ?? 65536);
const all = JSON.parse(fs.readFileSync(`${folder}/examples.json`));
const begin = performance.now();
require(require('path').resolve(folder, 'lab.js'))().then(lab => {
  const call = (what, ...words) => lab.ccall(
      what, 'string', words.map(w => typeof w === 'number' ? 'number' : 'string'), words);
  const run = (k, length) => {
    const block = k.blocks['256'] === undefined ? Object.keys(k.blocks)[0] : '256';
    const options = JSON.parse(
        call('onefold_lab_launches', k.facts, length, Number(block)));
    if (options.error) return false;
    const text = all.texts[k.blocks[block]];
    const report = JSON.parse(
        call('onefold_lab_run', JSON.stringify({file: `${k.name}.ptx`, text, options})));
    return report.error === undefined;
  };
  run(all.kernels[0], 4096);
  console.log(`the first report: ${(performance.now() - begin).toFixed(0)} ms`);
  const times = [];
  for (const k of all.kernels) {
    const start = performance.now();
    if (run(k, n)) times.push([performance.now() - start, k.name]);
  }
  times.sort((a, b) => a[0] - b[0]);
  const [median, slowest] = [times[times.length >> 1], times[times.length - 1]];
  console.log(`${times.length} kernels, n = ${n}: median ${median[0].toFixed(0)} ms, ` +
              `slowest ${slowest[0].toFixed(0)} ms (${slowest[1]})`);
});
