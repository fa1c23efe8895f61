// `npm run score:secrets`: how many of the secrets in test/secrets/ are taken out, and how much other text is changed, for the
// half that rules are written against and for the half that is set aside. `--wrong` lists what went wrong in the first.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'test/secrets');
const scratch = mkdtempSync(join(tmpdir(), 'harness-score-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const outfile = join(scratch, 'score.mjs');
await build({
  entryPoints: [join(folder, 'score.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  logLevel: 'error',
});
const { personalScore, score } = await import(pathToFileURL(outfile).href);

const GOALS = { secretsGone: '≥ 95 %', everydayChanged: '≤ 0.1 %', nearMissesChanged: '≤ 7 %' };
const TITLES = {
  secretsGone: 'secrets gone',
  everydayChanged: 'everyday lines changed',
  nearMissesChanged: 'near misses changed',
};

const halves = { shown: score(folder, 'shown'), 'set aside': score(folder, 'set aside') };
console.log(`${'measure'.padEnd(24)}${'goal'.padEnd(10)}${'shown half'.padEnd(34)}half set aside`);
for (const [measure, goal] of Object.entries(GOALS)) {
  const cells = Object.values(halves).map((half) => cell(half[measure]).padEnd(34));
  console.log(`${TITLES[measure].padEnd(24)}${goal.padEnd(10)}${cells.join('')}`.trimEnd());
}
const personal = personalScore(folder);
console.log(
  `\n${'personal data (where it is asked for)'.padEnd(40)}gone ${cell(personal.gone)}, near misses changed ${cell(personal.changed)}`,
);
if (process.argv.includes('--wrong')) for (const line of personal.wrong) console.log(`\n${line}`);
if (process.argv.includes('--wrong')) for (const line of halves.shown.wrong) console.log(`\n${line}`);

function cell({ hits, all }) {
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
