/**
 * A decision that comes out to the byte as it was recorded is not parsed. Whatever the scripts, and whether or not the policy is
 * another one by now, replay and backtest say what they say when every decision takes the long way.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { machineHost } from '../../src/base/host.ts';
import type { Engine } from '../../src/hooks/engine.ts';
import type { Hook } from '../../src/hooks/hook.ts';
import { policyDigest } from '../../src/policy/policy-digest.ts';
import { Backtest } from '../../src/tape/backtest/backtest-tape.ts';
import { replayTape } from '../../src/tape/replay.ts';
import { UndoableMap } from '../../src/tape/undoable-map.ts';
import { forged } from '../support/forged.ts';
import { tapedProject } from '../support/taped.ts';
import { hookFile, loadHooks } from '../support/temp-project.ts';

/** Lines of a script, each with a way of its own to the tape or to what a run keeps. */
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

/** A hook of which it is counted what runs is never called twice. */
const longWay = (hooks: readonly Hook[]): Hook[] =>
  hooks.map((hook) => ({ ...hook, covered: { lines: () => new Map(), decisions: [] } }));

describe('decisions taken once more', () => {
  it('are told as the long way tells them', async () => {
    let same = 0;
    await fc.assert(
      fc.asyncProperty(policy, policy, names, fc.boolean(), async (given, other, calls, changes) => {
        const project = await load(given);
        const { path, tape, engine } = tapedProject(project);
        await play(engine, calls);
        tape.close();
        const { hooks } = await load(changes ? other : given);
        expect(await replayTape(path, { hooks })).toEqual(await replayTape(path, { hooks: longWay(hooks) }));
        const result = await new Backtest(hooks).run(path);
        expect(result).toEqual(await new Backtest(longWay(hooks)).run(path));
        if (!changes) expect(result.changed).toEqual([]);
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
  ['"reason":"', '"reason":"not '],
  ['"steps":', '"steps":1'],
  ['"mode":"enforce"', '"mode":"warn"'],
  ['"name":"a"', '"name":"d"'],
] as const;

describe('a tape that was changed by hand', () => {
  it('is proven or not, whoever decides it again', async () => {
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
          const changed = forged(path, (text, at) => (at === line ? text.replace(was, is) : text));
          const { hooks } = project;
          const check = policyDigest({ hooks, project, host: machineHost }).hooks;
          const result = await new Backtest(hooks, { check }).run(changed);
          const alone = await new Backtest([], { check: [] }).run(changed);
          expect(result.check).toBe(alone.check);
          if (result.check !== null) found++;
        },
      ),
      { numRuns: Number(process.env.REPLAY_RUNS ?? 60), seed: 17 },
    );
    expect(found).toBeGreaterThan(0);
  });
});

describe('what a run keeps', () => {
  it('is as it was before a decision that is taken back', () => {
    const map = new UndoableMap([
      ['kept', 1],
      ['changed', 2],
      ['gone', 3],
    ]);
    map.remember();
    map.set('changed', 20).set('changed', 21).set('new', 4);
    map.delete('gone');
    map.undo();
    expect(Object.fromEntries(map)).toEqual({ kept: 1, changed: 2, gone: 3 });
    map.remember();
    map.clear();
    map.set('new', 4);
    map.keep();
    map.undo();
    expect([...map]).toEqual([['new', 4]]);
  });
});
