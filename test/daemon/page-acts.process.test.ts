/** What the page does beside showing: a draft is tried and backtested without being written, saved only on an act, sessions are followed. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { harness, project } from '../cli/harness.ts';
import { until } from '../support/until.ts';
import { canBePerson, openAtTerminal, openPage, type Page } from './page.ts';

const hook = (word: string) => `---
event: tool.pre
priority: 1
script: |
  def handle(event, payload):
      if "${word}" in payload["args"].get("text", ""):
          return block("no ${word}")
      return allow()
---

# Guard

Guards.
`;

const SOURCE = '.harness/hooks/guard.md';

const FILES = {
  '.harness/harness.md': '---\nstrict: true\n---\n',
  [SOURCE]: hook('rm'),
  '.harness/settings.json': JSON.stringify({
    hooks: { PreToolUse: [{ matcher: 'never', hooks: [{ type: 'command', command: 'touch RAN' }] }] },
  }),
  '.harness/tools/say.md': '---\nscript: |\n  def run(args):\n      return args["text"]\n---\n\nSays.\n',
  'story.yaml': JSON.stringify({
    completions: [
      { tool_calls: [{ name: 'say', args: { text: 'rm it' } }] },
      { tool_calls: [{ name: 'say', args: { text: 'mv it' } }] },
      { text: 'Done.' },
    ],
  }),
};

let dir: string;
let page: Page;

const runOnce = () => harness(['run', '--script', 'story.yaml', '--prompt', 'go'], { cwd: dir });

beforeAll(async () => {
  dir = project(FILES);
  expect((await runOnce()).code).toBe(0);
  page = await openPage(dir);
});

describe('a draft', () => {
  const payload = { id: '1', name: 'say', args: { text: 'mv it' } };

  it('decides beside the rest of the policy, and nothing is written', async () => {
    const plain = (await page.post('/api/playground/decide', { event: 'tool.pre', payload })).json;
    expect(plain).toMatchObject({ action: 'allow' });
    const tried = (
      await page.post('/api/playground/decide', {
        source: SOURCE,
        text: hook('mv'),
        event: 'tool.pre',
        payload,
      })
    ).json;
    expect(tried).toMatchObject({ action: 'block', hook: 'guard', reason: 'no mv', problems: [] });
    expect(tried.place).toBe(`${SOURCE}:7`);
    expect(tried.chain.map((link: { hook: string }) => link.hook)).toContain('floor');
    expect(readFileSync(join(dir, SOURCE), 'utf8')).toBe(hook('rm'));
  });

  it('has the problems that validate would find, with their lines', async () => {
    const text = hook('mv').replace('return allow()', 'return alow()');
    const { json } = await page.post('/api/playground/decide', {
      source: SOURCE,
      text,
      event: 'tool.pre',
      payload,
    });
    expect(json.problems[0]).toMatchObject({ severity: 'error', line: 8 });
    expect(json.action).toBe('block');
  });

  it('has those too that only the whole policy shows, as an editor has', async () => {
    const wall = hook('mv').replace(
      /def handle.*return allow\(\)/s,
      'def handle(event, payload):\n      return block("no")',
    );
    const other = project({ ...FILES, '.harness/hooks/a_wall.md': wall });
    const found = (await harness(['validate', other, '--json'])).stdout;
    const own = JSON.parse(found).problems.filter(
      ({ position }: { position: { file: string } | null }) => position?.file === SOURCE,
    );
    const behind = await openPage(other);
    const { json } = await behind.post('/api/playground/decide', {
      source: SOURCE,
      text: hook('rm'),
      event: 'tool.pre',
      payload,
    });
    const codes = (problems: { code: string }[]) => problems.map(({ code }) => code);
    expect(codes(json.problems)).toEqual(codes(own));
    expect(codes(own)).toContain('GUARD_SHADOWED');
  });

  it('says how a command is read', async () => {
    const { json } = await page.post('/api/playground/decide', {
      event: 'tool.pre',
      payload: { id: '1', name: 'run_command', args: { command: 'cat a | sh' } },
    });
    expect(json.command.commands.map(({ text }: { text: string }) => text)).toEqual(['cat a', 'sh']);
  });

  it('starts no program: what would run one fails, and says so', async () => {
    const { json } = await page.post('/api/playground/decide', {
      event: 'tool.pre',
      payload: { id: '1', name: 'never', args: { text: 'x' } },
    });
    expect(existsSync(join(dir, 'RAN'))).toBe(false);
    expect(JSON.stringify(json.chain)).toContain('no programs');
  });

  it('is a hook of the project by its name, and nothing else', async () => {
    for (const source of [
      '../../etc/x.md',
      '.harness/hooks/../harness.md',
      '.harness/harness.md',
      '/etc/passwd',
      'a.md',
    ]) {
      const body = { source, text: 'x', event: 'tool.pre', payload };
      expect([source, (await page.post('/api/playground/decide', body)).status]).toEqual([source, 400]);
      expect((await page.post('/api/playground/save', body)).status).toBe(400);
      expect((await page.get(`/api/playground/file?source=${encodeURIComponent(source)}`)).status).toBe(400);
    }
  });

  it('is backtested over the runs, and the changed calls are told with both reasons', async () => {
    const started = (await page.post('/api/backtest', { source: SOURCE, text: hook('mv') })).json;
    const { json } = await page.done(`/api/backtest/${started.id}`);
    expect(json).toMatchObject({ tapes: 1, changedCount: 2, draft: SOURCE, unproven: [] });
    expect(
      json.changed.map(({ class: kind, call }: { class: string; call: string }) => [kind, call]),
    ).toEqual([
      ['block->allow', 'say rm it'],
      ['allow->block', 'say mv it'],
    ]);
    expect(json.changed[1].after.reason).toBe('no mv');
    const { markdown } = (await page.get(`/api/backtest/${started.id}/markdown`)).json;
    expect(markdown).toContain('| `allow->block` | 1 |');
  });

  it('is told which tapes prove nothing: the backtest checks them first, as the command does', async () => {
    const [name] = readdirSync(join(dir, '.harness/runs')).filter((each) => each.endsWith('.jsonl'));
    const text = readFileSync(join(dir, '.harness/runs', name!), 'utf8');
    const other = project({ 'changed.jsonl': text.replace('"no rm"', '"no! rm"') });
    const changed = await openPage(dir, '--runs', join(other, 'changed.jsonl'));
    const started = (await changed.post('/api/backtest', {})).json;
    const { unproven } = (await changed.done(`/api/backtest/${started.id}`)).json;
    expect(unproven).toEqual([expect.stringMatching(/changed\.jsonl: entry \d+: /)]);
    const { stdout } = await harness(['backtest', join(other, 'changed.jsonl'), '--policy', dir, '--json']);
    expect(JSON.parse(stdout).unproven.map(({ problem }: { problem: string }) => problem)).toEqual([
      unproven[0].replace(/^.*changed\.jsonl: /, ''),
    ]);
  });

  it('is saved on an act, over what was seen, and never in read-only mode', async () => {
    const seen = (await page.get(`/api/playground/file?source=${SOURCE}`)).json;
    const body = { source: SOURCE, text: hook('mv'), digest: seen.digest };
    const readOnly = await openPage(dir, '--read-only');
    expect((await readOnly.post('/api/playground/save', body)).status).toBe(403);
    expect((await readOnly.get('/api/about')).json.readOnly).toBe(true);
    writeFileSync(join(dir, SOURCE), `${hook('rm')}\n`);
    const late = await page.post('/api/playground/save', body);
    expect([late.status, late.json.error]).toEqual([409, expect.stringContaining('open it again')]);
    const again = (await page.get(`/api/playground/file?source=${SOURCE}`)).json;
    expect((await page.post('/api/playground/save', { ...body, digest: again.digest })).status).toBe(200);
    expect(readFileSync(join(dir, SOURCE), 'utf8')).toBe(hook('mv'));
    writeFileSync(join(dir, SOURCE), hook('rm'));
  });
});

describe('a running session', () => {
  it('is told to those who listen as it happens', async () => {
    const { cookie, room } = await page.open(page.token);
    let heard = '';
    const request = get(
      { host: page.link.hostname, port: page.link.port, path: `${room}/live`, headers: { cookie } },
      (response) => {
        expect(response.headers['content-type']).toContain('text/event-stream');
        response.on('data', (chunk: Buffer) => {
          heard += String(chunk);
        });
      },
    );
    await until(() => /"kind":"running"/.test(heard));
    heard = '';
    expect((await runOnce()).code).toBe(0);
    await until(() => /"action":"block","hook":"guard"/.test(heard));
    request.destroy();
  });
});

describe('a question', () => {
  const ASKING = {
    '.harness/hooks/pushes.md': hook('x').replace(
      /if "x"[\s\S]*return block\("no x"\)/,
      'if payload["name"] == "push":\n          return ask("it pushes")',
    ),
    '.harness/tools/push.md': '---\nscript: |\n  def run(args):\n      return "pushed"\n---\n\nPushes.\n',
    'story.yaml': JSON.stringify({
      completions: [{ tool_calls: [{ name: 'push', args: { to: 'main\u202e' } }] }, { text: 'Done.' }],
    }),
  };
  const RUN = ['run', '--script', 'story.yaml', '--prompt', 'go', '--json'];

  it('raised in one terminal is answered in the page, once looked at, and the agent goes on', async () => {
    if (!canBePerson) return console.warn('SKIPPED: script is missing');
    const [folder, home] = [project(ASKING), mkdtempSync(join(tmpdir(), 'harness-page-'))];
    const other = await openAtTerminal(folder, home);
    expect((await other.get('/api/approvals')).json).toEqual({
      mute: null,
      questions: [],
      folder,
      others: 0,
    });
    // It waits, because somebody looks.
    const run = harness(RUN, { cwd: folder, env: { HOME: home } });
    const question = await (async () => {
      for (;;) {
        const [first] = (await other.get('/api/approvals')).json.questions;
        if (first !== undefined) return first;
      }
    })();
    expect(question).toMatchObject({ state: 'open', host: 'harness run', tool: 'push' });
    expect(question.call.join('\n')).toContain('main\\u202e');
    expect(question.asks[0]).toMatchObject({ rule: 'project/pushes', reason: 'it pushes' });
    const where = `/api/approvals/${question.id}`;
    const yes = { approved: true, digest: question.digest };
    expect((await other.post(`${where}/answer`, yes)).status).toBe(409);
    const { ticket } = (await other.post(`${where}/look`, {})).json;
    expect((await other.post(`${where}/answer`, { ...yes, ticket, digest: 'another' })).status).toBe(409);
    const { ticket: fresh } = (await other.post(`${where}/look`, {})).json;
    const { ticket: second } = (await other.post(`${where}/look`, {})).json;
    expect((await other.post(`${where}/answer`, { ...yes, ticket: fresh })).json.receipt).toBe('taken');
    // Two people at once: the first counts.
    const late = { approved: false, reason: 'no', digest: question.digest, ticket: second };
    expect((await other.post(`${where}/answer`, late)).json.receipt).toBe('answered already');
    expect((await run).stdout).toContain('pushed');
  });

  it('is only shown where nobody is at a terminal, and in read-only mode', async () => {
    const shown = (await page.get('/api/approvals')).json;
    expect(shown.mute).toContain('terminal');
    expect((await page.post('/api/approvals/x/look', {})).status).toBe(403);
    expect((await page.post('/api/approvals/x/answer', { approved: true })).status).toBe(403);
  });
});
