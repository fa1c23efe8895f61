/**
 * No secret reaches a tape, wherever in a record it stands.
 */
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../engine/decision.ts';
import { cleanRecord, cleanWritten } from './clean.ts';
import { type CallEnded, type DecisionEvent, decisionText } from './decision-text.ts';
import type { DecisionRecord, Fired, HookPart, RecordedDecision, TapeRecord } from './entry.ts';
import { PayloadShortener } from './payload-dedup.ts';
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
  readonly said?: Partial<RecordedDecision>;
}

const FAILURE = { kind: 'error', code: 'HOOK_THREW', message: SECRET } as const;

function outcome(more: object): Outcome {
  return { action: 'allow', hook: null, payload: null, reason: null, ...more } as unknown as Outcome;
}

/** A decision of one hook, as the engine tells it. */
function decided(call: Partial<CallEnded>, entry: object = {}): DecisionEvent {
  const trace = {
    hook: 'h',
    state: 'ran',
    decision: 'allow',
    reason: null,
    failure: null,
    warnings: [],
    steps: 1,
  };
  const ended = { entry: { ...trace, ...entry }, decision: null, effects: [], readings: [], ...call };
  return { fired: FIRED, ended: [ended as unknown as CallEnded], outcome: outcome({}), rewritten: false };
}

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
    expect(cleanRecord(record, redact)).toEqual(record);
    const told = decided({});
    const written = decisionText(told, new PayloadShortener());
    expect(cleanWritten(written, told, redact)).toBe(written);
  });

  it.each<[string, Partial<DecisionEvent>, Partial<CallEnded>, object]>([
    ['in what was fired', { fired: { ...FIRED, payload: { args: { command: `echo ${SECRET}` } } } }, {}, {}],
    ['in what a hook was called with', {}, { payload: [SECRET] }, {}],
    ['in what a hook gave', {}, { decision: { action: 'modify', payload: { note: SECRET } } }, {}],
    ['in what it read', {}, { readings: [{ kind: 'env', key: 'X', value: SECRET }] }, {}],
    ['in what it left', {}, { effects: [{ kind: 'output', hook: 'h', text: SECRET }] }, {}],
    ['in its reason', {}, {}, { reason: SECRET }],
    ['in why it failed', {}, {}, { failure: FAILURE }],
    ['in a warning', {}, {}, { warnings: [`odd: ${SECRET}`] }],
    ['in what was rewritten', { rewritten: true, outcome: outcome({ payload: [SECRET] }) }, {}, {}],
    ['in why it was decided', { outcome: outcome({ reason: SECRET }) }, {}, {}],
    ['in a request', { outcome: outcome({ request: SECRET }) }, {}, {}],
    ['in what failed as a whole', { outcome: outcome({ failure: { ...FAILURE, hook: 'h' } }) }, {}, {}],
  ])('%s is found before the text of a decision is written', (_name, told, call, entry) => {
    const given = { ...decided(call, entry), ...told };
    const written = decisionText(given, new PayloadShortener());
    expect(written.text).toContain(SECRET);
    const { text } = cleanWritten(written, given, redact);
    expect(text).not.toContain(SECRET);
    expect(text).toContain('"$redacted":"known"');
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
