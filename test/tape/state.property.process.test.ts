/**
 * Decisions of scripts that count, store and emit, whatever the scripts. The policy that made them makes them again, in replay and in
 * a backtest. A decision that the hooks and the state of the run bring about alone is not parsed; every report is the one that comes
 * of answering each reading from the tape.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import type { Hook } from '../../src/engine/hook.ts';
import { machineHost } from '../../src/machine/host.ts';
import { policyDigest } from '../../src/policy/policy-digest.ts';
import { Backtest } from '../../src/tape/backtest/backtest-tape.ts';
import { replayTape } from '../../src/tape/replay.ts';
import { forged } from '../support/forged.ts';
import { tapedProject } from '../support/taped.ts';
import { hookFile, loadHooks } from '../support/temp-project.ts';

/** Lines of a script, each with a way of its own to the tape or to the state of a run. */
const LINES = [
  'metrics.incr("calls")',
  'metrics.incr("own." + payload["name"])',
  'log.info("tool " + payload["name"])',
  'cache.set("last", payload["name"])',
  'if cache.get("last", "") == "b": metrics.incr("after b")',
  'ctx.set("n", ctx.get("n", 0) + 1)',
  'if ctx.get("n", 0) > 1: metrics.incr("often in a turn")',
  'if metrics.get("calls") > 3: return block("too many")',
  'if payload["name"] == "a": return block("no a: %d" % metrics.get("calls"))',
  'if payload["name"] == "c": return modify({"args": {"rewritten": True}})',
  'log.info(str(time.now()))',
  'remind("mind %s" % payload["name"])',
  'metrics.set("calls", 0)',
  'if payload["name"] == "b": fail("cannot say")',
  'emit("custom.seen", {"name": payload["name"]})',
] as const;

/** Among the names of tools: no call, but the end of a turn. */
const TURN_ENDS = 'the turn ends';

const script = fc.uniqueArray(fc.constantFrom(...LINES), { minLength: 1, maxLength: 4 });
const policy = fc.array(script, { minLength: 1, maxLength: 3 });
const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd', TURN_ENDS), { minLength: 1, maxLength: 8 });

const load = async (scripts: readonly (readonly string[])[]) => {
  const files = scripts.map((lines, at) => [
    `hook_${at}`,
    hookFile(
      `def handle(event, payload):\n${lines.map((line) => `    ${line}\n`).join('')}    return allow()`,
    ),
  ]);
  return loadHooks(Object.fromEntries(files));
};

async function play(engine: Engine, calls: readonly string[]): Promise<void> {
  for (const [at, name] of calls.entries()) {
    if (name !== TURN_ENDS) await engine.decide('tool.pre', { id: `call ${at}`, name, args: { at } });
    else {
      await engine.decide('turn.end', { text: 'done' });
      engine.run.turn.clear();
    }
  }
}

/** Scripts whose lines are counted are never called twice: each reading is answered from the tape. */
const byTheTape = (hooks: readonly Hook[]): Hook[] =>
  hooks.map((hook) => ({ ...hook, covered: { lines: () => new Map(), decisions: [], addsContext: false } }));

describe('decisions of scripts that keep state', () => {
  it('come out the same by the policy that made them, and as the tape answers by any policy', async () => {
    let same = 0;
    await fc.assert(
      fc.asyncProperty(policy, policy, names, fc.boolean(), async (given, other, calls, changes) => {
        const project = await load(given);
        const { path, tape, engine } = tapedProject(project);
        await play(engine, calls);
        tape.close();
        const { hooks } = await load(changes ? other : given);
        const report = await replayTape(path, { hooks });
        expect(report).toEqual(await replayTape(path, { hooks: byTheTape(hooks) }));
        const result = await new Backtest(hooks).run(path);
        expect(result).toEqual(await new Backtest(byTheTape(hooks)).run(path));
        expect(result.same + result.changed.length + result.notReplayable.length).toBe(calls.length);
        if (!changes) expect([report.differences, result.changed]).toEqual([[], []]);
        same += result.same;
      }),
      { numRuns: Number(process.env.REPLAY_RUNS ?? 40), seed: 19 },
    );
    expect(same).toBeGreaterThan(0);
  });
});

/** What somebody might write into a decision. */
const FORGERIES = [
  ['"action":"allow"', '"action":"block"'],
  ['"action":"block"', '"action":"allow"'],
  ['"result":"block"', '"result":"ask"'],
  ['"steps":', '"steps":1'],
] as const;

describe('a decision that was changed by hand, with the chain made anew', () => {
  it('is found by a replay with the hooks, and the self-check of a backtest does not depend on the candidate', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(
        policy,
        names,
        fc.constantFrom(...FORGERIES),
        fc.nat(9),
        async (given, calls, [was, is], line) => {
          const project = await load(given);
          const { path, tape, engine } = tapedProject(project);
          await play(engine, calls);
          tape.close();
          let changes = false;
          const changed = forged(path, (text, at) => {
            if (at !== line || at === 0 || !text.includes(was)) return text;
            changes = true;
            return text.replace(was, is);
          });
          const { hooks } = project;
          const { differences } = await replayTape(changed, { hooks });
          expect(differences.length > 0).toBe(changes);
          const check = policyDigest({ hooks, project, host: machineHost }).hooks;
          const result = await new Backtest(hooks, { check }).run(changed);
          expect(result.check).toBe((await new Backtest([], { check: [] }).run(changed)).check);
          if (changes) found++;
        },
      ),
      { numRuns: Number(process.env.REPLAY_RUNS ?? 60), seed: 17 },
    );
    expect(found).toBeGreaterThan(0);
  });
});
