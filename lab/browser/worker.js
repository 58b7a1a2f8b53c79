'use strict';
// Runs the lab apart from the page, which stays quick and may end a run by ending this worker.
const lab = OnefoldLab();

onmessage = async ({data}) => {
  const module = await lab;
  const {id, what, words} = data;
  const start = performance.now();
  try {
    const answer = module.ccall(
        what, 'string', words.map(w => typeof w === 'number' ? 'number' : 'string'), words);
    postMessage({id, answer, ms: performance.now() - start});
  } catch (e) {  // memory has run out: the module cannot go on
    postMessage({id, answer: JSON.stringify({error: `given up: ${e}`}), broken: true});
  }
};
