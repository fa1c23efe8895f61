/**
 * The same calls under the same policy on every host: what stands on the tapes about them is the same, entry by entry. Each host is
 * the real one: our loop, the launcher, the launcher through the daemon, the daemon's HTTP address, the MCP proxy, a framework.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import type { JsonObject } from '../../src/base/json.ts';
import { readTape } from '../../src/exports/tape.ts';
import { openGuardIn } from '../../src/frameworks/guard.ts';
import { machineHost } from '../../src/machine/host.ts';
import { callDigest } from '../../src/policy/index.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import { type User, until, user } from './daemon.ts';

interface Row {
  readonly name: string;
  readonly args: JsonObject;
  /** What each event about the call said and what became of the call: as every tape has it. */
  readonly entries: readonly string[];
}

const PASSED = 'tool.pre: allow';
/** A hook that starts a program, in a folder that nobody has trusted. */
const PROGRAM = 'PreToolUse[0].hooks[0]';

const ROWS: readonly Row[] = [
  { name: 'free_tool', args: { n: 1 }, entries: [PASSED, 'tool.post: allow', 'ran'] },
  { name: 'blocked_tool', args: {}, entries: ['tool.pre: block by no_blocked', 'blocked by no_blocked'] },
  { name: 'crashing_tool', args: {}, entries: ['tool.pre: block by crashes', 'blocked by crashes'] },
  { name: 'never_tool', args: {}, entries: ['tool.pre: block by permissions', 'denied by permissions'] },
  {
    name: 'shell',
    args: { command: 'mkfs.ext4 /dev/sda1' },
    entries: ['tool.pre: block by floor', 'refused by floor'],
  },
  {
    name: 'write_file',
    args: { path: '.harness/hooks/no_blocked.md', content: '' },
    entries: ['tool.pre: block by protected', 'refused by protected'],
  },
  {
    name: 'program_tool',
    args: {},
    entries: [`tool.pre: block by ${PROGRAM}`, `refused by ${PROGRAM}`],
  },
  {
    name: 'secret_tool',
    args: {},
    entries: [PASSED, 'tool.post: block by hide_secret', 'hidden by hide_secret'],
  },
  { name: 'failing_tool', args: {}, entries: [PASSED, 'tool.post: allow', 'failed'] },
  {
    name: 'pre_approved_tool',
    args: { n: 2 },
    entries: [
      'tool.pre: ask by asks',
      'permission.asked: permit by approves',
      'permission.replied: allow',
      'tool.post: allow',
      'ran',
    ],
  },
  {
    name: 'unapproved_tool',
    args: {},
    entries: [
      'tool.pre: ask by asks_too',
      'permission.asked: block by refuses',
      'permission.replied: allow',
      'denied by asks_too',
    ],
  },
];

const hook = (event: string, tool: string, ...body: readonly string[]) =>
  [
    '---',
    `event: ${event}`,
    'priority: 1',
    `when: payload["name"].endswith("${tool}")`,
    'script: |',
    '  def handle(event, payload):',
    ...body.map((line) => `      ${line}`),
    '---',
    '',
  ].join('\n');

const FILES: Readonly<Record<string, string>> = {
  'harness.md':
    '---\npermissions:\n  rules: [{tools: ["*never_tool"], zone: never, reason: not here}]\n---\n\nA policy.\n',
  '.harness/hooks/no_blocked.md': hook('tool.pre', 'blocked_tool', 'return block("not this one")'),
  '.harness/hooks/crashes.md': hook('tool.pre', 'crashing_tool', 'return payload["no such key"]'),
  '.harness/hooks/asks.md': hook('tool.pre', 'pre_approved_tool', 'return ask("may it?")'),
  '.harness/hooks/asks_too.md': hook('tool.pre', 'unapproved_tool', 'return ask("may this one?")'),
  '.harness/hooks/approves.md': hook('permission.asked', 'pre_approved_tool', 'return permit("it may")'),
  '.harness/hooks/refuses.md': hook('permission.asked', 'unapproved_tool', 'return block("not today")'),
  '.harness/hooks/hide_secret.md': hook('tool.post', 'secret_tool', 'return block("not for the model")'),
  ...Object.fromEntries(
    ROWS.map(({ name }) => [
      `.harness/tools/${name}.md`,
      `---\nparameters: {n: {type: integer, required: false}, command: {type: string, required: false}, path: {type: string, required: false}, content: {type: string, required: false}}\nscript: |\n  def run(args):\n      return ${name === 'failing_tool' ? 'fail("broken")' : '"fine"'}\n---\n\nA tool.\n`,
    ]),
  ),
};

const STARTS_PROGRAM = {
  '.harness/settings.json': JSON.stringify({
    hooks: {
      PreToolUse: [
        {
          matcher: '.*program_tool',
          hooks: [{ type: 'command', command: 'true' }],
        },
      ],
    },
  }),
};

/** What a tape has about tools, a list for each in the order of the tape. */
function about(path: string): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  const fired = new Map<number, Fired>();
  for (const { record } of readTape(path).entries) {
    if (record.type === 'dispatch') fired.set(record.dispatch, record as Fired);
    else if (record.type === 'decision') {
      const { event, payload } = { ...fired.get(record.in.dispatch), ...record.in } as Fired;
      if (!/^(tool|permission)\./.test(event)) continue;
      (found[toolOf(String((payload as JsonObject).name))] ??= []).push(
        `${event}: ${record.out.action}${by(record.out.hook)}`,
      );
    } else if (record.type === 'call') {
      const name = toolOf(record.tool);
      (found[name] ??= []).push(`${record.verdict}${by(record.by)}`);
      // What ran is on record in the same form.
      if (record.verdict === 'ran')
        expect(record.digest).toBe(callDigest(record.tool, ROWS.find((row) => row.name === name)!.args));
    }
  }
  return found;
}

