/**
 * Where a call happens: on every host a hook finds `cwd`, `workspace` and `workspaces` on the payload of a call. One hook
 * refuses each call with what it found as the reason, and the hosts are compared by that reason.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import type { JsonObject } from '../../src/base/json.ts';
import { guardOptions, openGuard as openSdkGuard } from '../../src/frameworks/claude-agent-sdk/index.ts';
import { createHandler } from '../../src/frameworks/fetch/index.ts';
import { openGuardIn } from '../../src/frameworks/guard.ts';
import { machineHost } from '../../src/machine/host.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import { openTape } from '../../src/tape/open-tape.ts';
import { replayTape } from '../../src/tape/replay.ts';
import { SAMPLES } from '../adapters/launched.ts';
import { AGENTS, launchCall, type Place } from '../adapters/native-calls.ts';
import { user } from '../daemon/daemon.ts';
import { call, play, tool } from '../support/agent.ts';
import { remove } from '../support/remove.ts';
import { harness, hookFile, write } from './harness.ts';

const MCP_SERVER = join(dirname(fileURLToPath(import.meta.url)), '../support/mcp-both-eras.mjs');

/** Refuses every call but that of a sub-agent, and says where it happens. */
const SAYS = hookFile(`event: tool.pre
priority: 10
when: payload["name"] != "delegate"
script: |
  def handle(event, payload):
      place = [payload.get("cwd"), payload.get("workspace"), payload.get("workspaces")]
      return block("PLACE=" + json.encode(place) + "=END")`);

interface Found {
  readonly cwd: unknown;
  readonly workspace: unknown;
  readonly workspaces: unknown;
}

/** What the hook found, from any text in which its reason stands. */
function foundIn(text: string): Found {
  const [, place] = /PLACE=(.*?)=END/s.exec(text) ?? [];
  if (place === undefined) throw new Error(`no reason of the hook in ${text}`);
  const [cwd, workspace, workspaces] = JSON.parse(place.replaceAll('\\"', '"'));
  return { cwd, workspace, workspaces };
}

const at = (cwd: string, workspace = cwd, workspaces: readonly string[] = []): Found => ({
  cwd,
  workspace,
  workspaces,
});

let top: string;
/** A git checkout with the policy at its top, and a folder inside it. */
let work: string;
let inner: string;

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'harness-where-')));
  work = join(top, 'work');
  inner = join(work, 'src/inner');
  for (const folder of [inner, join(top, 'elsewhere'), join(top, 'other')])
    mkdirSync(folder, { recursive: true });
  write(work, '.harness/hooks/says.md', SAYS);
  write(
    work,
    '.harness/tools/look.md',
    '---\nparameters: {text: {type: string}}\nscript: |\n  def run(args):\n      return "ok"\n---\n\nLooks.\n',
  );
  execFileSync('git', ['init', '-q', work]);
});

afterAll(() => remove(top));

const CALL = { id: '1', name: 'look', args: {} };
const open = (dir: string) => openPolicy(dir, { places: { managed: null, user: null } });

