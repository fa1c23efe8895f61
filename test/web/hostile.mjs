// Tapes that somebody made to hurt whoever looks at them: everything on them is shown as text, nothing hidden, and nothing hangs.
import { strict as assert } from 'node:assert';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { calmest, decision, header, LONGEST_TASK_MS, tapesIn } from './long.mjs';
import { dir, open, serve, servedBy, visit } from './support.mjs';

const SCRIPT = '<img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>';
/** Reads as `txt.exe` turned round, with characters of no width, of control, and half a character. */
const UNSEEN = 'a\u202eexe.txt\u202c\u200b\u2066\u0000\u001b[2J\ud800\u{e0041}z';
const EVIL = `${SCRIPT}${UNSEEN}"'javascript:alert(4)`;
const HIDDEN = '[\\u0000-\\u0008\\u000b-\\u001f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff]';
const MILLIONS = 50 * 1024 * 1024;

async function evilTapes() {
  const { folder, write } = await tapesIn('evil');
  const said = { action: 'block', hook: EVIL, reason: EVIL, layer: EVIL };
  await write(`evil${SCRIPT.replaceAll('/', '')}\u202e`, header({ session: EVIL, host: EVIL }), [
    decision(1, { id: EVIL, name: EVIL, args: { [EVIL]: EVIL, command: EVIL } }, said),
    { type: 'session', kind: EVIL, data: EVIL },
    {
      type: 'session',
      kind: 'message',
      data: { message: { role: EVIL, content: EVIL, tool_calls: [{ name: EVIL }] } },
    },
    { type: 'session', kind: 'call', data: { tool: EVIL, verdict: EVIL, by: EVIL, reason: EVIL } },
    decision(
      2,
      { id: '2', name: 'read', args: {}, result: 'y'.repeat(MILLIONS) },
      { action: 'allow' },
      'tool.post',
    ),
    decision(3, { id: '3', name: 'list', args: { list: new Array(20_000).fill(EVIL) } }, said),
    decision(4, { prompt: EVIL }, { ...said, action: 'modify', payload: { prompt: `${EVIL} more` } }, EVIL),
  ]);
  // A line that ends in half a character, one with bytes that are none, and one that is no line at all.
  writeFileSync(join(folder, 'garbage.jsonl'), Buffer.from([0xff, 0xfe, 0x0a, 0x7b, 0xc3, 0x28]));
  await write('utf8', header({ session: 'utf8' }), [
    decision(1, { id: '1', name: 'broken', args: { command: 'echo QQ' } }, said),
  ]);
  const whole = readFileSync(join(folder, 'utf8.jsonl'));
  const at = whole.indexOf('QQ');
  whole.set([0xc3, 0x28], at);
  writeFileSync(join(folder, 'utf8.jsonl'), whole);
  return folder;
}

/** Elements that only the tape could have made, and what cannot be seen in texts and in what is read aloud. */
const found = (page) =>
  page.evaluate((hidden) => {
    const made = [
      ...document.querySelectorAll('img, iframe, object, embed, svg, script:not([src]), [onerror], [onload]'),
    ];
    const named = [...document.querySelectorAll('[title], [aria-label], option')];
    const texts = [
      document.title,
      document.body.textContent,
      ...[...document.querySelectorAll('textarea, input')].map(({ value }) => value),
      ...named.flatMap((one) => [one.getAttribute('title') ?? '', one.getAttribute('aria-label') ?? '']),
    ];
    const links = [...document.links].filter(({ protocol }) => protocol !== 'http:');
    return {
      made: made.map(({ outerHTML }) => outerHTML),
      links: links.map(({ href }) => href),
      unseen: texts.flatMap((text) => new RegExp(`.{0,20}${hidden}`).exec(text)?.[0] ?? []),
    };
  }, HIDDEN);

const NOTHING = { made: [], links: [], unseen: [] };

export const hostile = {
  'a hostile tape shows as text with nothing hidden, makes no element, opens nothing, and keeps nobody waiting':
    async () => {
      const link = await serve('--dir', dir, '--runs', await evilTapes());
      const page = await open(link);
      await visit(page, '/runs');
      await page.waitForSelector('text=/^3 runs, \\d+ decisions$/', { timeout: 60_000 });
      const rows = await page.$$eval('[aria-label="Runs"] a', (links) =>
        links.map((each) => ({ href: each.getAttribute('href'), text: each.textContent })),
      );
      const evil = rows.find(({ href }) => href.includes('onerror'));
      assert.ok(evil.text.includes('<img src=x onerror=alert(1)><script>alert(2)</script>'), evil.text);
      assert.ok(rows.some(({ text }) => text.includes('broken')));
      const places = [
        '/',
        '/runs',
        '/runs?view=decisions',
        '/runs?q=onerror',
        '/live',
        '/policy',
        evil.href,
        ...[1, 5, 6, 7].map((seq) => `${evil.href}/${seq}`),
        '/runs/garbage',
        '/runs/utf8',
        '/runs/utf8/1',
        `/playground?run=${evil.href.slice('/runs/'.length)}&seq=1`,
      ];
      for (const place of places) {
        await visit(page, place);
        await page.waitForTimeout(700);
        await page.waitForFunction(
          () => !/(Reading|Looking|Reading the run)…$/.test(document.body.textContent),
          null,
          {
            timeout: 60_000,
          },
        );
        assert.deepEqual(await found(page), NOTHING, place);
      }
      // What is picked in the playground, and what a backtest says of it.
      await visit(page, `/playground?run=${evil.href.slice('/runs/'.length)}&seq=1`);
      await page.waitForFunction(
        () =>
          document.querySelectorAll('select.recorded option').length > 2 &&
          document.querySelector('.decided'),
        null,
        { timeout: 60_000 },
      );
      assert.deepEqual(await found(page), NOTHING, 'a recorded event in the playground');
      assert.ok((await page.inputValue('textarea.payload')).includes('\\u202eexe.txt'));
      await visit(page, '/backtest');
      await page.click('text=Start');
      await page.waitForSelector('text=/, done/', { timeout: 60_000 });
      assert.deepEqual(await found(page), NOTHING, 'a backtest');
      await visit(page, `${evil.href}/1`);
      await page.waitForSelector('.chain li');
      const text = await page.textContent('.pane');
      for (const part of [
        '<svg onload=alert(3)>',
        '\\u202eexe.txt',
        '\\u200b',
        '\\u0000',
        '\\u001b[2J',
        '\\ud800',
        '\\udb40\\udc41',
      ])
        assert.ok(text.includes(part), `want ${part} in what is shown`);
      await visit(page, `${evil.href}/5`);
      await page.click('text=Payload as it was fired');
      await page.waitForSelector('text=52,428,800 characters in all');
      await visit(page, '/runs/utf8/1');
      await page.waitForSelector('.pane:has-text("echo \ufffd(")');
      await visit(page, '/runs/utf8');
      await page.waitForSelector('text=/broken at entry 1/');
      const longest = await calmest(page, async () => {
        for (const place of ['/', '/runs', evil.href, `${evil.href}/6`, `${evil.href}/5`]) {
          await visit(page, place);
          await page.waitForTimeout(500);
        }
      });
      assert.ok(longest < LONGEST_TASK_MS, `a task of ${longest} ms`);
      console.log(
        `   hostile tapes: longest task ${Math.round(longest)} ms, the server at most ${servedBy(link)} MB`,
      );
      return page;
    },
};