interface Fired {
  readonly event: string;
  readonly payload: unknown;
}

const by = (hook: string | null | undefined) => (hook == null ? '' : ` by ${hook}`);
const toolOf = (name: string) => name.replace(/^mcp__all__/, '');

const tapeIn = (dir: string, named: RegExp) => {
  const folder = join(dir, '.harness/runs');
  const [file] = readdirSync(folder).filter((name) => named.test(name) && name.endsWith('.jsonl'));
  return join(folder, file!);
};

async function fireAll(one: User): Promise<string> {
  for (const [at, { name, args }] of ROWS.entries()) {
    const call = { session_id: 'session', tool_name: name, tool_input: args, tool_use_id: `c${at}` };
    const { stdout } = await one.fire('PreToolUse', call);
    if (stdout.includes('"deny"')) continue;
    if (name === 'failing_tool') await one.fire('PostToolUseFailure', { ...call, error: 'broken' });
    else await one.fire('PostToolUse', { ...call, tool_response: 'fine' });
  }
  return one.tape();
}

/** Asks `/v1/decide` for the project in `url`. */
function post(url: string, token: string, body: object): Promise<{ stop: boolean }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    asked.on('response', (answer) => {
      let text = '';
      answer.on('data', (piece) => {
        text += String(piece);
      });
      answer.on('end', () => resolve(JSON.parse(text)));
    });
    asked.on('error', reject);
    asked.end(JSON.stringify(body));
  });
}

const HOSTS: Readonly<Record<string, (one: User) => Promise<string>>> = {
  'our own loop': async (one) => {
    const calls = ROWS.map(({ name, args }) => ({ name, args }));
    one.write('script.yaml', JSON.stringify({ completions: [{ tool_calls: calls }, { text: 'Done.' }] }));
    const tape = join(one.dir, 'run.jsonl');
    const ran = one.harness('run', '.', '--prompt', 'go', '--script', 'script.yaml', '--tape', tape);
    expect(ran.stderr).not.toContain('error[');
    return tape;
  },
  'the launcher of Claude Code': fireAll,
  'the same through the daemon': async (one) => {
    await one.serve();
    const tape = await fireAll(one);
    expect(one.state()?.answered).toBeGreaterThan(0);
    return tape;
  },
  'the HTTP address of the daemon': async (one) => {
    await one.serve([], '--http', '0');
    const { url } = JSON.parse(readFileSync(join(one.folder, 'http.json'), 'utf8')) as { url: string };
    const token = readFileSync(join(one.folder, 'http-token'), 'utf8');
    const address = `${url}/v1/decide?dir=${encodeURIComponent(one.dir)}`;
    for (const [at, { name, args }] of ROWS.entries()) {
      const pre = { event: 'tool.pre', payload: { id: `c${at}`, name, args } };
      if ((await post(address, token, pre)).stop) continue;
      const failed = name === 'failing_tool';
      const payload = { call_id: `c${at}`, name, args, content: 'fine', is_error: failed };
      await post(address, token, { event: 'tool.post', payload });
    }
    return tapeIn(one.dir, /^http-/);
  },
  'the MCP proxy': async (one) => {
    const server = [
      join(import.meta.dirname, '../support/mcp-any-tool.mjs'),
      ...ROWS.map(({ name }) => name),
    ];
    const child = spawn(
      process.execPath,
      [CLI_FILE, 'mcp', '--name', 'all', '--', process.execPath, ...server],
      { cwd: one.dir, env: one.env, stdio: ['pipe', 'pipe', 'inherit'] },
    );
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += String(chunk);
    });
    const send = async (id: string, method: string, params: object) => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      await until(() => said.includes(`"id":"${id}"`));
    };
    await send('hello', 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    await send('list', 'tools/list', {});
    for (const [at, { name, args }] of ROWS.entries())
      await send(`c${at}`, 'tools/call', { name, arguments: args });
    child.stdin.end();
    await new Promise((resolve) => child.once('close', resolve));
    return tapeIn(one.dir, /^mcp-/);
  },
  'an agent framework': async (one) => {
    const host = { ...machineHost, env: (name: string) => one.env[name] };
    const policy = await openPolicy(one.dir, { host });
    const tape = join(one.dir, 'framework.jsonl');
    const guard = await openGuardIn('test')({ policy, tape });
    for (const [at, { name, args }] of ROWS.entries())
      await guard
        .call({ id: `c${at}`, name, args }, () => {
          if (name === 'failing_tool') throw new Error('broken');
          return 'fine';
        })
        .catch(() => {});
    await guard.close();
    return tape;
  },
};

/** The daemon decides nothing for a policy that starts programs: the launcher does. */
const DAEMON = ['the same through the daemon', 'the HTTP address of the daemon'];

/** A host that hears of a call only through two questions says that it was let pass before it says how it ended. */
const SAYS_ALLOWED = 'the HTTP address of the daemon';

describe.each(Object.keys(HOSTS))('%s', (name) => {
  it('has the same entries about the same calls on its tape as every other host', async () => {
    const program = !DAEMON.includes(name);
    const one = user({ ...FILES, ...(program && STARTS_PROGRAM) });
    const found = about(await HOSTS[name]!(one));
    for (const row of ROWS.filter((each) => program || each.name !== 'program_tool')) {
      const said = name === SAYS_ALLOWED;
      const expected = row.entries.flatMap((entry) =>
        said && entry.startsWith('tool.post') ? ['allowed', entry] : [entry],
      );
      expect([row.name, found[row.name]]).toEqual([row.name, expected]);
    }
  });
});