describe('in a program', () => {
  it('decide: the folder of the policy, or what the program says on the payload', async () => {
    const policy = await open(work);
    const decided = async (more: JsonObject = {}) =>
      foundIn((await policy.decide('tool.pre', { ...CALL, ...more })).reason ?? '');
    expect(await decided()).toEqual(at(work));
    expect(await decided({ args: { cwd: 'src' } })).toEqual(at(join(work, 'src'), work));
    expect(await decided({ args: { workdir: '/elsewhere/' } })).toEqual(at('/elsewhere', work));
    expect(await decided({ cwd: '/a/b', workspace: '/a', workspaces: ['/c'] })).toEqual(
      at('/a/b', '/a', ['/c']),
    );
    expect(await decided({ workspace: '/a' })).toEqual(at('/a'));
    expect(await decided({ cwd: 'src' })).toEqual(at(join(work, 'src'), work));
    expect(await decided({ cwd: '/a/b' })).toEqual(at('/a/b'));
    expect((await open(inner)).root).toBe(work);
    const stands = (await (await open(inner)).decide('tool.pre', CALL)).reason ?? '';
    expect(foundIn(stands)).toEqual(at(inner, work));
  });

  it('a session of our own loop: its workspace, for a sub-agent too', async () => {
    const path = join(top, 'loop.jsonl');
    const policy = await open(work);
    const { hooks, digest } = policy;
    const tape = openTape(path, { session: 's1', hooks, policy: digest, host: machineHost });
    const { result } = await play({
      policy,
      workspace: inner,
      recorder: tape.recorder,
      tools: [tool('look', () => 'ok')],
      agents: [{ name: 'helper', description: 'Helps.', system: 'You help.' }],
      completions: [
        { tool_calls: [call('look')] },
        { tool_calls: [call('delegate', { agent: 'helper', prompt: 'look' })] },
        { tool_calls: [call('look')] },
        { text: 'refused' },
        { text: 'done' },
      ],
    });
    tape.close();
    expect(result.text).toBe('done');
    expect(refusals(path)).toEqual([at(inner), at(inner)]);
    expect(await replayTape(path, { hooks, policy: digest })).toMatchObject({ differences: [] });
  });

  it('a question about a call: as the call itself was told it', async () => {
    const asks = 'def handle(event, payload):\n      return ask("sure?")';
    write(
      top,
      'asking/.harness/hooks/asks.md',
      hookFile(`event: tool.pre\npriority: 1\nscript: |\n  ${asks}`),
    );
    write(top, 'asking/.harness/hooks/says.md', SAYS.replace('tool.pre', 'permission.asked'));
    const policy = await open(join(top, 'asking'));
    const asked = await policy.decide('tool.pre', { ...CALL, cwd: '/a/b', workspace: '/a' });
    expect(asked.action).toBe('ask');
    expect(foundIn((await policy.permit(asked)).reason ?? '')).toEqual(at('/a/b', '/a'));
  });

  it('where a link leads is on the tape: a replay gives the same, also if the link has changed since', async () => {
    const follows = 'def handle(event, payload):\n      return block(os.real_path("link/a", payload["cwd"]))';
    write(
      top,
      'linked/.harness/hooks/f.md',
      hookFile(`event: tool.pre\npriority: 1\nscript: |\n  ${follows}`),
    );
    const dir = join(top, 'linked');
    symlinkSync(join(top, 'other'), join(dir, 'link'));
    const policy = await open(dir);
    const { hooks, digest } = policy;
    const path = join(top, 'linked.jsonl');
    const tape = openTape(path, { session: 's1', hooks, policy: digest, host: machineHost });
    const { fired } = await play({
      policy,
      workspace: dir,
      recorder: tape.recorder,
      tools: [tool('look', () => 'ok')],
      completions: [{ tool_calls: [call('look')] }, { text: 'done' }],
    });
    tape.close();
    const outcome = fired.find(({ event }) => event === 'tool.pre')?.outcome;
    expect(outcome?.reason).toBe(join(top, 'other/a'));
    rmSync(join(dir, 'link'));
    expect(await replayTape(path, { hooks, policy: digest })).toMatchObject({ differences: [] });
  });

  it('the guard of a framework: the checkout around the policy, or the folder that the program says', async () => {
    const openGuard = openGuardIn('a framework');
    const refusal = async (more: { workspace?: string } = {}, policy = work) => {
      const guard = await openGuard({ policy, tape: false, ...more });
      const checked = await guard.call(CALL, () => 'ran');
      return foundIn(checked.ok ? '' : checked.reason);
    };
    expect(await refusal()).toEqual(at(work));
    expect(await refusal({}, inner)).toEqual(at(inner, work));
    expect(await refusal({ workspace: join(top, 'other') })).toEqual(at(join(top, 'other')));
  });

  it('the Claude Agent SDK: the folders that the program gives to the agent, and the one of the event', async () => {
    const guard = await openSdkGuard({ policy: work, tape: false });
    const other = join(top, 'other');
    const options = guardOptions(guard, { cwd: other, additionalDirectories: ['../elsewhere'] });
    const [{ hooks }] = options.hooks.PreToolUse as [{ hooks: [(input: object) => Promise<object>] }];
    const input = { ...SAMPLES.PreToolUse, cwd: join(other, 'sub'), tool_name: 'Look', tool_input: {} };
    expect(foundIn(JSON.stringify(await hooks[0](input)))).toEqual(
      at(join(other, 'sub'), other, [join(top, 'elsewhere')]),
    );
  });

  it('the handler for programs in other languages: the folder of the policy, or what the payload says', async () => {
    const handler = await createHandler({ policy: await open(work) });
    const asked = async (payload: JsonObject) => {
      const body = JSON.stringify({ event: 'tool.pre', payload });
      const response = await handler(new Request('http://x/v1/decide', { method: 'POST', body }));
      return foundIn(((await response.json()) as { reason: string }).reason);
    };
    expect(await asked(CALL)).toEqual(at(work));
    expect(await asked({ ...CALL, cwd: '/a/b', workspace: '/a' })).toEqual(at('/a/b', '/a'));
  });
});

