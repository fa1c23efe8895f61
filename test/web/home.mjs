// Home and the list of runs over a week of a team: what was stopped, by which rule and why, what to change, and which run it was in.
import { strict as assert } from 'node:assert';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env, link, open, picture, scratch, servePerson, visit } from './support.mjs';
import { recordSession, recordWeek, SESSION } from './week.mjs';

let week = null;

/** The folder of the week and a page over it: recorded when the first test wants it. */
export function weekPage() {
  week ??= (async () => {
    const folder = join(scratch, 'shop');
    const own = { ...env, HOME: join(scratch, 'home-of-week') };
    mkdirSync(own.HOME);
    const names = await recordWeek(folder, own);
    recordSession(folder, own);
    return { folder, names, link: await servePerson(own, '--dir', folder) };
  })();
  return week;
}

/** Once every tape is read. */
export async function openHome(options) {
  const { link } = await weekPage();
  const page = await open(link, options);
  await page.waitForSelector('.rules li', { timeout: 100_000 });
  await page.waitForSelector('text=Tapes are still being read', { state: 'detached', timeout: 100_000 });
  await page.waitForSelector('h1:has-text("Everything is guarded")', { timeout: 100_000 });
  return page;
}

export const home = {
  'home says in five seconds what was stopped this week, by which rule, why, and what to change':
    async () => {
      const page = await openHome({ width: 1440, height: 900 });
      const rules = await page.$$eval('.rules > li', (items) => items.map((item) => item.textContent));
      for (const [rule, call] of [
        ['core/delete-system', 'sudo rm -rf /var/lib/app'],
        ['path_guard', 'authorized_keys'],
      ])
        assert.ok(
          rules.some((text) => text.includes(rule) && text.includes(call)),
          `want ${rule} with ${call} in ${rules.join('\n')}`,
        );
      // Counts of the rows and of the tile are of one kind.
      const counts = await page.$$eval('.rules .times.v-block', (all) =>
        all.map((one) => Number(one.textContent)),
      );
      const stopped = Number(await page.textContent('.tile:has-text("Stopped this week") .figure'));
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        stopped,
      );
      const row = page.locator('.rules > li', { hasText: 'core/delete-system' });
      await row.locator('summary').click();
      const more = await row.locator('.rule-more').textContent();
      assert.match(more, /deletes a folder of the system/);
      const exception = await row.locator('text=Make an exception').getAttribute('href');
      assert.match(exception, /^\/policy\?except=core%2Fdelete-system&run=\w+&seq=\d+$/);
      // A hook of the project is edited, with the call at hand.
      const hook = page.locator('.rules > li', { hasText: 'path_guard' });
      await hook.locator('summary').click();
      assert.match(
        await hook.locator('text=Edit the hook').getAttribute('href'),
        /^\/playground\?hook=path_guard&run=\w+&seq=\d+$/,
      );
      await row.locator('.cases a').first().click();
      await page.waitForSelector('.pane', { timeout: 100_000 });
      return page;
    },
  'home names the agent that is guarded, and the one thing to do first': async () => {
    const page = await openHome();
    assert.match(await page.textContent('.to-do'), /owners broke, and stopped \d+ calls? of ordinary work/);
    assert.match(await page.getAttribute('.to-do a', 'href'), /^\/playground\?hook=owners&run=/);
    await page.waitForSelector('.card li:has-text("claude-code") .v-allow:has-text("guarded")');
    assert.equal(await page.textContent('.tile:has-text("Agents guarded") .figure'), '1');
    // Without an agent that is the first thing.
    const other = await open(link);
    await other.waitForSelector('h1:has-text("no agent is connected")', { timeout: 100_000 });
    assert.match(await other.textContent('.to-do'), /connect the agent you work with.*harness install/s);
    return [page, other];
  },
  'a session of an agent has the tokens and the model of its own transcript, each answer counted once':
    async () => {
      const page = await openHome();
      await visit(page, `/runs/${SESSION}`);
      await page.waitForSelector('.run-head:has-text("claude-sonnet-4-5")');
      await page.waitForSelector('.run-head:has-text("19k tok")');
      return page;
    },
  'the way of a value: from the web page that said it, through the file, to the call; each is a link':
    async () => {
      const page = await openHome({ width: 1440, height: 900 });
      await visit(page, `/runs/${SESSION}`);
      await page.click('.stopped a:has-text("mail help@attacker.example")');
      const way = page.locator('.way', { hasText: 'help@attacker.example' });
      await way.first().waitFor();
      const steps = await way.first().locator('li').allTextContents();
      assert.match(steps[0], /a web page entry \d+.*tracker\.example\.com/);
      assert.match(steps[1], /^written to notes\.md entry \d+/);
      assert.match(steps.at(-1), /this call.*help@attacker\.example/);
      await way.first().locator('a').first().click();
      await page.waitForSelector('.pane .decided:has-text("tool.post")');
      // What the page of the web said is text.
      await page.waitForSelector('.pane:has-text("<img src=x onerror=alert(1)>")');
      assert.equal(await page.$('img'), null);
      return page;
    },
  'a hook that breaks is told as ordinary work that was disturbed, with the way to repair it': async () => {
    const page = await openHome();
    const row = page.locator('#disturbed li', { hasText: 'owners' });
    assert.match(await row.textContent(), /stopped \d+ calls? because it broke/);
    assert.match(await row.locator('a').getAttribute('href'), /^\/playground\?hook=owners&run=/);
    assert.equal(await page.locator('.rules > li', { hasText: 'owners' }).count(), 0);
    return page;
  },
  'home tells today, yesterday and the week apart': async () => {
    const page = await openHome();
    const sum = async () =>
      (await page.$$eval('.rules .times', (all) => all.map((one) => Number(one.textContent)))).reduce(
        (all, one) => all + one,
        0,
      );
    const whole = await sum();
    await page.click('.segments >> text=Today');
    const today = await sum();
    await page.click('.segments >> text=Yesterday');
    const yesterday = await sum();
    assert.ok(today + yesterday < whole && whole > 0, `${today}, ${yesterday}, ${whole}`);
    await visit(page, '/');
    return page;
  },
  'an exception shows the change of the file, is backtested, and only then can be written': async () => {
    const { folder } = await weekPage();
    const file = join(folder, '.harness/harness.md');
    const before = readFileSync(file, 'utf8');
    const page = await openHome();
    const row = page.locator('.rules > li', { hasText: 'core/delete-system' });
    await row.locator('summary').click();
    await row.locator('text=Make an exception').click();
    await page.waitForSelector('.exception a:has-text("sudo rm -rf /var/lib/app")');
    const button = (text) => page.locator('.exception button', { hasText: text });
    assert.equal(await button('Write it').isDisabled(), true);
    await page.fill('.exception .wide input', 'the app is "ours": /var/lib/app');
    await page.waitForSelector('.file-diff .added:has-text("core/delete-system")');
    assert.match(await page.textContent('.file-diff'), /\+exceptions:/);
    await picture(page, 'exception');
    assert.equal(await button('Write it').isDisabled(), true);
    await button('Backtest it first').click();
    await page.waitForSelector('.exception >> text=/, done/', { timeout: 300_000 });
    await page.waitForSelector('.exception td:has-text("sudo rm -rf /var/lib/app")');
    assert.equal(readFileSync(file, 'utf8'), before, 'nothing is written before somebody says so');
    await button('Write it').click();
    await page.waitForSelector('text=harness.md is written');
    assert.match(
      readFileSync(file, 'utf8'),
      /exceptions:\n {2}- \{rule: core\/delete-system, expires: \d{4}-\d\d-\d\d, reason: "the app is \\"ours\\": \/var\/lib\/app"\}/,
    );
    writeFileSync(file, before);
    return page;
  },
  'the policy marks a hook that nothing asked in 30 days, and shows what each rule of a pack stopped':
    async () => {
      const page = await openHome();
      await visit(page, '/policy');
      const row = (name) => page.locator('.hooks tr', { hasText: name });
      await row('prefer_named_tools').locator('.tag:has-text("not asked in 30 days")').waitFor();
      assert.equal(await row('path_guard').locator('.tag.warn').count(), 0);
      await page.click('summary:has-text("pack core")');
      const rule = page.locator('tr', { has: page.locator('a', { hasText: /^core.delete-system$/ }) });
      assert.match(await rule.textContent(), /core\/delete-system.*[1-9]\d*.*ago/);
      assert.equal(
        await rule.locator('text=Exception…').getAttribute('href'),
        '/policy?except=core%2Fdelete-system',
      );
      return page;
    },
  'runs have a title, what worked and what it spent; they are grouped, and a filter can be remembered':
    async () => {
      const page = await openHome({ width: 1440, height: 900 });
      await visit(page, '/runs');
      await page.waitForSelector('.heading:has-text("Today")');
      await page.waitForSelector(
        '.row:has-text("harness run"):has-text("claude-sonnet-4-5"):has-text("tok · $")',
      );
      await page.selectOption('select[aria-label="grouped"]', 'agent');
      await page.waitForSelector('.heading >> text=/^(claude-code|codex|harness run)$/');
      await page.selectOption('select[aria-label="grouped"]', 'person');
      await page.waitForSelector('.heading >> text=/^(ann|bo|without a name)$/');
      await page.click('.chip >> text=Stopped this week');
      await page.waitForFunction(() => window.location.search.includes('decision=block'));
      await page.waitForSelector('b:has-text("hit")');
      await page.fill('input[type=search]', 'publish');
      await page.click('text=+ Save this filter');
      await page.reload();
      await page.waitForSelector('.own .chip[aria-current]:has-text("publish, 7d, block")');
      await page.click('.own button');
      await page.waitForSelector('.own', { state: 'detached' });
      return page;
    },
  'two runs stand side by side: what they spent, and where their steps part': async () => {
    const page = await openHome({ width: 1440, height: 900 });
    await visit(page, '/runs?decision=block');
    await page.waitForSelector('[aria-label="Runs"] a');
    await page.click('[aria-label="Runs"] a');
    await page.click('text=Compare');
    await page.waitForFunction(
      () => document.querySelector('[aria-label="the other run"]')?.options.length > 3,
    );
    await page.selectOption('[aria-label="the other run"]', { index: 2 });
    await page.waitForSelector('.compared th:has-text("calls")');
    await page.waitForSelector('.compared-steps li.differs');
    await page.waitForSelector('.compared-steps .v-block');
    // The same run twice parts nowhere.
    const { searchParams } = new URL(page.url());
    await visit(page, `/compare?a=${searchParams.get('a')}&b=${searchParams.get('a')}`);
    await page.waitForSelector('h2:has-text("Both did the same")');
    return page;
  },
};
