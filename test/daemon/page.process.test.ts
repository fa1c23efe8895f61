/** The page's server on its real socket: who may ask, what it answers, and what hostile tapes come out as. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { WEB_FOLDER } from '../../scripts/build-web.mjs';
import { harness, project } from '../cli/harness.ts';
import { tapeHeader, writeTape } from '../support/tape.ts';
import { canBePerson, openAtTerminal, openPage, type Page } from './page.ts';

const GUARD = `---
event: tool.pre
priority: 1
script: |
  def handle(event, payload):
      text = payload["args"].get("text", "")
      if "rm" in text:
          return block("no rm: " + text)
      if "mv" in text:
          return block("no mv: " + text)
      return modify({"args": {"text": text.upper()}})
---

# Guard

Guards.
`;

const FILES = {
  '.harness/harness.md': '---\nstrict: true\n---\n',
  '.harness/hooks/guard.md': GUARD,
  '.harness/tools/say.md': '---\nscript: |\n  def run(args):\n      return args["text"]\n---\n\nSays.\n',
  'story.yaml': JSON.stringify({
    completions: [
      { text: 'I begin.', tool_calls: [{ name: 'say', args: { text: 'hello' } }] },
      { tool_calls: [{ name: 'say', args: { text: 'please rm it' } }] },
      { tool_calls: [{ name: 'say', args: { text: 'then mv it' } }] },
      { text: 'Done.' },
    ],
  }),
};

let dir: string;
let page: Page;

beforeAll(async () => {
  dir = project(FILES);
  const { code } = await harness(['run', '--script', 'story.yaml', '--prompt', 'go'], { cwd: dir });
  expect(code).toBe(0);
  page = await openPage(dir);
});

describe('who may look', () => {
  it('whoever has the link, and after it whoever has its cookie; nobody else', async () => {
    // The page itself is the same in every package: there is nothing in it to hide.
    expect((await page.raw('/page.js')).status).toBe(200);
    expect((await page.raw('/api/runs')).status).toBe(401);
    expect((await page.raw(`${page.room}/runs`)).status).toBe(401);
    expect((await page.open(page.token.slice(1))).answer.status).toBe(401);
    const { answer, cookie } = await page.open(page.token);
    expect(answer.status).toBe(200);
    expect(cookie).not.toContain(page.token);
    expect((await page.get('/api/runs')).status).toBe(200);
    const other = { headers: { cookie: `${cookie.split('=')[0]}=x` } };
    expect((await page.get('/api/runs', other)).status).toBe(401);
    expect((await page.raw('/api/elsewhere/runs', { headers: { cookie } })).status).toBe(401);
  });

  it('its cookie is shown to no other server of this machine: it is of a path that only the page knows', async () => {
    const { answer, room } = await page.open(page.token);
    const [cookie] = answer.headers['set-cookie'] as string[];
    expect(cookie).toMatch(
      new RegExp(
        `^harness-${page.link.port}-[\\w-]{12}=[\\w-]{40,}; HttpOnly; SameSite=Strict; Path=${room}$`,
      ),
    );
    expect(room).toMatch(/^\/api\/[\w-]{32}$/);
    const next = await openPage(dir);
    const mine = await next.open(next.token);
    expect(mine.room).not.toBe(room);
    expect(mine.cookie.split('=')[0]!.slice(-12)).not.toBe(cookie!.split('=')[0]!.slice(-12));
  });

  it('what stands on the browser’s command line opens it once; seen twice, it closes what it opened', async (test) => {
    const bin = project({ 'xdg-open': '#!/bin/sh\nprintf %s "$1" > "$0.said"\n' });
    chmodSync(join(bin, 'xdg-open'), 0o755);
    if (!canBePerson) return test.skip('script is missing');
    const person = await openAtTerminal(dir, bin, bin);
    const file = join(bin, 'xdg-open.said');
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toMatch(/token=/);
    const code = new URL(readFileSync(file, 'utf8')).searchParams.get('token')!;
    expect(code).not.toBe(person.token);
    const { cookie, room } = await person.open(code);
    const asked = () => person.raw(`${room}/runs`, { headers: { cookie } });
    expect((await asked()).status).toBe(200);
    expect((await person.open(code)).answer.status).toBe(401);
    expect((await asked()).status).toBe(401);
    expect((await person.get('/api/runs')).status).toBe(200);
  });

  it('no other user of this machine, whatever they have seen', async (test) => {
    if (process.getuid?.() !== 0 || !existsSync('/proc/net/tcp')) return test.skip('wants root, and Linux');
    const asks = `fetch('${page.link.origin}/api/open', { method: 'POST', body: JSON.stringify({ key: '${page.token}' }),
      headers: { origin: '${page.link.origin}', 'content-type': 'application/json' } })
      .then(async (answer) => console.log(answer.status, await answer.text()))`;
    const asking = (uid: number) =>
      spawnSync(process.execPath, ['-e', asks], { uid, encoding: 'utf8', cwd: '/', env: {} }).stdout;
    expect(asking(65534)).toMatch(/^403 .*another user of this machine/);
    expect(asking(0)).toMatch(/^200 /);
  });

  it('nobody under another name: a name that is made to lead here is not ours', async () => {
    for (const host of ['evil.example', `evil.example:${page.link.port}`, '127.0.0.1', '127.0.0.1:1'])
      expect([host, (await page.get('/api/runs', { headers: { host } })).status]).toEqual([host, 421]);
    const { status } = await page.raw('/', { headers: { host: `localhost:${page.link.port}` } });
    expect(status).toBe(200);
  });

  it('no other page: neither with its Origin, nor across sites, nor without JSON', async () => {
    const run = await firstRun(page);
    const where = `/api/runs/${run}/decisions/1/today`;
    expect((await page.get('/api/runs', { headers: { origin: 'http://evil.example' } })).status).toBe(403);
    expect((await page.get('/api/runs', { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
    expect((await page.get(where, { method: 'POST', body: {} })).status).toBe(403);
    expect((await page.post(where, {}, { headers: { origin: 'null' } })).status).toBe(403);
    expect((await page.post(where, {}, { headers: { 'content-type': 'text/plain' } })).status).toBe(403);
  });

  it('beyond loopback only with a host and a key of one’s own', async () => {
    const refused = await harness(['ui', '--host', '0.0.0.0', '--dir', dir]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('--host and --key go together'),
    ]);
    writeFileSync(join(dir, 'short.key'), 'short');
    const short = await harness(['ui', '--host', '127.0.0.2', '--key', join(dir, 'short.key'), '--dir', dir]);
    expect([short.code, short.stderr]).toEqual([2, expect.stringContaining('at least 24')]);
  });
});

describe('every answer', () => {
  it('has a strict policy for its content, and says what it is', async () => {
    for (const answer of [
      await page.get('/'),
      await page.get('/page.js'),
      await page.get('/api/about'),
      await page.get('/api/nothing'),
      await page.raw('/'),
    ]) {
      const policy = String(answer.headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      expect(answer.headers['referrer-policy']).toBe('no-referrer');
    }
    expect((await page.get('/')).text).not.toMatch(/<script(?![^>]*src=)|style=|https?:/);
  });

  it('comes from a table: no path of a request reaches the disk', async () => {
    const paths = [
      '/../package.json',
      '/..%2f..%2fpackage.json',
      '//etc/passwd',
      '/%2e%2e/%2e%2e/etc/passwd.js',
      '/api/runs/..%2f..%2fetc%2fpasswd',
      `/api/runs/${encodeURIComponent(join(dir, '.harness/hooks/guard.md'))}`,
      '/api/runs/__proto__',
      '/api/../../etc/passwd',
    ];
    for (const path of paths) {
      const { status, text } = await page.get(path);
      // A path without a dot is a place inside the page, and gets the page.
      expect([path, status === 404 || text.includes('<div id="page">')]).toEqual([path, true]);
      expect(text).not.toMatch(/root:|"scripts"|def handle/);
    }
    expect((await page.get('/api/runs/nosuch')).json.error).toContain('no run');
    expect((await page.get('/api/runs?since=yesterdayish')).status).toBe(400);
    expect((await page.get('/api/decisions?offset=-1')).status).toBe(400);
    expect((await page.get('/api/decisions?event=tool.pr')).json.error).toContain('tool.pre');
  });
});

async function firstRun(page: Page): Promise<string> {
  return (await page.done('/api/runs')).json.runs[0].id;
}

describe('a run', () => {
  it('says what was stopped and by which line of which file', async () => {
    const { json } = await page.get(`/api/runs/${await firstRun(page)}/stopped`);
    const told = json.stopped.map(({ tool, text, hook, place }: (typeof json.stopped)[0]) => [
      tool,
      text,
      hook,
      place,
    ]);
    const place = { file: '.harness/hooks/guard.md', same: true };
    expect(told).toMatchObject([
      ['say', 'please rm it', 'guard', { ...place, line: 8, text: 'return block("no rm: " + text)' }],
      ['say', 'then mv it', 'guard', { ...place, line: 10, text: 'return block("no mv: " + text)' }],
    ]);
    // With the lines around it.
    const { first, lines } = json.stopped[0].place.code;
    expect(lines[8 - first]).toContain('return block("no rm: " + text)');
    expect(json.samePolicy).toBe(true);
  });

  it('gives a decision with its chain, what was rewritten and what today’s policy would say', async () => {
    const run = await firstRun(page);
    const { json } = await page.done(`/api/runs/${run}/rows?decision=modify`);
    const { seq } = json.rows[0];
    const decision = (await page.get(`/api/runs/${run}/decisions/${seq}`)).json;
    expect(decision).toMatchObject({ action: 'modify', word: 'rewritten', hook: 'guard' });
    expect(decision.changes).toEqual([{ path: 'args.text', before: 'hello', after: 'HELLO' }]);
    expect(decision.chain[0]).toMatchObject({ hook: 'guard', state: 'ran', said: 'modify', counted: true });
    expect(decision.place).toMatchObject({ line: 11 });
    const today = (await page.post(`/api/runs/${run}/decisions/${seq}/today`, {})).json;
    expect(today).toMatchObject({ same: true });
  });

  it('says that its seal holds, or at which entry it is broken', async () => {
    const broken = project(FILES);
    const [name] = readdirSync(join(dir, '.harness/runs')).filter((each) => each.endsWith('.jsonl'));
    const lines = readFileSync(join(dir, '.harness/runs', name!), 'utf8').split('\n');
    lines[5] = lines[5]!.replace('I begin', 'I began');
    const at = lines.findIndex((line) => line.includes('I beg'));
    const changed = lines.map((line, i) => (i === at ? line.replace('I begin', 'I began') : line));
    writeFileSync(join(broken, 'changed.jsonl'), changed.join('\n'));
    const other = await openPage(broken, '--runs', join(broken, 'changed.jsonl'));
    const { json } = await other.get('/api/runs/changed/seal');
    expect(json).toMatchObject({ state: 'broken', firstBroken: at });
    const seal = (await page.get(`/api/runs/${await firstRun(page)}/seal`)).json;
    expect(seal).toMatchObject({ state: 'verified', firstBroken: null });
  });

  it('is found by what it holds, and its decisions are listed newest first', async () => {
    const all = (await page.done('/api/decisions')).json;
    const times = all.rows.map(({ seq }: { seq: number }) => seq);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect((await page.done('/api/decisions?q=please%20rm&event=tool.pre')).json.total).toBe(1);
    expect((await page.done('/api/decisions?decision=block')).json.total).toBe(2);
    expect((await page.done('/api/runs?q=nowhere-at-all')).json.runs).toEqual([]);
    const { runs, plots } = (await page.done('/api/runs?decision=block')).json;
    expect(runs).toMatchObject([{ blocks: 2, hits: 2 }]);
    expect(plots.rules).toEqual([{ hook: 'guard', block: 2, ask: 0 }]);
  });
});

describe('the policy', () => {
  it('is shown in the order of its chain, with what each hook did, and what is off', async () => {
    await page.done('/api/runs');
    const { json } = await page.get('/api/policy');
    const chain = json.chains.find(({ event }: { event: string }) => event === 'tool.pre');
    expect(chain.hooks[0]).toMatchObject({
      name: 'guard',
      layer: 'project',
      traffic: { calls: 3, block: 2, modify: 1 },
    });
    expect([json.strict, json.off]).toEqual([true, []]);
  });

  it('counts the rules of packs by what the tape names; what an older tape leaves unnamed is said apart', async () => {
    const other = project({
      '.harness/harness.md': '---\nuse: [core]\n---\n',
      '.harness/tools/run_command.md': '---\nscript: |\n  def run(args):\n      return "ran"\n---\n\nRuns.\n',
      'story.yaml': JSON.stringify({
        completions: [
          { tool_calls: [{ name: 'run_command', args: { command: 'rm -rf /usr' } }] },
          { text: 'by the rule core/nothing: no' },
        ],
      }),
    });
    expect((await harness(['run', '--script', 'story.yaml', '--prompt', 'go'], { cwd: other })).code).toBe(0);
    const old = {
      type: 'decision' as const,
      in: { dispatch: 1, run: 1, event: 'tool.pre', payload: { name: 'x', args: {} } },
      out: {
        action: 'block' as const,
        hook: 'pack:core',
        reason: 'x is stopped by the rule core/power: no',
        hooks: [{ hook: 'pack:core', source: 'harness.md', result: 'block' as const, reason: 'no' }],
      },
    };
    writeTape(join(other, '.harness/runs/old.jsonl'), [old], { header: tapeHeader() });
    const shown = await openPage(other);
    await shown.done('/api/runs');
    const { packs, unnamed } = (await shown.get('/api/policy')).json;
    const hit = packs.flatMap(({ rules }: { rules: { name: string; hits: number }[] }) =>
      rules.filter(({ hits }) => hits > 0).map(({ name, hits }) => [name, hits]),
    );
    expect(hit).toEqual([['core/delete-system', 1]]);
    expect(unnamed).toBe(1);
  });

  it('is tested on demand, and says what no test reaches', async () => {
    const { json } = await page.post('/api/policy/tests', {});
    expect(json).toMatchObject({ passed: 0, failed: [], decisions: { hit: 0, all: 3 } });
    expect(json.untested[0]).toEqual({
      hook: 'guard',
      place: '.harness/hooks/guard.md',
      what: 'no test concerns it',
    });
  });

  it('names every guard that may be off', async () => {
    const page = await openPage(
      project({
        '.harness/hooks/a.md': GUARD.replace('priority: 1', 'priority: 1\non_error: allow'),
        '.harness/hooks/b.md': GUARD.replace('priority: 1', 'priority: 2\nmode: shadow'),
      }),
    );
    const { warnings } = (await page.get('/api/about')).json;
    const off = warnings.map(({ text }: { text: string }) => text);
    expect(off.join('\n')).toMatch(/hook "a" on tool.pre may be off/);
    expect(off.join('\n')).toMatch(/hook "b" on tool.pre only watches/);
  });
});

describe('the first page', () => {
  it('is at most 120 kB as it is sent', () => {
    const sizes = ['index.html', 'page.js', 'page.css', 'icon.svg'].map(
      (name) => gzipSync(readFileSync(join(WEB_FOLDER, name))).length,
    );
    expect(sizes.reduce((all, size) => all + size)).toBeLessThan(120_000);
    expect(statSync(WEB_FOLDER).isDirectory()).toBe(true);
  });
});
