/**
 * One policy, every host: the built command names the same chain, the same digest and the same outcomes as the prepared policy
 * in this process, for the project of test/support/whole-policy.ts. Only the managed folder is left out: no variable moves it.
 */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TraceEntry } from '../../src/engine/decision.ts';
import { layerOf } from '../../src/engine/layer.ts';
import { machineHost } from '../../src/machine/host.ts';
import { MANAGED_FOLDER } from '../../src/machine/places.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import {
  chainIn,
  OTHER_ROWS,
  PROJECT,
  ROWS,
  STANDING,
  USER,
  under,
  verdictOf,
} from '../support/whole-policy.ts';
import { harness, project, write } from './harness.ts';

interface Decided {
  readonly action: string;
  readonly hook: string | null;
  readonly reason: string | null;
  readonly trace: readonly TraceEntry[];
}

let dir: string;
let env: Record<string, string>;
let policy: Policy;

beforeAll(async () => {
  const root = project({ ...under('config/harness', USER), ...under('work', PROJECT) });
  chmodSync(join(root, 'work/check.sh'), 0o755);
  dir = join(root, 'work', STANDING);
  env = { XDG_CONFIG_HOME: join(root, 'config'), HARNESS_TRUST: 'all' };
  const host = { ...machineHost, env: (name: string) => env[name] };
  policy = await openPolicy(dir, { host });
});

const chainOf = (event: string) =>
  policy.registry.list(event).map((hook) => `${layerOf(hook).name}/${hook.name}`);

/** What `decide` the command makes of an outcome: it asks the hooks of `permission.asked`. */
async function expected(event: string, payload: (typeof ROWS)[number]['payload']): Promise<unknown> {
  return verdictOf(await policy.decide(event, payload));
}

describe('the command, for a folder with everything in it', () => {
  it('hooks names the same chains, layers and digest', async () => {
    const { stdout, code } = await harness(['hooks', '--json'], { cwd: dir, env });
    expect(code).toBe(0);
    const shown = JSON.parse(stdout) as {
      digest: string;
      layers: { name: string }[];
      chains: { event: string; hooks: { name: string; layer: string }[] }[];
    };
    expect(shown.digest).toBe(policy.digest.digest);
    expect(shown.layers.map(({ name }) => name)).toEqual(policy.layers.map(({ name }) => name));
    const chains = Object.fromEntries(
      shown.chains.map(({ event, hooks }) => [event, hooks.map(({ name, layer }) => `${layer}/${name}`)]),
    );
    expect(chains).toEqual(
      Object.fromEntries(policy.registry.events().map((event) => [event, chainOf(event)])),
    );
  });

  it.each([ROWS[0]!, ROWS[2]!, ROWS[5]!, ...OTHER_ROWS])('decide --json: $title', async (row) => {
    const { event, payload } = row;
    const { stdout } = await harness(['decide', event, '--json'], {
      cwd: dir,
      env,
      input: JSON.stringify(payload),
    });
    const outcome = JSON.parse(stdout) as Decided;
    expect(verdictOf(outcome)).toEqual(await expected(event, payload));
    expect(chainIn(outcome.trace)).toEqual(chainOf(event));
  });

  it('decide --lines gives every row its outcome', async () => {
    const input = ROWS.map(({ payload }) => JSON.stringify(payload)).join('\n');
    const { stdout } = await harness(['decide', 'tool.pre', '--lines'], { cwd: dir, env, input });
    const outcomes = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Decided);
    expect(outcomes).toHaveLength(ROWS.length);
    for (const [i, row] of ROWS.entries()) {
      expect(verdictOf(outcomes[i]!)).toEqual(await expected(row.event, row.payload));
      const { action, hook } = row.unmanaged ?? row;
      expect([row.title, outcomes[i]!.action, outcomes[i]!.hook]).toEqual([row.title, action, hook]);
    }
  });

  it('run and replay are of that policy', async () => {
    const calls = ROWS.slice(0, 6).map(({ payload }) => payload);
    const script = {
      completions: [{ tool_calls: calls }, { tool_calls: [{ name: 'done', args: {} }] }, { text: 'x' }],
    };
    write(join(dir, '../../..'), 'script.yaml', JSON.stringify(script));
    write(
      join(dir, '../../..'),
      '.harness/tools/echo.md',
      '---\nparameters: {text: {type: string}}\nscript: |\n  def run(args):\n      return "ok"\n---\n\nSays ok.\n',
    );
    const reopened = await openPolicy(dir, { host: policy.host });
    const tape = join(dir, 'run.jsonl');
    const ran = await harness(
      ['run', dir, '--prompt', 'go', '--script', join(dir, '../../../script.yaml'), '--tape', tape, '--json'],
      { cwd: dir, env },
    );
    expect(ran.stderr).not.toContain('error');
    const replayed = await harness(['replay', tape, '--dir', dir, '--json'], { cwd: dir, env });
    const report = JSON.parse(replayed.stdout);
    expect(report).toMatchObject({ differences: [], policy: { same: true } });
    expect(report.decisions).toBeGreaterThan(calls.length);
    const { readTape } = await import('../../src/tape/tape-reader.ts');
    expect(readTape(tape).header.policy.digest).toBe(reopened.digest.digest);
  });

  it('has no variable for the managed folder', () => {
    expect(MANAGED_FOLDER).toBe('/etc/harness');
  });
});

