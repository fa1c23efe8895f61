// `npm run bench:page`: the page in Chromium by the browser's own marks, a fresh profile each time: when home and a run of 10,000 entries
// are first painted, and when the first of their lines is. Exits 1 where a bar is missed; only an idle machine says something.
import { openHome, weekPage } from '../test/web/home.mjs';
import { longTapes } from '../test/web/long.mjs';
import { dir, endAll, open, serve } from '../test/web/support.mjs';
import { median, printTable } from './measure.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const BAR_MS = 300;
const ENTRIES = 10_000;

/** The link opens the page once and sets its cookie; what is measured is the page as it is opened again. */
async function painted(link, path, line) {
  const first = [];
  const lines = [];
  for (let round = 0; round < ROUNDS; round++) {
    const page = await open(link, { width: 1440, height: 900 });
    await page.goto(new URL(path, link).href);
    await page.waitForSelector(line);
    const marks = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const paint = performance.getEntriesByName('first-contentful-paint')[0].startTime;
          requestAnimationFrame(() => resolve([paint, performance.now()]));
        }),
    );
    first.push(marks[0]);
    lines.push(marks[1]);
    await page.context().close();
  }
  return [median(first), median(lines)];
}

try {
  const warm = await openHome();
  await warm.context().close();
  const long = await serve('--dir', dir, '--runs', await longTapes('bench', 1, ENTRIES));
  const cases = {
    'home, a week of 61 runs': await painted((await weekPage()).link, '/', '.rules li'),
    [`a run of ${ENTRIES.toLocaleString('en')} entries`]: await painted(long, '/runs/many-00', '.step'),
  };
  const verdict = (ms) => (ms <= BAR_MS ? 'ok' : 'MISSED');
  printTable(
    'The page',
    ['what', 'first paint', 'bar', '', 'first line'],
    Object.entries(cases).map(([what, [paint, line]]) => [
      what,
      `${Math.round(paint)} ms`,
      `≤ ${BAR_MS} ms`,
      verdict(paint),
      `${Math.round(line)} ms`,
    ]),
  );
  if (Object.values(cases).some(([paint]) => paint > BAR_MS)) process.exitCode = 1;
} finally {
  await endAll();
}
