/**
 * Replay as a promise: the recorded policy decides the same again, a changed one is noticed, and what cannot be decided
 * again is said to be so.
 */
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Registry } from '../../src/engine/registry.ts';
import { RunState } from '../../src/engine/run-state.ts';
import { createHooks } from '../../src/exports/hooks.ts';
import { loadProject } from '../../src/frontends/project.ts';
import { machineHost } from '../../src/machine/host.ts';
import { policyDigest } from '../../src/policy/policy-digest.ts';
import { replayTape } from '../../src/tape/replay.ts';
import { cpuTime } from '../support/cpu-time.ts';
import { decisions, hook } from '../support/plain-hook.ts';
import { recordsOf, taped, tapedProject, textOf } from '../support/taped.ts';
import { hookFile, loadHooks, tempProject } from '../support/temp-project.ts';

const CALL = { id: 'c1', name: 'run_command', args: { command: 'ls' } };

const USER = { name: 'user', rank: 1 };
const PROJECT = { name: 'project', rank: 2 };

const STATEFUL = hookFile(
  `def handle(event, payload):
    count = metrics.incr("calls")
    seen = cache.get("seen", 0)
    cache.set("seen", seen + 1)
    ctx.set("id", uuid())
    log("call %d of %s" % (count, payload.get("name")), at=str(time.now()))
    if seen > 1:
        return block("seen %d times, id %s" % (seen, ctx.get("id")))
    return modify({"note": str(metrics.snapshot())})`,
);

describe('with the recorded policy', () => {
  it('every decision comes out the same, whatever the hooks keep, count and read', async () => {
    const project = await loadHooks({ stateful: STATEFUL });
    const { path, tape, engine } = tapedProject(project);
    const outcomes = [1, 2, 3, 4].map(() => engine.decide('tool.pre', CALL));
    tape.close();
    expect(outcomes).toMatchObject([
      { action: 'modify' },
      { action: 'modify' },
      { action: 'block' },
      { action: 'block' },
    ]);
    const policy = policyDigest({ hooks: project.hooks, project, host: machineHost });
    // Read anew: nothing is left of the run but the tape.
    const { hooks } = await loadProject(project.dir);
    expect(await replayTape(path, { hooks, policy })).toMatchObject({
      decisions: 4,
      differences: [],
      notReplayable: [],
      unfinished: 0,
      policyChanges: [],
    });
  });

  it('a command that was run then is not run again', async () => {
    const dir = tempProject({
      '.harness/settings.json': JSON.stringify({
        hooks: {
          PreToolUse: [{ hooks: [{ type: 'command', command: 'echo ran >> ran.txt; echo no >&2; exit 2' }] }],
        },
      }),
    });
    const project = await loadProject(dir);
    const { path, tape, engine } = tapedProject(project);
    expect(await engine.decide('tool.pre', CALL)).toMatchObject({ action: 'block', reason: 'no' });
    tape.close();
    expect(await replayTape(path, { hooks: project.hooks })).toMatchObject({ decisions: 1, differences: [] });
    expect(readFileSync(join(dir, 'ran.txt'), 'utf8')).toBe('ran\n');
  });

  it('a hook that was too late then is too late now, at once', async () => {
    const slow = hook({ name: 'slow', timeoutMs: 20, body: () => new Promise(() => {}) });
    const after = hook({ name: 'after', priority: 1, body: () => decisions.block('after') });
    const { path, tape, engine } = taped([{ ...slow, onError: 'allow' }, after]);
    await engine.decide('tool.pre', CALL);
    tape.close();
    const began = cpuTime();
    const report = await replayTape(path, { hooks: [{ ...slow, onError: 'allow' }, after] });
    expect(report).toMatchObject({ decisions: 1, differences: [] });
    expect(cpuTime() - began).toBeLessThan(5000);
  });

  it('what was aborted before its turn is aborted again', async () => {
    const controller = new AbortController();
    const hooks = [
      hook({ name: 'first', body: () => controller.abort() }),
      hook({ name: 'second', priority: 1, body: () => decisions.block('reached') }),
    ];
    const { path, tape, engine } = taped(hooks);
    await engine.decide('tool.pre', CALL, { signal: controller.signal });
    tape.close();
    expect(recordsOf(path)).toContainEqual(
      expect.objectContaining({ type: 'hook_failed', hook: 'second', state: 'unreached' }),
    );
    const again = [hook({ name: 'first', body: () => undefined }), hooks[1]!];
    expect(await replayTape(path, { hooks: again })).toMatchObject({ decisions: 1, differences: [] });
  });

  it('keys of a payload stand as they stood', async () => {
    const project = await loadHooks({
      first: hookFile('def handle(event, payload):\n    return block(payload["args"].keys()[0])'),
    });
    const { path, tape, engine } = tapedProject(project);
    const outcome = engine.decide('tool.pre', { ...CALL, args: { zebra: 1, ant: 2 } });
    tape.close();
    expect(outcome).toMatchObject({ reason: 'zebra' });
    expect(await replayTape(path, { hooks: project.hooks })).toMatchObject({ differences: [] });
  });

  it('several engines on one tape each have their own session and settings', async () => {
    const project = await loadHooks({
      guard: hookFile('def handle(event, payload):\n    return ask("sure?")'),
    });
    const { path, tape, engine } = tapedProject(project, { engineOptions: { canAsk: true } });
    const below = engine.layered([hook({ name: 'child', body: () => decisions.block('in the child') })], {
      run: new RunState(project.settings, { id: 'child', transcriptPath: null, cwd: null }),
      canAsk: false,
    });
    expect(await engine.decide('tool.pre', CALL)).toMatchObject({ action: 'ask' });
    expect(await below.decide('tool.pre', CALL)).toMatchObject({ action: 'block', reason: 'in the child' });
    tape.close();
    const report = await replayTape(path, { hooks: project.hooks });
    expect(report).toMatchObject({ decisions: 2, differences: [] });
  });
});