describe('decide, about an ask', () => {
  const asking = (text: string) =>
    harness(['decide', 'tool.pre', '--json', '--exit-code'], {
      cwd: dir,
      env,
      input: JSON.stringify({ id: '1', name: 'shell', args: { text, command: 'git push' } }),
    });

  it('is allow if a hook of its own or a higher layer permits it', async () => {
    const { stdout, code } = await asking('fine');
    expect([JSON.parse(stdout).action, code]).toEqual(['allow', 0]);
  });

  it('stays ask if nobody answers, and an exit code of 2', async () => {
    const { stdout, code } = await asking('other');
    expect([JSON.parse(stdout).action, code]).toEqual(['ask', 2]);
  });

  it('stays ask if only a lower layer permits it', async () => {
    const payload = { id: '1', name: 'send', args: { text: 'fine' } };
    const { stdout } = await harness(['decide', 'tool.pre', '--json'], {
      cwd: dir,
      env,
      input: JSON.stringify(payload),
    });
    expect(JSON.parse(stdout)).toMatchObject({ action: 'ask', hook: 'permissions' });
  });
});

describe('two readings of one payload', () => {
  it.each([
    [
      'args beside other arguments',
      '{"id":"1","name":"echo","args":{"text":"a"},"arguments":"{\\"text\\":\\"b\\"}"}',
    ],
    ['a name twice', '{"id":"1","name":"echo","name":"send","args":{"text":"a"}}'],
    ['args twice', '{"id":"1","name":"echo","args":{"text":"a"},"args":{"text":"b"}}'],
    ['a key of args twice', '{"id":"1","name":"echo","args":{"text":"a","text":"b"}}'],
    [
      'a key twice in the text of the arguments',
      '{"id":"1","name":"echo","arguments":"{\\"text\\":1,\\"text\\":2}"}',
    ],
  ])('are refused: %s', async (_title, input) => {
    for (const way of ['--json', '--lines']) {
      const { stdout, code } = await harness(['decide', 'tool.pre', way, '--exit-code'], {
        cwd: dir,
        env,
        input,
      });
      expect([way, JSON.parse(stdout).action, code]).toEqual([way, 'block', 2]);
    }
  });

  it('are refused on every event that can be blocked', async () => {
    const input = '{"call_id":"1","name":"echo","content":"a","content":"b"}';
    const { stdout } = await harness(['decide', 'tool.post', '--json'], { cwd: dir, env, input });
    expect(JSON.parse(stdout).action).toBe('block');
  });
});
