// `npm run bench:commands`: what reading a shell command costs, beside unbash, which parses bash and follows nothing. Median
// and p99 of single readings, and hostile text of 100 kB with its share for each kilobyte.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { parse } from 'unbash';
import { formatNs, printTable } from './measure.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const scratch = mkdtempSync(join(tmpdir(), 'harness-bench-commands-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

/** The sources as they are, not whatever was built last. */
async function load(contents) {
  const outfile = join(scratch, 'commands.mjs');
  await build({
    stdin: { contents, resolveDir: join(root, 'src/shell') },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return import(pathToFileURL(outfile).href);
}

const {
  Cursor,
  Shared,
  matchesOf,
  readAll,
  readCommand,
  readForPacks,
  shellReading,
  shippedPacks,
  shippedShared,
  subjectsOf,
} = await load(`
  export { readCommand } from './index.ts';
  export { Cursor, Shared } from './syntax/cursor.ts';
  export { readAll } from './syntax/substitutions.ts';
  export { shellReading } from './dialect.ts';
  export { matchesOf, subjectsOf } from '../packs/pack.ts';
  export { shippedPacks, shippedShared } from '../packs/shipped.ts';
  export { readForPacks } from '../packs/tool-call.ts';
`);
const { dialect } = shellReading('bash');
const packs = shippedPacks();
const { sets } = shippedShared();
const judge = (text) => {
  const subjects = subjectsOf(readForPacks(text), text, sets, null);
  return packs.reduce((count, { index }) => count + matchesOf(index, subjects).length, 0);
};

/** What agents run all day. */
const EVERYDAY = [
  'git status',
  'ls -la',
  'npm test 2>&1 | tail -20',
  'git add -A && git commit -m "fix: the thing"',
  'grep -rn "foo bar" src --include="*.ts" | head -50',
  'cd packages/app && npm run build',
  'cat package.json | jq .version',
  'find . -name "*.ts" -not -path "./node_modules/*" | xargs wc -l',
  'for f in *.txt; do echo "$f"; done',
  'docker compose up -d',
  'python3 -c "print(1)"',
  'curl -s https://example.com/z -o out.json && cat out.json',
  'sed -n 1,80p src/index.ts',
  'export FOO=bar; echo $FOO',
  'mkdir -p a/b/c && touch a/b/c/d.txt',
  'sudo apt-get install -y curl',
  "ps aux | grep node | grep -v grep | awk '{print $2}'",
  'if [ -f x ]; then cat x; fi',
  'npx vitest run src/foo --reporter=dot',
  'tar czf out.tgz dist && scp out.tgz host:/srv',
];
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 2000);

const contenders = [
  ['parse', (text) => readAll(new Cursor(text, dialect, new Shared(), 0, true)).items.length],
  ['parse, unbash', (text) => parse(text).commands.length],
  ['read', (text) => readCommand(text, { shell: 'bash' }).commands.length],
  ['read for any sh', (text) => readCommand(text).commands.length],
  ['read, and held against all packs', judge],
  [
    'read, and every list looked at',
    (text) => {
      let count = 0;
      for (const command of readCommand(text, { shell: 'bash' }).commands) {
        count +=
          command.reads.length + command.writes.length + command.operands.length + command.flags.length;
      }
      return count;
    },
  ],
];

function at(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

for (let i = 0; i < 3000; i++) for (const [, run] of contenders) run(EVERYDAY[i % EVERYDAY.length]);
const times = new Map(contenders.map(([name]) => [name, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, run] of contenders) {
    for (const text of EVERYDAY) {
      const start = process.hrtime.bigint();
      run(text);
      times.get(name).push(Number(process.hrtime.bigint() - start));
    }
  }
}
printTable(
  `${EVERYDAY.length} everyday commands, ${ROUNDS} times each`,
  ['', 'median', 'p90', 'p99'],
  [...times].map(([name, all]) => {
    const sorted = all.sort((a, b) => a - b);
    return [name, formatNs(at(sorted, 0.5)), formatNs(at(sorted, 0.9)), formatNs(at(sorted, 0.99))];
  }),
);

const HOSTILE = {
  words: (n) => 'a '.repeat(n / 2),
  commands: (n) => 'a;'.repeat(n / 2),
  'open quotes': (n) => "'".repeat(n + 1),
  substitutions: (n) => '$(a '.repeat(n / 4),
  backticks: (n) => '`'.repeat(n),
  'here-documents': (n) => 'a <<E '.repeat(n / 6),
  braces: (n) => '{a,b}'.repeat(n / 5),
  loops: (n) => 'for i in a b; do x=$i; done;'.repeat(n / 28),
  'find -exec': (n) => `find . ${'-exec a {} + '.repeat(n / 13)}`,
};
const rows = Object.entries(HOSTILE).map(([name, make]) => {
  const cost = [25_000, 50_000, 100_000].map((size) => {
    const text = make(size);
    let best = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 5; i++) {
      const start = process.hrtime.bigint();
      readCommand(text);
      best = Math.min(best, Number(process.hrtime.bigint() - start));
    }
    return best;
  });
  return [name, formatNs(cost[2]), ...cost.map((ns, i) => formatNs(ns / [25, 50, 100][i]))];
});
printTable('Hostile text', ['', '100 kB', 'a kB of 25', 'a kB of 50', 'a kB of 100'], rows);
