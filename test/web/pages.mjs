// Each place of the page by what a person does there; with the keyboard alone, 360 pixels wide, in both colour schemes, looked at by axe.
import { strict as assert } from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { dir, env, firstRun, link, open, picture, root, scratch, serve, visit } from './support.mjs';

async function exported(page) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.click('text=Export as Markdown'),
  ]);
  assert.equal(download.suggestedFilename(), 'backtest.md');
  return readFileSync(await download.path(), 'utf8');
}

export const pages = {
  'the link opens the page, and its token leaves the address': async () => {
    const page = await open(link);
    await page.waitForFunction(() => !window.location.href.includes('token'));
    await firstRun(page);
    return page;
  },
  'no other server of this machine is shown the cookie, though cookies do not know ports': async () => {
    const page = await open(link);
    await firstRun(page);
    const shown = [];
    const other = createServer((request, response) => {
      shown.push(request.headers.cookie ?? null);
      response.setHeader('content-type', 'text/html').end('<main>another server</main>');
    });
    await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
    const elsewhere = await page.context().newPage();
    const { port } = other.address();
    for (const path of ['/', '/api/', '/api/open']) await elsewhere.goto(`http://127.0.0.1:${port}${path}`);
    other.close();
    assert.deepEqual([...new Set(shown)], [null]);
    // A second tab needs no link.
    await elsewhere.goto(new URL('/', link).href);
    await firstRun(elsewhere);
    return page;
  },
  'in ten seconds: which calls were stopped, by which line of which file': async () => {
    const page = await open(link);
    const began = Date.now();
    await firstRun(page);
    await page.click('[aria-label="Runs"] a');
    await page.waitForSelector('.stopped li');
    const lines = await page.$$eval('.stopped li', (items) => items.map((item) => item.textContent));
    assert.equal(lines.length, 6);
    assert.match(
      await page.textContent('#stopped'),
      /^4 blocked, 1 sent back, 1 answer thrown away, and the line that did it$/,
    );
    const wanted = [
      ['sudo rm -rf /', 'command_guard'],
      ['authorized_keys', 'path_guard'],
      ['exec_run', 'prefer_named_tools'],
      ['.harness/hooks/command_guard.md', 'meta_tool_guard'],
      ['agent.stop', 'verify_before_stop'],
      ['completion.post', 'completion_window_guard'],
    ];
    for (const [i, [call, hook]] of wanted.entries()) {
      assert.ok(lines[i].includes(call), `want ${call} in ${lines[i]}`);
      const [, file, line] = new RegExp(`(\\.harness/hooks/${hook}\\.md):(\\d+)`).exec(lines[i]) ?? [];
      assert.ok(file, `want a line of ${hook} in ${lines[i]}`);
      const text = readFileSync(join(dir, file), 'utf8').split('\n')[line - 1].trim();
      assert.match(text, /block\(/);
      assert.ok(lines[i].includes(text), `want ${text} in ${lines[i]}`);
    }
    assert.ok(Date.now() - began < 10_000);
    await page.waitForSelector('text=verified, unsigned');
    return page;
  },
  'a run reads as a conversation: prompts, answers, calls, and in words what a stopped call would have done':
    async () => {
      const page = await open(link, { width: 1200, height: 640 });
      await visit(page, await firstRun(page));
      await page.waitForSelector('[aria-label="Conversation"] .k-prompt');
      const steps = await page.$$eval('.step', (all) =>
        all.map((one) => [one.className, one.textContent.replace(/^\d\d:\d\d:\d\d/, '')]),
      );
      assert.match(steps[0][1], /^›Get release 1\.4 ready/);
      assert.match(steps[1].join(' '), /k-answer.*I will look at the project first\..*tok/);
      assert.match(steps[2].join(' '), /k-call.*list_files/);
      const [, sudo] = steps.find(([name]) => name.includes('stopped'));
      assert.match(sudo, /blocked.*run_command.*sudo rm -rf \//);
      assert.match(sudo, /Would delete \/ and everything in it\. Would run as root\./);
      assert.match(sudo, /by command_guard: dangerous command blocked/);
      assert.ok(!steps.some(([, text]) => text.includes('session.start')), 'plumbing is not shown');
      // A bar says when in its turn each call was.
      const lefts = await page.$$eval('.fall-bar', (bars) =>
        bars.map((bar) => Number.parseFloat(bar.style.left)),
      );
      assert.deepEqual(
        [...lefts].sort((a, b) => a - b),
        lefts,
      );
      await page.waitForSelector('.stopped li');
      await page.click('button:has-text("6 stops")');
      await page.waitForSelector('button:has-text("Stop 1 of 6")');
      await page.check('text=Every entry');
      await page.waitForSelector('[aria-label="Timeline"] a:has-text("session.start")');
      await page.waitForSelector('text=91 entries');
      return page;
    },
  'every entry has a link, also one that is no decision; a call leads to its result': async () => {
    const page = await open(link);
    const run = await firstRun(page);
    await visit(page, `${run}/4`);
    await page.waitForSelector('.pane .decided:has-text("message")');
    await page.waitForSelector('.pane .code:has-text("Get release 1.4 ready")');
    await visit(page, `${run}/9`);
    await page.waitForSelector('.parts a:has-text("tool.post")');
    await page.waitForSelector('[aria-label="The result"]:has-text("words with accents")');
    // The line of the list is the one that is open.
    await page.waitForSelector('[aria-current="true"] .step:has-text("notes/changes.md")');
    await page.click('.parts a:has-text("tool.post")');
    await page.waitForSelector('.pane .decided:has-text("tool.post")');
    await visit(page, `${run}/9999`);
    await page.waitForSelector('.pane .problem:has-text("no entry 9999")');
    page.faults = page.faults.filter((fault) => !/404/.test(fault));
    return page;
  },
  'a decision opens with its chain; today’s policy is asked in place; the link leads there again':
    async () => {
      const page = await open(link);
      await page.click(`a[href="${await firstRun(page)}"]`);
      await page.click('.stopped li a');
      await page.waitForSelector('.chain li');
      const chain = await page.$$eval('.chain li', (items) => items.map((item) => item.textContent));
      assert.match(chain[1], /block.*command_guard.*decided/);
      assert.match(chain[2], /not reached/);
      await page.click('text=Would today');
      await page.waitForSelector('text=Yes, the same.', { timeout: 100_000 });
      await page.waitForSelector('[aria-label="Conversation"] a');
      // The code of the hook, the line that decided, and where the arguments came from.
      assert.match(await page.textContent('.code.lines .marked'), /return block\("dangerous command blocked/);
      assert.ok((await page.$$('.code.lines .line')).length > 8);
      await page.waitForSelector('.origins li:has-text("sudo rm -rf /")');
      await page.evaluate(() => document.querySelector('.pane').scrollTo(0, 0));
      const again = await open(link.replace('/?', `${new URL(page.url()).pathname}?`));
      await again.waitForSelector('.chain li');
      return page;
    },
  'what was rewritten is shown as a difference, and what each hook saw': async () => {
    const page = await open(link);
    await visit(page, `${await firstRun(page)}?decision=modify`);
    await page.click('[aria-label="Timeline"] a');
    await page.waitForSelector('.diff del');
    const [before, now] = [await page.textContent('.diff .minus'), await page.textContent('.diff .plus')];
    assert.notEqual(before, now);
    assert.match(now, /redacted/i);
    const chain = '.chain > li > details:not(:has(.chain))';
    await page.click(`${chain} summary`);
    await page.waitForSelector(`${chain}[open] pre`);
    return page;
  },
  'filters and plots stand in the address: a link to a search is a search': async () => {
    const page = await open(link);
    await firstRun(page);
    await page.click('text=Filters');
    await page.fill('.f-tool input', 'write_*');
    await page.selectOption('select[aria-label="decision"]', 'block');
    await page.waitForFunction(() => /decision=block&tool=write_/.test(window.location.search));
    await page.waitForSelector('b:has-text("2 hits")');
    await page.click('nav.tabs >> text=Decisions');
    await page.waitForSelector('text=/^2 decisions/');
    await page.reload();
    await page.waitForSelector('text=2 decisions');
    assert.equal(await page.inputValue('.f-tool input'), 'write_*');
    for (const [field, none] of [
      ['agent', 'codex'],
      ['hook', 'nobody'],
      ['event', 'tool.post'],
      ['until', '2000-01-01'],
      ['since', '2999-01-01'],
    ]) {
      await page.fill(`.f-${field} input`, none);
      await page.waitForSelector('text=0 decisions');
      await page.fill(`.f-${field} input`, '');
      await page.waitForSelector('text=2 decisions');
    }
    await visit(page, '/runs');
    await page.click('.plots summary');
    await page.click('.bars a >> nth=0');
    await page.waitForFunction(() => window.location.search.includes('hook='));
    await visit(page, '/runs');
    assert.ok((await (await page.$('.columns a span')).boundingBox()).height > 8);
    await page.click('.columns a >> nth=0');
    await page.waitForFunction(() => /since=\d{4}-\d\d-\d\d&until=/.test(window.location.search));
    return page;
  },
  'a guard that may be off is a mark on every view and a row on home, which can be dismissed until it says something else':
    async () => {
      const folder = join(scratch, 'off');
      mkdirSync(join(folder, '.harness/hooks'), { recursive: true });
      const file = (name) => join(folder, `.harness/hooks/${name}.md`);
      const hook =
        '---\nevent: tool.pre\non_error: allow\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n\n# A\n\nA.\n';
      writeFileSync(file('first'), hook);
      const page = await open(await serve('--dir', folder));
      await page.waitForSelector('h1:has-text("1 guard to look at")', { timeout: 100_000 });
      for (const place of ['/', '/runs', '/live', '/playground', '/backtest', '/approvals', '/policy']) {
        await visit(page, place);
        await page.waitForSelector('nav .mark', { timeout: 100_000 });
      }
      await page.waitForSelector('#off.off-box li:has-text("may be off")', { timeout: 100_000 });
      await visit(page, '/');
      await page.waitForSelector('.warnings li:has-text("may be off") a[href="/policy#off"]');
      await page.click('.warnings button:has-text("Dismiss")');
      await page.waitForSelector('nav .mark', { state: 'detached' });
      await page.waitForSelector('h1:has-text("1 warning you dismissed")');
      // It is remembered, and nowhere is the folder called guarded.
      await page.reload();
      await page.waitForSelector('h1:has-text("1 warning you dismissed")', { timeout: 100_000 });
      await visit(page, '/policy');
      await page.waitForSelector('#off.off-box li:has-text("may be off")', { timeout: 100_000 });
      rmSync(file('first'));
      writeFileSync(file('second'), hook);
      await visit(page, '/');
      await page.waitForSelector('nav .mark', { timeout: 100_000 });
      await page.waitForSelector('.warnings li:has-text("second")');
      return page;
    },
  'with the keyboard alone: search, move, open, close, help': async () => {
    const page = await open(link);
    await firstRun(page);
    await page.keyboard.press('j');
    // The line above is the day.
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-index') === '1');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[aria-label="Conversation"] a');
    // The prompt is two lines high.
    for (const at of [0, 2, 3]) {
      await page.keyboard.press('j');
      await page.waitForFunction(
        (line) => document.activeElement?.getAttribute('data-index') === String(line),
        at,
      );
    }
    await page.keyboard.press('k');
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-index') === '2');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.pane');
    await page.keyboard.press('Escape');
    await page.waitForSelector('.pane', { state: 'detached' });
    await page.keyboard.press('Escape');
    await page.waitForSelector('input[type=search]');
    await page.keyboard.press('/');
    await page.keyboard.type('authorized');
    await page.waitForFunction(() => window.location.search.includes('q=authorized'));
    await page.waitForSelector('text=hits');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog[open]', { state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.waitForSelector('h1:has-text("Policy")');
    return page;
  },
  'the policy shows its chain with what each hook did, and that nothing is off': async () => {
    const page = await open(link);
    await visit(page, '/policy');
    await page.waitForSelector('text=No guard is off');
    await page.waitForSelector('[aria-label="Events"] a:has-text("agent.stop")');
    const row = await page.textContent('tr:has-text("command_guard")');
    assert.match(row, /10.*command_guard.*21/s);
    return page;
  },
  'the playground decides what is typed, and writes nothing': async () => {
    const page = await open(link);
    await visit(page, '/playground?hook=command_guard');
    await page.waitForSelector('.decided', { timeout: 100_000 });
    await page.selectOption('select[aria-label="hook"]', '.harness/hooks/prefer_named_tools.md');
    await page.waitForFunction(() =>
      document.querySelector('.editor')?.textContent.includes('raw program execution'),
    );
    await page.fill('textarea.payload', '{"id": "1", "name": "exec_run", "args": {"argv": ["ls"]}}');
    await page.waitForSelector('.decided:has-text("blocked")', { timeout: 100_000 });
    await page.fill(
      'textarea.payload',
      '{"id": "1", "name": "run_command", "args": {"command": "sudo sh -c \'rm -rf /\'"}}',
    );
    await page.waitForSelector('.command-read:has-text("deletes /")', { timeout: 100_000 });
    // Words that touch read as one.
    const words = await page.$$eval('.command-read li:first-child .word', (all) =>
      all.map((word) => word.getBoundingClientRect()).map(({ left, right }) => ({ left, right })),
    );
    for (const [i, { left }] of words.entries()) if (i > 0) assert.ok(left > words[i - 1].right);
    const before = readFileSync(join(dir, '.harness/hooks/prefer_named_tools.md'), 'utf8');
    await page.evaluate(() => document.querySelector('.editor textarea').focus());
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' More.');
    await page.waitForSelector('text=Edited here only');
    assert.equal(readFileSync(join(dir, '.harness/hooks/prefer_named_tools.md'), 'utf8'), before);
    const inEditor = (what) =>
      page.waitForFunction((one) => document.querySelector('.editor').querySelector(one), what, {
        timeout: 100_000,
      });
    await inEditor('.t-word');
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(before.replace('def handle', 'def hande'));
    await inEditor('.line.is-error');
    await page.waitForSelector('.problems li:has-text("handle")');
    // Saved on an act, and only then.
    const file = join(dir, '.harness/hooks/prefer_named_tools.md');
    assert.equal(readFileSync(file, 'utf8'), before);
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(`${before}More.\n`);
    page.saysYes = true;
    await page.click('text=Save…');
    await page.waitForSelector('text=prefer_named_tools.md is written.');
    assert.equal(readFileSync(file, 'utf8'), `${before}More.\n`);
    writeFileSync(file, before);
    return page;
  },
  'a changed rule is backtested from the page': async () => {
    const page = await open(link);
    await visit(page, '/playground?hook=prefer_named_tools');
    await page.waitForFunction(
      () => document.querySelector('.editor')?.textContent.includes('raw program execution'),
      null,
      { timeout: 100_000 },
    );
    await page.evaluate(() => document.querySelector('.editor textarea').focus());
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(
      '---\nevent: tool.pre\npriority: 20\nscript: |\n  def handle(event, payload):\n      return block("nothing more") if payload["name"] == "list_files" else allow()\n---\n\n# None\n\nNone.\n',
    );
    await page.waitForSelector('text=Edited here only');
    await page.click('text=Backtest this');
    await page.waitForSelector('text=done', { timeout: 100_000 });
    await page.waitForSelector('td:has-text("list_files")');
    await page.waitForSelector('text=/✓ Self-check/');
    const classes = await page.textContent('fieldset');
    assert.match(classes, /allow → block/);
    assert.match(await exported(page), /list_files/);
    return page;
  },
  'a changed rule is backtested over imported runs, in a page that the daemon serves': async () => {
    const folder = join(scratch, 'imported');
    const transcripts = join(env.HOME, '.claude/projects/-imported');
    mkdirSync(join(folder, '.harness/hooks'), { recursive: true });
    mkdirSync(transcripts, { recursive: true });
    const sample = readFileSync(join(root, 'test/transcripts/claude-code.jsonl'), 'utf8');
    const id = '11111111-2222-4333-8444-555555555555';
    writeFileSync(join(transcripts, `${id}.jsonl`), sample.replaceAll('/home/ann/app', folder));
    const rule = (word) =>
      `---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return block("no ${word}") if "${word}" in payload["args"].get("command", "") else allow()\n---\n\n# No\n\nNo.\n`;
    writeFileSync(join(folder, '.harness/hooks/no.md'), rule('deploy'));
    const command = (...words) =>
      spawnSync(process.execPath, [CLI_FILE, ...words], { env, cwd: folder, encoding: 'utf8' });
    assert.equal(command('import', 'claude-code').status, 0);
    assert.equal(command('daemon', 'start').status, 0);
    const told = JSON.parse(command('ui', '--json').stdout);
    assert.notEqual(told.daemon, null);
    const page = await open(told.link);
    await visit(page, '/playground?hook=no');
    await page.waitForFunction(
      () => document.querySelector('.editor')?.textContent.includes('no deploy'),
      null,
      { timeout: 100_000 },
    );
    await page.evaluate(() => document.querySelector('.editor textarea').focus());
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(rule('push'));
    await page.waitForSelector('text=Edited here only');
    await page.click('text=Backtest this');
    await page.waitForSelector('td:has-text("git push --force origin main")', { timeout: 100_000 });
    assert.match(await page.textContent('fieldset'), /allow → block 2/);
    // Then and now stand side by side, as in what is exported.
    const call = await page.$$eval('tr:has-text("git push --force origin main") td', (cells) =>
      cells.map((cell) => cell.textContent),
    );
    assert.match(call[1], /allow/);
    assert.match(call[2], /block.*no.*no push/s);
    const markdown = await exported(page);
    assert.match(markdown, /git push --force origin main/);
    assert.match(markdown, /no push/);
    command('daemon', 'stop');
    // What it asked after that had no answer.
    page.faults = page.faults.filter((fault) => !/ERR_CONNECTION/.test(fault));
    return page;
  },
  'a running session appears by itself': async () => {
    const page = await open(link);
    await visit(page, '/live');
    await page.waitForSelector('text=/nothing is running|session/');
    const child = spawn(process.execPath, [CLI_FILE, 'run', dir, '--prompt', 'Go on.'], {
      env: { ...env, HARNESS_TRUST: 'all' },
      stdio: 'ignore',
    });
    await page.waitForSelector('.row-flow:has-text("sudo rm -rf /")', { timeout: 100_000 });
    await picture(page, 'live');
    await new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve()));
    await page.waitForSelector('[role=status]:has-text("nothing is running")', { timeout: 100_000 });
    return page;
  },
  'all JavaScript of the page, editor included, is 120 kB at most as it is sent; nothing comes from elsewhere':
    async () => {
      const page = await open(link);
      for (const place of [
        '/runs',
        await firstRun(page),
        '/live',
        '/policy',
        '/backtest',
        '/approvals',
        '/playground',
      ])
        await visit(page, place);
      await page.waitForSelector('.editor textarea');
      const scripts = await page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
          .map(({ encodedBodySize }) => encodedBodySize),
      );
      const sum = scripts.reduce((all, each) => all + each, 0);
      assert.ok(sum > 10_000 && sum <= 120_000, `${sum} bytes`);
      return page;
    },
  'what is typed into the editor stands further in after a colon, and is taken back step by step':
    async () => {
      const page = await open(link);
      await visit(page, '/playground?hook=command_guard');
      await page.waitForSelector('.editor .t-key');
      await page.evaluate(() => document.querySelector('.editor textarea').focus());
      await page.keyboard.press('Control+A');
      await page.keyboard.type('script: |\n  def handle(event, payload):\nreturn allow()');
      const text = () => page.inputValue('.editor textarea');
      assert.equal(await text(), 'script: |\n  def handle(event, payload):\n      return allow()');
      await page.keyboard.press('Control+Z');
      assert.doesNotMatch(await text(), /return allow\(\)$/);
      // What is seen is what is in the field, line for line.
      const lines = await page.$$eval('.editor .line', (all) =>
        all.map((line) => line.textContent).join('\n'),
      );
      assert.equal(lines, await text());
      // Escape, then Tab leaves it.
      await page.keyboard.press('Escape');
      await page.keyboard.press('Tab');
      assert.notEqual(await page.evaluate(() => document.activeElement.tagName), 'TEXTAREA');
      return page;
    },
  'a folder without hooks and runs is not called guarded, and is told how to get some': async () => {
    const folder = join(scratch, 'empty');
    mkdirSync(join(folder, '.harness/hooks'), { recursive: true });
    const page = await open(await serve('--dir', folder));
    await page.waitForSelector('dt:has-text("harness install")');
    assert.equal(await page.$('.plots'), null);
    await visit(page, '/policy');
    await page.waitForSelector('#off.off-box:has-text("Nothing guards this folder")');
    assert.equal(await page.$('text=No guard is off'), null);
    return page;
  },
};
