// Debian's Chromium for the tests of pages: found or installed, every complaint of the browser and every request to elsewhere noted, axe
// at hand, and tests run one after the other with a picture of what failed. Where there is no browser, they are skipped, loudly.
import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-lcd-text',
];

/** Ends the process if there is none. `what` is NOT tested then. */
export async function openBrowser(what) {
  const executablePath = findBrowser();
  if (executablePath !== null) return chromium.launch({ executablePath, args: FLAGS });
  console.error(
    `SKIPPED: npm run test:web has no Chromium: \`apt-get install -y chromium\` did not help. ${what} is NOT tested in a browser.`,
  );
  process.exit(0);
}

function findBrowser() {
  const known = () =>
    ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync) ?? null;
  if (known() !== null) return known();
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], {
    stdio: 'ignore',
    timeout: 300_000,
  });
  return known();
}

/** `isOurs(url)`: whether the page may ask for it. What else it asks for, and what the browser complains about, is in `page.faults`. */
export async function openPage(browser, link, isOurs, options = {}) {
  const { width = 1100, height = 640, dark = false, bypass = false, permissions = [] } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    // Only for axe, which is put into the page; every other test runs under the policy.
    bypassCSP: bypass,
    permissions,
  });
  // What is waited for is a state: this only ends what never comes.
  context.setDefaultTimeout(100_000);
  const page = await context.newPage();
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(error.message));
  page.on('console', (message) => {
    // The browser's own editing marks what it inserts with a style; that it is refused changes nothing.
    const own = /^Applying inline style/.test(message.text()) && page.url().includes('/playground');
    if (message.type() === 'error' && !own) page.faults.push(message.text());
  });
  page.on('dialog', (dialog) => {
    if (page.saysYes) return dialog.accept();
    page.faults.push(`a dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!isOurs(request.url()) && !request.url().startsWith('blob:'))
      page.faults.push(`asked ${request.url()}`);
  });
  await page.goto(link);
  await page.waitForSelector('main');
  return page;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds serious, or all that it finds; the page must have been opened with `bypass`. */
export async function axeFaults(page, which = 'serious') {
  await page.evaluate(axe);
  return page.evaluate(async (impacts) => {
    const { violations } = await globalThis.axe.run(document, {
      resultTypes: ['violations'],
      preload: false,
    });
    return violations
      .filter(({ impact }) => impacts === 'all' || impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => {
        const shown = nodes.slice(0, 3).map(({ html }) => html.slice(0, 160));
        return `${id}: ${shown.join(' | ')}`;
      });
  }, which);
}

/** Tests by title, each giving the pages it opened; `only` is a part of a title. Sets the exit code. */
export async function runTests(what, tests, browser, only) {
  let failed = 0;
  for (const [title, test] of Object.entries(tests)) {
    if (!title.includes(only)) continue;
    const began = Date.now();
    try {
      for (const page of [await test()].flat()) {
        assert.deepEqual(page.faults, [], 'what the browser complained about');
        await page.context().close();
      }
      console.log(`✓ ${title} (${Date.now() - began} ms)`);
    } catch (error) {
      failed++;
      console.error(`✗ ${title}\n  ${error.message}`);
      for (const context of browser.contexts()) {
        for (const page of context.pages()) {
          const path = join(tmpdir(), `harness-web-failed-${failed}.png`);
          await page.screenshot({ path }).catch(() => {});
          console.error(`  faults: ${page.faults?.join('; ')}; picture: ${path}`);
        }
        await context.close();
      }
    }
  }
  writeFileSync(1, failed === 0 ? `${what}: all well\n` : `${what}: ${failed} failed\n`);
  if (failed > 0) process.exitCode = 1;
}