describe('by the built command', () => {
  const input = JSON.stringify(CALL);

  it('decide and decide --lines: the folder of the policy', async () => {
    const one = await harness(['decide', 'tool.pre', '--json'], { cwd: inner, input });
    expect(foundIn(JSON.parse(one.stdout).reason)).toEqual(at(inner, work));
    const lines = await harness(['decide', 'tool.pre', '--lines'], { cwd: work, input });
    expect(foundIn(JSON.parse(lines.stdout).reason)).toEqual(at(work));
  });

  it('test: the folder of the policy, or what the case says', async () => {
    const cases = [
      {
        name: 'as it is',
        payload: CALL,
        expect: { action: 'block', reason: JSON.stringify([work, work, []]) },
      },
      {
        name: 'as it says',
        payload: { ...CALL, cwd: '/a/b', workspace: '/a', workspaces: ['/c'] },
        expect: { action: 'block', reason: JSON.stringify(['/a/b', '/a', ['/c']]) },
      },
    ];
    write(work, '.harness/tests/where.yaml', JSON.stringify({ cases }));
    const { stdout, code } = await harness(['test', work]);
    expect(stdout).toContain('2 passed of 2 tests');
    expect(code).toBe(0);
  });

  it('run, then replay and backtest of its tape: the workspace of the run', async () => {
    const completions = [{ tool_calls: [{ name: 'look', args: { cwd: 'src' } }] }, { text: 'done' }];
    write(top, 'script.yaml', JSON.stringify({ completions }));
    const tape = join(top, 'run.jsonl');
    const ran = ['run', work, '--prompt', 'go', '--script', join(top, 'script.yaml'), '--tape', tape];
    expect((await harness(ran, { cwd: top })).stderr).not.toContain('error');
    expect(refusals(tape)).toEqual([at(join(work, 'src'), work)]);
    const replayed = await harness(['replay', tape, '--dir', work, '--json'], { cwd: top });
    expect(JSON.parse(replayed.stdout)).toMatchObject({ differences: [] });
    const tested = await harness(['backtest', tape, '--policy', work, '--fail-on', 'any'], { cwd: top });
    expect(tested.stdout).toContain('0 changed, 0 not replayable');
    expect(tested.code).toBe(0);
  });

  it('the MCP proxy: the folder that its server runs in, and the checkout around the policy', async () => {
    const client = new Client({ name: 'test', version: '1' });
    onTestFinished(() => client.close());
    const args = [CLI_FILE, 'mcp', '--name', 'both', '--dir', work, '--', process.execPath, MCP_SERVER];
    const env = { PATH: process.env.PATH ?? '' };
    const cwd = join(top, 'elsewhere');
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore', env, cwd }),
    );
    const result = await client.callTool({ name: 'echo', arguments: { text: 'x' } });
    expect(foundIn(JSON.stringify(result.content))).toEqual(at(cwd, work));
  });
});

