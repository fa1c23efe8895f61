// Questions that agents ask, answered in the page by people: allowed once, for the session, denied with a reason, by two at once.
import { strict as assert } from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { env, open, picture, scratch, servePerson, visit } from './support.mjs';

/** Goes to another branch than it seems to. */
const HIDDEN = 'origin/\u202enoitcudorp\u202c\u200b/main';

const WIDE = { width: 1440, height: 900 };

const HOOK = `---
event: tool.pre
priority: 1
script: |
  def handle(event, payload):
      return ask("it pushes to main") if payload["name"] in ["push", "run_command"] else allow()
---

# Pushes

Asks.
`;

/** A folder whose agent pushes so often, and pages over it as people at a terminal open them. */
function asking(name, pushes, tool = 'push') {
  const folder = join(scratch, name);
  mkdirSync(join(folder, '.harness/hooks'), { recursive: true });
  mkdirSync(join(folder, '.harness/tools'));
  writeFileSync(join(folder, '.harness/hooks/pushes.md'), HOOK);
  writeFileSync(
    join(folder, `.harness/tools/${tool}.md`),
    '---\nscript: |\n  def run(args):\n      return "it is pushed"\n---\n\nPushes.\n',
  );
  const completions = [...pushes.map((args) => ({ tool_calls: [{ name: tool, args }] })), { text: 'Done.' }];
  writeFileSync(join(folder, 'story.yaml'), JSON.stringify({ completions }));
  // Questions are the user's: each test has a user of its own.
  const own = { ...env, HOME: join(folder, 'home') };
  mkdirSync(own.HOME);
  const serve = (...more) => servePerson(own, '--dir', folder, ...more);
  const run = () => {
    const words = ['run', folder, '--script', join(folder, 'story.yaml'), '--prompt', 'Push it.', '--json'];
    const child = spawn(process.execPath, [CLI_FILE, ...words], { env: own });
    let said = '';
    child.stdout.on('data', (chunk) => (said += String(chunk)));
    return new Promise((resolve) => child.once('exit', () => resolve(said)));
  };
  return { serve, run };
}

async function watch(link, options) {
  const page = await open(link, options);
  await visit(page, '/approvals');
  await page.waitForSelector('text=nothing waits');
  return page;
}

const waits = (page) => page.waitForSelector('.question.is-open', { timeout: 100_000 });

async function answer(page, button, confirm, why = null) {
  await page.click(`text=${button}`);
  await page.waitForSelector('dialog.confirm[open]');
  if (why !== null) await page.fill('dialog.confirm input', why);
  await page.locator('dialog.confirm button').filter({ hasText: confirm }).click();
  await page.waitForSelector('dialog.confirm', { state: 'detached' });
}

const secondsLeft = async (page) => {
  const [, number, unit] = /(\d+) (s|min) left/.exec(await page.textContent('.question.is-open')) ?? [];
  return Number(number) * (unit === 'min' ? 60 : 1);
};

const tests = {
  'an ask raised in one terminal is answered in the page, and the agent goes on': async () => {
    const { serve, run } = asking('asking', [{ to: HIDDEN, force: true }]);
    const page = await watch(await serve(), { permissions: ['notifications'] });
    await page.waitForSelector('text=notifications are on');
    const ended = run();
    await waits(page);
    await page.waitForSelector('.badge');
    await page.waitForFunction(() => document.title.startsWith('(1) '));
    await page.waitForSelector('text=notifications are on, the last was shown');
    const text = await page.textContent('.question.is-open');
    // Who asks, why, by which line of which file; and nothing of the call is hidden.
    for (const part of ['harness run', 'it pushes to main', 'project/pushes', '\\u202enoitcudorp', '\\u200b'])
      assert.ok(text.includes(part), `want ${part} in ${text}`);
    assert.match(text, /\.harness\/hooks\/pushes\.md/);
    assert.doesNotMatch(text, /[\u200b\u202c\u202e]/);
    const left = await secondsLeft(page);
    assert.ok(left > 0);
    // Whoever only looks leaves it open.
    await answer(page, 'Allow once…', 'Leave it open');
    await page.click('text=Allow once…');
    await page.waitForSelector('dialog.confirm[open]');
    assert.ok((await page.textContent('dialog.confirm')).includes('\\u202enoitcudorp'));
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog.confirm', { state: 'detached' });
    await page.waitForTimeout(1600);
    assert.ok((await secondsLeft(page)) < left || left > 90, 'the time that is left gets less');
    await answer(page, 'Allow once…', 'Yes, let it run');
    assert.match(await ended, /it is pushed/);
    await page.waitForSelector('text=allowed once by page');
    await page.waitForSelector('.badge', { state: 'detached' });
    return page;
  },
  'two people at once: the first counts, the second is told; the agent is told why; who may only read cannot answer':
    async () => {
      const { serve, run } = asking('two', [{ command: 'git push --force origin main' }], 'run_command');
      const link = await serve();
      const [first, second] = [
        await watch(link, WIDE),
        await watch(link, { width: 1200, height: 750, dark: true }),
      ];
      const reader = await watch(await serve('--read-only'), { width: 390, height: 844 });
      const ended = run();
      for (const page of [first, second, reader]) await waits(page);
      // In words, what it will do.
      await first.waitForSelector('.question .lead-does:has-text("Replaces history that others may have")');
      await picture(first, 'approvals');
      await picture(second, 'dark/approvals');
      await picture(reader, 'narrow/approvals');
      await reader.waitForSelector('text=Questions are only shown here: this page is read-only');
      assert.equal(await reader.$('text=Allow once…'), null);
      await second.click('text=Allow once…');
      await second.waitForSelector('dialog.confirm[open]');
      // A no without a reason is not sent.
      await first.click('text=Deny…');
      await first.click('dialog.confirm button[type=submit]');
      assert.equal(await first.$eval('dialog.confirm input', (input) => input.matches(':invalid')), true);
      await first.fill('dialog.confirm input', 'not on a Friday');
      await first.keyboard.press('Enter');
      const said = await ended;
      assert.match(said, /not on a Friday/);
      assert.doesNotMatch(said, /it is pushed/);
      await second.click('text=Yes, let it run');
      await second.waitForSelector('text=Your answer changes nothing: answered already.');
      for (const page of [first, second, reader])
        await page.waitForSelector('text=/denied once by page.*not on a Friday/s');
      return [first, second, reader];
    },
  'what is allowed for its session is not asked again': async () => {
    const push = { to: 'origin/main' };
    const { serve, run } = asking('session', [push, push, { to: 'origin/other' }]);
    const page = await watch(await serve());
    const ended = run();
    await waits(page);
    await answer(page, 'Allow for its session…', 'Yes, let it run', 'it is my branch');
    // Another call is another question.
    await page.waitForSelector('.question.is-open:has-text("origin/other")', { timeout: 100_000 });
    await answer(page, 'Deny…', /^Deny$/, 'one is enough');
    assert.equal((await ended).split('it is pushed').length > 2, true);
    await page.waitForSelector('text=/allowed for its session by page.*it is my branch/s');
    assert.equal(await page.locator('.question').count(), 2);
    return page;
  },
};

function skipped() {
  console.error(
    'SKIPPED: script is missing, so nobody is at a terminal. Approvals are NOT tested in a browser.',
  );
  return {};
}

export const approvals = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0 ? tests : skipped();