describe('with another policy', () => {
  it('the first difference is shown with what was and what is, and which file has changed', async () => {
    const project = await loadHooks({
      guard: hookFile('def handle(event, payload):\n    return block("too dangerous")'),
      watch: hookFile('def handle(event, payload):\n    return allow()', 'event: tool.pre\npriority: 1'),
    });
    const { path, tape, engine } = tapedProject(project);
    await engine.decide('tool.pre', CALL);
    await engine.decide('tool.pre', { ...CALL, id: 'c2' });
    tape.close();
    writeFileSync(
      join(project.dir, '.harness/hooks/guard.md'),
      hookFile('def handle(event, payload):\n    return block("forbidden")'),
    );
    const changed = await loadProject(project.dir);
    const policy = policyDigest({ hooks: changed.hooks, project: changed, host: machineHost });
    const report = await replayTape(path, { hooks: changed.hooks, policy });
    expect(report.policyChanges).toEqual([
      'the layer project has changed',
      '.harness/hooks/guard.md has changed',
    ]);
    // A header that claims the digest of a policy is not believed: what it lists counts.
    const claimed = join(project.dir, 'claimed.jsonl');
    const { digest } = report.header.policy;
    writeFileSync(claimed, readFileSync(path, 'utf8').replaceAll(digest, policy.digest));
    const believed = await replayTape(claimed, { hooks: changed.hooks, policy });
    expect(believed.header.policy.digest).toBe(policy.digest);
    expect(believed.policyChanges).toEqual(report.policyChanges);
    expect(report.decisions).toBe(2);
    expect(report.differences).toHaveLength(2);
    expect(report.differences[0]).toMatchObject({
      seq: 2,
      dispatch: 2,
      event: 'tool.pre',
      hook: 'guard',
      what: 'hook "guard" says block, but not with the same reason',
      fields: [{ path: 'reason', recorded: 'too dangerous', replayed: 'forbidden' }],
    });
  });

  it.each<[string, string, RegExp]>([
    ['reads another key', 'cache.get("other")', /asks for cache\.get "other"; recorded: cache\.get "k"/],
    ['reads more', 'cache.get("k")\n    uuid()', /asks for uuid; recorded: nothing/],
    ['reads less', 'None', /hook "h" says allow, but not with the same readings, steps/],
    ['emits', 'cache.get("k")\n    emit("custom.x", {})', /hook "h" emits custom\.x; recorded: nothing/],
    [
      'takes more steps',
      'cache.get("k")\n    [x for x in range(9)]',
      /hook "h" says allow, but not with the same steps/,
    ],
    ['counts', 'cache.get("k")\n    metrics.set("n", 1)', /asks for metric\.get "n"; recorded: nothing/],
  ])('a hook that now %s is noticed', async (_name, code, what) => {
    const file = (line: string) => hookFile(`def handle(event, payload):\n    ${line}\n    return allow()`);
    const before = await loadHooks({ h: file('cache.get("k")') });
    const { path, tape, engine } = tapedProject(before);
    await engine.decide('tool.pre', CALL);
    tape.close();
    const after = await loadHooks({ h: file(code) });
    const { differences } = await replayTape(path, { hooks: after.hooks });
    expect(differences.map((one) => one.what)).toEqual([expect.stringMatching(what)]);
  });

  it('a hook that now leaves something else beside the same answer is noticed', async () => {
    const file = (said: string) =>
      hookFile(`def handle(event, payload):\n    log("${said}")\n    return allow()`);
    const before = await loadHooks({ h: file('one') });
    const { path, tape, engine } = tapedProject(before);
    await engine.decide('tool.pre', CALL);
    tape.close();
    const after = await loadHooks({ h: file('two') });
    const { differences } = await replayTape(path, { hooks: after.hooks });
    expect(differences.map((one) => one.what)).toEqual([
      'hook "h" says allow, but not with the same effects[0].message',
    ]);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['gone', {}, /the chain says allow; recorded: hook "h" is called/],
    [
      'joined by another',
      { a: hookFile('def handle(event, payload):\n    return allow()'), h: STATEFUL },
      /hook "a" is called; recorded: hook "h" is called/,
    ],
  ])('a hook that is %s is noticed', async (_name, files, what) => {
    const before = await loadHooks({ h: STATEFUL });
    const { path, tape, engine } = tapedProject(before);
    await engine.decide('tool.pre', CALL);
    tape.close();
    const { differences } = await replayTape(path, { hooks: (await loadHooks(files)).hooks });
    expect(differences.map((one) => one.what)).toEqual([expect.stringMatching(what)]);
  });

  it('a hook that no longer answers does not hold up the replay of what follows', async () => {
    const { path, tape, engine } = taped([hook({ name: 'h', body: () => decisions.block('no') })]);
    for (let i = 0; i < 3; i++) await engine.decide('tool.pre', CALL);
    tape.close();
    const other = hook({ name: 'h', body: () => decisions.block('other') });
    const { differences } = await replayTape(path, { hooks: [other] });
    expect(differences).toHaveLength(3);
  });
});

