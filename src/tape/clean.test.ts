/**
 * No secret reaches a tape, wherever in a record it stands.
 */
import { describe, expect, it } from 'vitest';
import { cleanRecord } from './clean.ts';
import type { DecisionRecord, Fired, HookPart, Said, TapeRecord } from './entry.ts';
import { createRedactor } from './redact.ts';

const SECRET = 'very-secret-value';
const redact = createRedactor({ rules: [{ kind: 'known', value: SECRET }] });

const FIRED: Fired = { dispatch: 1, event: 'tool.pre', payload: { id: 'c1' }, run: 1 };
const PART: HookPart = { hook: 'h', steps: 3 };

function decision({ fired = {}, part = {}, said = {} }: Given): DecisionRecord {
  const hooks = [
    { hook: 'before', steps: 1 },
    { ...PART, ...part },
  ];
  return { in: { ...FIRED, ...fired }, out: { action: 'allow', hooks, ...said }, type: 'decision' };
}

interface Given {
  readonly fired?: Partial<Fired>;
  readonly part?: Partial<HookPart>;
  readonly said?: Partial<Said>;
}

const FAILURE = { kind: 'error', code: 'HOOK_THREW', message: SECRET } as const;

describe('a secret', () => {
  it.each<[string, Given]>([
    ['in what was fired', { fired: { payload: { args: { command: `echo ${SECRET}` } } } }],
    ['in what a hook was called with', { part: { payload: [SECRET] } }],
    ['in what a hook gave', { part: { raw: { note: SECRET } } }],
    ['in its reason', { part: { reason: SECRET } }],
    ['in what it read', { part: { readings: [{ kind: 'env', key: 'X', value: SECRET }] } }],
    [
      'under a name that is one',
      { part: { readings: [{ kind: 'cache.get', key: 'password', value: SECRET }] } },
    ],
    ['in what it left', { part: { effects: [{ kind: 'log', level: 'info', message: SECRET }] } }],
    ['in why it failed', { part: { failure: FAILURE, policy: 'allowed' } }],
    ['in a warning', { part: { warnings: [`odd: ${SECRET}`] } }],
    ['in what was rewritten', { said: { payload: { note: SECRET } } }],
    ['in why it was decided', { said: { reason: SECRET } }],
    ['in a request', { said: { request: SECRET } }],
    ['in what failed as a whole', { said: { failure: { ...FAILURE, hook: 'h' } } }],
  ])('%s is not in the decision, and everything else is', (_name, given) => {
    const record = decision(given);
    const cleaned = cleanRecord(record, redact) as DecisionRecord;
    expect(JSON.stringify(record)).toContain(SECRET);
    expect(JSON.stringify(cleaned)).not.toContain(SECRET);
    expect(JSON.stringify(cleaned)).toContain('$redacted');
    // The shape stays, and what held no secret stays as it was.
    expect(Object.keys(cleaned.out).sort()).toEqual(Object.keys(record.out).sort());
    expect(cleaned.out.hooks!.map((part) => Object.keys(part))).toEqual(
      record.out.hooks!.map((part) => Object.keys(part)),
    );
    expect(cleaned.out.hooks![0]).toEqual(record.out.hooks![0]);
    expect(cleaned.in).toMatchObject({ dispatch: 1, event: 'tool.pre', run: 1 });
    expect(Object.keys(cleaned.in)).toEqual(Object.keys(record.in));
  });

  it.each<[string, TapeRecord]>([
    ['the reason of a call', call({ reason: SECRET })],
    ['the arguments of a call', call({ args: { token: [SECRET] } })],
    ['a fact', { type: 'annotate', facts: { why: SECRET } }],
    ['an actor', { type: 'run', run: 1, actor: { key: SECRET }, caller: null, settings: {} }],
    ['the settings of a run', { type: 'run', run: 1, actor: null, caller: null, settings: { cwd: SECRET } }],
    ['a note', { type: 'session', kind: 'message', data: SECRET }],
    ['a dispatch that waits', { ...FIRED, payload: SECRET, type: 'dispatch' }],
  ])('in %s is not on the tape', (_name, record) => {
    expect(JSON.stringify(cleanRecord(record, redact))).not.toContain(SECRET);
  });

  it('that is not there changes nothing', () => {
    const record = decision({ part: { readings: [{ kind: 'now', value: 3 }] } });
    expect(cleanRecord(record, redact)).toBe(record);
  });

  it('in what JSON cannot hold is not on the tape either', () => {
    const loop: Record<string, unknown> = { note: SECRET };
    loop.self = loop;
    const cleaned = cleanRecord(decision({ fired: { payload: loop as never } }), redact);
    expect(JSON.stringify(cleaned)).not.toContain(SECRET);
    expect(JSON.stringify(cleaned)).toContain('"$unrecordable":"cycle"');
  });
});

function call(more: object): TapeRecord {
  const record = {
    callId: 'c1',
    tool: 'x',
    verdict: 'failed',
    by: null,
    reason: null,
    digest: null,
    ...more,
  };
  return { ...record, type: 'call' } as TapeRecord;
}
