// Holds the tests against the feature list: prints every row of docs/checklist.tsv that no test title names as [Cnnn]
// and that CONTRIBUTING.md does not leave out with a reason. `--strict` exits 1 when there are any.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const rows = readFileSync(join(root, 'docs/checklist.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [row, feature] = line.split('\t');
    return { row, feature };
  });

/** Rows named in the title of a test or a group: the bracket must stand inside a string that opens one. */
function rowsInTests() {
  const named = new Map();
  // `it('…'`, and the call behind a table of cases: `it.each([…])('…'`.
  const title = /(?:\b(?:describe|it|test)(?:\.\w+)*\(|\)\()\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/gs;
  for (const folder of ['src', 'test']) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.test.ts')) continue;
      const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
      for (const match of text.matchAll(title)) {
        for (const [, row] of match[2].matchAll(/\[(C\d{3})\]/g)) named.set(row, (named.get(row) ?? 0) + 1);
      }
    }
  }
  return named;
}

/** Rows of the "Left out" table: `| C017 | reason |`. */
function rowsLeftOut() {
  const section = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split(/^### Left out$/m)[1] ?? '';
  return new Set([...section.matchAll(/^\|\s*(C\d{3})\s*\|\s*\S/gm)].map((match) => match[1]));
}

const shown = rowsInTests();
const leftOut = rowsLeftOut();
const known = new Set(rows.map(({ row }) => row));
const missing = rows.filter(({ row }) => !shown.has(row) && !leftOut.has(row));
const strangers = [...shown.keys(), ...leftOut].filter((row) => !known.has(row));

for (const { row, feature } of missing) console.log(`${row}  ${feature}`);
for (const row of strangers) console.log(`${row}  named, but not a row of docs/checklist.tsv`);
const shownCount = rows.filter(({ row }) => shown.has(row)).length;
console.log(
  `${rows.length} rows: ${shownCount} shown by tests, ${leftOut.size} left out with a reason, ${missing.length} not shown`,
);

if (process.argv.includes('--strict') && missing.length + strangers.length > 0) process.exitCode = 1;
