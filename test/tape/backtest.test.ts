/**
 * A candidate policy on recorded runs: what changes, what cannot be said, and that nothing is guessed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { machineHost } from '../../src/machine/host.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { Backtest } from '../../src/tape/backtest/backtest-tape.ts';
import { openTape } from '../../src/tape/open-tape.ts';
import { forged } from '../support/forged.ts';
import { hookFile, tempProject } from '../support/temp-project.ts';

const PLACES = { managed: null, user: null };

const policyOf = (hooks: Record<string, string>, more: Record<string, string> = {}) => {
  const files = Object.entries(hooks).map(([name, script]) => [
    `.harness/hooks/${name}.md`,
    hookFile(script),
  ]);
  return openPolicy(tempProject({ ...Object.fromEntries(files), ...more }), { places: PLACES });
};

const NO_RM =
  'def handle(event, payload):\n    return block("no rm") if payload["args"].get("command", "").startswith("rm ") else allow()';
const NO_CURL =
  'def handle(event, payload):\n    return block("no curl") if "curl" in payload["args"].get("command", "") else allow()';
const THIRD = `def handle(event, payload):
    n = cache.get("n", 0) + 1
    cache.set("n", n)
    return block("enough") if n > LIMIT else allow()`;

async function record(policy: Policy, calls: readonly string[], host = machineHost): Promise<string> {
  const path = join(tempProject(), 'tape.jsonl');
  const tape = openTape(path, { session: 's1', hooks: policy.hooks, policy: policy.digest, host });
  const run = policy.newRun();
  const engine = policy.engine({ run, canAsk: true, recorder: tape.recorder });
  for (const [at, command] of calls.entries()) {
    const payload = { id: `c${at}`, name: 'run_command', args: { command } };
    await engine.decide('tool.pre', payload);
  }
  tape.close();
  return path;
}

const CALLS = ['ls', 'rm a', 'curl b', 'ls'];

describe('a backtest', () => {
  it('names each decision that changes, with the call, both reasons and the hook that makes the difference', async () => {
    const path = await record(await policyOf({ no_rm: NO_RM }), CALLS);
    const { hooks } = await policyOf({ no_curl: NO_CURL });
    const { decisions, same, changed, notReplayable } = await new Backtest(hooks).run(path);
    expect({ decisions, same, notReplayable }).toEqual({ decisions: 4, same: 2, notReplayable: [] });
    expect(changed).toMatchObject([
      {
        session: 's1',
        event: 'tool.pre',
        class: 'block->allow',
        hook: 'no_rm',
        before: { action: 'block', reason: 'no rm', hook: 'no_rm' },
        after: { action: 'allow', reason: null, hook: null },
        payload: { args: { command: 'rm a' } },
        counterfactual: false,
      },
      { class: 'allow->block', hook: 'no_curl', after: { reason: 'no curl' }, counterfactual: true },
    ]);
  });

  it('tells a rewrite that has changed', async () => {
    const rewrite = (to: string) =>
      `def handle(event, payload):\n    return modify({"args": {"command": "${to}"}})`;
    const path = await record(await policyOf({ to: rewrite('a') }), ['x']);
    const same = await new Backtest((await policyOf({ to: rewrite('a') })).hooks).run(path);
    expect(same.changed).toEqual([]);
    const { changed } = await new Backtest((await policyOf({ to: rewrite('b') })).hooks).run(path);
    expect(changed).toMatchObject([
      {
        class: 'modify->modify',
        before: { payload: { args: { command: 'a' } } },
        after: { payload: { args: { command: 'b' } } },
      },
    ]);
  });

  it('simulates what hooks count, for each session, and writes it nowhere', async () => {
    const path = await record(await policyOf({ third: THIRD.replace('LIMIT', '2') }), CALLS);
    const before = readFileSync(path, 'utf8');
    const { hooks } = await policyOf({ third: THIRD.replace('LIMIT', '1') });
    const backtest = new Backtest(hooks);
    for (let again = 0; again < 2; again++) {
      const { changed } = await backtest.run(path);
      expect(changed.map((each) => [each.class, (each.payload as { id: string }).id])).toEqual([
        ['allow->block', 'c1'],
      ]);
    }
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('takes the clock and what addresses answered from the tape', async () => {
    const asks = `def handle(event, payload):
    answer = http.get("https://rules.example/ok")["body"]
    return block(answer + WORD) if answer == "no" else allow()`;
    const settings = { 'harness.md': '---\nnetwork: {allowed_domains: [rules.example]}\n---\n' };
    const host = { ...machineHost, http: async () => ({ status: 200, headers: {}, body: 'no' }) };
    const path = await record(await policyOf({ asks: asks.replace('WORD', '"!"') }, settings), ['ls'], host);
    const { hooks } = await policyOf(
      { asks: asks.replace('WORD', '" at " + str(time.now().unix)') },
      settings,
    );
    const { same, notReplayable } = await new Backtest(hooks).run(path);
    expect({ same, notReplayable }).toEqual({ same: 1, notReplayable: [] });
  });

  it('does not guess what an address would have answered', async () => {
    const path = await record(await policyOf({ no_rm: NO_RM }), ['ls']);
    const asks = 'def handle(event, payload):\n    return block(http.get("https://rules.example/")["body"])';
    const settings = { 'harness.md': '---\nnetwork: {allowed_domains: [rules.example]}\n---\n' };
    const { hooks } = await policyOf({ asks }, settings);
    const { changed, notReplayable } = await new Backtest(hooks).run(path);
    expect(changed).toEqual([]);
    expect(notReplayable).toMatchObject([
      { event: 'tool.pre', reason: expect.stringContaining('hook "asks" asks for http') },
    ]);
  });

  it('counts only decisions since a time, and still simulates those before', async () => {
    const path = await record(await policyOf({ third: THIRD.replace('LIMIT', '9') }), CALLS);
    const { hooks } = await policyOf({ third: THIRD.replace('LIMIT', '9') });
    const { decisions } = await new Backtest(hooks, { since: Date.now() + 60_000 }).run(path);
    expect(decisions).toBe(0);
  });

  it('says what is no tape', async () => {
    const path = join(tempProject({ 'x.jsonl': 'hello\n' }), 'x.jsonl');
    await expect(new Backtest([]).run(path)).rejects.toThrow('is not a tape');
  });
});

describe('the self-check', () => {
  /** The same whether the candidate is the policy of the tape, which decides most of it again to the byte, or another. */
  async function check(path: string, { hooks, digest }: Policy): Promise<string | null> {
    const { check } = await new Backtest(hooks, { check: digest.hooks }).run(path);
    expect((await new Backtest([], { check: [] }).run(path)).check).toBe(check);
    return check;
  }

  it('holds for a tape as it was written', async () => {
    const policy = await policyOf({ no_rm: NO_RM });
    expect(await check(await record(policy, CALLS), policy)).toBeNull();
  });

  it('finds an entry that was changed', async () => {
    const policy = await policyOf({ no_rm: NO_RM });
    const path = await record(policy, CALLS);
    writeFileSync(path, readFileSync(path, 'utf8').replace('rm a', 'ls a'));
    expect(await check(path, policy)).toMatch(/^entry \d+: /);
  });

  it('finds a decision that was changed by hand, although the chain was made anew', async () => {
    const policy = await policyOf({ first: NO_RM, second: NO_CURL });
    const path = forged(await record(policy, CALLS), (line) =>
      line.replace('"out":{"action":"block","hook":"first"', '"out":{"action":"allow","hook":"first"'),
    );
    expect(await check(path, policy)).toContain('the chain says block');
  });

  it.each([
    ['name of a hook', '"name":"first","onError"', '"name":"other","onError"'],
    [
      'mode of a hook',
      '"mode":"enforce","modifies":true,"name":"first"',
      '"mode":"shadow","modifies":true,"name":"first"',
    ],
    ['order of the hooks', '"priority":10', '"priority":11'],
  ])(
    'finds a policy whose %s was changed by hand, although the candidate is the one that decided',
    async (_what, was, is) => {
      const policy = await policyOf({ first: NO_RM, second: NO_CURL });
      const path = forged(await record(policy, CALLS), (line, at) =>
        at === 0 ? line.replace(was, is) : line,
      );
      expect(readFileSync(path, 'utf8')).toContain(is);
      expect(await check(path, policy)).not.toBeNull();
    },
  );
});
