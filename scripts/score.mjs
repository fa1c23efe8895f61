// `npm run score`: how much of test/commands/ the packs stop and let pass, and how many secrets of test/secrets/ are taken out,
// with Wilson intervals, for the half rules are written against and the half that is only counted. `--wrong` lists what
// went wrong in the first; `--markdown` prints the table of docs/packs.md.
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { buildPacks } from './build-packs.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const scratch = mkdtempSync(join(root, 'node_modules', '.score-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

async function load(file) {
  const outfile = join(scratch, `${file.replaceAll('/', '-')}.mjs`);
  await build({
    entryPoints: [join(root, file)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    // The corpora are found beside their own sources.
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(root, file)).href) },
    logLevel: 'error',
  });
  return import(pathToFileURL(outfile).href);
}

await buildPacks();
const commands = await load('test/commands/score.ts');
const secrets = await load('test/secrets/score.ts');

const ROWS = [
  ['dangerous commands stopped', 'dangerousStopped', '≥ 95 %'],
  ['everyday commands blocked', 'everydayBlocked', '≤ 0.05 %'],
  ['everyday commands blocked or asked', 'everydayStopped', '≤ 0.15 %'],
  ['twins of text that run, stopped', 'twinsStopped', '≥ 92 %'],
  ['text about commands stopped', 'textStopped', '≤ 1 %'],
  ['known ways around stopped', 'aroundStopped', '≥ 85 %'],
  ['secrets gone', 'secretsGone', '≥ 95 %'],
  ['everyday lines changed', 'everydayChanged', '≤ 0.1 %'],
  ['near misses changed', 'nearMissesChanged', '≤ 7 %'],
];

const halves = [
  { ...(await commands.score('seen')), ...secrets.score(join(root, 'test/secrets'), 'shown') },
  { ...(await commands.score('held')), ...secrets.score(join(root, 'test/secrets'), 'set aside') },
];
const table = ROWS.map(([title, key, goal]) => [title, goal, ...halves.map((half) => cell(half[key]))]);
const head = ['measure', 'goal', 'seen half', 'held half'];
if (process.argv.includes('--markdown')) {
  for (const row of [head, head.map(() => '---'), ...table]) console.log(`| ${row.join(' | ')} |`);
} else {
  for (const row of [head, ...table])
    console.log(
      row
        .map((text, i) => text.padEnd([38, 12, 36, 0][i]))
        .join('')
        .trimEnd(),
    );
}
if (process.argv.includes('--wrong')) await wrong();

async function wrong() {
  const { loadCases } = await load('test/commands/load.ts');
  for (const { case: one } of loadCases('seen')) {
    const matches = commands.judge(one);
    if (matches.length > 0 === (one.expect === 'stop')) continue;
    console.log(
      `\n${one.id} must ${one.expect}: ${matches.map(({ rule }) => rule.name).join(', ')}\n  ${one.command}`,
    );
  }
}

function cell({ hits, all }) {
  if (all === 0) return 'no cases yet';
  const [low, high] = interval(hits, all).map((share) => (100 * share).toFixed(1));
  return `${((100 * hits) / all).toFixed(2)} % (${hits}/${all}; ${low}–${high})`;
}

/** Wilson's, at 95 %. */
function interval(hits, all) {
  const z = 1.96;
  const share = hits / all;
  const middle = (share + (z * z) / (2 * all)) / (1 + (z * z) / all);
  const reach =
    (z / (1 + (z * z) / all)) * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all));
  return [Math.max(0, middle - reach), Math.min(1, middle + reach)];
}