describe('by the launcher', () => {
  it.each(Object.keys(AGENTS))(
    '%s: its folder and its project, and its tape replays to the same',
    async (name) => {
      const { writes, lists } = AGENTS[name]!;
      const place: Place = { policy: work, cwd: inner, project: work, further: [join(top, 'other')] };
      const session = `of-${name}`;
      const [writing] = Object.values(writes);
      const around = { session, home: top, startedIn: join(top, 'elsewhere') };
      const { exitCode } = await launchCall(name, place, writing!('a.txt'), around);
      expect(exitCode).toBe(0);
      const tape = join(work, `.harness/runs/${session}.jsonl`);
      const told = lists ? [join(top, 'other')] : [];
      // Cline says no other folder than its first.
      const folder = name === 'cline' ? work : inner;
      expect(refusals(tape)).toEqual([at(folder, work, told)]);
      const replayed = await harness(['replay', tape, '--dir', work, '--json']);
      expect(JSON.parse(replayed.stdout)).toMatchObject({ differences: [] });
    },
  );
});

describe('by the daemon', () => {
  const command = (id: string) => ({ tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: id });

  it('on its socket: what the launcher would say', async () => {
    const one = user({ '.harness/hooks/says.md': SAYS, 'sub/a': '' });
    execFileSync('git', ['init', '-q', one.dir]);
    const cwd = join(one.dir, 'sub');
    const cold = await one.fire('PreToolUse', { ...command('1'), cwd, session_id: 'cold' });
    await one.serve();
    const warm = await one.fire('PreToolUse', { ...command('2'), cwd, session_id: 'warm' });
    expect(one.state()).toMatchObject({ answered: 1 });
    expect(foundIn(cold.stdout)).toEqual(at(cwd, one.dir));
    expect(foundIn(warm.stdout)).toEqual(at(cwd, one.dir));
    // The variable is that of the agent's process, and not of the daemon's.
    one.env.CLAUDE_PROJECT_DIR = join(one.dir, 'sub');
    const told = await one.fire('PreToolUse', { ...command('3'), cwd, session_id: 'told' });
    expect(one.state()).toMatchObject({ answered: 2 });
    expect(foundIn(told.stdout)).toEqual(at(cwd));
  });

  it('at its address: the folder of the policy, or what the payload says', async () => {
    const one = user({ '.harness/hooks/says.md': SAYS });
    await one.serve([], '--http', '0');
    const { url } = JSON.parse(readFileSync(join(one.folder, 'http.json'), 'utf8')) as { url: string };
    const token = readFileSync(join(one.folder, 'http-token'), 'utf8');
    const asked = async (payload: JsonObject) => {
      const response = await fetch(`${url}/v1/decide?dir=${encodeURIComponent(one.dir)}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({ event: 'tool.pre', payload }),
      });
      return foundIn(await response.text());
    };
    expect(await asked(CALL)).toEqual(at(one.dir));
    expect(await asked({ ...CALL, cwd: '/a/b', workspace: '/a' })).toEqual(at('/a/b', '/a'));
  });
});

/** What the hook found in each call that a tape has a refusal of. */
function refusals(tape: string): Found[] {
  return readFileSync(tape, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { record?: JsonObject }).record)
    .flatMap((record) => (record?.type === 'decision' ? [record.out as JsonObject] : []))
    .filter(({ action }) => action === 'block')
    .map(({ reason }) => foundIn(String(reason)));
}
