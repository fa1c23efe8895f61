// Loads `snapshot.cjs` and what it asks for while a heap snapshot is made: there `require` knows nothing but what is built in.
const { readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

// By another name it sees nothing of this file.
// biome-ignore lint/security/noGlobalEval: our own files, in the one way that is left here.
const evaluate = eval;
const loaded = new Map();

function load(file) {
  const before = loaded.get(file);
  if (before !== undefined) return before.exports;
  const module = { exports: {} };
  loaded.set(file, module);
  const text = readFileSync(file, 'utf8').replace(/^#!.*/, '');
  const run = evaluate(`(function(exports,require,module){${text}\n})\n//# sourceURL=${file}`);
  run(module.exports, (id) => (id.startsWith('.') ? load(join(dirname(file), id)) : require(id)), module);
  return module.exports;
}

load(join(process.argv[2], 'snapshot.cjs'));
