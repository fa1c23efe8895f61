// `npm run bench:flow`: what the ledger of a session costs: nanoseconds a byte of result, microseconds a decision, bytes a session.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { printTable } from './measure.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const scratch = mkdtempSync(join(tmpdir(), 'harness-bench-flow-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const outfile = join(scratch, 'flow.mjs');
await build({
  stdin: { contents: "export * from './index.ts'", resolveDir: join(root, 'src/flow') },
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  logLevel: 'error',
});
const { Ledger, SessionOrigins, LEDGER_LIMITS } = await import(pathToFileURL(outfile).href);

const KEY = '0123456789abcdef';
const SESSION = { id: 's', transcriptPath: null, cwd: '/w', workspace: '/w' };
const session = () => new SessionOrigins(new Ledger(KEY));
const result = (content) => ({
  event: 'tool.post',
  payload: { call_id: 'c', name: 'fetch_url', args: { url: 'https://a.example' }, content },
  session: SESSION,
  host: {},
  at: 0,
  entry: null,
});

const WORDS =
  'the plan of this page is to tell people about trains and their times in small towns near the sea'.split(
    ' ',
  );
const prose = (size) => {
  let text = '';
  for (let i = 0; text.length < size; i++) text += `${WORDS[(i * 7 + (i >> 3)) % WORDS.length]} `;
  return text;
};
const links = (size) => {
  let text = '';
  for (let i = 0; text.length < size; i++)
    text += `[item ${i}](https://site${i % 97}.example/p/${i}?ref=a${i}) by user${i}@mail.example\n`;
  return text;
};
const records = (size) => {
  const rows = [];
  for (let i = 0; i * 120 < size; i++)
    rows.push({ id: `m-${i}`, from: `user${i}@mail.example`, date: '2026-01-05', body: WORDS.join(' ') });
  return JSON.stringify(rows);
};

/** Microseconds of CPU for one time: other work on the machine counts less than by the clock. */
function cpu(rounds, run) {
  const begin = process.cpuUsage();
  for (let round = 0; round < rounds; round++) run();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / rounds;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

const rows = [];
for (const [name, make] of [
  ['prose', prose],
  ['links', links],
  ['records', records],
]) {
  for (const size of [2_000, 100_000, 1_000_000]) {
    const text = make(size);
    const rounds = Math.max(2, Math.min(400, Math.round(2_000_000 / size)));
    const times = [];
    for (let round = 0; round < 5; round++)
      times.push((cpu(rounds, () => session().hear(result(text))) * 1000) / text.length);
    rows.push([`${name}, ${size / 1000} kB`, `${median(times).toFixed(1)} ns a byte`, '60']);
  }
}

const full = session();
for (let i = 0; full.ledger.size < LEDGER_LIMITS.values * 0.7 && i < 100; i++)
  full.hear(result(links(100_000).replaceAll('user', `u${i}`)));
const ask = (value) => {
  const times = [];
  for (let round = 0; round < 5; round++)
    times.push(
      cpu(4000, () => {
        full.of(value);
        full.foreignNames(value);
      }),
    );
  return median(times);
};
const mail = { to: ['user7@mail.example', 'ann@corp.example'], subject: 'Trains', body: WORDS.join(' ') };
rows.push(['a mail of two recipients', `${ask(mail).toFixed(1)} µs a decision`, '20']);
rows.push(['a path', `${ask('src/flow/ledger.ts').toFixed(1)} µs a decision`, '20']);
const saved = full.ledger.takeChanges().set.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
rows.push([`saved of ${full.ledger.size} values`, `${(saved / 1e6).toFixed(2)} MB`, '2']);
printTable('The ledger of a session', ['what', 'cost', 'bar'], rows);