describe('without the hooks', () => {
  it('closures fire in the same order with the same payloads, and say what they said [C116]', async () => {
    const registry = new Registry();
    const harn = createHooks(registry);
    const seen: unknown[] = [];
    harn.registerToolHook({ pattern: 'run_*', pre: (event) => void seen.push(event.tool.args) });
    harn.registerToolHook({ pattern: 'run_*', pre: () => ({ args: { command: 'ls -l' } }) });
    harn.registerToolHook({
      pattern: '*',
      pre: async (event) => ({ deny: `no ${String(event.tool.args.command)}` }),
    });
    harn.registerSessionHook('SessionEnd', () => ({ reminder: { body: 'tidy up' } }));
    const { path, tape, engine } = taped(registry.list(), { engineOptions: { registry } });
    const outcome = await engine.decide('tool.pre', CALL);
    await engine.decide('session.end', { session_id: 's', reason: 'end_turn', turn: 0 });
    tape.close();
    expect(outcome).toMatchObject({ action: 'block', reason: 'no ls -l' });
    expect(seen).toEqual([{ command: 'ls' }]);
    expect(await replayTape(path)).toMatchObject({ decisions: 2, differences: [], policyChanges: null });
    expect(seen).toHaveLength(1);
    // Nor are they missing where the hooks of a project are given: they never had a file.
    expect(await replayTape(path, { hooks: [] })).toMatchObject({ decisions: 2, differences: [] });
  });

  it('a hook that was registered while the session ran is on the tape, and is stood in for', async () => {
    const registry = new Registry();
    const { path, tape, engine } = taped([], { engineOptions: { registry } });
    await engine.decide('tool.pre', CALL);
    registry.add(hook({ name: 'late', body: () => decisions.block('late') }));
    await engine.decide('tool.pre', CALL);
    tape.close();
    expect(recordsOf(path)).toContainEqual(
      expect.objectContaining({
        type: 'session',
        kind: 'hook',
        data: expect.objectContaining({ name: 'late' }),
      }),
    );
    expect(await replayTape(path)).toMatchObject({ decisions: 2, differences: [] });
  });

  it('events that hooks emitted are fired again', async () => {
    const project = await loadHooks({
      emitter: hookFile(
        'def handle(event, payload):\n    got = emit("custom.note", {"n": 1})\n    return block(str(got["n"]))',
      ),
      listener: hookFile(
        'def handle(event, payload):\n    return modify({"n": payload["n"] + 1})',
        'event: custom.note\npriority: 0',
      ),
    });
    const { path, tape, engine } = tapedProject(project);
    expect(await engine.decide('tool.pre', CALL)).toMatchObject({ reason: '2' });
    tape.close();
    expect(await replayTape(path)).toMatchObject({ decisions: 2, differences: [] });
    expect(await replayTape(path, { hooks: project.hooks })).toMatchObject({ decisions: 2, differences: [] });
  });
});

