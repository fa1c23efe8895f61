// `node scripts/options-of-manuals.mjs`: writes which options take a value, as the manual pages of this machine say, of the
// programs that have a row. Nothing is run. The tests compare the rows with it (`test/programs/manuals.test.ts`).
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { build } from 'esbuild';

const FOLDER = '/usr/share/man';
const TARGET = new URL('../test/programs/manuals.tsv', import.meta.url);
const made = await build({
  entryPoints: [fileURLToPath(new URL('../src/shell/programs/rows/index.ts', import.meta.url))],
  bundle: true,
  write: false,
  format: 'esm',
});
const { ROWS } = await import(
  `data:text/javascript;base64,${Buffer.from(made.outputFiles[0].contents).toString('base64')}`
);

/** Their pages explain tests and settings beside options. */
const TALKATIVE = new Set(['[', 'test', 'bash', 'dash', 'sh', 'find', 'gfind']);

function pageOf(name) {
  if (TALKATIVE.has(name)) return null;
  const files = ['1', '8', '1p'].map((section) => join(FOLDER, `man${section[0]}`, `${name}.${section}.gz`));
  const file = files.find((each) => existsSync(each));
  return file === undefined ? null : gunzipSync(readFileSync(file)).toString('latin1');
}

/** Words of a macro; every second one is in the other font. */
function words(text) {
  return [...text.matchAll(/"((?:[^"]|"")*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
}

const VALUE = (text) => `‹${text}›`;

/** A line without its type setting; what is in italics stands between ‹ and ›. */
function plain(line) {
  let text = line;
  const macro = /^\.\s*([A-Z][A-Za-z]?)\s+(.*)$/.exec(line);
  if (macro !== null) {
    const [, name, rest] = macro;
    if (/^(?:B|I|R)[BIR]$/.test(name)) {
      const said = words(rest).map((word, i) => (name[i % 2] === 'I' ? VALUE(word.trim()) : word));
      text = said.join('');
    } else if (name === 'B') text = words(rest).join(' ');
    else if (name === 'IP' || name === 'TP') text = words(rest)[0] ?? '';
    else if (name === 'It' || name === 'Fl') {
      text = ` ${rest}`
        .replace(/ (?:Fl|It) /g, ' -')
        .replace(/ Ns /g, '')
        .replace(/ (?:Ar|Cm) (\S+)/g, (_, word) => ` ${VALUE(word)}`)
        .replace(/ Op (\S+)/g, ' [$1]')
        .trim();
    } else return null;
  }
  return text
    .replace(/\\f(?:I|\(I|\[I\])(.*?)(?=\\f|$)/g, (_, word) =>
      word.trim() === '' ? word : VALUE(word.trim()),
    )
    .replace(/\\f(?:\(..|\[\w*\]|.)/g, '')
    .replace(/\\\(aq|\\\(cq/g, "'")
    .replace(/\\m\[\w*\]|\\s[-+]?\d/g, '')
    .replace(/\\[&|^,/:%~]/g, '')
    .replace(/\\-|\\\(mi|\\\(hy/g, '-')
    .replace(/\\ /g, ' ')
    .trim();
}

/** The options that a line explains: names, and whether they take a value (`=`), may have one attached (`[=]`), or none. */
function optionsIn(line) {
  if (!/^--?[A-Za-z0-9]/.test(line)) return [];
  const pieces = line.split(/\s*(?:,|\||\bor\b)\s*(?=--?[A-Za-z0-9])/);
  const read = pieces.map((piece) => {
    const found = /^(--?[A-Za-z0-9][\w-]*)(.*)$/.exec(piece);
    if (found === null) return null;
    const [, name, rest] = found;
    if (/^\s*\[/.test(rest)) return [name, '[=]'];
    if (/^\s*=?\s*(?:‹|<[\w-])|^=\S|^ [A-Z][A-Z_-]+\b/.test(rest)) return [name, '='];
    return rest.trim() === '' ? [name, ''] : null;
  });
  if (read.includes(null)) return [];
  // `-o, --output FILE`: the value is said once.
  const last = read.at(-1)[1];
  return read.map(([name, arity]) => [name, arity === '' ? last : arity]);
}

const out = [];
for (const name of ROWS.flatMap((row) => row.names.split(/\s+/)).sort()) {
  if (name.endsWith('*')) continue;
  const page = pageOf(name);
  if (page === null) continue;
  const found = new Map();
  for (const line of page.split('\n')) {
    const text = plain(line);
    if (text === null) continue;
    for (const [option, arity] of optionsIn(text)) if (!found.get(option)) found.set(option, arity);
  }
  if (found.size > 0)
    out.push(`${name}\t${[...found].map(([option, arity]) => `${option}${arity}`).join(' ')}`);
}
writeFileSync(TARGET, `${out.join('\n')}\n`);
console.log(`${out.length} programs, ${out.join(' ').split(/[\t ]/).length - out.length} options`);
