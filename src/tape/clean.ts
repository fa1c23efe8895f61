/**
 * A record without its secrets. The redactor knows the fields of plain records; what has its data elsewhere is taken apart
 * for it. A decision is looked at once as a whole, and only one that holds something is taken apart.
 */
import { type Canonical, canonicalWithOrder, restoreOrder } from '../base/canonical-json.ts';
import type { Json } from '../base/json.ts';
import { rawOf, type Told } from './decision-text.ts';
import type { DecisionRecord, HookPart, Reading, Said, SessionRecord, TapeRecord } from './entry.ts';
import { recordable } from './recordable.ts';

export type Redact = (record: TapeRecord) => TapeRecord;

/** Nothing is taken out. */
export const KEEP_ALL: Redact = (record) => record;

export function cleanRecord(record: TapeRecord, redact: Redact): TapeRecord {
  try {
    return clean(record, redact);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    return clean(recordable(record), redact);
  }
}

function clean(record: TapeRecord, redact: Redact): TapeRecord {
  switch (record.type) {
    case 'decision':
      return cleanDecision(record, redact);
    case 'annotate':
      return { ...record, facts: cleanData(record.facts, redact) as typeof record.facts };
    case 'run':
      return {
        ...record,
        actor: cleanData(record.actor, redact),
        settings: cleanData(record.settings, redact) as typeof record.settings,
      };
    case 'call': {
      const cleaned = redact(record);
      if (record.args === undefined) return cleaned;
      return { ...cleaned, args: cleanData(record.args, redact) } as TapeRecord;
    }
    default:
      return redact(record);
  }
}

export function cleanData(data: Json, redact: Redact): Json {
  return (redact({ data, kind: '', type: 'session' }) as SessionRecord).data;
}

/** Decisions are many and secrets few: one is looked at as a whole first, and taken apart only if it holds something. */
export function cleanWritten(written: Canonical, told: Told, redact: Redact | undefined): Canonical {
  if (redact === undefined || redact === KEEP_ALL || holdsNothing(told, redact)) return written;
  const record = restoreOrder(JSON.parse(written.text) as DecisionRecord, written.order);
  return canonicalWithOrder(cleanDecision(record, redact));
}

function holdsNothing({ fired, ended, outcome, rewritten }: Told, redact: Redact): boolean {
  const data: unknown[] = [];
  const readings: Reading[] = [];
  if ('payload' in fired) data.push(fired.payload);
  for (const call of ended) {
    const { failure, reason, warnings } = call.entry;
    data.push(failure, call.payload, reason, call.effects, rawOf(call.decision), warnings);
    readings.push(...call.readings);
  }
  data.push(outcome.failure, rewritten ? outcome.payload : null, outcome.reason, outcome.request);
  const given = data.filter((value) => value !== undefined && value !== null) as unknown as Json;
  try {
    return cleanData(given, redact) === given && areClean(readings, redact);
  } catch (thrown) {
    // Too deep, or a cycle: the text has a placeholder for that.
    if (thrown instanceof TypeError) return false;
    throw thrown;
  }
}

function cleanDecision(record: DecisionRecord, redact: Redact): TapeRecord {
  const { out } = record;
  const parts = out.hooks ?? [];
  const { dispatch } = record.in;
  const { hooks: _hooks, ...outcome } = out;
  return {
    in: unlike(redact({ ...record.in, type: 'dispatch' } as TapeRecord)) as DecisionRecord['in'],
    out: sorted({
      ...(unlike(redact({ ...outcome, dispatch, event: '', type: 'outcome' })) as Said),
      ...(parts.length > 0 && { hooks: parts.map((part) => cleanPart(part, dispatch, redact)) }),
    }),
    type: 'decision',
  };
}

function areClean(readings: readonly Reading[], redact: Redact): boolean {
  if (readings.length === 0) return true;
  const record = {
    dispatch: 0,
    hook: '',
    readings,
    result: 'allow',
    steps: 0,
    type: 'hook_returned',
  } as const;
  return redact(record) === record;
}

function cleanPart(part: HookPart, dispatch: number, redact: Redact): HookPart {
  const record = { ...part, dispatch, result: part.result ?? 'allow', steps: part.steps ?? 0 } as const;
  const cleaned = redact({ ...record, type: 'hook_returned' } as TapeRecord) as unknown as HookPart;
  const fields = Object.keys(part).map((field) => [field, cleaned[field as keyof HookPart]]);
  return Object.fromEntries(fields) as HookPart;
}

/** Without what was put in so that the redactor knows the record. */
function unlike(record: TapeRecord): object {
  const { type, ...rest } = record;
  if (type !== 'outcome') return rest;
  const { dispatch: _dispatch, event: _event, ...said } = rest as { dispatch: number; event: string };
  return said;
}

function sorted(said: Said): Said {
  const keys = Object.keys(said).sort() as (keyof Said)[];
  return Object.fromEntries(keys.map((key) => [key, said[key]])) as unknown as Said;
}
