// `npm run bench:secrets`: what it costs to look for secrets. A megabyte of what tools print, clean and with a secret in every
// hundredth line; short texts; the first look, which makes the table; and texts made to be slow.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { formatNs, median, printTable } from './measure.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const scratch = mkdtempSync(join(tmpdir(), 'harness-bench-secrets-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

/** The sources as they are, not whatever was built last. */
async function loadSource(path) {
  const outfile = join(scratch, `${path.replaceAll('/', '-')}.mjs`);
  await build({
    entryPoints: [join(root, path)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const began = process.hrtime.bigint();
  const module = await import(pathToFileURL(outfile).href);
  return { ...module, importNs: Number(process.hrtime.bigint() - began) };
}

const { findSecrets, importNs } = await loadSource('src/secrets/secrets.ts');
const firstLook = time(() => findSecrets('nothing to see here'));

const { createRedactor } = await loadSource('src/secrets/redactor.ts');
const { createRedactor: createTapeRedactor } = await loadSource('src/tape/redact.ts');
const { everydayLines, secretCases } = await loadSource('test/secrets/corpus.ts');

const MEGABYTE = 1_000_000;
const folder = join(root, 'test/secrets');
const lines = everydayLines(folder).map(({ text }) => text);
const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
  .join('\n');

const secrets = secretCases(folder).map(({ text }) => text);
const output = repeated(lines.join('\n'));
const code = repeated(sources);
const secretive = repeated(
  lines.flatMap((line, at) => (at % 100 === 0 ? [line, secrets[at % secrets.length]] : [line])).join('\n'),
);
const values = Array.from({ length: 40 }, (_, at) => ({
  name: `env:V${at}`,
  value: `v${at}-${'k9Qz'.repeat(6)}-${at * 7919}`,
}));

const rows = [
  ['tool output', output, findSecrets],
  ['tool output, a secret in every hundredth line', secretive, findSecrets],
  ['source code', code, findSecrets],
  ['tool output, and 40 known values', output, (text) => createRedactor({ values }).find(text)],
];
let fine = true;
const table = rows.map(([name, text, run]) => {
  const spent = median(Array.from({ length: 15 }, () => time(() => run(text))));
  fine &&= spent <= 60e6;
  return [name, formatNs(spent), `${(spent / text.length).toFixed(1)} ns`, '≤ 60 ms'];
});
printTable('One megabyte', ['text', 'median', 'a character', 'bar'], table);

const short = lines.slice(0, 500);
const perText = median(
  Array.from({ length: 15 }, () => time(() => short.map((text) => findSecrets(text))) / short.length),
);
const tape = createTapeRedactor();
const record = {
  type: 'dispatch',
  dispatch: 1,
  run: 1,
  event: 'tool.pre',
  payload: {
    id: 'call_1',
    name: 'run_command',
    args: { command: 'npm test -- --run src/app', description: 'Run the tests' },
  },
};
const perRecord = median(
  Array.from({ length: 15 }, () => time(() => Array.from({ length: 1000 }, () => tape(record))) / 1000),
);
printTable(
  'Short texts',
  ['what', 'time'],
  [
    ['module loaded', formatNs(importNs)],
    ['first look: the table is made', formatNs(firstLook)],
    [`a line of ${Math.round(short.join('').length / short.length)} characters`, formatNs(perText)],
    ['a record of a tape', formatNs(perRecord)],
  ],
);

const HOSTILE = {
  'token=': 'token=',
  'key=key=': 'key=',
  'password="': 'password="',
  'begin private key': '-----BEGIN PRIVATE KEY-----',
  'eyJ with dots': 'eyJaaaaaaaaaa.',
  'eyJ with hyphens': 'eyJaaaaaaaaaaaa-',
  'ghp_ with hyphens': '-sk-ant-api03-a',
  addresses: 'x://a:',
  'authorization: bearer ': 'authorization: bearer ',
  'cookie: a=': 'cookie: a=',
  'backslashes and quotes': 'secret=\\\\\\"',
  'mysql -p': 'mysql -u ',
  '"kty"': '"kty"',
  'names without end': 'passwordpassword_',
  'machine a login b': 'machine a login b ',
  '<password>': '<password>',
};
const slow = Object.entries(HOSTILE).map(([name, piece]) => {
  const once = time(() => findSecrets(piece.repeat(Math.ceil(MEGABYTE / 4 / piece.length))));
  const twice = time(() => findSecrets(piece.repeat(Math.ceil(MEGABYTE / 2 / piece.length))));
  return [
    name,
    formatNs(twice),
    `${((twice / MEGABYTE) * 2).toFixed(0)} ns`,
    `${(twice / once).toFixed(1)}×`,
  ];
});
printTable('Half a megabyte made to be slow', ['piece', 'time', 'a character', 'of half as much'], slow);
process.exitCode = fine ? 0 : 1;

function repeated(text) {
  return text.repeat(Math.ceil(MEGABYTE / text.length)).slice(0, MEGABYTE);
}

/** Time of the processor, in nanoseconds: what else the machine does at the moment is of no interest. */
function time(run) {
  const began = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(began);
  return (user + system) * 1e3;
}
