/**
 * A record without its secrets. The redactor knows the fields whose values come from outside; the parts of a decision are given to
 * it one by one. A decision is first looked at as a whole, and taken apart only if it holds something.
 */
import { type Canonical, canonicalWithOrder, type Json, restoreOrder } from '../base/index.ts';
import { type DecisionEvent, rawOf } from './decision-text.ts';
import type { DecisionRecord, Reading, TapeRecord } from './entry.ts';
import { recordable } from './recordable.ts';
import type { Redact } from './redact.ts';

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
      return { ...cleaned, args: cleanData(record.args, redact) as typeof record.args };
    }
    default:
      return redact(record);
  }
}

export function cleanData(data: Json, redact: Redact): Json {
  return redact({ data }).data;
}

/** Decisions are many and secrets few: one is looked at as a whole first, and taken apart only if it holds something. */
export function cleanWritten(written: Canonical, told: DecisionEvent, redact: Redact | undefined): Canonical {
  if (redact === undefined || redact === KEEP_ALL || isNothingToClean(told, redact)) return written;
  const record = restoreOrder(JSON.parse(written.text) as DecisionRecord, written.order);
  return canonicalWithOrder(cleanDecision(record, redact));
}

function isNothingToClean({ fired, ended, outcome, rewritten }: DecisionEvent, redact: Redact): boolean {
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
  const readBy = { readings };
  try {
    return cleanData(given, redact) === given && redact(readBy).readings === readings;
  } catch (thrown) {
    // Too deep, or a cycle: the text has a placeholder for that.
    if (thrown instanceof TypeError) return false;
    throw thrown;
  }
}

function cleanDecision({ in: fired, out, type }: DecisionRecord, redact: Redact): TapeRecord {
  const said = redact(out);
  const { hooks } = said;
  // The keys stay in their order: a line then need not say how they stood.
  return { in: redact(fired), out: hooks === undefined ? said : { ...said, hooks: hooks.map(redact) }, type };
}
