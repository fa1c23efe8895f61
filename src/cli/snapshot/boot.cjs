// Loads `snapshot.cjs` and what it asks for while a heap snapshot is made: there `require` knows nothing but what is built in. Each
// chunk of the pack is evaluated by itself, so that the text of those nobody asked for is not in the heap.
const { readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { startupSnapshot } = require('node:v8');

// By another name it sees nothing of this file.
// biome-ignore lint/security/noGlobalEval: our own files, in the one way that is left here.
const evaluate = eval;
const loaded = new Map();
/** What few decisions need: what needs it then loads it again. */
const late = new Map();

/** The exports of a file, or of the chunk of a pack. */
function load(file, chunk = '', known = loaded) {
  const before = known.get(file + chunk);
  if (before !== undefined) return before.exports;
  const module = { exports: {} };
  known.set(file + chunk, module);
  const text = readFileSync(file, 'utf8').replace(/^#!.*/, '');
  const inside = (name) => load(file, name);
  // A pack is a `require` for its chunks.
  if (chunk === '' && text.startsWith(PACK)) module.exports = inside;
  else {
    const body = chunk === '' ? `{${text}\n}` : chunkIn(text, chunk);
    const run = evaluate(
      `(function(exports,require,module,load,late)${body})\n//# sourceURL=${file}${chunk}`,
    );
    const others = (id) => {
      if (!id.startsWith('.')) return require(id);
      return load(join(dirname(file), id), '', PACKAGES.includes(id) ? late : loaded);
    };
    run(module.exports, others, module, inside, (name) => load(file, name, late));
  }
  return module.exports;
}

/** How a pack begins, and what stands before and behind each chunk, as the build writes it. */
const PACK = '"use strict";const chunks={';
const END = '\n//\n';
const PACKAGES = ['./re2js.cjs', './yaml.cjs'];

function chunkIn(text, name) {
  const start = `${END}${JSON.stringify(name)}:function(module,exports)`;
  const at = text.indexOf(start);
  if (at === -1) throw new Error(`no chunk ${name}`);
  const from = at + start.length;
  // Behind it stands a comma.
  return `{"use strict";${text.slice(from + 1, text.indexOf(END, from) - 1)}`;
}

load(join(process.argv[2], 'snapshot.cjs'));
startupSnapshot.addSerializeCallback(() => late.clear());