describe('what is on the tape', () => {
  it('a dispatch, each call and how it ended, a veto, the outcome', async () => {
    const hooks = [
      hook({
        name: 'fails',
        priority: 1,
        onError: 'allow',
        body: () => {
          throw new Error('broken');
        },
      }),
      hook({
        name: 'unsure',
        priority: 2,
        when: () => {
          throw new Error('no such key');
        },
      }),
      hook({ name: 'elsewhere', priority: 3, when: () => false }),
      hook({ name: 'rewrites', priority: 4, body: () => decisions.modify({ note: 'x' }) }),
      hook({ name: 'blocks', priority: 5, body: () => decisions.block('no') }),
      hook({ name: 'unreached', priority: 6 }),
    ];
    const { path, tape, engine } = taped(hooks);
    engine.decide('tool.pre', CALL);
    tape.close();
    const about = recordsOf(path).filter(({ type }) => type !== 'session' && type !== 'run');
    expect(about).toMatchObject([
      { type: 'dispatch', dispatch: 1, event: 'tool.pre', callId: 'c1', payload: CALL },
      { type: 'hook_call', hook: 'fails' },
      { type: 'hook_failed', hook: 'fails', policy: 'allowed', failure: { message: 'broken' } },
      { type: 'hook_failed', hook: 'unsure', policy: 'skipped', state: 'condition_failed' },
      { type: 'hook_call', hook: 'rewrites' },
      { type: 'hook_returned', hook: 'rewrites', result: 'modify', raw: { note: 'x' } },
      { type: 'hook_call', hook: 'blocks', payload: { ...CALL, note: 'x' } },
      { type: 'hook_returned', hook: 'blocks', result: 'block', reason: 'no' },
      { type: 'hook_vetoed', hook: 'blocks', decision: 'block', reason: 'no' },
      { type: 'outcome', action: 'block', hook: 'blocks', reason: 'no', payload: { note: 'x' } },
    ]);
    expect(about).toHaveLength(10);
  });

  it('a guard that judges a call a second time is there twice, the second time as a recheck', async () => {
    const hooks = [
      { ...hook({ name: 'guard', body: (_seen, { run }) => void run.cache.get('k') }), layer: USER },
      {
        ...hook({ name: 'rewrites', priority: 1, body: () => decisions.modify({ note: 'x' }) }),
        layer: PROJECT,
      },
    ];
    const { path, tape, engine } = taped(hooks);
    await engine.decide('tool.pre', CALL);
    await engine.decide('tool.pre', CALL, { recheck: true });
    tape.close();
    const answers = recordsOf(path).filter((record) => record.type === 'hook_returned');
    expect(answers.slice(0, 3)).toMatchObject([
      { hook: 'guard' },
      { hook: 'rewrites', result: 'modify' },
      { hook: 'guard', recheck: true },
    ]);
    expect(answers[0]).not.toHaveProperty('recheck');
    expect(recordsOf(path).filter((record) => record.type === 'dispatch')).toMatchObject([
      { dispatch: 1 },
      { dispatch: 2, recheck: true },
    ]);
    expect(await replayTape(path, { hooks })).toMatchObject({ decisions: 2, differences: [] });
    expect(await replayTape(path)).toMatchObject({ decisions: 2, differences: [] });
  });

  it('two layers with one hook name are two hooks', async () => {
    const of = (layer: typeof USER, reason: string | null) => ({
      ...hook({
        name: 'guard',
        source: 'hooks/guard.md',
        body: () => (reason ? decisions.block(reason) : undefined),
      }),
      layer,
    });
    const hooks = [of(USER, null), of(PROJECT, 'no')];
    const { path, tape, engine } = taped(hooks);
    await engine.decide('tool.pre', CALL);
    tape.close();
    expect(recordsOf(path).filter((record) => record.type === 'hook_call')).toMatchObject([
      { hook: 'guard', layer: 'user' },
      { hook: 'guard', layer: 'project' },
    ]);
    expect(await replayTape(path, { hooks })).toMatchObject({ decisions: 1, differences: [] });
    expect(await replayTape(path)).toMatchObject({ decisions: 1, differences: [] });
    const moved = await replayTape(path, { hooks: [hooks[0]!, of({ name: 'managed', rank: 1 }, 'no')] });
    expect(moved.differences).toHaveLength(1);
  });

  it('readings belong to the call that took them, however calls overlap', async () => {
    const reads = (name: string) =>
      hook({
        name,
        event: name === 'a' ? 'tool.pre' : 'tool.post',
        body: async (_seen, { host }) => {
          const found = [];
          for (let i = 0; i < 3; i++) {
            found.push(host.uuid());
            await new Promise((resolve) => setImmediate(resolve));
          }
          return decisions.block(found.join());
        },
      });
    let next = 0;
    const host = { ...machineHost, uuid: () => `id${next++}` };
    const { path, tape, engine } = taped([reads('a'), reads('b')], { host });
    const [a, b] = await Promise.all([
      engine.decide('tool.pre', CALL),
      engine.decide('tool.post', { call_id: 'c1', name: 'x', content: 'y' }),
    ]);
    tape.close();
    expect([a.reason, b.reason]).toEqual(['id0,id2,id4', 'id1,id3,id5']);
    const ids = recordsOf(path).flatMap((record) =>
      record.type === 'hook_returned' ? [record.readings!.map(({ value }) => value).join()] : [],
    );
    expect(ids).toEqual([a.reason, b.reason]);
  });

  it('no secret of the environment, also where a hook reads it, and the decision replays', async () => {
    const dir = tempProject({
      'agent.json': JSON.stringify({
        hooks: { onToolCall: [{ action: 'save_json', path: 'log/calls.jsonl' }] },
      }),
    });
    const project = await loadProject(dir);
    const values: Record<string, string> = { GITHUB_TOKEN: 'very-secret-value' };
    const host = { ...machineHost, env: (name: string) => values[name] };
    const { path, tape, engine } = tapedProject(project, { host });
    await engine.decide('tool.pre', CALL);
    tape.close();
    expect(existsSync(join(dir, 'log/calls.jsonl'))).toBe(true);
    expect(textOf(path)).toContain('"key":"GITHUB_TOKEN"');
    expect(textOf(path)).not.toContain('very-secret-value');
    expect(await replayTape(path, { hooks: project.hooks })).toMatchObject({
      decisions: 1,
      differences: [],
      notReplayable: [],
    });
  });

  it('nothing that a clock could change: two runs leave the same records [C118]', async () => {
    const hooks = [hook({ name: 'h', body: (seen) => decisions.block(String(seen.name)) })];
    const record = async (start: number) => {
      let clock = start;
      const host = { ...machineHost, now: () => (clock += 7), elapsed: () => (clock += start / 1000) };
      const { path, tape, engine } = taped(hooks, { host });
      await engine.decide('tool.pre', CALL);
      await engine.decide('tool.pre', { ...CALL, name: 'other' });
      tape.close();
      return recordsOf(path);
    };
    expect(await record(1_000)).toEqual(await record(9_000_000));
  });

  it('nothing is decided that cannot be recorded', async () => {
    const { tape, engine } = taped([hook({ name: 'h', body: () => decisions.allow() })]);
    tape.close();
    expect(() => engine.decide('tool.pre', CALL)).toThrow(/is closed/);
  });
});

