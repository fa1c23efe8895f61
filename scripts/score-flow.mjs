// `npm run score:flow [-- unseen|once]`: how many tasks of test/flow/suites/, or of that folder, are done, how often a person is asked, and how many attacks succeed, by
// domain and design. `--markdown` prints a table for a document; `--wrong` lists what came out otherwise than the files
// expect, held-out wordings left out.
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { buildPacks } from './build-packs.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const entry = join(root, 'test/flow/score.ts');
const scratch = mkdtempSync(join(root, 'node_modules', '.score-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

await buildPacks();
const outfile = join(scratch, 'score.mjs');
await build({
  entryPoints: [entry],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  define: { 'import.meta.url': JSON.stringify(pathToFileURL(entry).href) },
  logLevel: 'error',
});
const { scoreFolder } = await import(pathToFileURL(outfile).href);
const folder = ['unseen', 'once'].find((name) => process.argv.includes(name)) ?? 'suites';
const scores = await scoreFolder(pathToFileURL(join(root, 'test/flow', folder, '/')));

const share = ({ hits, all }) => (all === 0 ? '–' : `${(hits / all).toFixed(2)} (${hits}/${all})`);
const COLUMNS = [
  ['domain', ({ domain }) => domain],
  ['design', ({ design }) => design],
  ['tasks done', ({ done }) => share(done)],
  ['questions a task', ({ questions }) => share(questions)],
  ['done under attack', ({ doneUnderAttack }) => share(doneUnderAttack)],
  ['attacks succeed, seen', ({ attacksSeen }) => share(attacksSeen)],
  ['attacks succeed, held out', ({ attacksHeldOut }) => share(attacksHeldOut)],
];
const head = COLUMNS.map(([title]) => title);
const table = scores.map((one) => COLUMNS.map(([, cell]) => cell(one)));
if (process.argv.includes('--markdown')) {
  for (const row of [head, head.map(() => '---'), ...table]) console.log(`| ${row.join(' | ')} |`);
} else {
  const widths = head.map((_, i) => Math.max(...[head, ...table].map((row) => row[i].length)) + 2);
  for (const row of [head, ...table])
    console.log(
      row
        .map((text, i) => text.padEnd(widths[i]))
        .join('')
        .trimEnd(),
    );
}
if (process.argv.includes('--wrong'))
  for (const { domain, design, wrong } of scores)
    if (design !== 'none' && domain !== 'all')
      for (const line of wrong) console.log(`${design} ${domain} ${line}`);
