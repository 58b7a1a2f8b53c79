'use strict';
// Runs requests by the lab's module in Node.
// Usage: node run_examples.js LAB.js REQUESTS.json OUT.json
const fs = require('fs');
const [path, requests, out] = process.argv.slice(2);
require(require('path').resolve(path))().then(lab => {
  const answers = JSON.parse(fs.readFileSync(requests)).map(([what, ...words]) => lab.ccall(
      what, 'string', words.map(w => typeof w === 'number' ? 'number' : 'string'), words));
  fs.writeFileSync(out, JSON.stringify(answers));
});