/** Says no after something else has happened in the process. */
const waiting = async () => {
  await new Promise((resolve) => setImmediate(resolve));
  return decisions.block('no');
};

describe('a tape that does not hold everything', () => {
  it('says of a decision whose input was redacted why it cannot be replayed', async () => {
    const hooks = [hook({ name: 'h', body: (seen) => decisions.block(JSON.stringify(seen.args)) })];
    const { path, tape, engine } = taped(hooks);
    await engine.decide('tool.pre', { ...CALL, args: { password: 'hunter2' } });
    await engine.decide('tool.pre', CALL);
    tape.close();
    const report = await replayTape(path, { hooks });
    expect(report).toMatchObject({
      decisions: 1,
      differences: [],
      notReplayable: [{ seq: 2, event: 'tool.pre', reason: 'cannot be replayed: redacted (credential)' }],
    });
  });

  it('replays a decision of which only the answer was redacted', async () => {
    const hooks = [hook({ name: 'h', body: () => decisions.modify({ password: 'hunter2', note: 'x' }) })];
    const { path, tape, engine } = taped(hooks);
    await engine.decide('tool.pre', CALL);
    tape.close();
    expect(textOf(path)).not.toContain('hunter2');
    expect(await replayTape(path, { hooks })).toMatchObject({ decisions: 1, differences: [] });
    const other = [hook({ name: 'h', body: () => decisions.modify({ password: 'hunter2', note: 'y' }) })];
    expect((await replayTape(path, { hooks: other })).differences).toHaveLength(1);
  });

  it('ends where it is told to, inclusive; a cut decision is counted apart [C117]', async () => {
    const hooks = [hook({ name: 'h', body: waiting })];
    const { path, tape, engine } = taped(hooks);
    for (let i = 0; i < 3; i++) await engine.decide('tool.pre', CALL);
    tape.close();
    // Entry 1 is the run; a decision that waits has three: it begins, a hook is called, it is made.
    expect(await replayTape(path, { hooks, at: 4 })).toMatchObject({ decisions: 1, unfinished: 0 });
    expect(await replayTape(path, { hooks, at: 5 })).toMatchObject({ decisions: 1, unfinished: 1 });
    expect(await replayTape(path, { hooks, at: 1 })).toMatchObject({ decisions: 0, differences: [] });
    expect(await replayTape(path, { hooks, at: 999 })).toMatchObject({ decisions: 3 });
    await expect(replayTape(path, { hooks, at: 0 })).rejects.toThrow(/the first entry is 1/);
  });

  it('replays a tape whose last line is torn', async () => {
    const hooks = [hook({ name: 'h', body: waiting })];
    const { path, tape, engine } = taped(hooks);
    for (let i = 0; i < 3; i++) await engine.decide('tool.pre', CALL);
    tape.close();
    truncateSync(path, textOf(path).indexOf('"seq":7}'));
    expect(await replayTape(path, { hooks })).toMatchObject({ decisions: 1, differences: [], unfinished: 1 });
  });
});
