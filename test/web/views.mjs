// Every view as a picture, light, dark and narrow: nothing is cut off, nothing is wider than the screen, and axe finds nothing.
import { strict as assert } from 'node:assert';
import { axeFaults } from '../../scripts/browser.mjs';
import { openHome } from './home.mjs';
import { picture, visit } from './support.mjs';
import { SESSION } from './week.mjs';

const SIZES = {
  light: { width: 1440, height: 900 },
  dark: { width: 1200, height: 750, dark: true },
  narrow: { width: 390, height: 844 },
};

/** What is in sight when a view is whole. */
const VIEWS = {
  home: ['/', '.rules li'],
  runs: ['/runs', '.row:has-text("tok · $")'],
  decisions: ['/runs?view=decisions', '.row a'],
  run: [`/runs/${SESSION}`, '.step.stopped'],
  decision: [mailed, '.way'],
  policy: ['/policy', 'tr:has-text("path_guard")'],
  hook: ['/playground?hook=path_guard', '.decided'],
  playground: ['/playground?hook=command_guard', '.decided'],
  live: ['/live', '[role=status]:has-text("session"), [role=status]:has-text("nothing is running")'],
  approvals: ['/approvals', '.question'],
  backtest: [backtested, 'text=/, done/'],
  compare: [compared, '.compared-steps li.differs'],
};
/** The pictures of the others are made where something happens in them. */
const WITHOUT_PICTURE = new Set(['decisions', 'live', 'approvals']);

async function mailed(page) {
  await visit(page, `/runs/${SESSION}`);
  await page.waitForSelector('.step.asked:has-text("mail")');
  return page.getAttribute('a:has(> .step.asked:has-text("mail"))', 'href');
}

async function compared(page) {
  await visit(page, '/runs?decision=block');
  const rows = page.locator('[aria-label="Runs"] a:has-text("hit")');
  await rows.nth(1).waitFor();
  const [a, b] = await rows.evaluateAll((links) =>
    links.map((one) => one.getAttribute('href').slice('/runs/'.length)),
  );
  return `/compare?a=${a}&b=${b}`;
}

const NO_COMMITS = `---
event: tool.pre
priority: 10
script: |
  def handle(event, payload):
      if "git commit" in payload["args"].get("command", ""):
          return block("commits are made by people here")
      return allow()
---

# Commits

Are made by people.
`;

/** What a draft would have stopped. */
async function backtested(page) {
  await visit(page, '/playground?hook=command_guard');
  await page.waitForSelector('.editor .t-key');
  await page.fill('.editor textarea', NO_COMMITS);
  await page.click('text=Backtest this');
  await page.waitForFunction(() => window.location.search.includes('id='));
  return page.evaluate(() => window.location.pathname + window.location.search);
}

/** What somebody wants to read or press and is beyond the edge, where nothing scrolls to it. */
function cutOff() {
  return [...document.querySelectorAll('h1, h2, a, button, select, input, textarea, .word')]
    .filter((element) => element.closest('.table') === null && element.checkVisibility())
    .filter((element) => element.getBoundingClientRect().right > window.innerWidth + 1)
    .map((element) => element.outerHTML.slice(0, 120));
}

export const views = Object.fromEntries(
  Object.entries(SIZES).map(([mode, size]) => [
    `every view, ${mode}: nothing is cut off, and axe finds nothing`,
    async () => {
      const page = await openHome({ ...size, bypass: true });
      for (const [name, [where, whole]] of Object.entries(VIEWS)) {
        await visit(page, typeof where === 'string' ? where : await where(page));
        await page.locator(whole).first().waitFor();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= size.width, `${name} is ${wide} wide, want ${size.width}`);
        assert.deepEqual(await page.evaluate(cutOff), [], `${name}, ${mode}`);
        assert.deepEqual(await axeFaults(page, 'all'), [], `${name}, ${mode}`);
        if (!WITHOUT_PICTURE.has(name)) await picture(page, mode === 'light' ? name : `${mode}/${name}`);
      }
      return page;
    },
  ]),
);
